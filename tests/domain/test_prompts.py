"""Prompts fill in their variables, and leave every other brace alone."""

from __future__ import annotations

import pytest

from orange_tui.domain.prompts import find_variables, render_prompt

VALUES = {"summary": "fix login", "branch": "fix/login", "review_round": 2, "status": None}


@pytest.mark.parametrize(
    ("template", "rendered"),
    [
        ("Do {summary} on {branch}.", "Do fix login on fix/login."),
        ("Round {review_round}", "Round 2"),
        ("[{status}]", "[]"),
        ('{"id": "x", "outcome": {"a": 1}}', '{"id": "x", "outcome": {"a": 1}}'),
        ('{"branch": {branch}}', '{"branch": fix/login}'),
        ("{{branch}} is a variable", "{branch} is a variable"),
        ("{ branch } {} {0} {a-b} {branch", "{ branch } {} {0} {a-b} {branch"),
        ("{unknown} stays", "{unknown} stays"),
        ("f() { return 1; }", "f() { return 1; }"),
    ],
)
def test_only_a_bare_word_in_braces_is_filled_in(template: str, rendered: str) -> None:
    assert render_prompt(template, VALUES) == rendered


def test_what_a_value_says_is_never_filled_in_again() -> None:
    values = {"summary": "why does {branch} show as {{summary}}?", "branch": "{summary}"}
    assert render_prompt("{summary} / {branch}", values) == "why does {branch} show as {{summary}}? / {summary}"


def test_variables_are_found_with_the_line_they_stand_on() -> None:
    assert list(find_variables('{summary}\n{{branch}} {"a": 1}\n{what}')) == [("summary", 0), ("what", 2)]
