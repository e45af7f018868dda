"""The columns of the task list: each its title, its width and what stands in it; a new one is one more entry.

A branch is what people know a task by, so its name keeps some room: where there is too little, columns give way,
those that tell least first.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.text import Text
from textual.reactive import reactive
from textual.widget import Widget

from orange_tui.board.rows import COULD_START
from orange_tui.domain.records import record
from orange_tui.presentation.tasks import age
from orange_tui.tui.drawing.cells import fit, fit_right
from orange_tui.tui.drawing.labels import conflict_marks, cost_label, format_count, pull_request_label, status_label
from orange_tui.tui.theme import palette_for

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.style import Style

    from orange_tui.board.rows import TaskRow
    from orange_tui.tui.drawing.palette import Palette

    Cells = Callable[[TaskRow, Palette, int], list[Segment]]

MARKS = 7  # cursor, icon (one of them is two cells wide), number of the workspace
_NAME, _STATUS = 20, 14


@record
class Column:
    """One column right of the name. The highest `gives_way` goes first; 0 stays."""

    title: str
    width: int
    gives_way: int
    cells: Cells
    is_for: Callable[[TaskRow], bool] | None = None  # it is there only where this is true of a task in the list


def _pull_request(row: TaskRow, palette: Palette, width: int) -> list[Segment]:
    text, style = pull_request_label(row, palette)
    return [Segment(fit_right(text, width), style)]


def _ahead(row: TaskRow, palette: Palette, width: int) -> list[Segment]:
    ahead = row.stats.ahead if row.stats is not None else 0
    return [Segment(fit_right(f"↑{format_count(ahead)}" if ahead else "", width), palette.dim)]


def _changes(row: TaskRow, palette: Palette, width: int) -> list[Segment]:
    if row.stats is None or not (row.stats.added or row.stats.removed):
        if not row.waits or row.finished:
            return [Segment(" " * width)]
        return [Segment(fit_right("can start" if row.waits == COULD_START else "waits", width), palette.dim)]
    added, removed = f"+{format_count(row.stats.added)}", f" −{format_count(row.stats.removed)}"
    return [Segment(fit_right(added, width - len(removed)), palette.added), Segment(removed, palette.removed)]


def _age(row: TaskRow, palette: Palette, width: int) -> list[Segment]:
    return [Segment(fit_right(age(row.task.updated_at) if row.task else "", width), palette.dim)]


def _cost(row: TaskRow, palette: Palette, width: int) -> list[Segment]:
    style = palette.warning if row.budget is not None and row.budget.is_nearly_used_up else palette.dim
    return [Segment(fit_right(cost_label(row.usage.total()) if row.usage is not None else "", width), style)]


RIGHT_OF_STATUS = (
    Column("PR", 9, 2, _pull_request, is_for=lambda row: row.pull_request is not None),
    Column("↑", 5, 5, _ahead),
    Column("±", 12, 3, _changes),
    Column("cost", 9, 4, _cost, is_for=lambda row: row.usage is not None),
    Column("age", 5, 1, _age),
)


def seldom_columns(rows: Sequence[TaskRow]) -> frozenset[str]:
    """The titles of the columns that are there only because a task in the list has something to show in them."""
    seldom = ((column.title, column.is_for) for column in RIGHT_OF_STATUS if column.is_for is not None)
    return frozenset(title for title, is_for in seldom if any(map(is_for, rows)))


class Columns:
    """The columns that a list of some width has room for."""

    def __init__(self, width: int, seldom: frozenset[str]) -> None:
        self._shown = [column for column in RIGHT_OF_STATUS if column.is_for is None or column.title in seldom]
        while self._shown and width - MARKS - self._right() < _NAME:
            self._shown.remove(max(self._shown, key=lambda column: column.gives_way))
        self._name = max(4, width - MARKS - self._right())

    def _right(self) -> int:
        return 1 + _STATUS + sum(column.width for column in self._shown)

    def titles(self) -> str:
        """What stands above the columns."""
        right = "".join(fit_right(column.title, column.width) for column in self._shown)
        return f"{' ' * MARKS}{fit('task', self._name)} {fit('status', _STATUS)}{right}"

    def line(  # noqa: PLR0913 - each of them is seen
        self, row: TaskRow, name: str, name_style: Style, status_style: Style, palette: Palette, *, guide: str = ""
    ) -> list[Segment]:
        """A row, from its name on; in a tree, the guide before it leads from its parent."""
        right = (segment for column in self._shown for segment in column.cells(row, palette, column.width))
        marks = conflict_marks(row)
        room = self._name - len(marks) - 1 if marks else self._name
        led = guide[-(room // 2) :]  # what lies deep keeps some room for its name
        return [
            *([Segment(led, palette.dim)] if led else []),
            Segment(fit(name, room - len(led)), name_style),
            *([Segment(f" {marks}", palette.warning)] if marks else []),
            Segment(f" {fit(status_label(row), _STATUS)}", status_style),
            *right,
        ]


class ColumnTitles(Widget):
    """What the columns are, in the line above the list; as wide as the list, so that they stand alike."""

    seldom: reactive[frozenset[str]] = reactive(frozenset[str]())

    def render(self) -> Text:
        return Text(columns_for(self.size.width, self.seldom).titles(), style=palette_for(self.app).dim)


@lru_cache(maxsize=8)
def columns_for(width: int, seldom: frozenset[str] = frozenset()) -> Columns:
    """The columns of a list that is so many cells wide, and shows these seldom ones."""
    return Columns(width, seldom)
