"""Subtasks and parents are found whatever became of their files, and without reading every task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.store.store import BrokenTask, Store, StoredTask
from orange_tui.store.subtasks import ancestors_of, parent_of, stored_blockers, subtasks_of, waiting_cycle

if TYPE_CHECKING:
    import pytest

    from orange_tui.domain.task import Task
    from orange_tui.store.store import TaskRef
    from support.driver import World


def task(world: World, ref: TaskRef) -> Task:
    found = world.orange.store.read(ref)
    assert isinstance(found, StoredTask)
    return found.task


def test_subtasks_are_found_oldest_first_and_know_their_parent(world: World) -> None:
    plan = world.task()
    subtasks = [world.task(parent=plan.id, branch=f"part/{number}") for number in range(3)]
    assert [each.ref for each in subtasks_of(world.orange.store, plan.id)] == subtasks
    above = parent_of(world.orange.store, task(world, subtasks[0]))
    assert above is not None
    assert above.ref == plan
    assert ancestors_of(world.orange.store, task(world, subtasks[0])) == [plan.id]


def test_looking_for_subtasks_reads_only_tasks_that_mention_the_parent(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, _other = world.task(), world.task(branch="other")
    subtask = world.task(parent=plan.id, branch="part")
    read: list[TaskRef] = []
    usual = Store.read

    def noted(self: Store, ref: TaskRef) -> StoredTask | BrokenTask:
        read.append(ref)
        return usual(self, ref)

    monkeypatch.setattr(Store, "read", noted)
    assert [each.ref for each in subtasks_of(world.orange.store, plan.id)] == [subtask]
    assert set(read) == {plan, subtask}


def test_subtask_whose_agent_removed_its_parent_from_the_file_is_still_found(world: World) -> None:
    plan = world.task()
    subtask = world.task(parent=plan.id, branch="part")
    file = world.file(subtask)
    file.write_text("".join(line for line in file.read_text().splitlines(keepends=True) if plan.id not in line))
    assert plan.id not in file.read_text()
    assert [each.ref for each in subtasks_of(world.orange.store, plan.id)] == [subtask]


def test_subtask_copied_in_without_a_history_is_found(world: World) -> None:
    plan = world.task()
    subtask = world.task(parent=plan.id, branch="part")
    world.history_file(subtask).unlink()
    assert [each.ref for each in subtasks_of(world.orange.store, plan.id)] == [subtask]


def test_waiting_cycle_names_the_tasks_from_the_first_back_to_itself(world: World) -> None:
    first = world.task()
    second = world.task(branch="second", blocked_by=[first.id])

    def blockers_of(name: str) -> tuple[str, ...]:
        return stored_blockers(world.orange.store, name)

    assert waiting_cycle(first.id, [second.id], blockers_of) == [first.id, second.id, first.id]
    assert waiting_cycle(second.id, [first.id], blockers_of) == []


def test_long_line_of_waiting_tasks_is_followed_in_no_time_and_a_short_cycle_in_it_is_found() -> None:
    line: dict[str, tuple[str, ...]] = {str(number): (str(number + 1),) for number in range(20_000)}
    assert waiting_cycle("0", line["0"], lambda name: line.get(name, ())) == []
    assert waiting_cycle("0", ["0"], lambda _: ()) == ["0", "0"]
    line["5"] = ("6", "0")
    assert waiting_cycle("0", line["0"], lambda name: line.get(name, ())) == ["0", "1", "2", "3", "4", "5", "0"]
