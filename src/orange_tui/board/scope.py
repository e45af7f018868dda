"""One project of a board: the same snapshot with the rows, counts, workspaces and cost of that project alone.

The board has every project, so that a person can go from one to another without anything being read again.
"""

from __future__ import annotations

from orange_tui.board.rows import Share, Snapshot
from orange_tui.domain.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.board.rows import TaskRow

_NOTHING = Share({}, 0)


class ScopedSnapshots:
    """Narrows snapshots to a project. While the rows of all are the same, so are those of one."""

    def __init__(self) -> None:
        self._last: tuple[tuple[TaskRow, ...], str, tuple[TaskRow, ...]] | None = None  # all, of which project, those

    def narrow(self, whole: Snapshot, project: str | None) -> Snapshot:
        """What a snapshot shows of a project; None: of all of them."""
        if project is None:
            return whole
        share = whole.shares.get(project, _NOTHING)
        return replace(
            whole,
            rows=self._rows(whole, project),
            counts=share.counts,
            needing=share.needing,
            pool={name: use for name, use in whole.pool.items() if name == project},
            used={name: used for name, used in whole.used.items() if name == project},
            scope=project,
        )

    def _rows(self, whole: Snapshot, project: str) -> tuple[TaskRow, ...]:
        if whole.shares.keys() <= {project}:
            return whole.rows  # as in most homes; there may be ten thousand of them
        if self._last is None or self._last[0] is not whole.rows or self._last[1] != project:
            own = tuple(row for row in whole.rows if row.ref.project == project)
            self._last = whole.rows, project, own
        return self._last[2]
