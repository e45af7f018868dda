"""One index of the tasks of a home: read once, kept true by whoever hears of changed files, shared by all who look.

It is for deciding where to look. Whoever acts on a task opens it under its lock and reads it afresh. It holds no
bodies, so ten thousand tasks take little memory. Any thread may ask it, and any may tell it to read: tasks are read
one at a time, so that what was read earlier never replaces what was read later.
"""

from __future__ import annotations

import os
import time
from threading import Lock

from orange_tui.domain.errors import OrangeError
from orange_tui.domain.records import record
from orange_tui.home.files import read_signature
from orange_tui.home.paths import is_directory
from orange_tui.store._engine_history import parse_event
from orange_tui.store.journal import Journal, Start
from orange_tui.store.store import BrokenTask, TaskRef

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from orange_tui.domain.task import Task
    from orange_tui.home.files import Signature
    from orange_tui.store.journal import Event, LimitMark
    from orange_tui.store.store import Store

    Key = tuple[str, str]  # project and id: a record is slow to hash, and there are ten thousand of them
    TaskSignature = tuple[Signature | None, Signature | None]
    WaitingMessages = Callable[[Journal], Sequence[object]]

_SLICE_SECONDS = 0.05  # of reading, before others have their turn
_UNKNOWN_START = Start(has_begun=True)  # so that nothing is started on a guess
_RACY_NANOSECONDS = 100_000_000  # a file changed so lately may change again within the same tick of its clock


@record
class IndexedTask:
    """What is known of one task; `task` is None where TASK.md cannot be read, and `error` says why."""

    ref: TaskRef
    task: Task | None
    error: str | None
    tampered: bool  # TASK.md has other engine fields than the journal
    has_unfinished_move: bool  # a crash may have interrupted it, or it is under way
    start: Start  # whether it has begun, is to, or waits
    has_message: bool  # one that its agent has not taken
    at_limit: tuple[LimitMark, ...]  # its windows that wait for the end of a limit
    text_revision: int  # another one when the body or the history has changed: neither of them is held here
    entered_at: str = ""  # when it came to its state
    asked_at: str = ""  # when its attention was set; of a task that has one
    merged_lines: tuple[int, int, int] | None = None  # commits and lines that the merge brought which ended it


class TaskIndex:
    """Every task of a home, as its files were when they were last read."""

    def __init__(self, store: Store, waiting_messages: WaitingMessages) -> None:
        self.store = store
        self._waiting_messages = waiting_messages
        self._entries: dict[Key, IndexedTask] = {}
        self._signatures: dict[Key, TaskSignature | None] = {}
        self._by_id: dict[str, tuple[Key, ...]] = {}  # more than one where a task was copied to another project
        self._subtasks: dict[str, dict[Key, Task]] = {}  # by the id of the parent
        self._dependents: dict[str, set[Key]] = {}  # by the id of the task they wait for
        self._defaults: object = None  # signature of what fills in the fields that a TASK.md does not have
        self._reading = Lock()
        self._lock = Lock()
        self.is_complete = False  # whether everything was read at least once

    def get(self, ref: TaskRef) -> IndexedTask | None:
        """What is known of a task; None where there is none."""
        return self._entries.get((ref.project, ref.id))

    def find(self, task_id: str) -> IndexedTask | None:
        """The same by the whole id alone."""
        keys = self._by_id.get(task_id)
        return self._entries.get(keys[0]) if keys else None

    def entries(self, project: str | None = None) -> list[IndexedTask]:
        """Every task, or those of a project."""
        with self._lock:
            found = list(self._entries.values())
        return found if project is None else [entry for entry in found if entry.ref.project == project]

    def refs(self) -> set[TaskRef]:
        """Every task's ref."""
        return {entry.ref for entry in self.entries()}

    def subtasks_of(self, task_id: str) -> dict[TaskRef, Task]:
        """A task's subtasks, oldest first; one that cannot be read now is as it was before."""
        if task_id not in self._subtasks:
            return {}  # as of nearly all
        with self._lock:
            found = dict(self._subtasks.get(task_id) or {})
        return {TaskRef(*key): found[key] for key in sorted(found, key=lambda key: (found[key].created_at, key))}

    def dependents_of(self, task_id: str) -> list[TaskRef]:
        """The tasks that wait for this one."""
        with self._lock:
            return [TaskRef(*key) for key in self._dependents.get(task_id, ())]

    def read_newest(self, seconds: float, first: Iterable[TaskRef] = ()) -> None:
        """Begin to read, for that long, and at least one: these tasks first, then those changed last."""
        self._note_defaults()
        keys = list(dict.fromkeys([*((ref.project, ref.id) for ref in first), *_list_newest_first(self.store)]))
        deadline = time.monotonic() + seconds
        for number, key in enumerate(keys, start=1):
            self._read(key)
            if time.monotonic() > deadline and number < len(keys):
                return
        self.is_complete = True

    def refresh(self, changed: Iterable[TaskRef]) -> None:
        """Read these tasks again, as far as their files have changed."""
        for ref in changed:
            key = (ref.project, ref.id)
            if not self._is_current(key):
                self._read(key)

    def refresh_all(self) -> None:
        """Find out what has changed, everywhere."""
        for _ in self.refresh_in_slices():
            pass

    def refresh_in_slices(self) -> Iterator[None]:
        """The same, newest first, with a pause now and then in which others can do something."""
        is_stale = self._note_defaults()
        keys = _list_newest_first(self.store)
        pause_at = time.monotonic() + _SLICE_SECONDS
        with self._lock:
            gone = self._entries.keys() - set(keys)
        for key in [*keys, *gone]:
            if is_stale or not self._is_current(key):
                self._read(key)
            if time.monotonic() > pause_at:
                yield
                pause_at = time.monotonic() + _SLICE_SECONDS
        self.is_complete = True

    def _note_defaults(self) -> bool:
        """Whether projects or workflows have changed since tasks were read.

        A task that names no workflow has its project's, and one without a status is in the first state of its workflow.
        """
        folder = os.path.join(self.store.home.root, "workflows")
        paths = [self.store.home.projects_file, *(os.path.join(folder, name) for name in sorted(_names(folder)))]
        before, self._defaults = self._defaults, [(path, read_signature(path)) for path in paths]
        return before is not None and before != self._defaults

    def _is_current(self, key: Key) -> bool:
        known = self._signatures.get(key)
        return known is not None and known == self._signature(key)

    def _signature(self, key: Key) -> TaskSignature:
        home, name = self.store.home, f"{key[0]}/{key[1]}"
        return read_signature(f"{home.tasks}/{name}/TASK.md"), read_signature(f"{home.state}/{name}/history.jsonl")

    def _read(self, key: Key) -> None:
        with self._reading:
            before = self._signature(key)  # what changes while we read is to be read again
            entry = read_entry(self.store, TaskRef(*key), self._waiting_messages, before[1])
            with self._lock:
                if entry is None:
                    self._remove(key)
                else:
                    self._put(key, entry)
                    is_final = entry.task is not None and not _is_racy(before)  # the reason may not be in the file
                    self._signatures[key] = before if is_final else None

    def _put(self, key: Key, entry: IndexedTask) -> None:
        before = self._entries.get(key)
        if before == entry:
            return  # whoever compares by identity sees that nothing has changed
        if before is None:
            self._by_id[key[1]] = (*self._by_id.get(key[1], ()), key)
        self._entries[key] = entry
        if entry.task is not None:  # one that cannot be read keeps its place among the others
            self._unlink(key, before)
            self._link(key, entry.task)

    def _link(self, key: Key, task: Task) -> None:
        if task.parent is not None:
            self._subtasks.setdefault(task.parent, {})[key] = task
        for blocker in task.blocked_by:
            self._dependents.setdefault(blocker, set()).add(key)

    def _unlink(self, key: Key, before: IndexedTask | None) -> None:
        if before is None:
            return
        if before.task is None:  # what it was linked to is not known any more
            parents, blockers = list(self._subtasks), list(self._dependents)
        else:
            parents, blockers = [before.task.parent or ""], list(before.task.blocked_by)
        for parent in parents:
            self._subtasks.get(parent, {}).pop(key, None)
        for blocker in blockers:
            self._dependents.get(blocker, set()).discard(key)

    def _remove(self, key: Key) -> None:
        self._unlink(key, self._entries.pop(key, None))
        self._signatures.pop(key, None)
        others = tuple(other for other in self._by_id.pop(key[1], ()) if other != key)
        if others:
            self._by_id[key[1]] = others


def read_entry(
    store: Store, ref: TaskRef, waiting_messages: WaitingMessages, history: Signature | None
) -> IndexedTask | None:
    """Read what the index holds of a task, whose history had this signature; None when there is no such task any more.

    Whatever is wrong with its files is an error of this task alone: the others are to be read, too.
    """
    try:
        return _read_entry(store, ref, waiting_messages, history)
    except OrangeError as problem:
        return _broken(ref, str(problem), history)
    except Exception as problem:  # noqa: BLE001 - else nothing in this home would be noticed any more
        return _broken(ref, f"{store.directory(ref)} cannot be read: {problem!r}", history)


def _broken(ref: TaskRef, error: str, history: Signature | None) -> IndexedTask:
    return IndexedTask(ref, None, error, False, False, _UNKNOWN_START, False, (), hash(history))


def _read_entry(
    store: Store, ref: TaskRef, waiting_messages: WaitingMessages, history: Signature | None
) -> IndexedTask | None:
    journal = _OnceReadJournal(store.journal(ref))
    found = store.read(ref, journal)
    if isinstance(found, BrokenTask):
        is_gone = not store.has(ref)
        return None if is_gone else _broken(ref, found.error, history)
    may_have_message = found.task.tmux_session is not None or found.task.workspace is not None
    has_message = may_have_message and _has_message(journal, waiting_messages)
    try:
        unfinished, start = journal.unfinished() is not None, journal.start()
    except OrangeError:
        unfinished, start = False, _UNKNOWN_START  # who opens the task is told what is wrong
    revision = hash((found.body, history))  # by its content: in place and within a tick of the clock, all else is equal
    at_limit = tuple(journal.at_limit().values()) if may_have_message else ()
    asked_at = journal.asked_at() if found.task.attention else ""
    times = (journal.entered_at(), asked_at, journal.merged_lines())
    about = (found.tampered, unfinished, start, has_message, at_limit, revision, *times)
    return IndexedTask(ref, found.task, None, *about)


def _has_message(journal: Journal, waiting_messages: WaitingMessages) -> bool:
    try:
        return bool(waiting_messages(journal))
    except (OrangeError, LookupError):  # a journal somebody has scribbled in
        return False


class _OnceReadJournal(Journal):
    """A journal that reads its file once and parses each event once, however many questions it is asked."""

    def __init__(self, journal: Journal) -> None:
        super().__init__(journal.path, journal.judge)
        self.__dict__.update(_lines=None, _seen=[])  # a record lets nobody set attributes

    def lines(self) -> list[bytes]:
        if self.__dict__["_lines"] is None:
            self.__dict__["_lines"] = super().lines()
        found: list[bytes] = self.__dict__["_lines"]
        return found

    def backwards(self) -> Iterator[Event]:
        lines, seen = self.lines(), self.__dict__["_seen"]
        for position, line in enumerate(lines):
            if position == len(seen):
                seen.append(parse_event(line))
            if seen[position] is not None:
                yield seen[position]


def _is_racy(signature: TaskSignature) -> bool:
    """Whether a file is so new that another change to it might leave no trace in its signature."""
    newest = max((each[1] for each in signature if each is not None), default=0)
    return time.time_ns() - newest < _RACY_NANOSECONDS


def _list_newest_first(store: Store) -> list[Key]:
    """Every task there is, those changed last first."""
    found: list[tuple[int, Key]] = []
    for project in _names(store.home.tasks):
        try:
            with os.scandir(os.path.join(store.home.tasks, project)) as entries:
                found += [(_changed_at(e), (project, e.name)) for e in entries if e.name[0] != "." and is_directory(e)]
        except OSError:
            continue  # removed meanwhile
    return [key for _, key in sorted(found, reverse=True)]


def _changed_at(entry: os.DirEntry[str]) -> int:
    try:
        return entry.stat().st_mtime_ns
    except OSError:
        return 0  # removed meanwhile


def _names(path: str) -> list[str]:
    """What is in a directory, but for what is hidden."""
    try:
        return [name for name in os.listdir(path) if not name.startswith(".")]
    except OSError:
        return []
