"""Which issues become tasks: the authors and labels that were named, and nobody where that cannot be read."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from orange_tui.issues.rules import IssueRules, rules_of, settings_changes
from orange_tui.outside.forge.interface import Issue
from support.driver import refusal

URL = "https://github.com/o/r/issues/7"


def issue(title: str = "Brew tea", **more: Any) -> Issue:
    values = {"key": "I_7", "number": 7, "body": "", "url": URL, "is_open": True, "author": "ana", "labels": ()}
    return Issue(title=title, updated_at="", **{**values, **more})


@pytest.mark.parametrize(
    ("rules", "allowed"),
    [
        (IssueRules(True, (), ()), False),
        (IssueRules(True, ("ANA",), ()), True),
        (IssueRules(True, ("bob", "@me"), ()), False),
        (IssueRules(True, ("ana",), ("Orange",)), True),
        (IssueRules(True, ("ana",), ("apple",)), False),
        (IssueRules(True, ("",), ()), False),
    ],
)
def test_only_issues_by_named_authors_with_named_labels_are_allowed(rules: IssueRules, allowed: bool) -> None:
    assert rules.allow(issue(labels=("orange",)), "me") is allowed


def test_without_authors_only_ones_own_issues_are_allowed() -> None:
    assert IssueRules(True, (), ()).allow(issue(author="Me"), "me")
    assert not IssueRules(True, (), ()).allow(issue(author=""), "")


@pytest.mark.parametrize("broken", ["ana", {"ana": 1}, [7], [""], None])
def test_authors_that_cannot_be_read_let_nobody_in(broken: object) -> None:
    rules = rules_of(SimpleNamespace(entry={"issues": True, "issue_authors": broken}))  # type: ignore[arg-type]
    assert not rules.allow(issue(author="me"), "me")
    assert not rules.allow(issue(author=""), "")


def test_options_become_entries_of_the_project() -> None:
    found = settings_changes("on", ("@ana", "@me"), (" tea ",))
    assert found == {"issues": True, "issue_authors": ["ana", "@me"], "issue_labels": ["tea"]}
    assert settings_changes("off", ("",), ("",)) == {"issues": False, "issue_authors": [], "issue_labels": []}
    assert settings_changes(None, (), ()) == {}


@pytest.mark.parametrize("login", ["a b", "-ana", "ana/tea", "*", "\x1b"])
def test_author_that_is_no_login_is_refused(login: str) -> None:
    assert "login" in refusal(lambda: settings_changes(None, (login,), ()))
