"""Whether the task under the cursor was merged from this list: then there is nothing left to do here."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from orange_tui.board.rows import TaskRow
    from orange_tui.store.store import TaskRef

MERGING = "Merging"  # how what is being done to a task that is merged begins


class MergedHere:
    """The tasks that are being merged by a key of this app; what ends by itself or elsewhere moves no cursor."""

    def __init__(self) -> None:
        self._merging: set[TaskRef] = set()
        self._ended: set[TaskRef] = set()  # those of which that was said, while the rest of the work goes on

    def has_ended(self, running: Mapping[TaskRef, str], rows: Sequence[TaskRow], ref: TaskRef | None) -> bool:
        """Whether this task was merged here since the last time, whether or not it is still listed; said once."""
        under_way = {ref for ref, text in running.items() if text.startswith(MERGING)}
        self._ended &= under_way
        self._merging |= under_way - self._ended
        finished = {row.ref for row in rows if row.finished and row.ref in self._merging} if self._merging else set()
        self._merging -= finished
        self._ended |= finished & under_way
        return ref in finished
