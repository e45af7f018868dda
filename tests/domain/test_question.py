"""What an agent asks for is shown as it is: nothing is cut in silence, nothing hides, and equal means equal."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orange_tui.domain.approvals.question import Question, make_question, read_question, visible, visible_lines
from orange_tui.domain.approvals.rule import read_rule, rule_for

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
REPORTS = st.fixed_dictionaries(
    {"tool_name": st.text(min_size=1, max_size=20), "tool_input": st.dictionaries(st.text(), VALUES, max_size=4)},
    optional={"cwd": st.text(), "session_id": st.text()},
)


def asked(tool: str = "Bash", **given_input: object) -> Question:
    report = {"tool_name": tool, "tool_input": given_input, "cwd": "/w"}
    found = make_question(report, question_id="q", window="worker", agent="claude", asked_at="now")
    assert found is not None
    return found


@given(REPORTS)
def test_whatever_is_asked_is_stored_shown_and_compared(report: dict[str, object]) -> None:
    question = make_question(report, question_id="q", window="worker", agent="claude", asked_at="now")
    if question is None:
        assert not str(report["tool_name"]).strip()
        return
    assert read_question(json.loads(json.dumps(question.as_json()))) == question
    assert question.line().isprintable()
    assert all(line.isprintable() for line in question.full_text().split("\n"))
    rule = rule_for(question, question.file)
    assert rule.allows(question, question.file)
    assert read_rule(json.loads(json.dumps(rule.as_json()))) == rule


@given(st.text())
def test_what_is_visible_says_which_character_was_there(text: str) -> None:
    assert visible(text).isprintable()
    assert visible(text) == text or not text.isprintable()


@pytest.mark.parametrize(
    ("tool", "given_input", "line"),
    [
        ("Bash", {"command": "rm -rf build"}, "Bash: rm -rf build"),
        ("Bash", {"command": "echo a\nrm -rf /"}, "Bash: echo a ⏎ rm -rf /"),
        ("Write", {"file_path": "/etc/passwd", "content": "x"}, "Write: /etc/passwd"),
        ("WebFetch", {"prompt": "p", "url": "https://x"}, "WebFetch: https://x"),
        ("mcp__db__drop", {"table": "users"}, 'mcp__db__drop: {"table": "users"}'),
        ("Bash", {"command": "ls \x1b[2K\x1b[1Gtrue"}, "Bash: ls \\u{1b}[2K\\u{1b}[1Gtrue"),
        ("Bash", {"command": "echo \u202eevil"}, "Bash: echo \\u{202e}evil"),
        ("Ba\x1bsh", {}, "Ba\\u{1b}sh"),
    ],
)
def test_the_line_of_a_list_names_the_tool_and_what_it_is_about(
    tool: str, given_input: dict[str, object], line: str
) -> None:
    assert asked(tool, **given_input).line() == line


def test_a_long_command_says_first_that_it_is_cut_and_is_whole_in_the_dialog() -> None:
    command = "echo " + "x" * 100_000 + "; rm -rf ~"
    question = asked(command=command)
    assert question.line().startswith("Bash (100,015 characters, cut here): echo xxx")
    assert question.full_text().endswith("; rm -rf ~")
    assert question.full_text() == command


def test_a_carriage_return_hides_nothing() -> None:
    assert visible_lines("rm -rf ~ #\rls") == "rm -rf ~ #\\u{d}ls"


def test_the_agents_own_words_are_told_apart_and_change_nothing() -> None:
    one, other = asked(command="ls", description="harmless"), asked(command="ls", description="truly")
    assert (one.reason, one.full_text()) == ("harmless", "ls")
    assert one.subject == other.subject
    assert one.subject != asked(command="ls", timeout=5).subject
    assert one.subject != asked("Shell", command="ls").subject


def test_every_value_of_an_input_is_shown() -> None:
    text = asked("Edit", file_path="/a", old_string="b", new_string="c\nd", replace_all=True).full_text()
    assert text == "file_path: /a\nnew_string:\nc\nd\nold_string: b\nreplace_all: true"


def test_a_rule_says_what_it_allows() -> None:
    assert rule_for(asked(command="make"), None).text == "exactly this Bash again\nin /w:\nmake"
    assert rule_for(asked("Edit", file_path="/w/a"), "/w/a").text == "Edit of /w/a, whatever it changes there"
    behind_a_link = rule_for(asked("Edit", file_path="/w/a", new_string="x"), "/etc/passwd")
    assert behind_a_link.text.startswith("exactly this Edit again")


@pytest.mark.parametrize("stored", [None, [], {}, {"id": 1}, {**asked().as_json(), "given": "[]"}, {"given": "{"}])
def test_what_is_no_question_is_none(stored: object) -> None:
    assert read_question(stored) is None


def test_a_description_is_the_agents_reason_for_a_command_only_and_elsewhere_what_it_does() -> None:
    one, other = asked("mcp__tracker__create", description="a bug"), asked("mcp__tracker__create", description="spam")
    assert (one.full_text(), one.reason) == ("description: a bug", "")
    assert one.subject != other.subject
    assert not rule_for(one, None).allows(other, None)
    assert asked(command="ls", description=["hidden"]).full_text() != "ls"


def test_only_a_tool_that_changes_one_file_is_about_a_file() -> None:
    shown, other = asked(command="ls", **{"": "/etc/hosts"}), asked(command="rm -rf /", **{"": "/etc/hosts"})
    assert shown.file is None
    assert not rule_for(shown, "/etc/hosts").allows(other, "/etc/hosts")


@pytest.mark.parametrize("given_input", ['{"a": NaN}', '{"a": 1e999}', f'{{"a": {"[" * 900}{"]" * 900}}}'])
def test_what_could_not_be_shown_to_everybody_is_left_to_the_agents_own_dialog(given_input: str) -> None:
    report = {"tool_name": "mcp__x", "tool_input": json.loads(given_input)}
    assert make_question(report, question_id="q", window="worker", agent="claude", asked_at="now") is None
