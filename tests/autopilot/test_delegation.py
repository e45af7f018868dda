"""Delegation: a task's subtasks, the wait for them, and what becomes of the parent, also when it is killed half-way."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from orange_tui.autopilot import attempts
from orange_tui.domain.errors import Refused
from orange_tui.engine.creation import NewTask
from orange_tui.store.subtasks import subtasks_of
from orange_tui.supervisor.exit_rules import ExitRules
from support.driver import put, transition
from support.killing import dies_at
from support.live_board import LiveBoard
from support.office import Office

if TYPE_CHECKING:
    from orange_tui.store.store import TaskRef
    from support.driver import World
    from support.office import Office


def working(office: Office) -> TaskRef:
    """A task whose agent works and waits for nothing."""
    office.harness()
    ref = office.create("large", harness="recorder")
    with office.orange.engine.open(ref) as opened:
        opened.edit_body("test", lambda body: f"{body}\n## Plan\n\nAPPROACH: split it\nTOUCHING: all of it\n")
    office.orange.tasks.update(ref, status="working")
    return ref


def subtask(office: Office, parent: TaskRef, branch: str, **more: object) -> TaskRef:
    new = NewTask(project="coffee", branch=branch, summary=branch, harness="recorder", parent=parent.id, **more)  # type: ignore[arg-type]
    return office.orange.tasks.create(new).ref


def finish(office: Office, ref: TaskRef) -> None:
    """The person merges it without looking."""
    transition(office.orange, ref, "done", "force")


def test_task_without_subtasks_cannot_be_delegated(office: Office) -> None:
    ref = working(office)
    with pytest.raises(Refused, match="has no subtasks to wait for"):
        office.orange.tasks.update(ref, status="delegated")
    assert office.status(ref) == "working"
    assert office.windows(ref) == ["worker"]


def test_parent_releases_its_workspace_for_subtasks_and_is_done_when_they_are(office: Office) -> None:
    ref = working(office)
    first, second = subtask(office, ref, "first"), subtask(office, ref, "second")
    office.orange.tasks.update(ref, status="delegated")
    parent = office.task(ref)
    assert (parent.workspace, parent.tmux_session, set(parent.blocked_by)) == (None, None, {first.id, second.id})
    assert office.windows(ref) == []
    office.supervised(lambda: office.rests(second, "planning"))  # in the workspace that came free
    finish(office, first)
    office.supervised(lambda: office.rests(first, "done"))
    assert office.status(ref) == "delegated"
    finish(office, second)
    office.supervised(lambda: office.rests(ref, "done"))
    assert office.events(ref, "auto.advanced")[-1]["reason"] == "all that it had delegated is done"


def test_parent_with_commits_of_its_own_is_reviewed_when_its_subtasks_are_done(office: Office) -> None:
    ref = working(office)
    worktree = office.root / "home" / "workspaces" / str(office.task(ref).workspace)
    (worktree / "started").write_text("a beginning\n")
    office.git("add", "started", at=worktree)
    office.git("commit", "--quiet", "--message=A beginning", at=worktree)
    only = subtask(office, ref, "only", spawn=False)
    office.orange.tasks.update(ref, status="delegated")
    with office.orange.engine.open(only) as opened:
        put(opened, "test", {"status": "done"})
    office.supervised(lambda: office.status(ref) == "agent-review" and bool(office.windows(ref)))
    assert office.windows(ref) == ["review-1"]
    assert office.task(ref).blocked_by == ()
    assert office.git("log", "--format=%s", "main..large") == "A beginning"


def test_parent_whose_subtasks_are_done_already_is_done_at_once(office: Office) -> None:
    ref = working(office)
    only, given_up = subtask(office, ref, "only", spawn=False), subtask(office, ref, "given-up", spawn=False)
    office.orange.tasks.cancel(given_up)
    with office.orange.engine.open(only) as opened:
        put(opened, "test", {"status": "done"})
    office.orange.tasks.update(ref, status="delegated")
    office.supervised(lambda: office.rests(ref, "done"))


def test_subtask_waiting_for_its_parent_is_refused_before_anything_stops(office: Office) -> None:
    ref = working(office)
    subtask(office, ref, "first", blocked_by=(ref.id,), spawn=False)
    with pytest.raises(Refused, match="would wait for itself"):
        office.orange.tasks.update(ref, status="delegated")
    assert office.windows(ref) == ["worker"]


def test_person_unblocks_a_parent_whose_subtask_was_cancelled(office: Office) -> None:
    ref = working(office)
    only = subtask(office, ref, "only", spawn=False)
    office.orange.tasks.update(ref, status="delegated")
    office.orange.tasks.cancel(only)
    office.supervised(lambda: bool(office.task(ref).attention))
    assert only.id in str(office.task(ref).attention)
    attempts.unblock(office.orange.engine, ref)
    assert (office.status(ref), office.task(ref).blocked_by) == ("pending", ())


def test_retrying_is_refused_where_a_workflow_has_no_way_back(office: Office) -> None:
    ref = working(office)
    with pytest.raises(Refused, match="has no move working → pending"):
        attempts.retry(office.orange.engine, ref)
    with pytest.raises(Refused, match="is working, not blocked"):
        attempts.unblock(office.orange.engine, ref)


def reporting_parent(office: Office, branch: str) -> TaskRef:
    """A task on autopilot whose agent has just ended, with three pieces of work for others in its report."""
    ref = office.create(branch, workflow="autopilot", harness="demo")
    with office.orange.engine.open(ref) as opened:
        put(opened, "task.updated", {"status": "in_progress"})
    report = {"status": "blocked", "delegations": [{"title": title} for title in ("a", "b", "c")]}
    (office.root / "home" / "tasks" / "coffee" / ref.id / ".orange-outcome").write_text(json.dumps(report))
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


def test_delegation_killed_at_any_step_creates_each_subtask_once(office: Office) -> None:
    def delegate(ref: TaskRef) -> None:
        transition(office.orange, ref, "blocked", "engine")

    for step in range(1, 60):
        ref = reporting_parent(office, f"p{step}")
        died = dies_at(step, lambda: delegate(ref))  # noqa: B023 - it is called at once
        if office.status(ref) == "in_progress":  # nothing was begun: the agent's end is looked at again
            delegate(ref)
        with office.orange.engine.open(ref) as opened:
            assert opened.task.status == "blocked"
        found = subtasks_of(office.orange.store, ref.id)
        assert sorted(subtask.task.summary for subtask in found) == ["a", "b", "c"], step
        assert set(office.task(ref).blocked_by) == {subtask.ref.id for subtask in found}
        assert len(office.events(ref, "agent.reported")) == 1
        if not died:
            break
    assert step > 10
