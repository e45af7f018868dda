"""Every kind of repository: without a remote, with one that is down, shallow, bare, empty."""

from __future__ import annotations

import os
import shutil

import pytest

from support.git import branch_of, commit, git
from support.pool_world import Cafe, git_calls


def make_again(cafe: Cafe, *words: str) -> None:
    """The project's checkout, cloned in another way."""
    shutil.rmtree(cafe.main)
    git(cafe.root, "clone", "--quiet", *words, f"file://{cafe.remote}", str(cafe.main))


def test_without_a_remote_nothing_is_fetched(cafe: Cafe) -> None:
    git(cafe.main, "remote", "remove", "origin")
    tip = commit(cafe.main, "local-only")
    task = cafe.task()
    calls = git_calls(lambda: cafe.spawn(task))
    workspace = cafe.root / "home/workspaces/coffee--1"
    assert "fetch" not in calls
    assert git(workspace, "rev-parse", "HEAD") == tip
    (workspace / "draft").write_text("x")
    assert cafe.release(task, workspace).saved is not None
    assert git(workspace, "rev-parse", "HEAD") == tip


def test_a_remote_that_is_down_is_only_logged(cafe: Cafe) -> None:
    os.rename(cafe.remote, cafe.root / "away")
    assert branch_of(cafe.spawn(cafe.task())) == "feat/x"
    assert cafe.logged("fetch failed")


def test_remote_that_was_never_fetched_and_is_down_is_refused(cafe: Cafe) -> None:
    shutil.rmtree(cafe.main)
    git(cafe.root, "init", "--quiet", "--initial-branch=main", str(cafe.main))
    git(cafe.main, "remote", "add", "origin", str(cafe.root / "nowhere.git"))
    said = cafe.refusal(cafe.task())
    assert "has no commits yet" in said
    assert "nowhere.git" in said


def test_an_empty_repository_is_refused(cafe: Cafe) -> None:
    shutil.rmtree(cafe.main)
    git(cafe.root, "init", "--quiet", str(cafe.main))
    assert "has no commits yet; commit something" in cafe.refusal(cafe.task())


def test_a_default_branch_that_does_not_exist_is_refused(cafe: Cafe) -> None:
    cafe.register(default_branch="trunk")
    assert "has no branch trunk" in cafe.refusal(cafe.task())


def test_a_shallow_clone_of_one_branch_still_finds_the_others(cafe: Cafe) -> None:
    git(cafe.main, "switch", "--quiet", "--create", "feat/x")
    tip = commit(cafe.main, "theirs")
    git(cafe.main, "push", "--quiet", "origin", "feat/x")
    make_again(cafe, "--depth=1", "--single-branch", "--branch=main")
    task = cafe.task("feat/x")
    workspace = cafe.spawn(task)
    assert git(workspace, "rev-parse", "HEAD") == tip
    (workspace / "draft").write_text("x\n")
    saved = cafe.release(task, workspace).saved
    assert cafe.in_saved(str(saved), "draft") == "x"


@pytest.mark.parametrize("kind", ["--bare", "--no-checkout"])
def test_bare_repository_works(cafe: Cafe, kind: str) -> None:
    make_again(cafe, kind)
    if kind == "--no-checkout":
        git(cafe.main, "config", "core.bare", "true")
        git(cafe.main, "checkout", "--quiet", "main", code=128)
    task = cafe.task()
    workspace = cafe.spawn(task)
    assert branch_of(workspace) == "feat/x"
    (workspace / "draft").write_text("x\n")
    assert cafe.in_saved(str(cafe.release(task, workspace).saved), "draft") == "x"


def test_a_project_that_is_a_worktree_itself_works(cafe: Cafe) -> None:
    git(cafe.main, "worktree", "add", "--quiet", "-b", "own", str(cafe.root / "own"))
    cafe.register(path=str(cafe.root / "own"))
    task = cafe.task()
    workspace = cafe.spawn(task)
    assert branch_of(workspace) == "feat/x"
    assert cafe.release(task, workspace).quarantined is None


def test_a_git_hook_that_runs_orange_does_not_mislead_it(cafe: Cafe, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", str(cafe.root / "nowhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(cafe.root / "nowhere/index"))
    task = cafe.task()
    workspace = cafe.spawn(task)
    (workspace / "draft").write_text("x\n")
    saved = cafe.release(task, workspace).saved
    monkeypatch.undo()
    assert cafe.in_saved(str(saved), "draft") == "x"


def test_a_remote_in_an_included_file_is_found(cafe: Cafe) -> None:
    git(cafe.main, "remote", "remove", "origin")
    (cafe.root / "shared").write_text(
        f'[remote "origin"]\n\turl = {cafe.remote}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n'
    )
    git(cafe.main, "config", "include.path", str(cafe.root / "shared"))
    task = cafe.task()
    assert "fetch" in git_calls(lambda: cafe.spawn(task))
