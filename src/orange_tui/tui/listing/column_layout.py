"""How wide the columns of a list are, and which of them there is room for."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.text import Text
from textual.reactive import reactive
from textual.widget import Widget

from orange_tui.tui.drawing.cells import fit
from orange_tui.tui.listing.columns import COLUMNS, TASK
from orange_tui.tui.theme import palette_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orange_tui.tui.listing.columns import Column, RowLook

MARKS = 7  # cursor, icon (one of them is two cells wide), mark, number of the workspace
_GAP = 2
_FEWEST_FOR_NAME, _ENOUGH_FOR_NAME, _MOST_FOR_NAME = 4, 28, 40  # cells, the latter where others could do with more
_WIDE = 120  # cells, from which on columns are content with less


class ColumnLayout:
    """The columns that a list of some width has room for, each with its width."""

    def __init__(self, width: int, facts: frozenset[str], chosen: Sequence[Column]) -> None:
        shown = [column for column in chosen if column.shown_for is None or column.shown_for in facts]
        self._columns = _share_out(_fitting(shown, width - MARKS), width - MARKS)

    def titles(self) -> str:
        """What stands above the columns."""
        return " " * MARKS + "".join(self._title(column, width) for column, width in self._columns)

    def line(self, look: RowLook) -> list[Segment]:
        """A row, from its first column on."""
        return [segment for column, width in self._columns for segment in self._cells(column, look, width)]

    def _title(self, column: Column, width: int) -> str:
        lead = self._lead(column)
        is_left = column is TASK or column.name == "status"
        return " " * lead + (fit(column.title, width - lead) if is_left else column.heading(width))

    def _cells(self, column: Column, look: RowLook, width: int) -> list[Segment]:
        """A cell; only the name's has to be told that it is not the first."""
        if column is not TASK or not (lead := self._lead(column)):
            return column.cells(look, width)
        return [Segment(" " * lead), *column.cells(look, width - lead)]

    def _lead(self, column: Column) -> int:
        """The cells between what begins at the left and the column before it."""
        return 1 if column.name == "status" else _GAP if column is not self._columns[0][0] and column is TASK else 0


def _fitting(wanted: Sequence[Column], room: int) -> list[Column]:
    """Those that there is room for: what tells most first, and of the rest whatever still fits."""
    kept = [column for column in wanted if not column.gives_way]
    for column in sorted(wanted, key=lambda column: column.gives_way):
        if column not in kept and _needed([*kept, column], room) <= room:
            kept.append(column)
    return [column for column in wanted if column in kept]


def _needed(shown: Sequence[Column], room: int) -> int:
    return sum(_least(column, room) for column in shown)


def _least(column: Column, room: int) -> int:
    return column.least if column.least and room >= _WIDE else column.width


def _share_out(shown: Sequence[Column], room: int) -> list[tuple[Column, int]]:
    """Give the room that is left to the name, to what has not its whole width, and to those that grow alike."""
    widths = {column.name: _least(column, room) for column in shown}
    spare = room - _needed(shown, room)

    def widen(column: Column, most: int) -> None:
        nonlocal spare
        extra = max(0, min(spare, most - widths[column.name]))
        widths[column.name] += extra
        spare -= extra

    others = [column for column in shown if column.grows and column is not TASK]
    widen(TASK, _ENOUGH_FOR_NAME)
    for column in sorted(shown, key=lambda column: column.gives_way):
        widen(column, column.width)
    widen(TASK, _MOST_FOR_NAME if others else room)
    for left in range(len(others), 0, -1):
        widen(others[-left], widths[others[-left].name] + spare // left)
    widths[TASK.name] = max(_FEWEST_FOR_NAME, widths[TASK.name] + min(0, spare))  # where not even the least fits
    return [(column, widths[column.name]) for column in shown]


class ColumnTitles(Widget):
    """What the columns are, in the line above the list; as wide as the list, so that they stand alike."""

    facts: reactive[frozenset[str]] = reactive(frozenset[str]())
    chosen: reactive[tuple[Column, ...]] = reactive(COLUMNS)

    def render(self) -> Text:
        layout = layout_for(self.size.width, self.facts, self.chosen)
        return Text(layout.titles(), style=palette_for(self.app).dim)


@lru_cache(maxsize=8)
def layout_for(width: int, facts: frozenset[str] = frozenset(), chosen: tuple[Column, ...] = COLUMNS) -> ColumnLayout:
    """The columns of a list that is so many cells wide, and whose tasks have these of `FACTS`."""
    return ColumnLayout(width, facts, chosen)
