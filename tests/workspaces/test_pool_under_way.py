"""A workspace given back in the middle of a rebase, a merge or the like."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from support.git import commit, git

if TYPE_CHECKING:
    from pathlib import Path

    from support.pool_world import Cafe


def in_conflict(cafe: Cafe, workspace: Path) -> None:
    """Two branches that change the same line: feat/x, which is checked out, and other."""
    git(workspace, "branch", "other")
    commit(workspace, "README", "ours\n")
    commit(workspace, "second")
    git(workspace, "switch", "--quiet", "other")
    commit(workspace, "README", "theirs\n")
    git(workspace, "switch", "--quiet", "feat/x")


def test_release_in_the_middle_of_a_rebase_saves_its_commits(cafe: Cafe) -> None:
    task = cafe.task("feat/x")
    workspace = cafe.spawn(task)
    in_conflict(cafe, workspace)
    git(workspace, "rebase", "--quiet", "HEAD~1", "--exec", "false", code=1)
    made = commit(workspace, "made-on-the-way")
    (workspace / "README").write_text("half resolved\n")
    saved = str(cafe.release(task, workspace).saved)
    assert cafe.in_saved(saved, "README") == "half resolved"
    assert git(cafe.main, "rev-parse", f"{saved}^1") == made
    assert cafe.is_clean(workspace)
    assert not (cafe.main / ".git/worktrees/coffee--1/rebase-merge").exists()


def test_in_a_rebase_with_conflicts_the_branch_stays_where_it_was(cafe: Cafe) -> None:
    task = cafe.task("feat/x")
    workspace = cafe.spawn(task)
    in_conflict(cafe, workspace)
    tip = git(workspace, "rev-parse", "feat/x")
    git(workspace, "rebase", "other", code=1)
    (workspace / "README").write_text("half resolved\n")
    saved = str(cafe.release(task, workspace).saved)
    assert cafe.in_saved(saved, "README") == "half resolved"
    assert git(cafe.main, "rev-parse", "feat/x") == tip
    assert cafe.is_clean(workspace)


def test_release_saves_what_a_rebase_had_autostashed(cafe: Cafe) -> None:
    task = cafe.task("feat/x")
    workspace = cafe.spawn(task)
    in_conflict(cafe, workspace)
    (workspace / "second").write_text("set aside\n")
    git(workspace, "rebase", "--autostash", "other", code=1)
    saved = str(cafe.release(task, workspace).saved)
    parents = git(cafe.main, "rev-parse", f"{saved}^@").splitlines()
    held = [git(cafe.main, "ls-tree", "-r", "--name-only", parent).split() for parent in parents]
    kept = [
        git(cafe.main, "show", f"{parent}:second")
        for parent, names in zip(parents, held, strict=True)
        if "second" in names
    ]
    assert "set aside" in kept


def test_release_in_the_middle_of_a_merge_saves_the_merged_commit(cafe: Cafe) -> None:
    task = cafe.task("feat/x")
    workspace = cafe.spawn(task)
    in_conflict(cafe, workspace)
    theirs = git(workspace, "rev-parse", "other")
    git(workspace, "merge", "other", code=1)
    git(workspace, "branch", "--quiet", "-D", "other")
    saved = str(cafe.release(task, workspace).saved)
    assert theirs in git(cafe.main, "rev-parse", f"{saved}^@").splitlines()
    assert "<<<<<<<" in cafe.in_saved(saved, "README")
    assert cafe.is_clean(workspace)


@pytest.mark.parametrize("words", [("cherry-pick", "other"), ("revert", "--no-commit", "HEAD~1"), ("am", "patch")])
def test_release_in_the_middle_of_a_cherry_pick_revert_or_am_saves_the_work(cafe: Cafe, words: tuple[str, ...]) -> None:
    task = cafe.task("feat/x")
    workspace = cafe.spawn(task)
    in_conflict(cafe, workspace)
    (workspace / "ignored").mkdir()
    patch = workspace / "ignored/patch"
    patch.write_text(git(workspace, "format-patch", "--stdout", "-1", "other") + "\n")
    arguments = [str(patch) if word == "patch" else word for word in words]
    subprocess.run(["git", *arguments], cwd=workspace, check=False, capture_output=True)
    (workspace / "README").write_text("half resolved\n")
    saved = str(cafe.release(task, workspace).saved)
    assert cafe.in_saved(saved, "README") == "half resolved"
    assert cafe.is_clean(workspace)
    next_task = cafe.task("next")
    assert cafe.spawn(next_task) == workspace
    assert git(workspace, "status").splitlines()[0] == "On branch next"
    assert "progress" not in git(workspace, "status")


def test_release_in_the_middle_of_a_bisection_ends_it(cafe: Cafe) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    for number in range(5):
        commit(workspace, f"file{number}")
    git(workspace, "bisect", "start", "HEAD", "HEAD~4")
    assert cafe.release(task, workspace).quarantined is None
    assert cafe.is_clean(workspace)
    assert "isect" not in git(workspace, "status")
