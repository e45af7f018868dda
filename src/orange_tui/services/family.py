"""A task's relatives: the one it is a part of, and its own parts."""

from __future__ import annotations

import os

from orange_tui.domain.errors import OrangeError
from orange_tui.services.files import read_bytes
from orange_tui.services.store import StoredTask, TaskRef

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.task import Task
    from orange_tui.services.services import Services

_MOST_BYTES = 300_000  # frontmatter is shorter


def parent_of(services: Services, task: Task) -> StoredTask | None:
    """The task that this one is a part of, if it is there and can be read."""
    if not task.parent:
        return None
    found = services.store.read(TaskRef(task.project, task.parent))
    return found if isinstance(found, StoredTask) else None


def children_of(services: Services, task: Task) -> list[StoredTask]:
    """The parts of a task, oldest first. Only files that mention it are read as tasks: there may be thousands."""
    wanted = task.id.encode()
    found = [services.store.read(ref) for ref in services.store.refs(task.project) if _mentions(services, ref, wanted)]
    parts = [each for each in found if isinstance(each, StoredTask) and each.task.parent == task.id]
    return sorted(parts, key=lambda each: each.task.created_at)


def _mentions(services: Services, ref: TaskRef, wanted: bytes) -> bool:
    try:
        return wanted in read_bytes(os.path.join(services.store.directory(ref), "TASK.md"), most=_MOST_BYTES)
    except OrangeError:
        return False
