"""A task's relatives are found whatever became of their files, and without reading every task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.store.store import BrokenTask, Store, StoredTask
from orange_tui.store.subtasks import ancestors, children_of, circle, parent_of

if TYPE_CHECKING:
    import pytest

    from orange_tui.domain.task import Task
    from orange_tui.store.store import TaskRef
    from support.driver import World


def task(world: World, ref: TaskRef) -> Task:
    found = world.orange.store.read(ref)
    assert isinstance(found, StoredTask)
    return found.task


def test_parts_are_found_the_oldest_first_and_know_where_they_belong(world: World) -> None:
    plan = world.task()
    parts = [world.task(parent=plan.id, branch=f"part/{number}") for number in range(3)]
    assert [each.ref for each in children_of(world.orange.store, plan.id)] == parts
    above = parent_of(world.orange.store, task(world, parts[0]))
    assert above is not None
    assert above.ref == plan
    assert ancestors(world.orange.store, task(world, parts[0])) == [plan.id]


def test_only_tasks_that_mention_it_are_read(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    plan, _other = world.task(), world.task(branch="other")
    part = world.task(parent=plan.id, branch="part")
    read: list[TaskRef] = []
    usual = Store.read

    def noted(self: Store, ref: TaskRef) -> StoredTask | BrokenTask:
        read.append(ref)
        return usual(self, ref)

    monkeypatch.setattr(Store, "read", noted)
    assert [each.ref for each in children_of(world.orange.store, plan.id)] == [part]
    assert set(read) == {plan, part}


def test_a_part_whose_agent_threw_its_parent_out_of_the_file_is_still_a_part(world: World) -> None:
    plan = world.task()
    part = world.task(parent=plan.id, branch="part")
    file = world.file(part)
    file.write_text("".join(line for line in file.read_text().splitlines(keepends=True) if plan.id not in line))
    assert plan.id not in file.read_text()
    assert [each.ref for each in children_of(world.orange.store, plan.id)] == [part]


def test_a_part_that_was_copied_in_without_a_history_counts_too(world: World) -> None:
    plan = world.task()
    part = world.task(parent=plan.id, branch="part")
    world.file(part).with_name("history.jsonl").unlink()
    assert [each.ref for each in children_of(world.orange.store, plan.id)] == [part]


def test_a_circle_is_told_as_the_way_round(world: World) -> None:
    first = world.task()
    second = world.task(branch="second", blocked_by=[first.id])
    assert circle(world.orange.store, first.id, [second.id]) == [first.id, second.id, first.id]
    assert circle(world.orange.store, second.id, [first.id]) == []
