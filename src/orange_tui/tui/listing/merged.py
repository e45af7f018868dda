"""Whether the task under the cursor was merged from this list: then there is nothing left to do here."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from orange_tui.board.rows import TaskRow
    from orange_tui.store.store import TaskRef

MERGING = "Merging"  # how what is being done to a task that is merged begins


class MergedHere:
    """The tasks that are being merged by a key of this app; what ends by itself or elsewhere moves no cursor."""

    def __init__(self) -> None:
        self._merging: set[TaskRef] = set()
        self._ended: set[TaskRef] = set()  # those of which that was said, while the rest of the work goes on

    def has_ended(self, running: Mapping[TaskRef, str], selected: TaskRow | None) -> bool:
        """Whether the selected task was merged here since the last time; said once."""
        under_way = {ref for ref, text in running.items() if text.startswith(MERGING)}
        self._ended &= under_way
        self._merging |= under_way - self._ended
        if selected is None or not selected.finished or selected.ref not in self._merging:
            return False
        self._merging.discard(selected.ref)
        self._ended.add(selected.ref)
        return True
