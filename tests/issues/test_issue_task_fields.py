"""What a task takes over from its issue: the branch from its title, settings and labels from its labels."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orange_tui.domain.task import check_branch
from orange_tui.issues._labels import label_settings, task_labels
from orange_tui.issues._task_fields import branch_name
from orange_tui.outside.forge.interface import Issue

URL = "https://github.com/o/r/issues/7"


def issue(title: str = "Brew tea", **more: Any) -> Issue:
    values = {"key": "I_7", "number": 7, "body": "", "url": URL, "is_open": True, "author": "ana", "labels": ()}
    return Issue(title=title, updated_at="", **{**values, **more})


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
def test_branch_is_named_after_number_and_title(title: str, branch: str) -> None:
    assert branch_name(issue(title)) == branch


@given(st.text())
def test_git_accepts_the_branch_of_any_title(title: str) -> None:
    assert check_branch(branch_name(issue(title)))


def test_settings_are_read_from_labels_and_the_first_one_counts() -> None:
    labels = ["agent:codex", "Model: gpt-9 ", "agent:pi", "effort:high", "workflow:solo", "priority:1", "agent:", "bug"]
    assert label_settings(labels) == {"agent": "codex", "model": "gpt-9", "effort": "high", "workflow": "solo"}


def test_labels_that_orange_puts_on_an_issue_do_not_reach_the_task() -> None:
    assert task_labels(issue(labels=("bug", "blocked", "needs-review"))) == ("bug",)
