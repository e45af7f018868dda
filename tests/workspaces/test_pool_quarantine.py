"""Workspaces that cannot be given back safely: they are left as they are, with the reason."""

from __future__ import annotations

import os
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from orange_tui.domain.errors import NotSaved
from orange_tui.home import json_file
from orange_tui.workspaces.saved_work import saved_of
from support.git import commit, git

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.pool_world import Cafe


@contextmanager
def somebody_in(workspace: Path) -> Iterator[None]:
    with subprocess.Popen(["cat"], cwd=workspace, stdin=subprocess.PIPE) as running:
        yield
        running.communicate()


def test_workspace_with_a_running_process_is_quarantined_untouched(cafe: Cafe) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    (workspace / "draft").write_text("x\n")
    (workspace / "deep").mkdir()
    with somebody_in(workspace / "deep"):
        released = cafe.release(task, workspace)
        assert "is still running in it: cat, process" in str(released.quarantined)
        assert (workspace / "draft").exists()
        assert (workspace / "TASK.md").is_symlink()
        assert cafe.states() == ["quarantined", "free"]
        assert cafe.slot().reason == released.quarantined
        assert cafe.release(task, workspace) == released
        assert "is quarantined" in cafe.gc()[0]
    assert "free again" in cafe.gc()[0]
    assert cafe.is_clean(workspace)
    assert cafe.in_saved(f"refs/orange/{task.id}/1", "draft") == "x"


def test_command_can_release_the_workspace_it_runs_in(cafe: Cafe) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    here = os.getcwd()
    os.chdir(workspace)
    try:
        assert cafe.release(task, workspace).quarantined is None
    finally:
        os.chdir(here)


def test_a_task_that_comes_back_gets_its_quarantined_workspace_as_it_left_it(cafe: Cafe) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    (workspace / "draft").write_text("x\n")
    with somebody_in(workspace):
        cafe.release(task, workspace)
        assert cafe.spawn(task) == workspace
    assert (workspace / "draft").exists()
    assert cafe.states() == ["bound", "free"]


def test_quarantine_ends_when_its_reason_is_gone_and_a_task_needs_the_slot(cafe: Cafe) -> None:
    cafe.register(pool_size=1)
    task = cafe.task("a")
    workspace = cafe.spawn(task)
    with somebody_in(workspace):
        cafe.release(task, workspace)
    assert cafe.spawn(cafe.task("b")) == workspace


def test_workspace_with_what_cannot_be_saved_is_quarantined(cafe: Cafe) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    (workspace / "README").unlink()
    os.mkfifo(workspace / "README")
    (workspace / "draft").write_text("x\n")
    assert "neither a file nor a link" in str(cafe.release(task, workspace).quarantined)
    assert (workspace / "draft").read_text() == "x\n"
    assert cafe.states()[0] == "quarantined"


@pytest.mark.parametrize("top", ["plain", "ignored"])
def test_workspace_with_directories_too_deep_to_look_through_is_quarantined(
    cafe: Cafe, request: pytest.FixtureRequest, top: str
) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    request.addfinalizer(lambda: subprocess.run(["rm", "-rf", workspace.parent], check=True))  # pytest could not
    deep = workspace / top / "/".join("d" * 1500)
    subprocess.run(["mkdir", "-p", deep], check=True)
    subprocess.run(["touch", deep / "draft"], check=True)
    assert "deeper than can be looked through" in str(cafe.release(task, workspace).quarantined)
    assert cafe.states()[0] == "quarantined"
    subprocess.run(["rm", "-r", workspace / top], check=True)
    assert cafe.release(task, workspace).quarantined is None


def test_workspace_with_a_nested_repository_is_quarantined(cafe: Cafe) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    git(workspace, "clone", "--quiet", str(cafe.remote), "nested")
    (workspace / "draft").write_text("x\n")
    assert "nested/ is a git repository of its own" in str(cafe.release(task, workspace).quarantined)
    assert (workspace / "draft").exists()


def test_ignored_repository_is_removed_only_when_all_of_it_is_elsewhere_too(cafe: Cafe) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    git(workspace, "clone", "--quiet", str(cafe.remote), "ignored/clone")
    made = commit(workspace / "ignored/clone", "only-here")
    assert "ignored/clone is a git repository of its own" in str(cafe.release(task, workspace).quarantined)
    assert git(workspace / "ignored/clone", "rev-parse", "HEAD") == made
    git(workspace / "ignored/clone", "push", "--quiet", "origin", "HEAD:elsewhere")
    assert cafe.release(task, workspace).quarantined is None
    assert not (workspace / "ignored").exists()


def test_commit_that_only_a_tag_of_an_ignored_repository_has_keeps_the_workspace(cafe: Cafe) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    git(cafe.main, "switch", "--quiet", "--detach")
    commit(cafe.main, "released")
    git(cafe.main, "tag", "v1")
    git(cafe.main, "push", "--quiet", "origin", "v1")
    clone = workspace / "ignored/clone"
    git(workspace, "clone", "--quiet", str(cafe.remote), str(clone))
    git(clone, "checkout", "--quiet", "v1")  # it is on no branch, but came from there
    git(clone, "switch", "--quiet", "main")
    commit(clone, "only-here")
    git(clone, "tag", "mine")
    git(clone, "reset", "--quiet", "--hard", "origin/main")
    assert "ignored/clone is a git repository of its own" in str(cafe.release(task, workspace).quarantined)
    git(clone, "tag", "--delete", "mine")
    assert cafe.release(task, workspace).quarantined is None


def test_ignored_bare_repository_keeps_the_workspace_unless_it_is_a_copy_or_empty(cafe: Cafe) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    git(workspace, "init", "--quiet", "--bare", "ignored/empty.git")
    git(workspace, "clone", "--quiet", "--bare", str(cafe.remote), "ignored/copy.git")
    git(workspace, "init", "--quiet", "--bare", "ignored/own.git")
    git(workspace, "clone", "--quiet", str(cafe.remote), "ignored/clone")
    commit(workspace / "ignored/clone", "only-here")
    git(workspace / "ignored/clone", "remote", "set-url", "origin", str(workspace / "ignored/own.git"))
    git(workspace / "ignored/clone", "push", "--quiet", "origin", "HEAD")
    assert "ignored/own.git is a git repository of its own" in str(cafe.release(task, workspace).quarantined)
    os.rename(workspace / "ignored/own.git", cafe.root / "own.git")
    assert cafe.release(task, workspace).quarantined is None
    assert not (workspace / "ignored").exists()


def test_a_lock_that_git_may_hold_keeps_the_workspace(cafe: Cafe) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    lock = cafe.main / ".git/worktrees/coffee--1/index.lock"
    lock.touch()
    assert "in a minute" in str(cafe.release(task, workspace).quarantined)
    os.utime(lock, (1, 1))
    assert cafe.release(task, workspace).quarantined is None


def test_a_broken_index_keeps_the_workspace(cafe: Cafe) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    (workspace / "draft").write_text("x\n")
    (cafe.main / ".git/worktrees/coffee--1/index").write_bytes(b"rubbish")
    assert cafe.release(task, workspace).quarantined is not None
    assert (workspace / "draft").exists()


def test_a_repository_that_is_gone_keeps_the_workspace(cafe: Cafe) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    (workspace / "draft").write_text("x\n")
    os.rename(cafe.main, cafe.root / "away")
    assert "does not exist" in str(cafe.release(task, workspace).quarantined)
    os.rename(cafe.root / "away", cafe.main)
    assert cafe.release(task, workspace).saved is not None


def test_a_full_disk_keeps_everything_until_there_is_space(cafe: Cafe, monkeypatch: pytest.MonkeyPatch) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    (workspace / "draft").write_text("x\n")

    def full(path: str, data: bytes, *, durable: bool) -> None:
        raise NotSaved(f"{path} was not saved: No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(json_file, "replace_file", full)
        with pytest.raises(NotSaved):
            cafe.release(task, workspace)
    assert (cafe.slot().state, cafe.slot().task) == ("bound", task.id)
    cafe.release(task, workspace)
    assert [cafe.in_saved(saved.name, "draft") for saved in saved_of(cafe.project, task.id)] == ["x"]
    assert cafe.is_clean(workspace)
