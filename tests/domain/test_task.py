"""A task has its defaults, and names that go into paths and terminals are checked before they get there."""

from __future__ import annotations

import pytest

from orange_tui.domain.errors import Refused
from orange_tui.domain.task import (
    ENGINE_FIELDS,
    FIELDS,
    check_id,
    check_project_name,
    check_summary,
    make_task,
    printable,
)


@pytest.mark.parametrize("text", ["a", "7", "a1b2c3", "0" * 40])
def test_an_id_or_its_beginning_is_lower_case_letters_and_digits(text: str) -> None:
    assert check_id(text) == text


@pytest.mark.parametrize(
    "text",
    ["", "A1", "a b", "a\n", "a/b", "..", ".", "-a", "a_b", "é", "\uff11", "a\x00", "*", "0" * 41],
)
def test_text_with_other_characters_is_not_an_id(text: str) -> None:
    with pytest.raises(Refused, match="is not a task id"):
        check_id(text)


@pytest.mark.parametrize(
    "name",
    ["orange", "my project", "a.b", "a-b", "日本語", "🍊", "a:b", "C++", "~", "a'b", "x" * 200],
)
def test_many_project_names_are_accepted(name: str) -> None:
    assert check_project_name(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        ".git",
        "-a",
        "--force",
        "a/b",
        "/",
        "a\\b",
        " a",
        "a ",
        "a\nb",
        "a\x00",
        "a\x1b[2J",
        "a\u202eb",
        "a\ud800",
        "x" * 201,
        "é" * 101,
    ],
)
def test_a_project_name_that_is_no_safe_directory_is_refused(name: str) -> None:
    with pytest.raises(Refused, match="is not a project name"):
        check_project_name(name)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Fix the login loop",
        "- begins with a dash",
        "--help",
        "says \"hello\" and 'bye'",
        "back\\slash $(rm) `x` #1: null",
        "日本語のまとめ",
        "ship 🍊 👩‍🚀",
        "naïve café",
        "عربي",
        "x" * 5000,
    ],
)
def test_a_summary_is_any_one_line_of_text(text: str) -> None:
    assert check_summary(text) == text


def test_blanks_around_a_summary_are_dropped() -> None:
    assert check_summary("  fix it \u3000") == "fix it"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("one\ntwo", id="two lines"),
        pytest.param("one\n", id="a line end"),
        pytest.param("one\rtwo", id="a carriage return"),
        pytest.param("one\ttwo", id="a tab"),
        pytest.param("one\x00", id="a NUL"),
        pytest.param("\x1b[2Jone", id="an escape sequence"),
        pytest.param("one\x7f", id="a delete"),
        pytest.param("\x9b2J", id="an escape sequence in one character"),
        pytest.param("one\u2028two", id="a line separator"),
        pytest.param("one\u2029two", id="a paragraph separator"),
        pytest.param("a\u202eb", id="an override of direction"),
        pytest.param("a\u2066b", id="an isolate of direction"),
        pytest.param("a\ud800", id="half a character"),
        pytest.param("a\udcff", id="a byte that is not UTF-8"),
    ],
)
def test_a_summary_that_a_terminal_would_obey_is_refused(text: str) -> None:
    with pytest.raises(Refused, match="one line without control characters"):
        check_summary(text)


def test_printable_text_stays_and_control_characters_become_escapes() -> None:
    assert printable("a b é 🍊") == "a b é 🍊"
    assert printable("\x1b[2J\n\u202e\udcff") == "\\x1b[2J\\x0a\\x202e\\xdcff"


def test_a_task_without_fields_has_every_default() -> None:
    task = make_task({})
    assert {name: getattr(task, name) for name in FIELDS} == {name: field.default for name, field in FIELDS.items()}
    assert task.extra == {}
    assert (task.summary, task.harness, task.review_round, task.labels) == ("", None, 0, ())


def test_the_engine_keeps_exactly_the_fields_of_the_specification_to_itself() -> None:
    listed = "id project branch status workflow review_round crash_count workspace tmux_session pr_url parent"
    listed += " created_at budget"  # the last one is the person's: an agent must not raise its own in TASK.md
    assert set(ENGINE_FIELDS) == set(listed.split())
    task = make_task({"id": "a1", "status": "working", "summary": "mine"})
    assert set(task.engine_fields()) == set(listed.split())
    assert task.engine_fields()["status"] == "working"


def test_unknown_fields_come_after_the_known_ones_in_json() -> None:
    shown = make_task({"priority": 3, "id": "a1", "more": [1]}).as_json()
    assert list(shown) == [*FIELDS, "priority", "more"]
    assert (shown["id"], shown["priority"], shown["more"]) == ("a1", 3, [1])


def test_a_number_is_ours_or_the_workflows_own_and_0_where_there_is_none() -> None:
    task = make_task({"review_round": 2, "tries": 5, "empty": None})
    assert [task.number(name) for name in ("review_round", "tries", "empty", "absent")] == [2, 5, 0, 0]


@pytest.mark.parametrize("value", ["3", True, 1.5, [1], {"a": 1}])
def test_a_field_that_is_no_whole_number_is_not_counted_with(value: object) -> None:
    with pytest.raises(Refused, match="tries is not a number"):
        make_task({"tries": value}).number("tries")


def test_a_field_of_ours_that_is_no_number_is_not_counted_with() -> None:
    with pytest.raises(Refused, match="harness is not a number"):
        make_task({}).number("harness")
