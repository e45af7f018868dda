"""What rows say of tasks that wait: for a limit, for each other, and beside what stands against their branches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from orange_tui.branches.conflicts import Conflicts
from orange_tui.home import clock
from orange_tui.supervisor.doctor import Doctor, examine
from orange_tui.usage.limits import Limits
from support.live_board import LiveBoard
from support.usage import used, write_usage

if TYPE_CHECKING:
    from orange_tui.board.rows import Snapshot, TaskRow
    from orange_tui.store.store import TaskRef
    from support.driver import World


def row_of(snapshot: Snapshot, ref: TaskRef) -> TaskRow:
    return next(row for row in snapshot.rows if row.ref == ref)


def wait_for(world: World, ref: TaskRef, *others: TaskRef) -> None:
    """As a command does that has checked it before the other one was there."""
    with world.orange.store.open(ref) as opened:
        opened.change("task.updated", {"blocked_by": tuple(other.id for other in others)})


def test_tasks_that_wait_for_each_other_say_so_until_one_goes_first(world: World) -> None:
    refs = first, second, third = world.task(), world.task(), world.task()
    outside = world.task(blocked_by=[first.id])
    for ref, other in zip(refs, (second, third, first), strict=True):
        wait_for(world, ref, other)
    boards = LiveBoard(world.orange)
    snapshot = list(boards.scan())[-1]
    assert row_of(snapshot, first).needs == (
        f"None of them would ever start: {first.id} waits for {second.id} waits for {third.id} waits for {first.id};"
        f" `orange task update {first.id} --blocked-by ''` lets it go first"
    )
    assert all(row_of(snapshot, ref).needs for ref in refs)
    assert row_of(snapshot, outside).needs is None, "it only waits for one of them"
    findings = examine(Doctor(world.home, world.orange.tasks, lambda: ()))
    (said,) = [each for each in findings if "None of them" in each.what]
    assert "--blocked-by ''" in said.repair
    wait_for(world, third)
    snapshot = boards.refresh([third])
    assert [row_of(snapshot, ref).needs for ref in refs] == [None, None, None]


def test_budget_that_is_used_up_is_told_also_where_branches_collide(world: World) -> None:
    ref = world.task(budget=1.0)
    write_usage(world.orange.home, ref.project, ref.id, used(2.0))
    boards = LiveBoard(world.orange)
    told = row_of(list(boards.scan())[-1], ref).needs
    assert told is not None
    assert "budget" in told
    colliding = Conflicts((), {"other": ("menu",)}, "main")
    assert row_of(boards.with_conflicts("coffee", {ref.id: colliding}), ref).needs == told


@pytest.mark.parametrize("status", ["new", "routed"])
def test_task_that_goes_on_by_itself_says_that_it_waits_for_a_limit(
    world: World, monkeypatch: pytest.MonkeyPatch, status: str
) -> None:
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setattr(clock, "now", lambda: "2026-11-16T12:00:00.000000Z")
    tasks = [{"workflow": "autopilot", "status": status, "harness": name} for name in ("claude", "codex")]
    with world.orange.store.project_lock("coffee"):
        ref, other = (world.orange.store.add("coffee", task, "", start=True) for task in tasks)
    boards = LiveBoard(world.orange)
    assert row_of(list(boards.scan())[-1], ref).waits is None
    Limits(world.home).see_limit("claude", "default", "limit reached · resets 3:30pm (UTC)", clock.now(), "screen")
    snapshot = boards.refresh(())
    assert row_of(snapshot, ref).waits == "waits for claude's limit, until 15:30"
    assert row_of(snapshot, ref).limit == "claude's limit, until 15:30"
    assert row_of(snapshot, other).waits is None
    Limits(world.home).end("claude", "default")
    assert row_of(boards.refresh(()), ref).waits is None
