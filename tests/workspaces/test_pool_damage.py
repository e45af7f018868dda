"""Workspaces that something has happened to: deleted, moved, locked, half written."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from support.git import branch_of, commit, git

if TYPE_CHECKING:
    from pathlib import Path

    from support.pool_world import Cafe


def age(path: Path, seconds: float) -> None:
    then = path.stat().st_mtime - seconds
    os.utime(path, (then, then))


def test_a_directory_deleted_by_hand_comes_back_with_what_git_still_knows(cafe: Cafe) -> None:
    cafe.register(setup="echo ran >> ../setups")
    task = cafe.task()
    workspace = cafe.spawn(task)
    tip = commit(workspace, "done")
    (workspace / "staged").write_text("staged\n")
    git(workspace, "add", "staged")
    shutil.rmtree(workspace)
    cafe.spawn(task)
    assert (branch_of(workspace), git(workspace, "rev-parse", "HEAD")) == ("feat/x", tip)
    assert (workspace / "staged").read_text() == "staged\n"
    assert (workspace / "TASK.md").is_symlink()
    assert (workspace.parent / "setups").read_text() == "ran\nran\n"


def test_a_free_directory_deleted_by_hand_comes_back(cafe: Cafe) -> None:
    first = cafe.task("a")
    workspace = cafe.spawn(first)
    cafe.release(first, workspace)
    shutil.rmtree(workspace)
    assert branch_of(cafe.spawn(cafe.task("b"))) == "b"


def test_pruned_worktree_is_created_again(cafe: Cafe) -> None:
    first = cafe.task("a")
    workspace = cafe.spawn(first)
    cafe.release(first, workspace)
    shutil.rmtree(workspace)
    git(cafe.main, "worktree", "prune")
    assert branch_of(cafe.spawn(cafe.task("b"))) == "b"


def test_a_directory_with_files_that_git_does_not_know_is_left_alone(cafe: Cafe) -> None:
    stranger = cafe.root / "home/workspaces/coffee--1"
    stranger.mkdir(parents=True)
    (stranger / "thesis").write_text("the only copy")
    task = cafe.task()
    assert "is not a worktree of coffee" in cafe.refusal(task)
    assert cafe.pool.release(cafe.project, task.id, "coffee--1").quarantined is not None
    assert (stranger / "thesis").read_text() == "the only copy"


def test_a_workspace_of_another_repository_is_left_alone(cafe: Cafe) -> None:
    task = cafe.task("a")
    cafe.release(task, cafe.spawn(task))
    os.rename(cafe.main, cafe.root / "old")
    git(cafe.root / "old", "worktree", "repair")
    git(cafe.root, "clone", "--quiet", str(cafe.remote), str(cafe.main))
    assert "belongs to another repository" in cafe.refusal(cafe.task("b"))


def test_a_repository_that_moved_keeps_its_workspaces(cafe: Cafe) -> None:
    task = cafe.task("a")
    workspace = cafe.spawn(task)
    (workspace / "draft").write_text("mine\n")
    os.rename(cafe.main, cafe.root / "moved")
    cafe.register(path=str(cafe.root / "moved"))
    cafe.spawn(task)
    assert git(workspace, "status", "--porcelain") == "?? draft"


def test_a_repository_that_is_gone_is_named(cafe: Cafe) -> None:
    os.rename(cafe.main, cafe.root / "moved")
    assert f"{cafe.main}, the repository of coffee, does not exist" in cafe.refusal(cafe.task())


@pytest.mark.parametrize("seconds", [61, -3600], ids=["by the clock", "before the clock was set back"])
def test_a_lock_left_by_a_dead_git_is_removed_once_it_is_old(cafe: Cafe, seconds: int) -> None:
    first = cafe.task("a")
    workspace = cafe.spawn(first)
    cafe.release(first, workspace)
    lock = cafe.main / ".git/worktrees/coffee--1/index.lock"
    lock.touch()
    second = cafe.task("b")
    assert "try again in a minute" in cafe.refusal(second)
    assert lock.exists()
    age(lock, seconds)
    assert branch_of(cafe.spawn(second)) == "b"
    assert not lock.exists()


def test_a_lock_that_a_git_may_use_is_respected_however_old(cafe: Cafe) -> None:
    first = cafe.task("a")
    workspace = cafe.spawn(first)
    cafe.release(first, workspace)
    lock = cafe.main / ".git/worktrees/coffee--1/index.lock"
    lock.touch()
    age(lock, 3600)
    with subprocess.Popen(
        ["git", "cat-file", "--batch"], cwd=workspace, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write(b"HEAD\n")
        running.stdin.flush()
        running.stdout.readline()  # it is up
        assert "git is at work" in cafe.refusal(cafe.task("b"))
        running.stdin.close()
    assert lock.exists()


def test_interrupted_checkout_is_repaired(cafe: Cafe) -> None:
    commit(cafe.main, "README", "newer coffee\n")
    git(cafe.main, "push", "--quiet")
    first = cafe.task("a")
    workspace = cafe.spawn(first)
    git(workspace, "reset", "--quiet", "--hard", "HEAD~1")
    cafe.release(first, workspace)
    (workspace / "README").write_text("half of what git was writing")
    git(cafe.main, "branch", "b", "HEAD~1")
    second = cafe.task("b")
    assert branch_of(cafe.spawn(second)) == "b"
    assert (workspace / "README").read_text() == "coffee\n"
    assert cafe.in_saved(f"refs/orange/{second.id}/1", "README") == "half of what git was writing"


def test_a_failing_hook_of_the_persons_does_not_keep_the_task_from_its_branch(cafe: Cafe) -> None:
    hook = cafe.main / ".git/hooks/post-checkout"
    hook.parent.mkdir()
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    cafe.trust()
    task = cafe.task()
    assert branch_of(cafe.spawn(task)) == "feat/x"
    assert cafe.logged("a git hook failed")


def test_a_full_disk_refuses_and_loses_nothing(cafe: Cafe, monkeypatch: pytest.MonkeyPatch) -> None:
    task = cafe.task()

    def full(*_args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "symlink", full)
    assert "No space left on device" in cafe.refusal(task)
    monkeypatch.undo()
    assert cafe.states() == ["bound", "free"]


def test_an_entry_in_the_pools_file_that_would_lead_elsewhere_is_refused(cafe: Cafe) -> None:
    cafe.spawn(cafe.task("a"))
    path = cafe.root / "home/workspaces/.pool.json"
    path.write_text(path.read_text().replace('"coffee--1"', '"../../coffee"'))
    assert "invalid entry for ../../coffee" in cafe.refusal(cafe.task("b"))
