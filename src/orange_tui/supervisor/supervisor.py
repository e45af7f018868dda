"""The loop without a screen: it notices what happens to tasks and agents, and does what follows.

Files are watched, agents' processes are waited for, and a slow poll is only the backstop. All work on tasks is
done one after the other in a thread, so that whoever runs this (the app, `orange serve`) stays free. One
supervisor acts per home; another one waits for its turn, and takes over within a moment of the first one's end.

Which tasks there are it knows from the index; whatever is done about one is done under its lock, as it is then.
"""

from __future__ import annotations

import asyncio
import os
import time
from contextlib import ExitStack, suppress

from orange_tui.domain.errors import Busy, CannotTell, OrangeError
from orange_tui.domain.records import record
from orange_tui.home.files import make_directory
from orange_tui.home.locks import locked
from orange_tui.outside.backoff import pause
from orange_tui.sessions.deaths import Deaths
from orange_tui.sessions.liveness import ACTIVE
from orange_tui.supervisor._missing_agent import LostAgents
from orange_tui.supervisor._states import DEFAULT_POLL_SECONDS, StateTable
from orange_tui.supervisor.cleanup import recover
from orange_tui.supervisor.exit_rules import ExitRules
from orange_tui.supervisor.idle import IdleAgents
from orange_tui.supervisor.limits import LimitedAgents
from orange_tui.supervisor.outbox import Outbox
from orange_tui.supervisor.starter import Starter, wait_for_starts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable, Sequence
    from typing import Any

    from orange_tui.delivery.pr_watcher import PullRequestWatcher
    from orange_tui.domain.task import Task
    from orange_tui.engine.agents import Agents
    from orange_tui.engine.tasks import Tasks
    from orange_tui.issues.watcher import IssueWatcher
    from orange_tui.jobs.scheduler import JobScheduler
    from orange_tui.outside.tmux.server import Pane
    from orange_tui.store.feed import TaskFeed
    from orange_tui.store.index import IndexedTask
    from orange_tui.store.store import TaskRef

    Companion = Callable[[], Coroutine[Any, Any, None]]

_TURN_SECONDS = 1.0  # between two tries to become the acting one
_RETRY_SECONDS = 2.0  # until what could not be done is tried again: a message delivered, a busy task examined
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
        self._states = StateTable(parts.tasks.engine.workflows)
        self._exit_rules = ExitRules(parts.tasks, parts.agents)
        self._outbox = Outbox(parts.tasks)
        self._deaths = Deaths(self._enqueue)
        self._due: set[TaskRef] = set()
        self._everything_is_due = False
        self._active: dict[TaskRef, int] = {}  # tasks with an agent to lose, and how often to poll for it (seconds)
        self._starter = Starter(parts.tasks, self._enqueue_from_thread)
        self._retry: set[TaskRef] = set()  # a message could not be delivered, or a command was at work on it
        self._polled_at = time.monotonic()
        # What goes on beside the rounds for as long as this supervisor acts.
        self._companions: list[Companion] = [
            self._watch_tasks,
            self._watch_worktrees,
            lambda: parts.scheduler.run(parts.feed),
            self._pull_requests.run,
            self._issues.run,
            lambda: IdleAgents(parts.tasks, parts.feed.index).run(lambda: self._active),
            lambda: LostAgents(parts.agents, parts.feed.index).run(lambda: self._active),
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
            await asyncio.to_thread(self._examine_due, due, everything=is_everything_due)
            agents = await asyncio.to_thread(self._live_agents)
            if agents is not None:
                self._deaths.wait_for(agents)
            self._pull_requests.wake_if_new()
            self._issues.wake_if_new()
        poll_at = self._polled_at + (_RETRY_SECONDS if self._retry else self._poll_seconds())
        rest = poll_at - time.monotonic()
        limit = max(0.0, rest if deadline is None else min(rest, deadline - time.monotonic(), _CONDITION_SECONDS))
        await pause(limit, self._wake)
        if time.monotonic() >= poll_at:  # however much else there was to do
            self._polled_at = time.monotonic()
            self._due |= await asyncio.to_thread(self._poll)

    def _poll_seconds(self) -> int:
        """How often to look for ourselves: as often as the workflow in use that wants it most often."""
        return min(self._active.values(), default=DEFAULT_POLL_SECONDS)

    def _poll(self) -> set[TaskRef]:
        """The backstop: tasks whose agent is not alive, by one call to tmux for all, and what waits.

        Nobody may have told of what changed (a network file system does not), so their files are looked at, too.
        """
        self._index.refresh(list(self._active))
        waiting = self._starter.waiting() | self._retry
        if not self._active or self._list_panes() is None:
            return waiting
        entries = [self._index.get(ref) for ref in self._active]
        alive = {each.ref for each in entries if each is not None and self._has_live_agent(each)}
        return (self._active.keys() - alive) | waiting

    def _has_live_agent(self, entry: IndexedTask) -> bool:
        task = None if entry.has_unfinished_move else entry.task
        return task is not None and self._tasks.session_state(task) == ACTIVE

    def _list_panes(self) -> list[Pane] | None:
        """Every live window of this home; None where tmux does not answer, which is logged."""
        try:
            return self._tasks.sessions.panes(fresh=True)
        except OrangeError as problem:
            self._log.write("warning", f"agents were not looked at: {problem}")
            return None

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
            self._enqueue(self._holders(workspace))

    def _holders(self, workspace: str) -> list[TaskRef]:
        """Whose worktree this is, among the tasks that can have one."""
        entries = [self._index.get(ref) for ref in list(self._active)]
        return [each.ref for each in entries if each is not None and each.task and each.task.workspace == workspace]

    def _examine_due(self, due: set[TaskRef], *, everything: bool) -> None:
        self._states.clear()
        for ref in sorted(due, key=_in_order):
            self._index.refresh((ref,))  # what this process has just done itself is not in there yet
            self._log_problems(ref, self._examine)
        others = [entry.ref for entry in self._index.entries() if entry.ref not in due] if everything else []
        for ref in sorted(others, key=_in_order):  # the feed has just read these
            if self._starter.is_concerned_with(ref):
                self._index.refresh((ref,))
            self._log_problems(ref, self._examine)
        self._starter.start_due()

    def _examine(self, ref: TaskRef) -> None:
        """Put a task that has changed where it belongs, and see what happened to it."""
        entry = self._index.get(ref)
        self._active.pop(ref, None)
        self._retry.discard(ref)
        self._starter.forget(ref)
        if entry is None or entry.task is None:
            self._pull_requests.track(ref, None)
            return
        task, rules = entry.task, self._states.rules_for(entry.task)
        self._pull_requests.track(ref, None if rules.is_finished else task.pr_url)
        self._issues.track(ref, task)
        self._starter.schedule(entry, rules)
        if task.tmux_session or task.workspace or rules.misses_agent or self._waits_for_subtasks(task):
            self._active[ref] = rules.poll_seconds
        if ref in self._active or entry.tampered or entry.has_unfinished_move:
            self._exit_rules.check(ref)
            if not self._outbox.deliver(ref):
                self._retry.add(ref)
        if task.parent is not None and rules.is_finished:
            self._examine_parent(task.parent)

    def _examine_parent(self, task_id: str) -> None:
        """A subtask has ended: the task that delegated it may be able to go on."""
        found = self._index.find(task_id)
        if found is None:
            return  # it was deleted
        self._index.refresh((found.ref,))
        entry = self._index.get(found.ref)
        if entry is not None and entry.task is not None and self._waits_for_subtasks(entry.task):
            self._log_problems(entry.ref, self._exit_rules.check)

    def _waits_for_subtasks(self, task: Task) -> bool:
        return self._states.rules_for(task).rejoins and bool(task.blocked_by)

    def _recover(self) -> None:
        """Finish what earlier runs left behind: half-done moves, sessions and workspaces of finished tasks."""
        try:
            for sentence in recover(self._tasks, self._index.entries(), self._parts.expire_saved_work):
                self._log.write("info", sentence)
        except Exception as problem:  # noqa: BLE001 - what is left is left to the next start; tasks are supervised now
            self._log.write("error", f"not everything was recovered: {problem!r}")

    def _log_problems(self, ref: TaskRef, work: Callable[[TaskRef], object]) -> None:
        """One task's trouble is logged and stops no other."""
        try:
            work(ref)
        except Busy:
            self._retry.add(ref)
        except CannotTell as problem:
            self._active.setdefault(ref, DEFAULT_POLL_SECONDS)  # the poll has it looked at again, once tmux answers
            self._log.write("warning", str(problem), task=ref.id)
        except OrangeError as problem:
            self._log.write("warning", str(problem), task=ref.id)
        except Exception as problem:  # noqa: BLE001 - a scribbled journal, a full disk: the others need us
            self._log.write("error", repr(problem), task=ref.id)

    def _live_agents(self) -> dict[int, TaskRef] | None:
        """The processes to wait for, None where nobody can tell; tmux is asked only where there is an agent to lose."""
        if not self._active:
            return {}
        refs = {ref.id: ref for ref in self._active}
        panes = self._list_panes()
        return None if panes is None else {pane.pid: refs[pane.task] for pane in panes if pane.task in refs}


def _is_over(until: Callable[[], bool] | None, deadline: float | None) -> bool:
    return (until is not None and until()) or (deadline is not None and time.monotonic() > deadline)


def _in_order(ref: TaskRef) -> tuple[str, str]:
    return ref.project, ref.id
