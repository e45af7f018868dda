"""Which tasks on the board are parts of which: kept as they are read, so that nobody has to look for them."""

from __future__ import annotations

from orange_tui.store.store import TaskRef

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.board.reading import Key
    from orange_tui.domain.task import Task

    Subtasks = tuple[tuple[int, int] | None, tuple[TaskRef, ...]]

DONE = "done"  # what the engine, too, asks of a task that others wait for


class Parts:
    """The parts of every task that has some."""

    def __init__(self) -> None:
        self._of: dict[str, dict[Key, Task]] = {}
        self._whole: dict[Key, str] = {}

    def take(self, key: Key, task: Task | None) -> None:
        """A task was read, or is gone (None)."""
        before = self._whole.pop(key, None)
        if before is not None:
            self._of[before].pop(key, None)
        if task is not None and task.parent is not None:
            self._whole[key] = task.parent
            self._of.setdefault(task.parent, {})[key] = task

    def whole(self, key: Key) -> str | None:
        """The id of the task that this one is a part of."""
        return self._whole.get(key)

    def told(self, task_id: str) -> Subtasks:
        """How many parts of a task are done, how many there are, and which, the oldest first."""
        found = self._of.get(task_id)
        if not found:
            return None, ()
        oldest_first = sorted(found, key=lambda key: (found[key].created_at, key))
        done = sum(task.status == DONE for task in found.values())
        return (done, len(found)), tuple(TaskRef(*key) for key in oldest_first)
