"""Keeping the app's snapshot true: tasks as their files change, and what git says about their branches."""

from __future__ import annotations

import asyncio
from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING

from orange_tui.domain.errors import OrangeError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from orange_tui.board.board import Boards
    from orange_tui.board.rows import Snapshot, TaskRow
    from orange_tui.branches.conflicts import ConflictForecast
    from orange_tui.branches.distance import BranchDistances
    from orange_tui.home.log import Log
    from orange_tui.home.projects import Project
    from orange_tui.store.feed import Change, TaskFeed

_FIRST_READ_SECONDS = 0.05  # before there is something to show
_REFRESH_SECONDS = 1.0  # until a row that time alone changes is made again
_MOST_ENDED = 100  # branches of finished tasks that are measured, too
_MEASURING = ("branches.conflicts", "branches.distance", "branches.ref_watch", "outside.git_reader.reader")
_MEASURE_PAUSE_SECONDS = 1.0  # between two measurements of all branches


class BoardKeeper:
    """The board and what git has to say about its branches: one of the two works with it at a time.

    Each new snapshot is handed to `show`, in the event loop.
    """

    def __init__(self, boards: Boards, feed: TaskFeed, log: Log, show: Callable[[Snapshot], None]) -> None:
        self._boards, self._feed, self._log, self._show = boards, feed, log, show
        self._turn = asyncio.Lock()
        self._must_measure, self._must_refresh = asyncio.Event(), asyncio.Event()
        self._snapshot: Snapshot | None = None

    def read_first(self) -> Snapshot:
        """What can be read within a moment: tasks that have a workspace, then those changed last."""
        self._feed.index.read_newest(_FIRST_READ_SECONDS, first=self._boards.workspace_holders())
        return self._boards.refresh(None)

    async def changes(self) -> AsyncIterator[Change]:
        """Show all tasks, then each as its files change; gives what has changed once it is shown."""
        refreshing = asyncio.create_task(self._refresh_with_time())
        try:
            async for changed in self._feed.changes():
                await self._refresh(changed)
                yield changed
        finally:
            refreshing.cancel()

    async def _refresh(self, changed: Change) -> None:
        snapshot = await self._update(lambda: self._boards.refresh(changed))
        self._must_measure.set()
        if snapshot.refresh_soon:
            self._must_refresh.set()

    async def _refresh_with_time(self) -> None:
        """Show what time alone has changed: a message that waits too long."""
        while True:
            await self._must_refresh.wait()
            self._must_refresh.clear()
            await asyncio.sleep(_REFRESH_SECONDS)
            await self._refresh(set())

    async def _update(self, work: Callable[[], Snapshot]) -> Snapshot:
        async with self._turn:
            self._snapshot = snapshot = await asyncio.to_thread(work)
            self._show(snapshot)
            return snapshot

    def measure_branches(self) -> None:
        """Measure them again: they may have moved without a task's files having changed."""
        self._must_measure.set()

    async def measure(self) -> None:
        """Measure commits, lines and conflicts whenever something has changed, and not too often; for ever."""
        for name in _MEASURING:  # the slow part, off the event loop
            await asyncio.to_thread(import_module, f"orange_tui.{name}")
        from orange_tui.branches.conflicts import ConflictForecast
        from orange_tui.branches.distance import BranchDistances
        from orange_tui.branches.ref_watch import RefWatch
        from orange_tui.outside.git_reader.reader import GitReaders

        readers, branches = GitReaders(), RefWatch(self.measure_branches)
        distances, forecast = BranchDistances(readers), ConflictForecast(readers)
        try:
            while True:
                await self._must_measure.wait()
                self._must_measure.clear()
                projects = self._snapshot.projects if self._snapshot else ()
                await branches.follow([project.path for project in projects])
                for project in projects:
                    await self._measure(project, distances, forecast)
                await asyncio.sleep(_MEASURE_PAUSE_SECONDS)
        finally:
            branches.close()

    async def _measure(self, project: Project, distances: BranchDistances, forecast: ConflictForecast) -> None:
        own, tasks = await asyncio.to_thread(self._unfinished_tasks, project)
        ended = await asyncio.to_thread(self._ended_branches, project)
        try:
            found = await asyncio.to_thread(distances.refresh, project, [*tasks, *ended])
        except OrangeError as problem:
            await asyncio.to_thread(self._log.write, "warning", f"{project.name} was not measured: {problem}")
            return
        await self._update(lambda: self._boards.with_stats(project.name, found))
        conflicts = await asyncio.to_thread(forecast.refresh, project, distances.positions(project), tasks)
        if conflicts or any(row.conflicts for row in own):
            await self._update(lambda: self._boards.with_conflicts(project.name, conflicts))

    def _ended_branches(self, project: Project) -> list[str]:
        """The branches of what ended last and was not measured; of a merge, the history tells what it brought."""
        rows = self._snapshot.rows if self._snapshot else ()
        own = (row for row in rows if row.finished and row.stats is None and row.ref.project == project.name)
        return [row.task.branch for row in islice(own, _MOST_ENDED) if row.task is not None]

    def _unfinished_tasks(self, project: Project) -> tuple[list[TaskRow], dict[str, str]]:
        """A project's unfinished rows, and their tasks by branch."""
        rows = self._snapshot.rows if self._snapshot else ()
        own = [row for row in rows if row.ref.project == project.name and not row.finished]
        return own, {row.task.branch: row.ref.id for row in own if row.task is not None}
