"""Which tasks the list shows: the filters, and the words of a search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.domain.records import record

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from orange_tui.board.rows import TaskRow

_FILTERS: dict[str, Callable[[TaskRow], bool]] = {
    "all": lambda _row: True,
    "active": lambda row: not row.finished,
    "finished": lambda row: row.finished,
    "needs you": lambda row: bool(row.needs),
}


@record
class ListFilter:
    """A filter by its name, and what is searched for."""

    name: str = "all"
    search: str = ""

    @property
    def next_name(self) -> str:
        """The filter after this one, round and round."""
        names = list(_FILTERS)
        return names[(names.index(self.name) + 1) % len(names)]

    def apply(self, rows: Sequence[TaskRow]) -> Sequence[TaskRow]:
        """The rows to show; the same list where that is all of them, for with ten thousand a copy would be felt."""
        if self.name != "all":
            rows = [row for row in rows if _FILTERS[self.name](row)]
        words = self.search.casefold().split()
        return [row for row in rows if _has_words(row, words)] if words else rows


def _has_words(row: TaskRow, words: Sequence[str]) -> bool:
    """Whether all the words are in what people know a task by."""
    task = row.task
    text = f"{row.ref.id} {row.ref.project}" + (f" {task.branch} {task.summary} {task.status}" if task else "")
    folded = text.casefold()
    return all(word in folded for word in words)
