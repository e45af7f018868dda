"""A workspace in words: who holds it, why it is set aside, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.presentation.workspaces import slot_words, workspace_statuses
from orange_tui.workspaces.pool_file import BOUND, QUARANTINED, PoolFile, Slot

if TYPE_CHECKING:
    from support.driver import World


def test_each_workspace_says_what_is_to_be_done_and_trouble_comes_first(world: World) -> None:
    at_work = world.task(workspace="coffee--1")
    left = world.task(branch="left")
    file, folder = PoolFile(world.home), world.root / "workspaces"

    def put(name: str, state: str, task: str, reason: str | None = None, project: str = "coffee") -> None:
        (folder / name).mkdir(parents=True, exist_ok=True)
        file.put(Slot(name, project, state, task, reason, str(folder / name)))

    put("coffee--1", BOUND, at_work.id)
    put("coffee--3", BOUND, left.id)
    put("coffee--4", BOUND, "gone123")
    put("coffee--5", QUARANTINED, "gone456", "a rebase\nis under way")
    put("tea--1", BOUND, "gone789", project="tea")
    found = {each.slot.name: each for each in workspace_statuses(world.orange, None)}
    assert next(iter(found)) == "coffee--5"
    assert slot_words(found["coffee--5"].slot) == "quarantined with work of gone456: a rebase is under way"
    assert "Look at what is there and solve it" in found["coffee--5"].advice
    assert found["coffee--2"].advice == "Made when a task needs it."
    assert "Its task is gone" in found["coffee--4"].advice
    assert "Its task no longer has it" in found["coffee--3"].advice
    assert found["tea--1"].advice == "tea is no longer registered, so it is left alone."
    assert (found["coffee--1"].advice, found["coffee--1"].task) == ("", world.read(at_work))
    assert {name for name, each in found.items() if each.is_releasable} == {"coffee--3", "coffee--4", "coffee--5"}
    assert [each.slot.project for each in workspace_statuses(world.orange, "coffee")] == ["coffee"] * 5
