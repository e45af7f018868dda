"""The loop without a screen: it notices what happens to tasks and agents, and does what follows.

Files are watched, agents' processes are waited for, and a slow poll is only the backstop. All work on tasks is
done one after the other in a thread, so that whoever runs this (the app, `orange serve`) stays free. One
supervisor acts per home; another one waits for its turn, and takes over within a moment of the first one's end.
"""

from __future__ import annotations

import asyncio
import os
import time
from contextlib import ExitStack, suppress

from orange_tui.agents import messages
from orange_tui.delivery.pr_watcher import PullRequestWatcher
from orange_tui.domain.errors import Busy, OrangeError
from orange_tui.home.files import locked
from orange_tui.home.watch import Watch
from orange_tui.issues.watcher import IssueWatcher
from orange_tui.jobs.scheduler import JobScheduler
from orange_tui.sessions.deaths import Deaths
from orange_tui.sessions.liveness import ACTIVE
from orange_tui.store.store import StoredTask
from orange_tui.supervisor.monitor import Monitor
from orange_tui.supervisor.starter import Starter, wait_for_starts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable
    from typing import Any

    from orange_tui.orange import Orange
    from orange_tui.store.store import TaskRef

    Companion = Callable[[], Coroutine[Any, Any, None]]

_BACKSTOP = 30.0
_TURN = 1.0  # seconds between two tries to become the acting one
_RETRY = 2.0  # seconds until what could not be done is tried again: a message delivered, a busy task looked at
_CONDITION = 0.1  # seconds between two looks at a condition somebody waits for


class Supervisor:
    """Acts for one home."""

    def __init__(self, orange: Orange, watch: Watch | None = None, scheduler: JobScheduler | None = None) -> None:
        self._orange = orange
        self._watch = watch or Watch(orange.home)  # the app has one already
        self._monitor = Monitor(orange.tasks, orange.agents)
        self._deaths = Deaths(self._notice)
        self._due: set[TaskRef] = set()
        self._active: set[TaskRef] = set()  # tasks with an agent to lose
        self._starter = Starter(orange, self._notice_from_thread)
        self._retry: set[TaskRef] = set()  # a message could not be delivered, or a command was at work on it
        self._pull_requests = PullRequestWatcher(orange.tasks)
        self._issues = IssueWatcher(orange.tasks)
        self._looked_around = time.monotonic()
        jobs = scheduler or JobScheduler(orange.jobs.file, orange.tasks)
        # What goes on beside the rounds for as long as this supervisor acts.
        self._companions: list[Companion] = [
            self._watch_tasks,
            self._watch_worktrees,
            lambda: jobs.run(self._watch),
            self._pull_requests.run,
            self._issues.run,
        ]
        self._wake: asyncio.Event
        self._loop: asyncio.AbstractEventLoop

    async def run(
        self,
        until: Callable[[], bool] | None = None,
        seconds: float | None = None,
        when_waiting: Callable[[], None] | None = None,
    ) -> bool:
        """Act until the condition holds (or for ever); says whether it does. Where another one acts, that is told."""
        deadline = None if seconds is None else time.monotonic() + seconds
        for folder in (self._orange.home.tasks, self._orange.home.workspaces):
            await asyncio.to_thread(os.makedirs, folder, exist_ok=True)
        lock = os.path.join(self._orange.home.root, ".supervisor.lock")
        while True:
            with ExitStack() as held:
                if await asyncio.to_thread(held.enter_context, locked(lock, what="the supervisor", wait=False)):
                    return await self._act(until, deadline)
            if _is_over(until, deadline):
                return until is None or until()
            if when_waiting is not None:
                when_waiting()
                when_waiting = None
            await asyncio.sleep(_TURN)

    def run_until(self, condition: Callable[[], bool], timeout: float) -> bool:
        """The same for a caller without an event loop; when it returns, nothing is being started any more."""
        try:
            return asyncio.run(self.run(condition, timeout))
        finally:
            wait_for_starts()

    async def _act(self, until: Callable[[], bool] | None, deadline: float | None) -> bool:
        self._loop = asyncio.get_running_loop()
        self._wake = asyncio.Event()
        watching = [asyncio.create_task(companion()) for companion in self._companions]
        try:
            await asyncio.to_thread(self._tidy_up)
            self._due.update(await asyncio.to_thread(self._orange.store.refs))
            while not _is_over(until, deadline):
                await self._one_round(deadline)
        finally:
            for task in watching:
                task.cancel()
            await asyncio.gather(*watching, return_exceptions=True)
            self._deaths.close()
        return until is None or until()

    async def _one_round(self, deadline: float | None) -> None:
        due, self._due = self._due, set()
        self._wake.clear()
        if due:
            await asyncio.to_thread(self._deal_with, due)
            self._deaths.wait_for(await asyncio.to_thread(self._live_agents))
            self._pull_requests.wake_if_new()
            self._issues.wake_if_new()
        overdue_at = self._looked_around + (_RETRY if self._retry else _BACKSTOP)
        pause = overdue_at - time.monotonic()
        limit = max(0.0, pause if deadline is None else min(pause, deadline - time.monotonic(), _CONDITION))
        with suppress(TimeoutError):
            await asyncio.wait_for(self._wake.wait(), limit)
        if time.monotonic() >= overdue_at:  # however much else there was to do
            self._looked_around = time.monotonic()
            self._due |= await asyncio.to_thread(self._overdue)

    def _overdue(self) -> set[TaskRef]:
        """The backstop: tasks whose agent is not alive, by one call to tmux for all, and what waits."""
        self._orange.sessions.panes(fresh=True)
        found = [self._orange.store.read(ref) for ref in self._active]
        alive = {
            each.ref
            for each in found
            if isinstance(each, StoredTask) and self._orange.tasks.session_state(each.task) == ACTIVE
        }
        return (self._active - alive) | self._starter.waiting() | self._retry

    def _notice(self, refs: Iterable[TaskRef]) -> None:
        self._due.update(refs)
        self._wake.set()

    def _notice_from_thread(self, refs: Iterable[TaskRef]) -> None:
        with suppress(RuntimeError):  # the loop is closed: whoever acts next sees for himself
            self._loop.call_soon_threadsafe(self._notice, refs)

    async def _watch_tasks(self) -> None:
        """A changed file below a task's directory makes that task due; where anything may have changed, all are."""
        async for changed in self._watch.changes(runtime=False):
            self._notice(await asyncio.to_thread(self._orange.store.refs) if changed is None else changed)

    async def _watch_worktrees(self) -> None:
        """A TASK.md that replaces its link is seen in the worktree only."""
        async for workspace in self._watch.replaced_links():
            self._notice(await asyncio.to_thread(self._holders, workspace))

    def _holders(self, workspace: str) -> list[TaskRef]:
        """Whose worktree this is, among the tasks that can have one."""
        found = [self._orange.store.read(ref) for ref in self._active]
        return [each.ref for each in found if isinstance(each, StoredTask) and each.task.workspace == workspace]

    def _deal_with(self, due: set[TaskRef]) -> None:
        for ref in sorted(due, key=_in_order):
            self._safely(ref, self._look_at)
        self._starter.go()

    def _look_at(self, ref: TaskRef) -> None:
        """Sort a task that has changed to where it belongs, and see what happened to it."""
        found = self._orange.store.read(ref)
        for group in (self._active, self._retry):
            group.discard(ref)
        self._starter.forget(ref)
        if not isinstance(found, StoredTask):
            self._pull_requests.track(ref, None)
            return
        task, journal = found.task, self._orange.store.journal(ref)
        finished = self._orange.tasks.is_finished(task)
        self._pull_requests.track(ref, None if finished else task.pr_url)
        self._issues.track(ref, task)
        self._starter.sort_in(ref, task, journal)
        if task.tmux_session or task.workspace or self._monitor.may_go_stale(task):
            self._active.add(ref)
        waits = self._monitor.waits_for_subtasks(task)
        if ref in self._active or waits or found.tampered or journal.unfinished() is not None:
            self._monitor.look_at(ref)
            self._deliver(ref)
        if task.parent is not None and finished:
            self._look_at_parent(task.parent)

    def _look_at_parent(self, task_id: str) -> None:
        """A subtask has ended: the task that delegated it may be able to go on."""
        try:
            ref = self._orange.store.find(task_id)
        except OrangeError:
            return  # it was deleted
        found = self._orange.store.read(ref)
        if isinstance(found, StoredTask) and self._monitor.waits_for_subtasks(found.task):
            self._safely(ref, self._monitor.look_at)

    def _deliver(self, ref: TaskRef) -> None:
        if not messages.undelivered(self._orange.store.journal(ref)):
            return
        with self._orange.engine.open(ref, wait=False) as opened:
            for message in messages.undelivered(opened.journal):
                pane = self._orange.sessions.window(ref.id, message.window)
                harness = messages.harness_of_window(self._orange.services.harnesses, opened.journal, message.window)
                tmux = self._orange.services.tmux
                if pane is None or not messages.deliver(opened, message, pane, tmux, harness):
                    self._retry.add(ref)
                    return

    def _tidy_up(self) -> None:
        """What earlier runs left behind: half-done moves, sessions and workspaces of finished tasks."""
        from orange_tui.supervisor.recovery import tidy_up

        for sentence in tidy_up(self._orange):
            self._orange.log.write("info", sentence)

    def _safely(self, ref: TaskRef, work: Callable[[TaskRef], object]) -> None:
        """One task's trouble is told and stops no other."""
        try:
            work(ref)
        except Busy:
            self._retry.add(ref)
        except OrangeError as problem:
            self._orange.log.write("warning", str(problem), task=ref.id)

    def _live_agents(self) -> dict[int, TaskRef]:
        """The processes to wait for; tmux is asked only where there is an agent to lose."""
        if not self._active:
            return {}
        refs = {ref.id: ref for ref in self._active}
        panes = self._orange.sessions.panes(fresh=True)
        return {pane.pid: refs[pane.task] for pane in panes if pane.task in refs}


def _is_over(until: Callable[[], bool] | None, deadline: float | None) -> bool:
    return (until is not None and until()) or (deadline is not None and time.monotonic() > deadline)


def _in_order(ref: TaskRef) -> tuple[str, str]:
    return ref.project, ref.id
