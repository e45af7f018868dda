"""Another git in the middle of making a worktree is no reason to fail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.outside import git
from orange_tui.outside.git import Repository
from orange_tui.outside.programs import Finished

if TYPE_CHECKING:
    import pytest


def test_git_is_run_again_when_it_met_a_half_made_worktree(monkeypatch: pytest.MonkeyPatch) -> None:
    half = Finished(128, "", "fatal: failed to read .git/worktrees/coffee--1/commondir: Success")
    answers = [half, half, Finished(0, "fine\n", "")]
    monkeypatch.setattr(git, "run", lambda *_words, **_more: answers.pop(0))
    monkeypatch.setattr(git, "_RETRY_SECONDS", 0)
    assert Repository("/nowhere").answer("status") == "fine"


def test_any_other_failure_of_git_is_not_retried(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [Finished(1, "", "fatal: not a git repository")]
    monkeypatch.setattr(git, "run", lambda *_words, **_more: answers.pop(0))
    assert Repository("/nowhere").answer("status") is None
