"""The two directories of a task, which appear and go together: killed anywhere, there is a whole task or none.

There is a task where there is its directory below tasks/. So what is the engine's alone is written before that one
comes, and removed after it has gone; meanwhile a hidden name beside it says that there is something to clear away.
"""

from __future__ import annotations

import os
from contextlib import suppress

from orange_tui.domain.errors import NotSaved, Unreadable
from orange_tui.domain.records import record
from orange_tui.home.files import make_directory, sync_directory, write_aside
from orange_tui.home.locks import locked
from orange_tui.home.paths import is_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import ExitStack

    from orange_tui.store.journal import Event, Journal

LOCK = ".lock"
_NEW, _DELETED = ".new-", ".deleted-"
_KEPT = ("usage.json", "usage.seen", ".usage.lock")  # of a deleted task: what was paid is still in the sums


@record
class TaskDirectories:
    """What a task's agents may write, and what is the engine's alone."""

    directory: str
    state: str

    def create(self, text: bytes, journal: Journal, event: Event, held: ExitStack | None) -> None:
        """Write a new task. The caller holds the project's lock; into `held` goes the task's own."""
        if os.path.lexists(journal.path):
            raise NotSaved(f"{self.state} is of another task of that name, whose directory is gone; move it away")
        tasks, task_id = os.path.split(self.directory)
        aside = os.path.join(tasks, f"{_NEW}{task_id}")
        os.mkdir(aside, 0o700)
        sync_directory(tasks)
        make_directory(self.state)
        if held is not None:
            held.enter_context(locked(os.path.join(self.state, LOCK), what=f"task {task_id}"))
        journal.append(event)
        write_aside(os.path.join(aside, "TASK.md"), text)
        for directory in (self.state, os.path.dirname(self.state), aside):
            sync_directory(directory)
        os.rename(aside, self.directory)
        try:
            sync_directory(tasks)
        except BaseException:
            os.rename(self.directory, aside)  # its creator is told that it was not saved: so it is not there
            raise

    def remove(self) -> None:
        """Delete a task: out of sight in one step, then file by file."""
        tasks, task_id = os.path.split(self.directory)
        gone = os.path.join(tasks, f"{_DELETED}{task_id}")
        os.rename(self.directory, gone)
        sync_directory(tasks)
        self._clear(gone)

    def _clear(self, aside: str) -> None:
        """Remove what is left of a task that is out of sight, last the name that says so; what was used stays known."""
        import shutil

        if not os.path.lexists(self.directory) and os.path.isdir(self.state):
            kept = _KEPT if os.path.lexists(os.path.join(self.state, _KEPT[0])) else ()
            with suppress(OSError):  # somebody else clears away, too
                for name in os.listdir(self.state):
                    if name not in kept:
                        _remove(os.path.join(self.state, name))
                os.rmdir(self.state)  # where nothing is kept
        shutil.rmtree(aside, ignore_errors=True)


def sweep(tasks: str, state: str) -> None:
    """Clear away what killed creations and deletions left of a project's tasks. The caller holds the project's lock.

    So no creation is under way; a deletion may be, and two of them can clear away the same.
    """
    for name in os.listdir(tasks):
        if name.startswith((_NEW, _DELETED)):
            task_id = name.partition("-")[2]
            left = TaskDirectories(os.path.join(tasks, task_id), os.path.join(state, task_id))
            left._clear(os.path.join(tasks, name))  # noqa: SLF001 - only here is it known to be left behind


def _remove(path: str) -> None:
    import shutil

    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            os.unlink(path)


def subdirectories(path: str) -> list[str]:
    """The names of the directories in one, without those that are hidden; none where nothing is there."""
    try:
        with os.scandir(path) as entries:
            return sorted(e.name for e in entries if not e.name.startswith(".") and is_directory(e))
    except FileNotFoundError:
        if os.path.islink(path):
            raise Unreadable(f"{path} leads to nothing: bring back what it led to, or remove it") from None
        return []
    except NotADirectoryError:
        raise Unreadable(f"{path} is no directory: put back the one that was there, or move this away") from None
