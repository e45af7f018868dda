"""Starting tasks whose turn has come, beside everything else the supervisor does.

A set-up can take minutes and a router a minute; meanwhile another agent's death must be noticed at once. So each start
runs in a thread of its own. They are daemons: Orange may be closed at any time, and what was begun is finished from
the journal. Tasks that wait for a workspace start when there are more of them, and tasks that wait for another when
that is done: in the order of their age, one after the other in each project. (The next one is started by whoever
finishes a task, `spawn_next`; nothing starts because one was cancelled.) Tasks that go on by themselves (`auto`) start
side by side, as many as may run at once.
"""

from __future__ import annotations

import threading
import time
from threading import Lock, Thread

from orange_tui.domain.errors import OrangeError
from orange_tui.engine import starting
from orange_tui.home.files import read_signature
from orange_tui.home.settings.config_file import read_settings
from orange_tui.trust.trust import trust_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from orange_tui.engine.engine import Engine
    from orange_tui.engine.tasks import Tasks
    from orange_tui.store.index import IndexedTask
    from orange_tui.store.store import TaskRef
    from orange_tui.supervisor._states import StateRules

_THREAD_NAME = "orange start"
_TRUST_SECONDS = 30.0  # between two tries to start what waits for trust


def wait_for_starts(seconds: float = 60.0) -> None:
    """Wait for what is being started in this process: whoever takes a home away next must not have it come back."""
    deadline = time.monotonic() + seconds
    for thread in threading.enumerate():
        if thread.name.startswith(_THREAD_NAME):
            thread.join(max(0.0, deadline - time.monotonic()))


class Starter:
    """What waits to be started, what is being started, and what runs."""

    def __init__(self, tasks: Tasks, when_done: Callable[[Iterable[TaskRef]], None]) -> None:
        self._tasks = tasks
        self._when_done = when_done
        self._lock = Lock()
        # For a workspace or another task, and since when they are there; also those that a person starts, to hear of a
        # blocker that was cancelled.
        self._queued: dict[TaskRef, str] = {}
        self._full_at: dict[TaskRef, int] = {}  # of these: how large the pool was in which they found no workspace
        self._automatic: dict[TaskRef, str] = {}  # in a state that Orange moves them on from
        self._harnesses: dict[TaskRef, str | None] = {}  # of both: by whose limit they are kept, if it is reached
        self._untrusted: set[TaskRef] = set()  # of both: those that wait for the person's trust in their repository
        self._tried_trust: dict[str, tuple[object, float]] = {}  # by project: what was trusted then, and when that was
        self._running: set[TaskRef] = set()  # those that were, and have an agent now
        self._under_way: set[TaskRef | str] = set()  # tasks that are being started, and projects whose queue is
        self._logged: dict[TaskRef | None, str] = {}  # the last problem of each task; None: of all of them

    def schedule(self, entry: IndexedTask, rules: StateRules) -> None:
        """Put a task where it belongs as it is now: to those that are to start, that run, or neither."""
        self.forget(entry.ref)
        if entry.task is None:
            return
        if entry.start.needs_trust is not None:
            self._untrusted.add(entry.ref)
        if rules.is_automatic and not entry.start.is_held:
            self._automatic[entry.ref] = entry.task.created_at
            self._harnesses[entry.ref] = entry.task.harness
        elif rules.is_running:
            self._running.add(entry.ref)
        elif (rules.is_queue and entry.start.is_wanted) or (entry.start.is_held and entry.task.blocked_by):
            self._queued[entry.ref] = entry.task.created_at
            is_told = entry.task.harness in {None, entry.start.limit_of}  # else it is tried, and its task says so
            self._harnesses[entry.ref] = entry.start.limit_of if is_told else None
            if entry.start.full_at is not None:
                self._full_at[entry.ref] = entry.start.full_at

    def forget(self, ref: TaskRef) -> None:
        """A task is gone, or is about to be scheduled anew."""
        self._queued.pop(ref, None)
        self._full_at.pop(ref, None)
        self._harnesses.pop(ref, None)
        self._automatic.pop(ref, None)
        self._untrusted.discard(ref)
        self._running.discard(ref)

    def is_concerned_with(self, ref: TaskRef) -> bool:
        """Whether a task is to start, is being started, or counts as running."""
        with self._lock:
            return any(ref in group for group in (self._queued, self._automatic, self._running, self._under_way))

    def waiting(self) -> set[TaskRef]:
        """Every task that is to start."""
        return self._queued.keys() | self._automatic.keys()

    def start_due(self) -> None:
        """Start what can start now, and return at once."""
        self._look_at_trust()
        if self._queued:
            self._log_failure_once(None, self._start_queues)
        if self._automatic:
            self._log_failure_once(None, self._start_automatic)

    def _look_at_trust(self) -> None:
        """Try those that wait for trust when some was given, and now and then: a repository may have changed too."""
        if not self._untrusted:
            return
        given, now = read_signature(trust_file(self._tasks.engine.store.home)), time.monotonic()
        for project in {ref.project for ref in self._untrusted}:
            before, at = self._tried_trust.get(project, (None, now))
            self._tried_trust.setdefault(project, (given, now))
            if given != before or now - at > _TRUST_SECONDS:
                self._tried_trust[project] = (given, now)
                self._untrusted = {ref for ref in self._untrusted if ref.project != project}

    def _start_queues(self) -> None:
        """Those that have their turn. A workspace that is merely free, after a cancel, is no reason to start one."""
        sizes = {project.name: project.pool_size for project in self._tasks.projects.all()}
        due = [
            ref for ref in self._not_at_limit(self._queued) if self._full_at.get(ref, -1) < sizes.get(ref.project, 0)
        ]
        for project in dict.fromkeys(ref.project for ref in due):
            queue = [ref for ref in due if ref.project == project]
            self._start_thread(project, lambda queue=queue: self._start_queue(queue))  # type: ignore[misc]

    def _start_automatic(self) -> None:
        """Those that may, the oldest first. Where nobody can read how many that are, none is started."""
        limit = read_settings(self._tasks.engine.store.home).number("parallel")
        own_limits = {project.name: project.entry.get("parallel") for project in self._tasks.projects.all()}
        for ref in self._not_at_limit(self._automatic):
            busy = self._busy()
            if len(busy) >= limit:
                return
            own_limit = own_limits.get(ref.project)
            here = sum(each.project == ref.project for each in busy)
            has_room = here < (own_limit if isinstance(own_limit, int) else limit)
            if has_room and ref not in busy and starting.is_unblocked(self._tasks.engine, ref):
                self._start_thread(ref, lambda ref=ref: self._start_one(ref))  # type: ignore[misc]

    def _not_at_limit(self, waiting: dict[TaskRef, str]) -> list[TaskRef]:
        """Those that wait for no limit or trust, the oldest first: all night, each try would be vain."""
        limits = self._tasks.engine.parts.limits
        kept = {name for name in {self._harnesses.get(ref) for ref in waiting} if limits.why_wait(name) is not None}
        trials = {limit.trial for limit in limits.all()} if kept else set()
        oldest = [ref for ref in _oldest_first(waiting) if ref not in self._untrusted]
        return [ref for ref in oldest if self._harnesses.get(ref) not in kept or ref.id in trials]

    def _busy(self) -> set[TaskRef]:
        """Tasks that go on by themselves and have an agent, or are about to."""
        with self._lock:
            return self._running | {each for each in self._under_way if not isinstance(each, str)}

    def _start_thread(self, what: TaskRef | str, work: Callable[[], Iterable[TaskRef]]) -> None:
        with self._lock:
            if what in self._under_way:
                return
            self._under_way.add(what)
        Thread(target=self._run, args=(what, work), daemon=True, name=f"{_THREAD_NAME} {what}").start()

    def _run(self, what: TaskRef | str, work: Callable[[], Iterable[TaskRef]]) -> None:
        touched: Iterable[TaskRef] = ()
        try:
            touched = work()
        finally:
            with self._lock:
                if not isinstance(what, str):
                    self._running.update(touched)  # it counts until it is scheduled anew
                self._under_way.discard(what)
            self._when_done(touched)

    def _start_queue(self, queue: list[TaskRef]) -> list[TaskRef]:
        return [ref for ref in queue if self._was_started(ref, starting.start_if_possible)]

    def _start_one(self, ref: TaskRef) -> list[TaskRef]:
        return [ref] if self._was_started(ref, starting.advance_by_itself) else []

    def _was_started(self, ref: TaskRef, start: Callable[[Engine, TaskRef], object]) -> bool:
        return self._log_failure_once(ref, lambda: start(self._tasks.engine, ref)) is not None

    def _log_failure_once(self, ref: TaskRef | None, work: Callable[[], object]) -> object:
        """What came of it, or None; a failure is logged once, whatever it is, and stops no other start."""
        try:
            return work()
        except Exception as problem:  # noqa: BLE001 - in a thread of its own, nobody else would hear of it
            reason = str(problem) if isinstance(problem, OrangeError) else repr(problem)
            if self._logged.get(ref) != reason:
                self._logged[ref] = reason
                about = {} if ref is None else {"task": ref.id}
                self._tasks.engine.log.write("warning", f"not started: {reason}", **about)
            return None


def _oldest_first(waiting: dict[TaskRef, str]) -> list[TaskRef]:
    return sorted(waiting, key=lambda ref: (waiting[ref], ref.id))
