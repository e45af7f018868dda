"""The comments on a task at the lines where their code is now: before somebody reads them, or is sent them.

Wherever the code cannot be read (a branch that is gone, a worktree that is being reset) they stay as they are stored.
"""

from __future__ import annotations

from contextlib import suppress

from orange_tui.branches.task_diff import TaskDiffs
from orange_tui.domain.errors import OrangeError
from orange_tui.domain.review.diff import parse_diff
from orange_tui.review.quotes import task_code
from orange_tui.review.relocate import relocate
from orange_tui.review.threads_file import ThreadsFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.review.thread import Thread
    from orange_tui.domain.task import Task
    from orange_tui.engine.parts import HomeParts
    from orange_tui.store.store import TaskRef


def relocated_threads(parts: HomeParts, ref: TaskRef, task: Task | None) -> tuple[Thread, ...]:
    """All threads of a task, found again and stored where they are; a threads.json that cannot be read is refused."""
    file = ThreadsFile(parts.home, ref.project, ref.id)
    threads = file.read()
    if task is not None and any(thread.path for thread in threads):
        with suppress(OrangeError):
            code = task_code(parts.home, parts.projects, task)
            diff = TaskDiffs(parts.projects, parts.store, parts.pool).read(ref, task, finished=False)
            return relocate(file, parse_diff(diff), code.read)
    return threads
