"""The board tells what tasks have used, and reads of it no more than has changed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from orange_tui.board import _usages
from orange_tui.home import clock
from orange_tui.usage.usage_file import UsageFile
from support.live_board import LiveBoard
from support.usage import DAY, used, write_usage

if TYPE_CHECKING:
    import pytest

    from orange_tui.board.rows import Snapshot
    from orange_tui.store.store import TaskRef
    from support.driver import World


def cost_of(snapshot: Snapshot, ref: TaskRef) -> float | None:
    row = next(row for row in snapshot.rows if row.ref == ref)
    return row.usage.total().cost if row.usage is not None else None


def use(world: World, ref: TaskRef, cost: float, **how: object) -> None:
    write_usage(world.orange.home, ref.project, ref.id, used(cost, **how))  # type: ignore[arg-type]


def test_task_that_has_used_something_says_so_and_its_row_stays_the_same_until_it_uses_more(world: World) -> None:
    first, second = world.task(), world.task()
    use(world, first, 0.42)
    boards = LiveBoard(world.orange)
    before = list(boards.scan())[-1]
    assert (cost_of(before, first), cost_of(before, second)) == (0.42, None)
    same = boards.refresh([first, second])
    assert all(now is then for now, then in zip(same.rows, before.rows, strict=True))
    use(world, first, 0.60)
    after = boards.refresh([first])
    assert cost_of(after, first) == 0.60
    assert after.rows[0] is before.rows[0], "the other task's row is another one"


def test_todays_total_counts_chats_and_deleted_tasks_and_nothing_of_another_day(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "now", lambda: f"{DAY}T12:00:00.000000Z")
    ref, home = world.task(), world.orange.home
    write_usage(home, ref.project, ref.id, used(1.0), used(50.0, day="2026-11-15"))
    write_usage(home, ref.project, "gone", used(2.0))
    boards = LiveBoard(world.orange)
    total = list(boards.scan())[-1].used_today
    assert total is not None
    assert total.cost == 3.0
    write_usage(home, ref.project, ".chat", used(4.0, window="chat"))
    later = boards.refresh(()).used_today
    assert later is not None
    assert later.cost == 7.0
    monkeypatch.setattr(clock, "now", lambda: "2026-11-18T12:00:00.000000Z")
    assert boards.refresh(()).used_today is None, "another day has begun, and nothing was used on it"


def test_board_of_one_project_counts_only_its_own(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now", lambda: f"{DAY}T12:00:00.000000Z")
    write_usage(world.orange.home, "coffee", "one", used(1.0))
    write_usage(world.orange.home, "tea", "two", used(2.0))
    boards = LiveBoard(world.orange, "coffee")
    total = list(boards.scan())[-1].used_today
    assert total is not None
    assert total.cost == 1.0


def test_what_cannot_be_read_is_unknown_and_what_is_gone_is_forgotten(world: World) -> None:
    torn, gone = world.task(), world.task()
    for ref in (torn, gone):
        use(world, ref, 1.0)
    boards = LiveBoard(world.orange)
    list(boards.scan())
    path = UsageFile(world.orange.home.task_state(torn.project, torn.id)).path
    with open(path, "w") as file:
        file.write('{"rows": [')
    os.remove(UsageFile(world.orange.home.task_state(gone.project, gone.id)).path)
    snapshot = boards.refresh(None)
    assert (cost_of(snapshot, torn), cost_of(snapshot, gone)) == (None, None)


def test_many_files_are_read_bit_by_bit_the_newest_first(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_usages, "_READ_SECONDS", 0.0)
    refs = [world.task() for _ in range(3)]
    for number, ref in enumerate(refs):
        use(world, ref, 1.0)
        path = UsageFile(world.orange.home.task_state(ref.project, ref.id)).path
        os.utime(path, (1_000 + number, 1_000 + number))
    boards = LiveBoard(world.orange)
    snapshot = boards.refresh(None)
    seen = []
    while snapshot.refresh_soon:
        seen.append([cost_of(snapshot, ref) for ref in refs])
        snapshot = boards.refresh(())
    seen.append([cost_of(snapshot, ref) for ref in refs])
    assert seen == [[None, None, 1.0], [None, 1.0, 1.0], [1.0, 1.0, 1.0]]
