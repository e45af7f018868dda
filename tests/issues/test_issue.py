"""Issues: addresses, one question for many, answers that are whole or nonsense, and what a task takes from one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orange_tui.domain.task import check_branch, check_summary
from orange_tui.issues import issue_rules
from orange_tui.issues.issue import (
    Issue,
    Repository,
    answer,
    branch_of,
    labels_of,
    one_line,
    place_of,
    question,
    spoken,
)
from orange_tui.issues.issue_rules import Rules, rules_of
from support.driver import refusal

HERE = Repository("github.com", "o", "r")
URL = "https://github.com/o/r/issues/7"
WORDS = ["data", "errors", "repository", "issues", "nodes", "i7", "id", "number", "url", "labels", "pageInfo", "path"]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9) | st.sampled_from([URL, "OPEN", "i7"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=5),
    max_leaves=15,
)


def issue(title: str = "Brew tea", **more: Any) -> Issue:
    values = {"key": "I_7", "number": 7, "body": "", "url": URL, "is_open": True, "author": "ana", "labels": ()}
    return Issue(title=title, updated_at="", **{**values, **more})


def node(**more: Any) -> dict[str, Any]:
    known = {"id": "I_7", "number": 7, "title": "Brew\x1b[2J tea\n", "url": URL, "state": "OPEN", "body": "hot"}
    return {**known, "author": {"login": "ana"}, "labels": {"nodes": [{"name": "bug"}, {"name": "bug"}]}, **more}


def reply(*nodes: object, **more: object) -> dict[str, Any]:
    return {"data": {"viewer": {"login": "me"}, "repository": {"issues": {"nodes": list(nodes)}, **more}}}


def test_an_address_names_repository_and_number() -> None:
    assert place_of(URL) == (HERE, 7)
    assert place_of(f"{URL}/") == (HERE, 7)
    for wrong in (None, 7, "", "https://github.com/o/r/pull/7", f"{URL}/x", f"{URL}0\n", URL.replace("7", "0")):
        assert wrong == f"{URL}0\n" or place_of(wrong) is None
    assert place_of(f"{URL}\n") is None


def test_one_question_asks_for_the_open_ones_and_those_that_are_tracked() -> None:
    text = question(HERE, since=None, after=None, tracked=[7, 9])
    assert "states:[OPEN]" in text
    assert "i7:issue(number:7)" in text
    assert "i9:issue(number:9)" in text


def test_or_for_what_has_changed_wherever_it_stands() -> None:
    text = question(HERE, since="2026-11-16T09:00:00Z", after="abc")
    assert 'filterBy:{since:"2026-11-16T09:00:00Z"}' in text
    assert "states" not in text
    assert 'after:"abc"' in text


def test_an_answer_is_read_with_everything_a_terminal_would_obey_left_out() -> None:
    found = answer(reply(node()))
    assert found is not None
    assert found.viewer == "me"
    (only,) = found.issues
    assert (only.title, only.labels, only.author, only.is_open) == ("Brew[2J tea", ("bug",), "ana", True)
    assert check_summary(only.title) == only.title


def test_what_is_no_issue_is_left_out_and_stops_no_other() -> None:
    found = answer(reply(None, 3, {}, node(number="7"), node(url="https://evil/x"), node(id=None), node()))
    assert found is not None
    assert len(found.issues) == 1


def test_only_what_github_does_not_have_is_gone() -> None:
    lost = {"path": ["repository", "i7"], "message": "Could not resolve to an Issue with the number of 7."}
    late = {"path": ["repository", "i8"], "message": "Something went wrong"}
    found = answer({**reply(i7=None, i8=None), "errors": [lost, late]}, [7, 8])
    assert found is not None
    assert found.gone == (7,)


def test_without_the_repository_there_is_no_answer() -> None:
    assert answer({"data": {"repository": None}}) is None


@given(VALUES)
def test_no_answer_is_too_strange(value: Any) -> None:
    answer(value if isinstance(value, dict) else {"data": value}, [7])


@pytest.mark.parametrize(
    ("title", "branch"),
    [
        ("Fix the login loop!", "gh-task-7-fix-the-login-loop"),
        ("お茶", "gh-task-7"),
        ("../../etc --force", "gh-task-7-etc-force"),
        ("a" * 90, f"gh-task-7-{'a' * 40}"),
        ("One word more than there is room for in it", "gh-task-7-one-word-more-than-there-is-room-for-in"),
    ],
)
def test_a_branch_is_known_by_number_and_title(title: str, branch: str) -> None:
    assert branch_of(issue(title)) == branch


@given(st.text())
def test_whatever_the_title_git_takes_the_branch(title: str) -> None:
    assert check_branch(branch_of(issue(title)))


@given(st.text())
def test_whatever_it_was_it_is_one_line(text: str) -> None:
    assert check_summary(one_line(text, 200)) == one_line(text, 200).strip()
    assert len(one_line(text, 200)) <= 200


def test_labels_that_speak_are_understood_the_first_one_counts() -> None:
    labels = ["agent:codex", "Model: gpt-9 ", "agent:pi", "effort:high", "workflow:solo", "priority:1", "agent:", "bug"]
    assert spoken(labels) == {"agent": "codex", "model": "gpt-9", "effort": "high", "workflow": "solo"}


def test_what_orange_itself_puts_on_an_issue_is_no_label_of_the_task() -> None:
    assert labels_of(issue(labels=("bug", "blocked", "needs-review"))) == ("bug",)


@pytest.mark.parametrize(
    ("rules", "allowed"),
    [
        (Rules(True, (), ()), False),
        (Rules(True, ("ANA",), ()), True),
        (Rules(True, ("bob", "@me"), ()), False),
        (Rules(True, ("ana",), ("Orange",)), True),
        (Rules(True, ("ana",), ("apple",)), False),
        (Rules(True, ("",), ()), False),
    ],
)
def test_only_the_authors_and_labels_that_were_named_count(rules: Rules, allowed: bool) -> None:
    assert rules.allow(issue(labels=("orange",)), "me") is allowed


def test_without_authors_only_ones_own_issues_do() -> None:
    assert Rules(True, (), ()).allow(issue(author="Me"), "me")
    assert not Rules(True, (), ()).allow(issue(author=""), "")


@pytest.mark.parametrize("broken", ["ana", {"ana": 1}, [7], [""], None])
def test_authors_that_cannot_be_read_let_nobody_in(broken: object) -> None:
    rules = rules_of(SimpleNamespace(entry={"issues": True, "issue_authors": broken}))  # type: ignore[arg-type]
    assert not rules.allow(issue(author="me"), "me")
    assert not rules.allow(issue(author=""), "")


def test_what_is_said_becomes_what_is_written() -> None:
    said = issue_rules.changes("on", ("@ana", "@me"), (" tea ",))
    assert said == {"issues": True, "issue_authors": ["ana", "@me"], "issue_labels": ["tea"]}
    assert issue_rules.changes("off", ("",), ("",)) == {"issues": False, "issue_authors": [], "issue_labels": []}
    assert issue_rules.changes(None, (), ()) == {}


@pytest.mark.parametrize("login", ["a b", "-ana", "ana/tea", "*", "\x1b"])
def test_what_is_no_login_is_refused(login: str) -> None:
    assert "login" in refusal(lambda: issue_rules.changes(None, (login,), ()))
