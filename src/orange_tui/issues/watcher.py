"""Follows the issues of all projects that ask for it: a round every minute, and results are posted at once.

Each project has its own backoff: while the forge does not answer it is asked less and less often, and the reason is
logged once. All of this runs in the background and never holds up the supervisor's other work.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress

from orange_tui.domain.errors import Busy, OrangeError
from orange_tui.issues.rules import rules_of
from orange_tui.issues.sync import ProjectSync
from orange_tui.outside.backoff import Backoff, in_background, pause
from orange_tui.outside.forge.interface import ForgeUnavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from orange_tui.domain.task import Task
    from orange_tui.engine.tasks import Tasks
    from orange_tui.issues.changes import IssueChange
    from orange_tui.store.store import TaskRef

ROUND_SECONDS = 60.0  # between two rounds of a project
MAX_BACKOFF_SECONDS = 1800.0  # for a forge without an answer, unless it asks for more


class WatchedProject:
    """One project: what its rounds remember, and when the next one is due."""

    def __init__(self, tasks: Tasks, name: str) -> None:
        self.sync = ProjectSync(tasks, name)
        self.backoff = Backoff(ROUND_SECONDS, MAX_BACKOFF_SECONDS)


class IssueWatcher:
    """The issues of one home."""

    def __init__(self, tasks: Tasks) -> None:
        self._tasks = tasks
        self._projects: dict[str, WatchedProject] = {}
        self._changed: set[TaskRef] = set()  # tasks of issues about which there may be something to post
        self._has_new = False
        self._logged: set[str] = set()  # problems of single issues, so that each is logged once
        self._wake = asyncio.Event()

    def track(self, ref: TaskRef, task: Task) -> None:
        """A task was changed. Called from any thread."""
        if "issue_url" in task.extra:
            self._changed.add(ref)
            self._has_new = True

    def wake_if_new(self) -> None:
        """Post now if a task was changed since the last time."""
        if self._has_new:
            self._has_new = False
            self._wake.set()

    async def run(self) -> None:
        """Import and publish for ever."""
        while True:
            self._wake.clear()
            names = await asyncio.to_thread(self._names)
            for name in names:
                await self._serve(name)
            due = [self._project(name).backoff.due for name in names]
            rest = min([*(each - time.monotonic() for each in due), ROUND_SECONDS])
            await pause(max(0.0, rest), self._wake)

    def _names(self) -> list[str]:
        try:
            return [project.name for project in self._tasks.projects.all() if rules_of(project).on]
        except OrangeError:
            return []  # projects.json cannot be read: every command says so

    def _project(self, name: str) -> WatchedProject:
        return self._projects.setdefault(name, WatchedProject(self._tasks, name))

    async def _serve(self, name: str) -> None:
        project = self._project(name)
        is_due = project.backoff.due <= time.monotonic()
        if is_due and not await self._attempt(name, project.sync.import_issues):
            return
        if project.backoff.problem is None:
            refs = [ref for ref in list(self._changed) if ref.project == name]
            await self._attempt(name, lambda: self._publish(project, refs), is_round=False)

    def _publish(self, project: WatchedProject, refs: list[TaskRef]) -> list[IssueChange]:
        """Tasks leave the list before they are posted about: what changes meanwhile comes up again."""
        self._changed.difference_update(refs)
        try:
            pending = [ref for ref in refs if project.sync.has_pending(ref)]
            return project.sync.publish(pending) if pending else []
        except Exception:
            self._changed.update(refs)
            raise

    async def _attempt(self, name: str, work: Callable[[], list[IssueChange]], *, is_round: bool = True) -> bool:
        """Do some work and log what came of it; whatever it is, the other projects go on."""
        backoff = self._project(name).backoff
        try:
            changes = await in_background(work)
        except Busy:
            backoff.due = time.monotonic() + ROUND_SECONDS
            return False
        except Exception as problem:  # noqa: BLE001 - whatever it is, it is logged
            wanted = problem.retry_after if isinstance(problem, ForgeUnavailable) else 0.0
            reason = str(problem) if isinstance(problem, OrangeError) else repr(problem)
            if backoff.failed(reason, wanted):
                self._log("warning", f"The issues of {name} cannot be followed: {reason}")
            return False
        if is_round:
            if backoff.problem is not None:
                self._log("info", f"The issues of {name} can be followed again")
            backoff.succeeded()
        for each in changes:
            self._log_change(each)
        return True

    def _log_change(self, change: IssueChange) -> None:
        if not change.is_problem:
            self._log("info", change.sentence)
        elif change.sentence not in self._logged:
            self._logged.add(change.sentence)
            self._log("warning", change.sentence)

    def _log(self, level: str, sentence: str) -> None:
        with suppress(OrangeError, OSError):
            self._tasks.engine.log.write(level, sentence)
