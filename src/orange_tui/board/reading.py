"""What the board keeps of a task's files: everything a row is made of, and nothing that takes much memory."""

from __future__ import annotations

import os

from orange_tui.agents import messages
from orange_tui.delivery.pr_status import read_status
from orange_tui.domain.errors import OrangeError
from orange_tui.domain.records import record
from orange_tui.home.files import read_signature
from orange_tui.sessions.runtime import Runtime
from orange_tui.store.store import BrokenTask, TaskRef

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from orange_tui.domain.pull_request import PullRequestStatus
    from orange_tui.domain.task import Task
    from orange_tui.home.files import Signature
    from orange_tui.orange import Orange
    from orange_tui.store.journal import Journal

    Key = tuple[str, str]  # project and id: a record is slow to hash, and there are ten thousand of them
    TaskSignature = tuple[Signature | None, ...]

_URGENCY = ("permission", "error", "busy", "starting", "idle", "unknown")
_FILES = ("TASK.md", "history.jsonl", "runtime.json")


@record
class Known:
    """A task as its files told when they were last read; `task` is None where they could not be."""

    ref: TaskRef
    task: Task | None
    error: str | None
    is_queued: bool  # it was to start, and could not yet
    has_message: bool  # one that its agent has not taken
    agents: Mapping[str, str]  # window → what its agent does
    pull_request: PullRequestStatus | None = None

    def agent(self, window: str | None) -> str:
        """What the agent of a window does; without a window, the most urgent of what any of them does."""
        if window is not None:
            return self.agents.get(window, "unknown")
        return min(self.agents.values(), key=_URGENCY.index, default="unknown")


def read_task(orange: Orange, ref: TaskRef, is_in_first_state: Callable[[Task], bool]) -> Known | None:
    """Read what there is to know about a task; None when there is no such task any more."""
    found = orange.store.read(ref)
    if isinstance(found, BrokenTask):
        gone = not os.path.isdir(orange.store.directory(ref))
        return None if gone else Known(ref, None, found.error, is_queued=False, has_message=False, agents={})
    task, journal, directory = found.task, orange.store.journal(ref), orange.store.directory(ref)
    pull_request = read_status(directory, task.pr_url) if task.pr_url is not None else None
    if task.tmux_session is None:
        is_queued = is_in_first_state(task) and _is_queued(journal)
        return Known(ref, task, None, is_queued, has_message=False, agents={}, pull_request=pull_request)
    return Known(ref, task, None, False, _has_message(journal), _agents(directory), pull_request)


def _is_queued(journal: Journal) -> bool:
    """Whether the last that was heard of a task is that it could not start yet."""
    try:
        last = journal.start_event()
        return last is not None and last["type"] == "task.waiting"
    except OrangeError:
        return False


def _has_message(journal: Journal) -> bool:
    try:
        return bool(messages.undelivered(journal))
    except (OrangeError, LookupError):  # a journal somebody has scribbled in
        return False


def _agents(directory: str) -> dict[str, str]:
    states = {window: values.get("state") for window, values in Runtime(directory).read().items()}
    return {window: state for window, state in states.items() if state in _URGENCY}


def listed(tasks: str, project: str | None) -> list[Key]:
    """Every task there is, the last changed ones first."""
    found: list[tuple[int, Key]] = []
    for name in [project] if project is not None else _folders(tasks):
        try:
            with os.scandir(os.path.join(tasks, name)) as entries:
                found += [(e.stat().st_mtime_ns, (name, e.name)) for e in entries if e.name[0] != "." and e.is_dir()]
        except OSError:
            continue  # removed meanwhile
    return [key for _, key in sorted(found, reverse=True)]


def _folders(path: str) -> list[str]:
    try:
        return [name for name in os.listdir(path) if not name.startswith(".")]
    except OSError:
        return []


def signature(directory: str) -> TaskSignature:
    """What changes whenever one of a task's files does: enough to know that nothing new is to be read."""
    return tuple(read_signature(f"{directory}/{name}") for name in _FILES)
