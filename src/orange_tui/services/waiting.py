"""Who waits for whom: a task's children, its ancestors, and whether it would end up waiting for itself."""

from __future__ import annotations

from orange_tui.domain.errors import OrangeError
from orange_tui.services.store import StoredTask, working

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from orange_tui.domain.task import Task
    from orange_tui.services.store import Store


def children(store: Store, task_id: str) -> list[StoredTask]:
    """The tasks made for another one, the oldest first."""
    found = [each for each in working(store.read_all()) if each.task.parent == task_id]
    return sorted(found, key=lambda each: (each.task.created_at, each.ref.id))


def ancestors(store: Store, task: Task) -> list[str]:
    """The task's parent, that one's parent, and so on, as far as they are still there."""
    found: list[str] = []
    parent = task.parent
    while parent is not None and parent not in found:
        found.append(parent)
        above = _read(store, parent)
        parent = above.parent if above is not None else None
    return found


def circle(store: Store, start: str, waits_for: Iterable[str]) -> list[str]:
    """The way on which a task that waits for these would come to wait for itself; empty where there is none."""
    open_ways = [[start, other] for other in waits_for]
    seen: set[str] = set()
    while open_ways:
        way = open_ways.pop()
        if way[-1] == start:
            return way
        if way[-1] not in seen:
            seen.add(way[-1])
            found = _read(store, way[-1])
            open_ways += [[*way, other] for other in (found.blocked_by if found is not None else ())]
    return []


def _read(store: Store, task_id: str) -> Task | None:
    try:
        found = store.read(store.find(task_id))
    except OrangeError:
        return None
    return found.task if isinstance(found, StoredTask) else None
