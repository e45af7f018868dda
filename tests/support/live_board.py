"""A board and its index, kept true as the app keeps them: the index reads what has changed first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.board.scope import ScopedSnapshots

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from orange_tui.board.rows import Snapshot
    from orange_tui.branches.conflicts import Conflicts
    from orange_tui.branches.stats import Stats
    from orange_tui.orange import Orange
    from orange_tui.store.store import TaskRef


class LiveBoard:
    """What the app shows, without the app."""

    def __init__(self, orange: Orange, project: str | None = None) -> None:
        self.index = orange.new_index()
        self._boards, self._scope, self._project = orange.new_boards(self.index), ScopedSnapshots(), project

    def scan(self, seconds: float = 0.05) -> Iterator[Snapshot]:
        """What can be read within a moment, then everything."""
        self.index.read_newest(seconds, first=self._boards.workspace_holders())
        if not self.index.is_complete:
            yield self._narrow(self._boards.refresh(None))
        self.index.refresh_all()
        yield self._narrow(self._boards.refresh(None))

    def refresh(self, changed: Iterable[TaskRef] | None) -> Snapshot:
        """The board after these tasks have changed; None: after anything may have."""
        if changed is None:
            self.index.refresh_all()
        else:
            self.index.refresh(changed)
        return self._narrow(self._boards.refresh(changed))

    def with_stats(self, project: str, stats: Mapping[str, Stats]) -> Snapshot:
        """The board with what git says about branches."""
        return self._narrow(self._boards.with_stats(project, stats))

    def with_conflicts(self, project: str, conflicts: Mapping[str, Conflicts]) -> Snapshot:
        """The board with what stands against branches."""
        return self._narrow(self._boards.with_conflicts(project, conflicts))

    def _narrow(self, snapshot: Snapshot) -> Snapshot:
        return self._scope.narrow(snapshot, self._project)
