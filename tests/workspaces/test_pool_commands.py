"""The hooks that take and give back a workspace, as the engine runs them, and the commands for people."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from orange_tui.cli.commands import projects as commands
from orange_tui.cli.parsing.grammar import Parsed
from orange_tui.cli.table.projects import RESTORE, WORKSPACE_COMMANDS
from orange_tui.domain.errors import NotFound, OrangeError, Refused
from orange_tui.orange import assemble
from orange_tui.store.store import TaskRef
from orange_tui.workspaces import _save_and_reset
from support.driver import put, transition
from support.git import commit, git
from support.pool_world import Cafe

if TYPE_CHECKING:
    from pathlib import Path

    from orange_tui.domain.task import Task
    from orange_tui.engine.engine import Moved
    from orange_tui.orange import Orange

WORKFLOW = """\
name: twice
states: {todo: {}, doing: {}, back: {}, done: {terminal: true}}
initial: {todo: {}}
transitions:
  - {from: todo, to: doing, hooks: [acquire_workspace, acquire_workspace]}
  - {from: doing, to: back, hooks: [release_workspace, release_workspace]}
  - {from: back, to: doing, hooks: [acquire_workspace]}
  - {from: back, to: done}
"""


@pytest.fixture
def cafe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cafe:
    monkeypatch.setattr(_save_and_reset, "EXIT_WAIT_SECONDS", 0.05)
    cafe = Cafe(tmp_path)
    (tmp_path / "home/workflows").mkdir()
    (tmp_path / "home/workflows/twice.yml").write_text(WORKFLOW)
    monkeypatch.chdir(cafe.main)
    return cafe


@pytest.fixture
def orange(cafe: Cafe) -> Orange:
    return assemble(cafe.home)


def new_task(cafe: Cafe, branch: str = "feat/x", **values: object) -> Task:
    return cafe.task(branch, workflow="twice", status="todo", **values)


def move(orange: Orange, task: Task, target: str) -> Moved:
    return transition(orange, TaskRef("coffee", task.id), target, "person")


def history(cafe: Cafe, task: Task, kind: str) -> list[dict[str, object]]:
    return [event for event in cafe.store.journal(TaskRef("coffee", task.id)).events() if event["type"] == kind]


def parsed(name: str, **given: str | bool) -> Parsed:
    command = next(c for c in (*WORKSPACE_COMMANDS, RESTORE) if c.path[-1] == name)
    keys = [option.key for option in command.options] + [argument.name for argument in command.arguments]
    return Parsed(command, dict.fromkeys(keys) | given)


# Hooks


def test_acquiring_twice_gives_one_workspace(cafe: Cafe, orange: Orange) -> None:
    moved = move(orange, new_task(cafe), "doing")
    assert (moved.hook_errors, moved.task.workspace) == ((), "coffee--1")
    assert cafe.states() == ["bound", "free"]
    assert git(cafe.root / "home/workspaces/coffee--1", "branch", "--show-current") == "feat/x"


def test_releasing_twice_saves_once_and_is_written_in_the_history(cafe: Cafe, orange: Orange) -> None:
    task = new_task(cafe)
    move(orange, task, "doing")
    (cafe.root / "home/workspaces/coffee--1/draft").write_text("x\n")
    moved = move(orange, task, "back")
    assert (moved.hook_errors, moved.task.workspace, moved.task.attention) == ((), None, None)
    assert [event["ref"] for event in history(cafe, task, "work.saved")] == [f"refs/orange/{task.id}/1"]
    assert cafe.states() == ["free", "free"]


def test_work_that_was_left_in_a_free_workspace_is_in_the_history_of_the_task_that_gets_it(
    cafe: Cafe, orange: Orange
) -> None:
    orange.pool.init(cafe.project)
    (cafe.root / "home/workspaces/coffee--1/draft").write_text("x\n")
    task = new_task(cafe)
    move(orange, task, "doing")
    assert [event["ref"] for event in history(cafe, task, "work.saved")] == [f"refs/orange/{task.id}/1"]


def test_a_task_that_comes_back_finds_its_commits(cafe: Cafe, orange: Orange) -> None:
    task = new_task(cafe)
    move(orange, task, "doing")
    tip = commit(cafe.root / "home/workspaces/coffee--1", "work")
    move(orange, task, "back")
    move(orange, task, "doing")
    assert git(cafe.root / "home/workspaces/coffee--1", "rev-parse", "HEAD") == tip


def test_task_stays_in_its_state_when_no_workspace_is_free(cafe: Cafe, orange: Orange) -> None:
    cafe.register(pool_size=1)
    first, second = new_task(cafe, "a"), new_task(cafe, "b")
    move(orange, first, "doing")
    with pytest.raises(Refused, match=f"no free workspace for coffee: coffee--1 is held by {first.branch}"):
        move(orange, second, "doing")
    assert cafe.read(TaskRef("coffee", second.id)).status == "todo"


def test_workspace_that_cannot_be_prepared_is_released(cafe: Cafe, orange: Orange) -> None:
    cafe.register(setup="echo made > result; exit 1")
    task = new_task(cafe)
    moved = move(orange, task, "doing")
    assert "acquire_workspace: Set-up" in moved.hook_errors[0]
    assert (moved.task.workspace, cafe.states()) == (None, ["free", "free"])
    assert "Set-up" in str(moved.task.attention)
    assert cafe.in_saved(str(history(cafe, task, "work.saved")[0]["ref"]), "result") == "made"


def test_a_workspace_the_task_has_worked_in_is_not_taken_away_because_something_fails(
    cafe: Cafe, orange: Orange
) -> None:
    task = new_task(cafe)
    move(orange, task, "doing")
    draft = cafe.root / "home/workspaces/coffee--1/draft"
    draft.write_text("x\n")
    os.rename(cafe.main, cafe.root / "away")
    with orange.engine.open(TaskRef("coffee", task.id)) as opened:
        put(opened, "task.updated", {"status": "back"})
    moved = move(orange, task, "doing")
    assert "does not exist" in moved.hook_errors[0]
    assert (moved.task.workspace, draft.read_text()) == ("coffee--1", "x\n")


def test_quarantined_workspace_sets_attention_on_its_task(cafe: Cafe, orange: Orange) -> None:
    task = new_task(cafe)
    move(orange, task, "doing")
    git(cafe.root / "home/workspaces/coffee--1", "clone", "--quiet", str(cafe.remote), "nested")
    moved = move(orange, task, "back")
    assert moved.task.workspace is None
    assert "coffee--1 was not cleared: nested/ is a git repository" in str(moved.task.attention)
    assert cafe.states() == ["quarantined", "free"]


def test_attention_for_a_workspace_that_was_not_cleared_ends_when_it_is(cafe: Cafe, orange: Orange) -> None:
    task = new_task(cafe)
    move(orange, task, "doing")
    nested = cafe.root / "home/workspaces/coffee--1/nested"
    git(nested.parent, "clone", "--quiet", str(cafe.remote), "nested")
    move(orange, task, "back")
    assert "is quarantined" in str(commands.gc(parsed("gc"), orange).text)
    ref = TaskRef("coffee", task.id)
    with orange.engine.open(ref) as opened:
        assert "was not cleared" in str(opened.task.attention)
    shutil.rmtree(nested)
    assert "is free again" in str(commands.gc(parsed("gc"), orange).text)
    with orange.engine.open(ref) as opened:
        assert opened.task.attention is None


# Commands


def test_init_creates_worktrees_and_list_shows_them(cafe: Cafe, orange: Orange) -> None:
    listed = commands.list_workspaces(parsed("list"), orange)
    assert listed.text == "coffee--1  free, not created yet\ncoffee--2  free, not created yet"
    made = commands.init(parsed("init"), orange)
    assert (made.text, made.data) == (
        "coffee--1  created\ncoffee--2  created",
        {"project": "coffee", "made": ["coffee--1", "coffee--2"]},
    )
    assert commands.init(parsed("init", project="coffee"), orange).text == "coffee already has all its workspaces"
    task = new_task(cafe)
    move(orange, task, "doing")
    assert commands.list_workspaces(parsed("list", all=True), orange).text == (
        f"coffee--1  held by {task.id}\ncoffee--2  free"
    )


def test_list_says_why_one_is_quarantined(cafe: Cafe, orange: Orange) -> None:
    task = new_task(cafe)
    move(orange, task, "doing")
    git(cafe.root / "home/workspaces/coffee--1", "clone", "--quiet", str(cafe.remote), "nested")
    move(orange, task, "back")
    reply = commands.list_workspaces(parsed("list", project="coffee"), orange)
    assert f"coffee--1  quarantined with work of {task.id}: nested/ is a git repository" in reply.text
    assert isinstance(reply.data, list)
    assert reply.data[0]["state"] == "quarantined"


def test_gc_releases_the_workspace_of_a_deleted_task(cafe: Cafe, orange: Orange) -> None:
    assert commands.gc(parsed("gc"), orange).text == "Nothing to release"
    task = new_task(cafe)
    move(orange, task, "doing")
    shutil.rmtree(cafe.task_directory(task))
    assert commands.gc(parsed("gc"), orange).text == f"coffee--1 is free again; it was held by {task.id}"


def test_restore_puts_saved_work_on_a_branch(cafe: Cafe, orange: Orange) -> None:
    task = new_task(cafe)
    move(orange, task, "doing")
    (cafe.root / "home/workspaces/coffee--1/draft").write_text("x\n")
    move(orange, task, "back")
    reply = commands.restore(parsed("restore", id=task.id[:4]), orange)
    assert reply.data == {"id": task.id, "project": "coffee", "branch": f"orange-restored/{task.id}-1"}
    assert git(cafe.main, "show", f"orange-restored/{task.id}-1:draft") == "x"


def test_the_work_of_a_deleted_task_can_be_restored(cafe: Cafe, orange: Orange) -> None:
    task = new_task(cafe)
    move(orange, task, "doing")
    (cafe.root / "home/workspaces/coffee--1/draft").write_text("x\n")
    move(orange, task, "back")
    shutil.rmtree(cafe.task_directory(task))
    commands.restore(parsed("restore", id=task.id, branch="rescued"), orange)
    assert git(cafe.main, "show", "rescued:draft") == "x"


def test_restore_overwrites_no_branch(cafe: Cafe, orange: Orange) -> None:
    task = new_task(cafe)
    move(orange, task, "doing")
    (cafe.root / "home/workspaces/coffee--1/draft").write_text("x\n")
    move(orange, task, "back")
    for branch, reason in (("main", "There is a branch main already"), ("no such", "not a branch name")):
        with pytest.raises(Refused, match=reason):
            commands.restore(parsed("restore", id=task.id, branch=branch), orange)
    with pytest.raises(NotFound, match="no saved work number 7; it has 1"):
        commands.restore(parsed("restore", id=task.id, number="7"), orange)


def test_restore_is_refused_where_nothing_was_saved(cafe: Cafe, orange: Orange) -> None:
    with pytest.raises(OrangeError, match="has no saved work"):
        commands.restore(parsed("restore", id=new_task(cafe).id), orange)
