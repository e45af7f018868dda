"""Workspaces in words: who holds one, why it is set aside, and what to do about it."""

from __future__ import annotations

import os

from orange_tui.domain.records import record
from orange_tui.store.store import StoredTask, TaskRef
from orange_tui.workspaces.pool_file import BOUND, FREE, QUARANTINED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.task import Task
    from orange_tui.orange import Orange
    from orange_tui.workspaces.pool_file import Slot


_GONE = "Its task is gone: releasing saves what is left."
_BROKEN = "Its task can't be read, so nobody knows whether it needs it: mend TASK.md first."


def slot_words(slot: Slot) -> str:
    """The state of a workspace in a line."""
    if slot.state == BOUND:
        return f"held by {slot.task}"
    if slot.state == QUARANTINED:
        reason = (slot.reason or "").replace("\n", " ")
        return f"quarantined with work of {slot.task}: {reason}"
    return "free" if os.path.isdir(slot.path) else "free, not created yet"


@record
class WorkspaceStatus:
    """A workspace, the task that holds it if it can be read, and whether anything is to be done."""

    slot: Slot
    task: Task | None
    advice: str
    is_releasable: bool = False  # no task works in it any more
    is_made: bool = True

    @property
    def is_quarantined(self) -> bool:
        """Whether it is set aside until somebody has looked."""
        return self.slot.state == QUARANTINED


def workspace_statuses(orange: Orange, project: str | None) -> list[WorkspaceStatus]:
    """Every workspace of a project, or of all; those first that somebody should look at."""
    slots = orange.pool.slots(orange.projects.get(project) if project is not None else None)
    return sorted((_status(orange, slot) for slot in slots), key=lambda each: not each.is_quarantined)


def _status(orange: Orange, slot: Slot) -> WorkspaceStatus:
    task = _holder(orange, slot)
    is_made = os.path.isdir(slot.path)
    if slot.state == FREE:
        return WorkspaceStatus(slot, None, "" if is_made else "Made when a task needs it.", is_made=is_made)
    if orange.projects.find(slot.project) is None:
        return WorkspaceStatus(slot, task, f"{slot.project} is no longer registered, so it is left alone.")
    if slot.state == QUARANTINED:
        advice = "Look at what is there and solve it; releasing then saves what is left, and frees it."
        return WorkspaceStatus(slot, task, advice, is_releasable=True, is_made=is_made)
    if task is None:
        is_there = slot.task is not None and orange.store.has(TaskRef(slot.project, slot.task))
        return WorkspaceStatus(slot, None, _BROKEN if is_there else _GONE, is_releasable=not is_there)
    if task.workspace != slot.name:
        return WorkspaceStatus(slot, task, "Its task no longer has it: releasing saves what is left.", True)
    return WorkspaceStatus(slot, task, "")


def _holder(orange: Orange, slot: Slot) -> Task | None:
    if slot.task is None:
        return None
    found = orange.store.read(TaskRef(slot.project, slot.task))
    return found.task if isinstance(found, StoredTask) else None
