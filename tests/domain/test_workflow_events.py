"""Rules on what happens to a pull request (`on:`): how they are written, and what is said of wrong ones."""

from __future__ import annotations

import os

import pytest

from orange_tui.domain.conditions import Condition
from orange_tui.domain.workflow import EventRule
from orange_tui.domain.workflow_file.loader import load_workflow
from orange_tui.presentation.workflow_picture import picture

BASE = """\
name: small
states: {doing: {}, looking: {}, done: {terminal: true}}
transitions:
  - {from: doing, to: looking}
  - {from: looking, to: doing}
  - {from: looking, to: done, by: person}
"""
LINE = BASE.count("\n") + 1


def test_a_rule_or_a_list_of_them_stands_for_each_event() -> None:
    """YAML reads a bare `on` as true; here it is the word."""
    text = f"""{BASE}on:
  checks_failed: {{from: looking, to: doing, limit: 2, when: "auto_fix == 1"}}
  comment:
    - {{from: looking, to: doing}}
    - {{from: [doing], to: looking, limit: 1}}
"""
    found = load_workflow(text, "w.yml")
    assert found.problems == ()
    assert found.workflow is not None
    assert found.workflow.on == (
        EventRule("checks_failed", "looking", "doing", 2, Condition("auto_fix", "==", 1)),
        EventRule("comment", "looking", "doing", 3),
        EventRule("comment", "doing", "looking", 1),
    )
    shown = picture(found.workflow)
    assert "checks failed, auto_fix == 1, at most 2 times" in shown
    assert "comment, at most once" in shown


@pytest.mark.parametrize(
    ("rules", "what", "fix"),
    [
        ("", "`on` names no event", "checks_failed, changes_requested"),
        ("checks_fail: {from: looking, to: doing}", "unknown key 'checks_fail'", "did you mean 'checks_failed'?"),
        ("comment: {to: doing}", "the rule for `comment` has no `from`", "from, to"),
        ("comment: doing", "the rule for `comment` is 'doing'", "mapping"),
        ("comment: []", "`comment` is an empty list", "name at least one"),
        ("comment: {from: lokking, to: doing}", "the state 'lokking', which does not exist", "'looking'"),
        ("comment: {from: looking, to: doin}", "the state 'doin', which does not exist", "'doing'"),
        ("comment: {from: looking, to: doing, limit: 0}", "`limit` is '0'", "a whole number above 0"),
        ("comment: {from: looking, to: doing, limit: often}", "`limit` is 'often'", "a whole number above 0"),
        ("comment: {from: looking, to: doing, limit: true}", "`limit` is 'true'", "a whole number above 0"),
        ("comment: {from: looking, to: doing, when: soon}", "`when` 'soon' is not a comparison", "such as"),
        ("comment: {from: looking, to: doing, times: 3}", "unknown key 'times'", "from, to, limit, when"),
        (
            "comment: {from: looking, to: looking}",
            "from 'looking' to 'looking', and there is no such transition",
            "add `{from: looking, to: looking, by: engine}` to `transitions`",
        ),
        ("comment: {from: looking, to: done}", "no such transition for the engine", "by: engine"),
        (
            "comment: [{from: looking, to: doing}, {from: looking, to: doing, limit: 5}]",
            "another one applies there too",
            "give both a `when`",
        ),
    ],
)
def test_a_wrong_rule_is_reported_with_the_way_out(rules: str, what: str, fix: str) -> None:
    found = load_workflow(f"{BASE}on: {{{rules}}}\n" if rules else f"{BASE}on:\n", "w.yml")
    (problem,) = found.problems
    assert problem.line == LINE
    assert what in str(problem)
    assert fix in str(problem)


def test_default_sends_work_back_three_times_where_the_person_wants_that() -> None:
    path = os.path.join(os.path.dirname(__file__), "..", "..", "workflows", "default.yml")
    with open(path, encoding="utf-8") as file:
        workflow = load_workflow(file.read(), path).workflow
    assert workflow is not None
    assert {rule.event for rule in workflow.on} == {"checks_failed", "changes_requested", "comment"}
    assert {(rule.move, rule.limit, str(rule.when)) for rule in workflow.on} == {
        (("reviewing", "working"), 3, "auto_fix == 1")
    }
