"""What an agent reports, and what that comes to."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orange_tui.domain.errors import Unreadable
from orange_tui.domain.gates.outcome import ReportGate
from orange_tui.domain.report import JUDGED, Report, read_report
from orange_tui.domain.text.json_answers import envelope, find_answer
from support.evidence import Written


def judged(**data: Any) -> Report:
    return read_report(json.dumps(data), "k3x9")


@pytest.mark.parametrize("status", ["done", "in_progress", "blocked", "needs_review"])
def test_consistent_report_is_judged_by_its_own_status(status: str) -> None:
    assert judged(status=status, files_changed=["a"]).judged == status


@pytest.mark.parametrize(
    ("data", "comes_to", "why"),
    [
        ({}, "needs_review", "has no status"),
        ({"status": ""}, "needs_review", "has no status"),
        ({"status": "finished"}, "needs_review", "'finished', which is not a status"),
        ({"status": ["done"]}, "needs_review", "which is not a status"),
        ({"status": "done", "remaining": ["x"]}, "in_progress", "changed no file and left 1 to do"),
        ({"status": "done", "remaining": ["x"], "files_changed": ["a"]}, "done", ""),
        ({"status": "done", "remaining": [" "]}, "done", ""),
        ({"status": "blocked", "needs_help": True}, "needs_review", ""),
        ({"status": "done", "needs_help": True}, "done", ""),
        ({"status": "done", "delegations": [{"title": "a"}]}, "delegated", ""),
        ({"status": "done", "delegations": [{"title": " "}, "b", None]}, "done", ""),
        ({"status": "needs_review", "delegations": [{"title": "a"}]}, "needs_review", ""),
    ],
)
def test_inconsistent_report_is_judged_by_what_it_shows(data: dict[str, Any], comes_to: str, why: str) -> None:
    report = judged(**data)
    assert report.judged == comes_to
    assert why in report.why


@pytest.mark.parametrize("text", ["", " \n", "done", "[]", '"done"', "{", '{"id": "other", "status": "done"}'])
def test_text_that_is_no_report_of_this_task_is_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        read_report(text, "k3x9")


def test_a_delegation_is_one_line_and_some_text() -> None:
    found = judged(status="blocked", delegations=[{"title": "Two\nlines", "body": "b", "suggested_agent": "pi"}])
    (one,) = found.delegations
    assert (one.title, one.body, one.labels, one.harness) == ("Two lines", "b", (), "pi")


def test_refusal_of_a_report_gate_says_how_the_report_was_judged() -> None:
    gate = ReportGate(("done",))
    assert gate.missing(Written(outcome_text='{"status": "done"}')) is None
    assert "counts as blocked" in str(gate.missing(Written(outcome_text='{"status": "blocked"}')))
    assert "has left no report" in str(gate.missing(Written()))


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
keys = [
    "status",
    "summary",
    "reason",
    "accomplished",
    "remaining",
    "files_changed",
    "needs_help",
    "delegations",
    "agent",
]


@settings(deadline=None, database=None)
@given(data=st.dictionaries(st.sampled_from(keys), anything))
def test_any_json_object_is_judged_without_an_exception(data: dict[str, Any]) -> None:
    report = judged(**data)
    assert report.judged in JUDGED
    json.dumps(report.as_json())
    assert "\n" not in "".join(each.title for each in report.delegations)


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ('{"status": "done"}', {"status": "done"}),
        ('First {"a": 1}, then\n```json\n{"status": {"b": [{"c": 2}]}}\n```\nBye {', {"status": {"b": [{"c": 2}]}}),
        ("no object {here} at all", None),
        ('{"type": "result", "result": "So:\\n{\\"status\\": \\"done\\"}", "usage": {}}', {"status": "done"}),
        ("", None),
    ],
)
def test_the_answer_is_the_last_object_that_was_printed(printed: str, expected: object) -> None:
    assert find_answer(printed, "status") == expected


def test_envelope_is_found_with_its_cost() -> None:
    printed = '{"type": "result", "result": "{}", "duration_ms": 12, "usage": {"input_tokens": 3}}'
    assert envelope(printed)["duration_ms"] == 12
    assert envelope('{"status": "done"}') == {}


@settings(deadline=None, database=None)
@given(text=st.text(alphabet='{}[]":, a1\\n', max_size=200), value=st.dictionaries(st.text(max_size=3), st.integers()))
def test_last_object_is_found_after_any_other_output(text: str, value: dict[str, int]) -> None:
    assert find_answer(f"{text}\n{json.dumps(value)}", "status") is not None


def test_reason_of_a_report_whose_status_is_none_of_ours_is_kept() -> None:
    found = read_report('{"status": "stuck", "reason": "there is no database"}', "a1")
    assert found.judged == "needs_review"
    assert found.sentence.endswith("; there is no database")
