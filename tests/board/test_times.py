"""How long a task is in its state, and how long it has been waiting for the person: from its files, at any start."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from orange_tui.board.rows import Share
from orange_tui.branches.task_diff import TaskDiffs
from orange_tui.home import clock
from orange_tui.sessions.runtime import Runtime
from support.driver import transition
from support.live_board import LiveBoard

if TYPE_CHECKING:
    from pathlib import Path

    from orange_tui.board.rows import Snapshot, TaskRow
    from orange_tui.store.store import TaskRef
    from support.driver import World
    from support.live_home import LiveHome
    from support.merge_world import MergeWorld


class Clock:
    """The time, as a test sets it: minutes after nine."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.minute = 0
        monkeypatch.setattr(clock, "now", lambda: self.at(self.minute))

    def at(self, minute: int) -> str:
        return f"2026-11-16T09:{minute:02d}:00.000000Z"


@pytest.fixture
def wall(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def row_of(snapshot: Snapshot, ref: TaskRef) -> TaskRow:
    return next(row for row in snapshot.rows if row.ref == ref)


def seen(world: World, ref: TaskRef) -> TaskRow:
    """The row as an app shows it that is started now."""
    return row_of(list(LiveBoard(world.orange).scan())[-1], ref)


def test_age_is_the_time_in_the_state_whatever_is_written_since(world: World, wall: Clock) -> None:
    ref = world.task()
    assert seen(world, ref).since == wall.at(0)
    wall.minute = 5
    world.orange.tasks.update(ref, summary="Brew it well")
    assert seen(world, ref).since == wall.at(0)
    wall.minute = 7
    transition(world.orange, ref, "doing", "person")
    wall.minute = 9
    world.orange.tasks.update(ref, summary="Brew it better")
    assert seen(world, ref).since == wall.at(7)


def test_task_without_history_is_as_old_as_its_last_change(world: World, wall: Clock) -> None:
    ref = world.task()
    world.history_file(ref).unlink()
    assert seen(world, ref).since == wall.at(0)


def test_person_is_waited_for_since_the_state_was_entered_or_since_they_were_asked(world: World, wall: Clock) -> None:
    for_review, ref = world.task(workflow="default", status="reviewing"), world.task()
    wall.minute = 3
    assert seen(world, for_review).needs_since == wall.at(0)
    assert (seen(world, ref).needs, seen(world, ref).needs_since) == (None, "")
    wall.minute = 4
    with world.orange.store.open(ref) as opened:
        opened.set_attention("Look at this")
    wall.minute = 6
    world.orange.tasks.update(ref, summary="Changed since")
    wall.minute = 8
    assert seen(world, ref).needs_since == wall.at(4)


def test_wait_goes_on_while_the_reason_changes_and_begins_anew_after_an_answer(world: World, wall: Clock) -> None:
    ref = world.task()
    board = LiveBoard(world.orange)
    assert row_of(list(board.scan())[-1], ref).needs_since == ""

    def asked(minute: int, sentence: str | None) -> str:
        wall.minute = minute
        with world.orange.store.open(ref) as opened:
            opened.change("task.updated", {"attention": sentence})
        return row_of(board.refresh([ref]), ref).needs_since

    assert asked(2, "The milk is sour") == wall.at(2)
    assert asked(5, "And the tea is cold") == wall.at(2)
    assert seen(world, ref).needs_since == wall.at(2)  # also in an app that is started now
    assert asked(6, None) == ""
    assert asked(9, "Look again") == wall.at(9)
    assert seen(world, ref).needs_since == wall.at(9)


def test_changes_in_a_history_that_are_none_stop_no_board(world: World, wall: Clock) -> None:
    ref = world.task(attention="Look")
    with world.history_file(ref).open("a") as history:
        history.write('{"type": "x", "changes": {"attention": 7}}\n{"type": "x", "changes": 5}\n')
    assert seen(world, ref).needs == "Look"


def test_agents_question_counts_from_when_it_was_asked(live_home: LiveHome, wall: Clock) -> None:
    live_home.harness(orders="exec cat")
    ref = live_home.create("fix/tea", harness="recorder")
    runtime = Runtime(live_home.orange.store.state_directory(ref))
    runtime.update("worker", state="permission", event_at=wall.at(3), last="31 passed [bold]")
    wall.minute = 9
    row = row_of(list(LiveBoard(live_home.orange).scan())[-1], ref)
    assert (row.agent, row.needs_since, row.last_line) == ("permission", wall.at(3), "31 passed [bold]")


def test_row_is_the_same_object_while_its_agent_prints_nothing_new(live_home: LiveHome) -> None:
    live_home.harness(orders="exec cat")
    ref = live_home.create("fix/tea", harness="recorder")
    runtime, board = Runtime(live_home.orange.store.state_directory(ref)), LiveBoard(live_home.orange)
    runtime.update("worker", last="one")
    before = row_of(list(board.scan())[-1], ref)
    runtime.update("worker", seen_at=clock.now())
    assert row_of(board.refresh([ref]), ref) is before
    runtime.update("worker", last="two")
    assert row_of(board.refresh([ref]), ref).last_line == "two"


def test_one_project_has_its_own_rows_counts_and_pool_of_the_same_board(world: World, tmp_path: Path) -> None:
    (tmp_path / "tea").mkdir()
    world.orange.projects.add({"name": "tea", "path": str(tmp_path / "tea"), "default_branch": "main"})
    mine, other = world.task(), world.task(project="tea", status="checked", attention="Look")
    board, whole = LiveBoard(world.orange, "coffee"), list(LiveBoard(world.orange).scan())[-1]
    found = list(board.scan())[-1]
    assert [row.ref for row in found.rows] == [mine]
    assert (found.counts, found.needing, list(found.pool), found.scope) == ({"todo": 1}, 0, ["coffee"], "coffee")
    assert {row.ref for row in whole.rows} == {mine, other}
    assert whole.shares["tea"] == Share({"checked": 1}, 1, frozenset({"needs"}))
    assert (found.facts, whole.facts) == (frozenset(), frozenset({"needs"}))
    assert board.refresh([other]).rows is found.rows


def test_lines_of_a_merged_task_are_told_when_its_branch_is_gone(merge_world: MergeWorld) -> None:
    ref = merge_world.task(files={"tea": "green\nblack\n", "menu": "tea\n"})
    merge_world.merge(ref)
    merge_world.git("branch", "-D", "feat/tea")
    row = row_of(list(LiveBoard(merge_world.orange).scan())[-1], ref)
    assert row.finished
    assert row.stats is not None
    assert (row.stats.ahead, row.stats.added) == (1, 3)
    assert "+black" in TaskDiffs(merge_world.orange.projects, merge_world.orange.store, merge_world.orange.pool).read(
        ref, merge_world.stored(ref).task, finished=True
    )


def test_numbers_that_no_merge_has_written_are_not_believed(merge_world: MergeWorld) -> None:
    ref = merge_world.task()
    merge_world.merge(ref)
    path = merge_world.root / "home" / "state" / "coffee" / ref.id / "history.jsonl"
    path.write_text(path.read_text().replace('"added": 1', '"added": "many"'))
    assert row_of(list(LiveBoard(merge_world.orange).scan())[-1], ref).stats is None
