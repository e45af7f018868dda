"""kill -9 at every step of taking a workspace and of giving it back: nothing is lost, nothing leaks."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING

import pytest

from orange_tui.orange import assemble
from orange_tui.store.store import TaskRef
from orange_tui.workspaces.saved_work import saved_of
from support.driver import transition
from support.git import commit, git
from support.killing import every_death, watch_workspaces
from support.pool_world import Cafe

if TYPE_CHECKING:
    from pathlib import Path

    from orange_tui.domain.task import Task

WORKFLOW = """\
name: two
states: {todo: {}, doing: {}, back: {}, done: {terminal: true}}
initial: {todo: {}}
transitions:
  - {from: todo, to: doing, hooks: [acquire_workspace]}
  - {from: doing, to: back, hooks: [release_workspace]}
  - {from: back, to: done}
"""


@pytest.fixture(autouse=True)
def _half_as_many_deaths(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each step here is many gits, and each of both actions is killed in three tests; most die at other steps."""
    if not os.environ.get("THOROUGH"):
        monkeypatch.setattr("support.killing._STRIDE", 7)


@pytest.fixture
def cafe(tmp_path: Path) -> Cafe:
    (tmp_path / "world").mkdir()
    cafe = Cafe(tmp_path / "world", pool_size=1, copy=[".env"], setup="echo ready > ignored-by-nobody")
    (cafe.main / ".env").write_text("KEY=1\n")
    return cafe


def is_ready(cafe: Cafe, workspace: Path, task: Task) -> bool:
    return (
        git(workspace, "symbolic-ref", "--short", "HEAD") == task.branch
        and git(workspace, "status", "--porcelain") == "?? ignored-by-nobody"
        and os.readlink(workspace / "TASK.md") == str(cafe.task_directory(task) / "TASK.md")
        and (workspace / ".env").read_text() == "KEY=1\n"
        and (workspace / "ignored-by-nobody").read_text() == "ready\n"
    )


def with_work(cafe: Cafe, task: Task) -> tuple[Path, str]:
    """A workspace with a commit on no branch, a staged file, a changed one and a new one."""
    workspace = cafe.spawn(task)
    cafe.hold(task, workspace.name)
    git(workspace, "switch", "--quiet", "--detach")
    loose = commit(workspace, "loose")
    (workspace / "README").write_text("staged\n")
    git(workspace, "add", "README")
    (workspace / "README").write_text("changed\n")
    (workspace / "draft").write_text("new\n")
    return workspace, loose


def all_is_saved(cafe: Cafe, task: Task, loose: str) -> None:
    (saved,) = saved_of(cafe.project, task.id)
    assert saved.parents[0] == loose
    assert cafe.in_saved(saved.name, "README") == "changed"
    assert cafe.in_saved(saved.name, "draft") == "new"
    assert cafe.in_saved(saved.parents[1], "README") == "staged"


def test_killed_acquire_is_finished_by_the_next(cafe: Cafe) -> None:
    task = cafe.task()
    for _step in every_death([cafe.root], lambda: cafe.spawn(task), watch_workspaces):
        workspace = cafe.spawn(task)
        assert is_ready(cafe, workspace, task)
        assert (cafe.slot().state, cafe.slot().task) == ("bound", task.id)
        cafe.release(task, workspace)
        assert cafe.is_clean(workspace)


def test_killed_acquire_of_a_reused_workspace_is_finished_by_the_next(cafe: Cafe) -> None:
    first, task = cafe.task("a"), cafe.task("b")
    cafe.release(first, cafe.spawn(first))
    for _step in every_death([cafe.root], lambda: cafe.spawn(task), watch_workspaces):
        assert is_ready(cafe, cafe.spawn(task), task)
        assert saved_of(cafe.project, task.id) == []


def test_killed_acquire_that_is_never_repeated_leaks_nothing(cafe: Cafe) -> None:
    task, other = cafe.task("a"), cafe.task("b")
    for step in every_death([cafe.root], lambda: cafe.spawn(task), watch_workspaces):
        if step % 2:
            shutil.rmtree(cafe.task_directory(task))
            cafe.gc()
            assert cafe.states() == ["free"]
        assert is_ready(cafe, cafe.spawn(other), other)


def test_a_release_that_was_killed_is_finished_by_the_next(cafe: Cafe) -> None:
    task = cafe.task()
    workspace, loose = with_work(cafe, task)
    for _step in every_death([cafe.root], lambda: cafe.release(task, workspace), watch_workspaces):
        cafe.release(task, workspace)
        all_is_saved(cafe, task, loose)
        assert cafe.states() == ["free"]
        assert cafe.is_clean(workspace)


def test_a_release_that_was_killed_is_finished_for_a_task_that_is_gone(cafe: Cafe) -> None:
    task, other = cafe.task("a"), cafe.task("b")
    workspace, loose = with_work(cafe, task)
    for step in every_death([cafe.root], lambda: cafe.release(task, workspace), watch_workspaces):
        shutil.rmtree(cafe.task_directory(task))
        if step % 2:
            cafe.gc()
            assert cafe.is_clean(workspace)
        assert cafe.spawn(other) == workspace
        all_is_saved(cafe, task, loose)


def test_the_engine_finishes_a_move_that_was_killed_with_its_workspace(cafe: Cafe) -> None:
    (cafe.root / "home/workflows").mkdir()
    (cafe.root / "home/workflows/two.yml").write_text(WORKFLOW)
    task, other = cafe.task("a", workflow="two", status="todo"), cafe.task("b")
    ref = TaskRef("coffee", task.id)
    for _step in every_death(
        [cafe.root], lambda: transition(assemble(cafe.home), ref, "doing", "person"), watch_workspaces
    ):
        with assemble(cafe.home).engine.open(ref) as opened:
            after = opened.task
        if after.status == "doing":
            assert after.workspace == "coffee--1"
            assert is_ready(cafe, cafe.root / "home/workspaces/coffee--1", task)
        else:
            assert (after.status, after.workspace) == ("todo", None)
            assert is_ready(cafe, cafe.spawn(other), other)


def test_engine_finishes_a_killed_release_and_clears_the_tasks_workspace(cafe: Cafe) -> None:
    (cafe.root / "home/workflows").mkdir()
    (cafe.root / "home/workflows/two.yml").write_text(WORKFLOW)
    task = cafe.task("a", workflow="two", status="doing")
    workspace, loose = with_work(cafe, task)
    ref = TaskRef("coffee", task.id)
    for _step in every_death(
        [cafe.root], lambda: transition(assemble(cafe.home), ref, "back", "person"), watch_workspaces
    ):
        with assemble(cafe.home).engine.open(ref) as opened:
            after = opened.task
        if after.status == "back":
            assert (after.workspace, cafe.states()) == (None, ["free"])
            all_is_saved(cafe, task, loose)
        else:
            assert (after.workspace, cafe.states()) == ("coffee--1", ["bound"])
            assert (workspace / "draft").exists()


def test_half_made_worktree_is_created_again(cafe: Cafe) -> None:
    """As `git worktree add` leaves it when it is killed itself: locked, and with some of its files."""
    task = cafe.task()
    cafe.pool.reserve(cafe.project, task)
    workspace = cafe.root / "home/workspaces/coffee--1"
    words = ("worktree", "add", "--quiet", "--lock", "--reason=initializing", "--no-checkout", "--detach")
    git(cafe.main, *words, str(workspace), "main")
    (workspace / "READ").write_text("half of it")
    pool_file = cafe.root / "home/workspaces/.pool.json"
    data = json.loads(pool_file.read_text())
    data["slots"]["coffee--1"]["making"] = True
    pool_file.write_text(json.dumps(data))
    assert is_ready(cafe, cafe.spawn(task), task)
    assert not (workspace / "READ").exists()
    assert git(cafe.main, "worktree", "list").count("\n") == 1


def test_half_made_worktree_of_a_deleted_task_is_created_again_for_the_next(cafe: Cafe) -> None:
    task, other = cafe.task("a"), cafe.task("b")
    cafe.pool.reserve(cafe.project, task)
    workspace = cafe.root / "home/workspaces/coffee--1"
    workspace.mkdir()
    (workspace / "READ").write_text("half of it")
    pool_file = cafe.root / "home/workspaces/.pool.json"
    data = json.loads(pool_file.read_text())
    data["slots"]["coffee--1"]["making"] = True
    pool_file.write_text(json.dumps(data))
    shutil.rmtree(cafe.task_directory(task))
    assert is_ready(cafe, cafe.spawn(other), other)
