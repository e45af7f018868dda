"""The loop without a screen: it notices what happens to tasks and agents, and does what follows.

Files are watched, agents' processes are waited for, and a slow poll is only the backstop. All work on tasks is
done one after the other in a thread (`examiner.py`), so that whoever runs this (the app, `orange serve`) stays free.
One supervisor acts per home; another one waits for its turn, and takes over within a moment of the first one's end.
"""

from __future__ import annotations

import asyncio
import os
import time
from contextlib import ExitStack, suppress

from orange_tui.domain.records import record
from orange_tui.home.files import make_directory
from orange_tui.home.locks import locked
from orange_tui.outside.backoff import pause
from orange_tui.sessions.deaths import Deaths
from orange_tui.supervisor.cleanup import recover
from orange_tui.supervisor.examiner import Examiner
from orange_tui.supervisor.exits.lost_agents import LostAgents
from orange_tui.supervisor.idle import IdleAgents
from orange_tui.supervisor.limits import LimitedAgents
from orange_tui.supervisor.starter import wait_for_starts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable, Sequence
    from typing import Any

    from orange_tui.delivery.pr_watcher import PullRequestWatcher
    from orange_tui.engine.agents import Agents
    from orange_tui.engine.tasks import Tasks
    from orange_tui.issues.watcher import IssueWatcher
    from orange_tui.jobs.scheduler import JobScheduler
    from orange_tui.store.feed import TaskFeed
    from orange_tui.store.store import TaskRef

    Companion = Callable[[], Coroutine[Any, Any, None]]

_TURN_SECONDS = 1.0  # between two tries to become the acting one
_RETRY_SECONDS = 2.0  # until what has failed begins again
_CONDITION_SECONDS = 0.1  # between two looks at a condition somebody waits for


@record
class SupervisorParts:
    """What a supervisor works with."""

    tasks: Tasks
    agents: Agents
    feed: TaskFeed
    pull_requests: PullRequestWatcher
    issues: IssueWatcher
    scheduler: JobScheduler
    expire_saved_work: Callable[[], Iterable[str]]
    companions: Sequence[Companion] = ()  # what else goes on for as long as a supervisor acts


class Supervisor:
    """Acts for one home."""

    def __init__(self, parts: SupervisorParts) -> None:
        self._parts = parts
        self._tasks = parts.tasks
        self._store, self._log = parts.tasks.engine.store, parts.tasks.engine.log
        self._feed, self._index = parts.feed, parts.feed.index
        self._pull_requests, self._issues = parts.pull_requests, parts.issues
        self._examiner = Examiner(
            parts.agents, parts.feed.index, parts.pull_requests, parts.issues, self._enqueue_from_thread
        )
        self._deaths = Deaths(self._enqueue)
        self._due: set[TaskRef] = set()
        self._everything_is_due = False
        self._polled_at = time.monotonic()
        # What goes on beside the rounds for as long as this supervisor acts.
        self._companions: list[Companion] = [
            self._watch_tasks,
            self._watch_worktrees,
            lambda: parts.scheduler.run(parts.feed),
            self._pull_requests.run,
            self._issues.run,
            lambda: IdleAgents(parts.tasks, parts.feed.index).run(lambda: self._examiner.active),
            lambda: LostAgents(parts.agents, parts.feed.index).run(lambda: self._examiner.active),
            LimitedAgents(parts.tasks, parts.agents, parts.feed).run,
            *parts.companions,
        ]
        self._indexed: asyncio.Event
        self._wake: asyncio.Event
        self._loop: asyncio.AbstractEventLoop

    async def run(
        self,
        until: Callable[[], bool] | None = None,
        seconds: float | None = None,
        when_waiting: Callable[[], None] | None = None,
    ) -> bool:
        """Act until the condition holds (or for ever); says whether it does.

        Where another supervisor acts, `when_waiting` is called once, and this one waits for its turn.
        """
        deadline = None if seconds is None else time.monotonic() + seconds
        home = self._store.home
        for folder in (home.tasks, home.state, home.workspaces):
            await asyncio.to_thread(make_directory, folder)
        lock = os.path.join(home.root, ".supervisor.lock")
        while True:
            with ExitStack() as held:
                if await asyncio.to_thread(held.enter_context, locked(lock, what="the supervisor", wait=False)):
                    return await self._act(until, deadline)
            if _is_over(until, deadline):
                return until is None or until()
            if when_waiting is not None:
                when_waiting()
                when_waiting = None
            await asyncio.sleep(_TURN_SECONDS)

    def run_until(self, condition: Callable[[], bool], timeout: float) -> bool:
        """The same for a caller without an event loop; when it returns, nothing is being started any more."""
        try:
            return asyncio.run(self.run(condition, timeout))
        finally:
            wait_for_starts()

    async def _act(self, until: Callable[[], bool] | None, deadline: float | None) -> bool:
        self._loop = asyncio.get_running_loop()
        self._wake, self._indexed = asyncio.Event(), asyncio.Event()
        companions = [asyncio.create_task(self._keep_running(companion)) for companion in self._companions]
        try:
            await self._indexed.wait()
            await asyncio.to_thread(self._recover)
            while not _is_over(until, deadline):
                await self._run_round(deadline)
        finally:
            for task in companions:
                task.cancel()
            await asyncio.gather(*companions, return_exceptions=True)
            self._deaths.close()
        return until is None or until()

    async def _keep_running(self, companion: Companion) -> None:
        """Begin again what has failed, whatever the reason: otherwise something would never be noticed any more."""
        while True:
            try:
                await companion()
            except Exception as problem:  # noqa: BLE001 - logged, and it begins again
                await asyncio.to_thread(self._log.write, "error", f"supervisor: {problem!r}")
            await asyncio.sleep(_RETRY_SECONDS)

    async def _run_round(self, deadline: float | None) -> None:
        due, self._due = self._due, set()
        is_everything_due, self._everything_is_due = self._everything_is_due, False
        self._wake.clear()
        if due or is_everything_due:
            await asyncio.to_thread(self._examiner.examine, due, everything=is_everything_due)
            agents = await asyncio.to_thread(self._examiner.live_agents)
            if agents is not None:
                self._deaths.wait_for(agents)
            self._pull_requests.wake_if_new()
            self._issues.wake_if_new()
        poll_at = self._polled_at + self._examiner.poll_seconds()
        rest = poll_at - time.monotonic()
        limit = max(0.0, rest if deadline is None else min(rest, deadline - time.monotonic(), _CONDITION_SECONDS))
        await pause(limit, self._wake)
        if time.monotonic() >= poll_at:  # however much else there was to do
            self._polled_at = time.monotonic()
            self._due |= await asyncio.to_thread(self._examiner.poll)

    def _enqueue(self, refs: Iterable[TaskRef]) -> None:
        self._due.update(refs)
        self._wake.set()

    def _enqueue_from_thread(self, refs: Iterable[TaskRef]) -> None:
        with suppress(RuntimeError):  # the loop is closed: whoever acts next sees for himself
            self._loop.call_soon_threadsafe(self._enqueue, refs)

    async def _watch_tasks(self) -> None:
        """A changed file below a task's directory makes that task due; where anything may have changed, all are."""
        async for changed in self._feed.changes(runtime=False):
            self._everything_is_due = self._everything_is_due or changed is None
            self._enqueue(changed or ())
            if changed is None:
                self._indexed.set()

    async def _watch_worktrees(self) -> None:
        """A TASK.md that replaces its link is seen in the worktree only."""
        async for workspace in self._feed.replaced_links():
            self._enqueue(self._examiner.holders(workspace))

    def _recover(self) -> None:
        """Finish what earlier runs left behind: half-done moves, sessions and workspaces of finished tasks."""
        try:
            for sentence in recover(self._tasks, self._index.entries(), self._parts.expire_saved_work):
                self._log.write("info", sentence)
        except Exception as problem:  # noqa: BLE001 - what is left is left to the next start; tasks are supervised now
            self._log.write("error", f"not everything was recovered: {problem!r}")


def _is_over(until: Callable[[], bool] | None, deadline: float | None) -> bool:
    return (until is not None and until()) or (deadline is not None and time.monotonic() > deadline)
