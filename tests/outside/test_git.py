"""The git program: when it is run again, and what is known without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from orange_tui.outside import git as git_module
from orange_tui.outside import programs
from orange_tui.outside.git import Repository
from orange_tui.outside.programs import Finished
from support.git import git

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def test_git_is_run_again_when_it_met_a_half_made_worktree(monkeypatch: pytest.MonkeyPatch) -> None:
    half = Finished(128, "", "fatal: failed to read .git/worktrees/coffee--1/commondir: Success")
    answers = [half, half, Finished(0, "fine\n", "")]
    monkeypatch.setattr(git_module, "run", lambda *_words, **_more: answers.pop(0))
    monkeypatch.setattr(git_module, "_RETRY_SECONDS", 0)
    assert Repository("/nowhere").answer("status") == "fine"


def test_any_other_failure_of_git_is_not_retried(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [Finished(1, "", "fatal: not a git repository")]
    monkeypatch.setattr(git_module, "run", lambda *_words, **_more: answers.pop(0))
    assert Repository("/nowhere").answer("status") is None


CONFIGURATIONS = {
    "none": ("", False),
    "plain": ('[remote "origin"]\n\turl = /nowhere\n', True),
    "url last": ('[remote "origin"]\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n\turl = /nowhere\n', True),
    "no url": ('[remote "origin"]\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n', False),
    "another": ('[remote "upstream"]\n\turl = /nowhere\n', False),
    "other case": ('[REMOTE "origin"]\n\tURL=/nowhere\n', True),
    "included": ("[include]\n\tpath = more\n", True),
}


@pytest.mark.parametrize("kind", CONFIGURATIONS)
def test_a_remote_is_found_however_it_is_configured(repository: Path, kind: str) -> None:
    text, expected = CONFIGURATIONS[kind]
    (repository / ".git" / "more").write_text('[remote "origin"]\n\turl = /nowhere\n')
    with (repository / ".git" / "config").open("a") as config:
        config.write(text)
    assert Repository(str(repository)).has_remote() is expected


@pytest.mark.parametrize("has_remote", [True, False])
def test_a_remote_that_git_has_written_is_found_or_missed_without_a_process(
    repository: Path, monkeypatch: pytest.MonkeyPatch, *, has_remote: bool
) -> None:
    if has_remote:
        git(repository, "remote", "add", "origin", "/nowhere")

    def refuse(words: Sequence[str], **_more: object) -> programs.Finished:
        raise AssertionError(words)

    monkeypatch.setattr(git_module, "run", refuse)
    assert Repository(str(repository)).has_remote() is has_remote


def test_default_branch_of_the_remote_has_its_name_also_where_a_local_one_looks_like_it(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    git(tmp_path, "commit", "--quiet", "--allow-empty", "-m", "first")
    git(tmp_path, "update-ref", "refs/remotes/origin/trunk", "HEAD")
    git(tmp_path, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")
    git(tmp_path, "branch", "origin/trunk")
    assert Repository(str(tmp_path)).default_branch() == "trunk"
