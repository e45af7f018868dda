"""Delegation: a task's subtasks, the wait for them, and what becomes of the parent, also when it is killed half-way."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from orange_tui.autopilot import attempts
from orange_tui.domain.errors import Refused
from orange_tui.engine.creation import NewTask
from orange_tui.store.subtasks import subtasks_of
from orange_tui.supervisor.exits.rules import ExitRules
from support.driver import put, transition
from support.killing import dies_at
from support.live_board import LiveBoard
from support.live_home import LiveHome

if TYPE_CHECKING:
    from orange_tui.store.store import TaskRef
    from support.driver import World
    from support.live_home import LiveHome


def working(live_home: LiveHome) -> TaskRef:
    """A task whose agent works and waits for nothing."""
    live_home.harness()
    ref = live_home.create("large", harness="recorder")
    with live_home.orange.engine.open(ref) as opened:
        opened.edit_body("test", lambda body: f"{body}\n## Plan\n\nAPPROACH: split it\nTOUCHING: all of it\n")
    live_home.orange.tasks.update(ref, status="working")
    return ref


def subtask(live_home: LiveHome, parent: TaskRef, branch: str, **more: object) -> TaskRef:
    new = NewTask(project="coffee", branch=branch, summary=branch, harness="recorder", parent=parent.id, **more)  # type: ignore[arg-type]
    return live_home.orange.tasks.create(new).ref


def finish(live_home: LiveHome, ref: TaskRef) -> None:
    """The person merges it without looking."""
    transition(live_home.orange, ref, "done", "force")


def test_task_without_subtasks_cannot_be_delegated(live_home: LiveHome) -> None:
    ref = working(live_home)
    with pytest.raises(Refused, match="has no subtasks to wait for"):
        live_home.orange.tasks.update(ref, status="delegated")
    assert live_home.status(ref) == "working"
    assert live_home.windows(ref) == ["worker"]


def test_parent_releases_its_workspace_for_subtasks_and_is_done_when_they_are(live_home: LiveHome) -> None:
    ref = working(live_home)
    first, second = subtask(live_home, ref, "first"), subtask(live_home, ref, "second")
    live_home.orange.tasks.update(ref, status="delegated")
    parent = live_home.task(ref)
    assert (parent.workspace, parent.tmux_session, set(parent.blocked_by)) == (None, None, {first.id, second.id})
    assert live_home.windows(ref) == []
    live_home.supervised(lambda: live_home.rests(second, "planning"))  # in the workspace that came free
    finish(live_home, first)
    live_home.supervised(lambda: live_home.rests(first, "done"))
    assert live_home.status(ref) == "delegated"
    finish(live_home, second)
    live_home.supervised(lambda: live_home.rests(ref, "done"))
    assert live_home.events(ref, "auto.advanced")[-1]["reason"] == "all that it had delegated is done"


def test_parent_with_commits_of_its_own_is_reviewed_when_its_subtasks_are_done(live_home: LiveHome) -> None:
    ref = working(live_home)
    worktree = live_home.root / "home" / "workspaces" / str(live_home.task(ref).workspace)
    (worktree / "started").write_text("a beginning\n")
    live_home.git("add", "started", at=worktree)
    live_home.git("commit", "--quiet", "--message=A beginning", at=worktree)
    only = subtask(live_home, ref, "only", spawn=False)
    live_home.orange.tasks.update(ref, status="delegated")
    with live_home.orange.engine.open(only) as opened:
        put(opened, "test", {"status": "done"})
    live_home.supervised(lambda: live_home.status(ref) == "agent-review" and bool(live_home.windows(ref)))
    assert live_home.windows(ref) == ["review-1"]
    assert live_home.task(ref).blocked_by == ()
    assert live_home.git("log", "--format=%s", "main..large") == "A beginning"


def test_parent_whose_subtasks_are_done_already_is_done_at_once(live_home: LiveHome) -> None:
    ref = working(live_home)
    only, given_up = subtask(live_home, ref, "only", spawn=False), subtask(live_home, ref, "given-up", spawn=False)
    live_home.orange.tasks.cancel(given_up)
    with live_home.orange.engine.open(only) as opened:
        put(opened, "test", {"status": "done"})
    live_home.orange.tasks.update(ref, status="delegated")
    live_home.supervised(lambda: live_home.rests(ref, "done"))


def test_subtask_waiting_for_its_parent_is_refused_before_anything_stops(live_home: LiveHome) -> None:
    ref = working(live_home)
    subtask(live_home, ref, "first", blocked_by=(ref.id,), spawn=False)
    with pytest.raises(Refused, match="would wait for itself"):
        live_home.orange.tasks.update(ref, status="delegated")
    assert live_home.windows(ref) == ["worker"]


def test_person_unblocks_a_parent_whose_subtask_was_cancelled(live_home: LiveHome) -> None:
    ref = working(live_home)
    only = subtask(live_home, ref, "only", spawn=False)
    live_home.orange.tasks.update(ref, status="delegated")
    live_home.orange.tasks.cancel(only)
    live_home.supervised(lambda: bool(live_home.task(ref).attention))
    assert only.id in str(live_home.task(ref).attention)
    attempts.unblock(live_home.orange.engine, ref)
    assert (live_home.status(ref), live_home.task(ref).blocked_by) == ("pending", ())


def test_retrying_is_refused_where_a_workflow_has_no_way_back(live_home: LiveHome) -> None:
    ref = working(live_home)
    with pytest.raises(Refused, match="has no move working → pending"):
        attempts.retry(live_home.orange.engine, ref)
    with pytest.raises(Refused, match="is working, not blocked"):
        attempts.unblock(live_home.orange.engine, ref)


def reporting_parent(live_home: LiveHome, branch: str) -> TaskRef:
    """A task on autopilot whose agent has just ended, with three pieces of work for others in its report."""
    ref = live_home.create(branch, workflow="autopilot", harness="demo")
    with live_home.orange.engine.open(ref) as opened:
        put(opened, "task.updated", {"status": "in_progress"})
    report = {"status": "blocked", "delegations": [{"title": title} for title in ("a", "b", "c")]}
    (live_home.root / "home" / "tasks" / "coffee" / ref.id / ".orange-outcome").write_text(json.dumps(report))
    return ref


PARENTS = """\
name: parents
states:
  todo: {}
  waiting: {agent: none, rejoin: [done, checked]}
  checked: {agent: none}
  done: {terminal: true}
  cancelled: {terminal: true}
transitions:
  - {from: todo, to: waiting}
  - {from: waiting, to: done, by: engine, when: "review_round > 7"}
  - {from: waiting, to: checked, by: engine, when: "review_round > 3"}
  - {from: checked, to: done}
  - {from: todo, to: cancelled}
"""


def test_parent_whose_workflow_lets_it_go_on_nowhere_asks_the_person_once(world: World) -> None:
    world.workflow("parents", PARENTS)
    ref = world.task(workflow="parents", status="waiting", blocked_by=(world.task(status="done").id,))
    rules = ExitRules(world.orange.tasks, world.orange.agents)
    rules.check(ref)
    rules.check(ref)
    asks = world.read(ref).attention or ""
    assert asks.startswith("All that it had delegated is done, but it may not go on")
    assert "is for review_round > 7, and review_round is 0" in asks
    assert "is for review_round > 3" in asks
    assert world.types(ref) == ["task.created", "task.updated"]
    snapshot = list(LiveBoard(world.orange).scan())[-1]
    assert [(row.waits, row.needs) for row in snapshot.rows if row.ref == ref] == [(None, asks)]
    with world.orange.engine.open(ref) as opened:
        put(opened, "task.updated", {"review_round": 4})
    rules.check(ref)
    assert (world.read(ref).status, world.read(ref).attention, world.read(ref).blocked_by) == ("checked", None, ())


def test_delegation_killed_at_any_step_creates_each_subtask_once(live_home: LiveHome) -> None:
    def delegate(ref: TaskRef) -> None:
        transition(live_home.orange, ref, "blocked", "engine")

    for step in range(1, 60):
        ref = reporting_parent(live_home, f"p{step}")
        died = dies_at(step, lambda: delegate(ref))  # noqa: B023 - it is called at once
        if live_home.status(ref) == "in_progress":  # nothing was begun: the agent's end is looked at again
            delegate(ref)
        with live_home.orange.engine.open(ref) as opened:
            assert opened.task.status == "blocked"
        found = subtasks_of(live_home.orange.store, ref.id)
        assert sorted(subtask.task.summary for subtask in found) == ["a", "b", "c"], step
        assert set(live_home.task(ref).blocked_by) == {subtask.ref.id for subtask in found}
        assert len(live_home.events(ref, "agent.reported")) == 1
        if not died:
            break
    assert step > 10
