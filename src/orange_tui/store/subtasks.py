"""Subtasks: a task's parent, its own subtasks, and whether it would end up waiting for itself."""

from __future__ import annotations

import os

from orange_tui.domain.errors import OrangeError
from orange_tui.home.files import read_bytes
from orange_tui.store.store import StoredTask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from orange_tui.domain.task import Task
    from orange_tui.store.store import Store, TaskRef

# How many bytes of the files in which a task names its parent are searched. The history has it in its first line, also
# where an agent has removed it from TASK.md; a task that was copied in has no history yet.
_HISTORY_BYTES, _TASK_BYTES = 20_000, 300_000


def parent_of(store: Store, task: Task) -> StoredTask | None:
    """The task that this one is a subtask of, if it exists and can be read."""
    return _read(store, task.parent) if task.parent else None


def subtasks_of(store: Store, task_id: str) -> list[StoredTask]:
    """The subtasks of a task, oldest first. Only files that mention it are parsed: there may be thousands of tasks."""
    wanted = task_id.encode()
    found = [store.read(ref) for ref in store.refs() if _mentions(store, ref, wanted)]
    subtasks = [each for each in found if isinstance(each, StoredTask) and each.task.parent == task_id]
    return sorted(subtasks, key=lambda each: (each.task.created_at, each.ref.id))


def _mentions(store: Store, ref: TaskRef, wanted: bytes) -> bool:
    files = (
        (store.state_directory(ref), "history.jsonl", _HISTORY_BYTES),
        (store.directory(ref), "TASK.md", _TASK_BYTES),
    )
    return any(wanted in _beginning(os.path.join(directory, name), size) for directory, name, size in files)


def _beginning(path: str, max_bytes: int) -> bytes:
    try:
        return read_bytes(path, max_bytes=max_bytes, follow=False)
    except OrangeError:
        return b""


def ancestors_of(store: Store, task: Task) -> list[str]:
    """The ids of the task's parent, of that one's parent, and so on, as far as they exist."""
    found: list[str] = []
    parent = task.parent
    while parent is not None and parent not in found:
        found.append(parent)
        above = _read(store, parent)
        parent = above.task.parent if above is not None else None
    return found


def waiting_cycle(start: str, waits_for: Iterable[str], blockers_of: Callable[[str], Iterable[str]]) -> list[str]:
    """The cycle of ids in which a task that waits for these would wait for itself; empty where there is none."""
    waits: dict[str, str] = dict.fromkeys(waits_for, start)  # by what it waits for
    left = list(waits)
    while left and start not in waits:
        name = left.pop()
        new = [other for other in blockers_of(name) if other not in waits]
        waits |= dict.fromkeys(new, name)
        left += new
    if start not in waits:
        return []
    cycle = [start, waits[start]]
    while cycle[-1] != start:
        cycle.append(waits[cycle[-1]])
    return cycle[::-1]


def stored_blockers(store: Store, task_id: str) -> tuple[str, ...]:
    """What a task waits for, as its file says; one that is gone waits for nobody."""
    found = _read(store, task_id)
    return found.task.blocked_by if found is not None else ()


def cycle_sentence(cycle: list[str]) -> str:
    """What a person is told of tasks that wait for each other."""
    return f"None of them would ever start: {' waits for '.join(cycle)}"


def _read(store: Store, task_id: str) -> StoredTask | None:
    try:
        found = store.read(store.find(task_id))
    except OrangeError:
        return None
    return found if isinstance(found, StoredTask) else None
