"""Starting tasks whose turn has come, beside everything else the supervisor does.

A set-up can take minutes and a router a minute; meanwhile another agent's death must be noticed at once. So each start
runs in a thread of its own. They are daemons: Orange may be closed at any time, and what was begun is finished from
the journal. Tasks that wait for a workspace start in the order of their age, one after the other in each project;
tasks that go on by themselves (`auto`) start side by side, as many as may run at once.
"""

from __future__ import annotations

import threading
import time
from threading import Lock, Thread

from orange_tui.domain.errors import OrangeError
from orange_tui.home.settings import read_settings
from orange_tui.sessions.liveness import NONE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from orange_tui.domain.task import Task
    from orange_tui.orange import Orange
    from orange_tui.store.journal import Journal
    from orange_tui.store.store import TaskRef


_NAME = "orange start"


def wait_for_starts(seconds: float = 60.0) -> None:
    """Wait for what is being started in this process: whoever takes a home away next must not have it come back."""
    deadline = time.monotonic() + seconds
    for thread in threading.enumerate():
        if thread.name.startswith(_NAME):
            thread.join(max(0.0, deadline - time.monotonic()))


class Starter:
    """What waits to be started, what is being started, and what runs."""

    def __init__(self, orange: Orange, when_done: Callable[[Iterable[TaskRef]], None]) -> None:
        self._orange = orange
        self._when_done = when_done
        self._lock = Lock()
        self._queued: dict[TaskRef, str] = {}  # for a workspace, and since when they are there
        self._automatic: dict[TaskRef, str] = {}  # in a state that Orange moves them on from
        self._running: set[TaskRef] = set()  # those that were, and have an agent now
        self._under_way: set[TaskRef | str] = set()  # tasks that go on, and projects whose queue is worked off
        self._said: dict[TaskRef | None, str] = {}  # None: about all of them

    def sort_in(self, ref: TaskRef, task: Task, journal: Journal) -> None:
        """Take note of a task as it is now."""
        self.forget(ref)
        try:
            workflow = self._orange.workflows.load(task.workflow)
        except OrangeError:
            return
        state = workflow.states.get(task.status)
        if state is None or state.terminal:
            return
        if state.auto is not None:
            self._automatic[ref] = task.created_at
        elif workflow.starts_by_itself and state.agent not in {None, NONE}:
            self._running.add(ref)
        elif self._orange.agents.is_waiting(task, journal):
            self._queued[ref] = task.created_at

    def forget(self, ref: TaskRef) -> None:
        """A task that is gone, or about to be looked at anew."""
        self._queued.pop(ref, None)
        self._automatic.pop(ref, None)
        self._running.discard(ref)

    def waiting(self) -> set[TaskRef]:
        """Every task that is to start."""
        return self._queued.keys() | self._automatic.keys()

    def go(self) -> None:
        """Start what can start now, and return at once."""
        for project in dict.fromkeys(ref.project for ref in self._queued):
            queue = [ref for ref in _oldest_first(self._queued) if ref.project == project]
            self._begin(project, lambda queue=queue: self._work_off(queue))  # type: ignore[misc]
        if self._automatic:
            self._tell_once(None, self._start_automatic)

    def _start_automatic(self) -> None:
        """Those that may, the oldest first. Where nobody can read how many that are, none is started."""
        most = read_settings(self._orange.home).number("parallel")
        own = {project.name: project.entry.get("parallel") for project in self._orange.projects.all()}
        for ref in _oldest_first(self._automatic):
            busy = self._busy()
            if len(busy) >= most:
                return
            limit = own.get(ref.project)
            here = sum(each.project == ref.project for each in busy)
            has_room = here < (limit if isinstance(limit, int) else most)
            if has_room and ref not in busy and self._orange.agents.is_unblocked(ref):
                self._begin(ref, lambda ref=ref: self._move_on(ref))  # type: ignore[misc]

    def _busy(self) -> set[TaskRef]:
        """Tasks that go on by themselves and have an agent, or are about to."""
        with self._lock:
            return self._running | {each for each in self._under_way if not isinstance(each, str)}

    def _begin(self, what: TaskRef | str, work: Callable[[], Iterable[TaskRef]]) -> None:
        with self._lock:
            if what in self._under_way:
                return
            self._under_way.add(what)
        Thread(target=self._run, args=(what, work), daemon=True, name=f"{_NAME} {what}").start()

    def _run(self, what: TaskRef | str, work: Callable[[], Iterable[TaskRef]]) -> None:
        touched: Iterable[TaskRef] = ()
        try:
            touched = work()
        finally:
            with self._lock:
                if not isinstance(what, str):
                    self._running.update(touched)  # it counts until it is looked at anew
                self._under_way.discard(what)
            self._when_done(touched)

    def _work_off(self, queue: list[TaskRef]) -> list[TaskRef]:
        return [ref for ref in queue if self._tried(ref, self._orange.agents.start_if_possible)]

    def _move_on(self, ref: TaskRef) -> list[TaskRef]:
        return [ref] if self._tried(ref, self._orange.tasks.spawn) else []

    def _tried(self, ref: TaskRef, start: Callable[[TaskRef], object]) -> bool:
        return self._tell_once(ref, lambda: start(ref)) is not None

    def _tell_once(self, ref: TaskRef | None, work: Callable[[], object]) -> object:
        """What came of it; why nothing did is told once, whatever it is, and stops no other."""
        try:
            return work()
        except Exception as problem:  # noqa: BLE001 - in a thread of its own, nobody else would hear of it
            said = str(problem) if isinstance(problem, OrangeError) else repr(problem)
            if self._said.get(ref) != said:
                self._said[ref] = said
                about = {} if ref is None else {"task": ref.id}
                self._orange.log.write("warning", f"not started: {said}", **about)
            return None


def _oldest_first(waiting: dict[TaskRef, str]) -> list[TaskRef]:
    return sorted(waiting, key=lambda ref: (waiting[ref], ref.id))
