"""The board tells what the files and tmux tell, and reads no more than has changed."""

from __future__ import annotations

import json
import os
import subprocess
import time
from typing import TYPE_CHECKING, Any

from orange_tui.board.rows import PoolUse, Snapshot, TaskRow
from orange_tui.branches.stats import Stats
from orange_tui.domain.text import task_file
from orange_tui.engine.creation import NewTask
from orange_tui.home import files
from orange_tui.sessions.runtime import Runtime
from orange_tui.store import task_text
from orange_tui.store.store import TaskRef
from support.driver import put, transition
from support.live_board import LiveBoard
from support.live_home import LiveHome

if TYPE_CHECKING:
    import pytest

    from orange_tui.outside.tmux.server import Pane, Tmux
    from support.driver import World
    from support.live_home import LiveHome


def write_tasks(world: World, count: int, *, project: str = "coffee") -> list[TaskRef]:
    """Many tasks quickly: every twentieth is not finished."""
    refs = []
    for number in range(count):
        ref, stamp = TaskRef(project, f"t{number:05d}"), f"2026-01-01T00:00:00.{number:06d}Z"
        status = "done" if number % 20 else "todo"
        known = {"id": ref.id, "project": project, "workflow": "steps", "status": status, "branch": f"b/{number}"}
        file = task_file.new({**known, "created_at": stamp, "updated_at": stamp}, "")
        for directory in (world.directory(ref), world.state(ref)):
            directory.mkdir(parents=True)
        world.file(ref).write_bytes(file.encode())
        event = {"type": "task.created", "timestamp": stamp, "engine": file.task.engine_fields()}
        world.history_file(ref).write_text(json.dumps(event) + "\n")
        refs.append(ref)
    return refs


def board(world: World, project: str | None = None) -> Snapshot:
    return list(LiveBoard(world.orange, project).scan())[-1]


def row_of(snapshot: Snapshot, ref: TaskRef) -> TaskRow:
    return next(row for row in snapshot.rows if row.ref == ref)


def ids(snapshot: Snapshot) -> list[str]:
    return [row.ref.id for row in snapshot.rows]


def test_empty_home_has_an_empty_board(world: World) -> None:
    snapshots = list(LiveBoard(world.orange).scan())
    assert len(snapshots) == 1
    assert (snapshots[0].rows, snapshots[0].counts, snapshots[0].needing) == ((), {}, 0)
    assert [project.name for project in snapshots[0].projects] == ["coffee"]
    assert snapshots[0].pool == {"coffee": PoolUse(0, 2)}


def test_rows_come_in_the_order_of_the_command_line(world: World) -> None:
    first, second, third = world.task(), world.task(status="done"), world.task(status="checked")
    broken = world.task()
    world.file(broken).write_text("no frontmatter")
    snapshot = board(world)
    assert ids(snapshot) == [broken.id, third.id, first.id, second.id]
    assert ids(snapshot) == [each.ref.id for each in world.orange.tasks.in_order(world.orange.store.read_all())]
    assert snapshot.counts == {"todo": 1, "done": 1, "checked": 1}
    assert row_of(snapshot, second).finished


def test_an_unreadable_task_is_a_row_with_the_reason_and_the_line(world: World) -> None:
    ref = world.task()
    world.edit(ref, "status: ", "status: [")
    row = row_of(board(world), ref)
    assert row.task is None
    assert row.error is not None
    assert f"{world.file(ref)}:" in row.error
    assert (row.needs, row.session, row.finished) == (row.error, "none", False)


def test_repaired_task_is_a_normal_row_again(world: World) -> None:
    ref = world.task()
    boards = LiveBoard(world.orange)
    good = world.file(ref).read_text()
    world.file(ref).write_text("broken")
    assert [row.error is None for row in list(boards.scan())[-1].rows] == [False]
    world.file(ref).write_text(good)
    after = boards.refresh([ref])
    assert (after.rows[0].error, after.counts, after.needing) == (None, {"todo": 1}, 0)


def test_task_with_attention_needs_a_person_for_that_reason(world: World) -> None:
    ref = world.task(attention="push_branch failed")
    snapshot = board(world)
    assert (row_of(snapshot, ref).needs, snapshot.needing) == ("push_branch failed", 1)


def test_broken_workflow_is_reported_on_its_tasks_and_on_no_others(world: World) -> None:
    good = world.task()
    world.workflow("bad", "name: bad\nstates: {a: {}}\n")
    bad = world.task(workflow="bad", status="a")
    snapshot = board(world)
    assert "bad.yml" in (row_of(snapshot, bad).needs or "")
    assert row_of(snapshot, bad).task is not None
    assert row_of(snapshot, good).needs is None


def test_broken_projects_file_keeps_the_rows_and_is_reported(world: World) -> None:
    ref = world.task()
    boards = LiveBoard(world.orange)
    list(boards.scan())
    (world.root / "projects.json").write_text("{")
    snapshot = boards.refresh(None)
    assert "projects.json" in (snapshot.problem or "")
    assert ids(snapshot) == [ref.id]


def test_what_a_blocked_task_waits_for_follows_its_blockers(world: World) -> None:
    first, second = world.task(branch="login-fix"), world.task(branch="csv-export")
    waiting = world.task(blocked_by=(first.id, second.id, "gone123"))
    boards = LiveBoard(world.orange)
    snapshot = list(boards.scan())[-1]
    assert row_of(snapshot, waiting).waits == "waits for login-fix and 2 more"
    transition(world.orange, first, "done", "force")
    assert row_of(boards.refresh([first]), waiting).waits == "waits for csv-export and 1 more"
    transition(world.orange, second, "done", "force")
    assert row_of(boards.refresh([second]), waiting).waits == "waits for gone123"


def test_blocker_in_another_project_is_named_and_followed(world: World) -> None:
    world.project("tea", "/elsewhere")
    other = world.task(project="tea", branch="kettle")
    waiting = world.task(blocked_by=(other.id,))
    boards = LiveBoard(world.orange, "coffee")
    snapshot = list(boards.scan())[-1]
    assert ids(snapshot) == [waiting.id]
    assert row_of(snapshot, waiting).waits == "waits for kettle"
    transition(world.orange, other, "done", "force")
    after = boards.refresh([other])
    assert (ids(after), row_of(after, waiting).waits) == ([waiting.id], None)
    assert list(after.pool) == ["coffee"]


def test_task_whose_start_was_deferred_waits_for_a_workspace(world: World) -> None:
    ref = world.task()
    boards = LiveBoard(world.orange)
    assert row_of(list(boards.scan())[-1], ref).waits is None
    with world.orange.engine.open(ref) as opened:
        opened.record("task.waiting", reason="There is no free workspace")
    assert row_of(boards.refresh([ref]), ref).waits == "waits for a workspace"
    transition(world.orange, ref, "doing", "person")
    assert row_of(boards.refresh([ref]), ref).waits is None


def test_created_task_gets_a_row_and_deleted_task_loses_it(world: World) -> None:
    first = world.task()
    boards = LiveBoard(world.orange)
    list(boards.scan())
    second = world.task(status="done")
    assert ids(boards.refresh([second])) == [first.id, second.id]
    world.orange.tasks.delete(second)
    after = boards.refresh([second, TaskRef("coffee", "never")])
    assert (ids(after), after.counts) == ([first.id], {"todo": 1})


def test_changed_text_gives_another_snapshot_with_the_same_rows(world: World) -> None:
    ref, other = world.task(body="Grind the beans."), world.task()
    live = LiveBoard(world.orange)
    first = live.refresh(None)
    assert live.refresh([ref, other]) == first
    world.edit(ref, "Grind", "Roast")
    second = live.refresh([ref])
    assert first.differs_only_in_texts(second)
    assert second.rows is first.rows
    world.edit(ref, "Roast", "Grind")
    assert second.differs_only_in_texts(live.refresh(None))
    world.edit(ref, "summary: ", "summary: re")
    assert not second.differs_only_in_texts(live.refresh([ref]))


def test_full_refresh_finds_changed_new_and_deleted_tasks(world: World) -> None:
    stays, changes, goes = world.task(), world.task(), world.task(status="done")
    boards = LiveBoard(world.orange)
    before = list(boards.scan())[-1]
    world.orange.tasks.update(changes, summary="Grind")
    world.orange.tasks.delete(goes)
    comes = world.task()
    after = boards.refresh(None)
    assert ids(after) == [comes.id, changes.id, stays.id]
    assert row_of(after, stays) is row_of(before, stays)
    changed = row_of(after, changes).task
    assert changed is not None
    assert changed.summary == "Grind"


def test_changed_workflow_file_changes_every_row_that_uses_it(world: World) -> None:
    ref = world.task(status="checked")
    boards = LiveBoard(world.orange)
    before = list(boards.scan())[-1]
    text = (world.root / "workflows" / "steps.yml").read_text()
    world.workflow("steps", text + "exit_monitoring:\n  rules: [{status: checked, action: mark_dead}]\n")
    after = boards.refresh(None)
    assert (row_of(before, ref).needs, row_of(after, ref).needs) == (None, "It waits for your review")


def test_branch_stats_stay_on_a_row_when_its_task_changes(world: World) -> None:
    one, other = world.task(branch="one"), world.task(branch="other")
    boards = LiveBoard(world.orange)
    list(boards.scan())
    snapshot = boards.with_stats("coffee", {"one": Stats(2, 30, 4), "unknown": Stats(1, 1, 1)})
    assert (row_of(snapshot, one).stats, row_of(snapshot, other).stats) == (Stats(2, 30, 4), None)
    world.orange.tasks.update(one, summary="Grind")
    assert row_of(boards.refresh([one]), one).stats == Stats(2, 30, 4)


def test_of_a_thousand_tasks_only_the_changed_one_is_read_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make bench has the figures for many more."""
    refs = write_tasks(world, 1_000)
    for ref in refs:
        let_time_pass(world, ref)
    boards = LiveBoard(world.orange)
    first, *_, last = boards.scan(seconds=0)
    assert (first.complete, last.complete, len(last.rows)) == (False, True, 1_000)
    assert len(first.rows) == 1
    assert last.counts == {"done": 950, "todo": 50}
    assert [row.finished for row in last.rows] == [False] * 50 + [True] * 950

    opened: list[str] = []
    reading = files.read_bytes

    def counting(path: str, **more: Any) -> bytes:
        opened.append(path)
        return reading(path, **more)

    monkeypatch.setattr(task_text, "read_bytes", counting)
    transition(world.orange, refs[40], "doing", "person")
    opened.clear()
    after = boards.refresh([refs[40]])
    assert set(opened) == {str(world.file(refs[40]))}
    assert sum(old is not new for old, new in zip(last.rows, after.rows, strict=True)) == 1
    assert after.counts == {"done": 950, "todo": 49, "doing": 1}
    let_time_pass(world, refs[40])
    boards.refresh([refs[40]])
    opened.clear()
    boards.refresh(None)
    assert opened == []


def let_time_pass(world: World, ref: TaskRef) -> None:
    """Make files older than the moment in which another change could not be told from the last one."""
    for path in (world.file(ref), world.history_file(ref)):
        os.utime(path, (1_000_000_000, 1_000_000_000))


def test_tmux_is_asked_once_and_not_at_all_without_a_session(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def panes(_tmux: Tmux) -> list[Pane]:
        asked.append("panes")
        return []

    monkeypatch.setattr("orange_tui.outside.tmux.server.Tmux.panes", panes)
    ref = world.task()
    boards = LiveBoard(world.orange)
    list(boards.scan())
    boards.refresh([ref])
    boards.refresh(None)
    assert asked == []
    for _ in range(3):
        world.task(tmux_session="coffee/x", status="doing")
    boards.refresh(None)
    assert asked == ["panes"]


def started(live_home: LiveHome, branch: str) -> TaskRef:
    """A task whose agent waits and does nothing."""
    name = "recorder" if (live_home.root / "recorder").exists() else live_home.harness().name
    return live_home.create(branch, harness=name)


def test_row_of_a_live_agent_shows_its_workspace_and_what_it_reports(live_home: LiveHome) -> None:
    ref = started(live_home, "fix/login")
    boards = LiveBoard(live_home.orange)
    snapshot = list(boards.scan())[-1]
    row = snapshot.rows[0]
    assert (row.session, row.agent, row.needs, row.workspace_number) == ("active", "unknown", None, "1")
    assert snapshot.pool == {"coffee": PoolUse(1, 2)}
    Runtime(live_home.orange.store.state_directory(ref)).update("worker", state="permission")
    asking = boards.refresh([ref])
    assert (asking.rows[0].agent, asking.rows[0].needs) == ("permission", "The agent asks for permission")
    Runtime(live_home.orange.store.state_directory(ref)).update("worker", state="busy")
    assert boards.refresh([ref]).needing == 0


def test_task_created_with_a_full_pool_waits_for_a_workspace(live_home: LiveHome) -> None:
    for branch in ("one", "two"):
        started(live_home, branch)
    third = started(live_home, "three")
    snapshot = list(LiveBoard(live_home.orange).scan())[-1]
    assert snapshot.pool == {"coffee": PoolUse(2, 2)}
    assert {row.ref.id: row.waits for row in snapshot.rows}[third.id] == "waits for a workspace"


def test_task_that_goes_on_by_itself_waits_for_a_workspace_too(live_home: LiveHome) -> None:
    started(live_home, "one")
    ref = live_home.create("two", workflow="autopilot", harness="recorder")
    with live_home.orange.engine.open(ref) as opened:
        put(opened, "test", {"status": "routed"})
    boards = LiveBoard(live_home.orange)
    assert row_of(list(boards.scan())[-1], ref).waits is None  # one is free: it goes on in a moment
    live_home.orange.projects.update("coffee", {"pool_size": 1})
    boards = LiveBoard(live_home.orange)
    assert row_of(list(boards.scan())[-1], ref).waits == "waits for a workspace"


def test_dead_agent_is_shown_though_its_task_is_not_among_the_changed(live_home: LiveHome) -> None:
    ref = started(live_home, "fix/dead")
    boards = LiveBoard(live_home.orange)
    assert list(boards.scan())[-1].rows[0].session == "active"
    started(live_home, "fix/other")  # tmux goes on
    pane = live_home.orange.sessions.window(ref.id, "worker")
    assert pane is not None
    live_home.orange.tmux.kill_window(pane)
    row = next(row for row in boards.refresh([]).rows if row.ref == ref)
    assert (row.session, row.agent, row.needs) == ("dead", None, "The agent has ended; restart brings it back")
    live_home.orange.agents.respawn(ref)
    assert next(row for row in boards.refresh([ref]).rows if row.ref == ref).session == "active"


def test_agent_that_is_just_being_started_is_not_shown_as_dead(live_home: LiveHome) -> None:
    ref = started(live_home, "fix/review")
    boards = LiveBoard(live_home.orange)
    list(boards.scan())
    hook = {"action": "spawn_reviewer", "prompt": "reviewer"}
    with live_home.orange.store.open(ref) as opened:  # a command that has come this far and no further
        put(opened, "test", {"status": "working"})
        details = {"from": "working", "to": "agent-review", "by": "agent", "hooks": [hook]}
        opened.change("transition.started", {"status": "agent-review"}, **details)
        row = boards.refresh([ref]).rows[0]
        assert (row.session, row.needs) == ("active", None)
        opened.record("status.changed", **{key: details[key] for key in ("from", "to", "by")})
    assert boards.refresh([ref]).rows[0].session == "dead"


def test_agents_are_lost_when_their_tmux_server_or_tmux_itself_is_gone(
    live_home: LiveHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = started(live_home, "fix/lost")
    boards = LiveBoard(live_home.orange)
    list(boards.scan())
    subprocess.run(["tmux", "-L", live_home.socket, "kill-server"], check=True)
    live_home.wait(lambda: not live_home.windows(ref))
    assert boards.refresh([]).rows[0].session == "lost"
    folder = live_home.root / "nothing"
    folder.mkdir()
    with monkeypatch.context() as without_tmux:
        without_tmux.setenv("PATH", str(folder))
        row = boards.refresh([ref]).rows[0]
    assert (row.session, row.needs) == ("lost", "Its tmux server is gone; restart brings the agent back")


def test_undelivered_message_is_shown_and_after_a_while_needs_a_person(
    live_home: LiveHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = started(live_home, "fix/message")
    boards = LiveBoard(live_home.orange)
    list(boards.scan())
    with live_home.orange.engine.open(ref) as opened:
        opened.record("message.queued", message="m1", window="worker", text="hello")
    snapshot = boards.refresh([ref])
    assert (snapshot.rows[0].waits, snapshot.rows[0].needs) == ("a message waits for the agent", None)
    assert snapshot.refresh_soon
    later = time.monotonic() + 6
    monkeypatch.setattr(time, "monotonic", lambda: later)
    snapshot = boards.refresh([])
    assert (snapshot.rows[0].needs, snapshot.refresh_soon) == ("A message waits until the agent can take it", False)
    with live_home.orange.engine.open(ref) as opened:
        opened.record("agent.notified", message="m1", window="worker")
    snapshot = boards.refresh([ref])
    assert (snapshot.rows[0].needs, snapshot.rows[0].waits) == (None, None)


def test_the_tasks_that_hold_a_workspace_are_shown_first(live_home: LiveHome) -> None:
    held = started(live_home, "fix/held")
    old = 1_000_000_000
    for _ in range(5):
        live_home.orange.tasks.create(NewTask(project="coffee", summary="Brew", harness="recorder", spawn=False))
    os.utime(live_home.orange.store.directory(held), (old, old))
    first = next(LiveBoard(live_home.orange).scan(seconds=0))
    assert (len(first.rows), first.rows[0].ref, first.complete) == (1, held, False)


def test_subtask_counts_follow_the_subtasks(world: World) -> None:
    plan = world.task()
    parts = [world.task(parent=plan.id, branch=f"part/{number}") for number in range(2)]
    boards = LiveBoard(world.orange)
    first = list(boards.scan())[-1]
    assert row_of(first, plan).subtask_counts == (0, 2)
    assert row_of(first, plan).subtasks == tuple(parts)
    assert row_of(first, parts[0]).subtask_counts is None
    with world.orange.store.open(parts[1]) as opened:
        put(opened, "status.changed", {"status": "done"})
    assert row_of(boards.refresh([parts[1]]), plan).subtask_counts == (1, 2)
    third = world.task(parent=plan.id, branch="part/3")
    assert row_of(boards.refresh([third]), plan).subtask_counts == (1, 3)
    world.file(third).write_text("no frontmatter")
    assert row_of(boards.refresh([third]), plan).subtask_counts == (1, 3)  # unreadable, and still a part
    world.orange.store.remove(parts[1])
    assert row_of(boards.refresh([parts[1]]), plan).subtask_counts == (0, 2)
    world.orange.store.remove(parts[0])
    world.orange.store.remove(third)
    assert row_of(boards.refresh(None), plan).subtask_counts is None
