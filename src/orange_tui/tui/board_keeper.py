"""Keeping the app's snapshot true: tasks as their files change, and what git says about their branches."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from orange_tui.domain.errors import OrangeError

if TYPE_CHECKING:
    from collections.abc import Callable

    from orange_tui.board.board import Boards
    from orange_tui.board.rows import Snapshot
    from orange_tui.branches.conflicts import Collisions
    from orange_tui.branches.distance import GitStats
    from orange_tui.home.projects import Project
    from orange_tui.store.store import TaskRef
    from orange_tui.tui.app import OrangeApp

_AGAIN = 1.0  # seconds until a row that time alone changes is looked at again
_PAUSE = 1.0  # seconds between two measurements of all branches


class BoardKeeper:
    """The board and what git has to say about its branches: one of the two works with it at a time."""

    def __init__(self, app: OrangeApp, boards: Boards) -> None:
        self._app, self._boards = app, boards
        self._turn = asyncio.Lock()
        self._changed = asyncio.Event()
        self._changed.set()

    async def refresh(self, changed: set[TaskRef] | None) -> None:
        """Show these tasks as they are now; None: whatever has changed."""
        async with self._turn:
            self._app.snapshot = snapshot = await asyncio.to_thread(self._boards.refresh, changed)
        self._changed.set()
        if snapshot.again:
            self._app.set_timer(_AGAIN, lambda: self._app.run_worker(self.refresh(set()), group="board"))

    def measure_branches(self) -> None:
        """They may have moved without a task's files having changed."""
        self._changed.set()

    async def measure(self) -> None:
        """Commits, lines and conflicts, whenever something has changed and not too often."""
        from orange_tui.branches.conflicts import Collisions
        from orange_tui.branches.distance import GitStats
        from orange_tui.branches.ref_watch import RefWatch

        stats, collisions, branches = GitStats(), Collisions(), RefWatch(self.measure_branches)
        try:
            while True:
                await self._changed.wait()
                self._changed.clear()
                projects = self._app.snapshot.projects if self._app.snapshot else ()
                await branches.follow([project.path for project in projects])
                for project in projects:
                    await self._measure(project, stats, collisions)
                await asyncio.sleep(_PAUSE)
        finally:
            branches.close()

    async def _measure(self, project: Project, stats: GitStats, collisions: Collisions) -> None:
        rows = self._app.snapshot.rows if self._app.snapshot else ()
        own = [row for row in rows if row.ref.project == project.name and not row.finished]
        tasks = {row.task.branch: row.ref.id for row in own if row.task is not None}
        try:
            found = await asyncio.to_thread(stats.refresh, project, tasks)
        except OrangeError as problem:
            told = f"{project.name} was not measured: {problem}"
            await asyncio.to_thread(self._app.orange.log.write, "warning", told)
            return
        await self._show(lambda: self._boards.with_stats(project.name, found))
        conflicts = await asyncio.to_thread(collisions.refresh, project, stats.seen(project), tasks)
        if conflicts or any(row.conflicts for row in own):
            await self._show(lambda: self._boards.with_conflicts(project.name, conflicts))

    async def _show(self, look: Callable[[], Snapshot]) -> None:
        async with self._turn:
            self._app.snapshot = await asyncio.to_thread(look)
