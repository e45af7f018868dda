"""How wide the columns of a list are, and which of them there is room for."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.segment import Segment
from rich.text import Text
from textual.reactive import reactive
from textual.widget import Widget

from orange_tui.tui.drawing.cells import fit
from orange_tui.tui.drawing.labels import conflict_marks, shown_name
from orange_tui.tui.listing.columns import COLUMNS, TASK
from orange_tui.tui.theme import palette_for

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from orange_tui.tui.listing.columns import Column, RowLook
    from orange_tui.tui.listing.tree import ListedTasks

Longest = tuple[tuple[str, int], ...]  # the cells that the longest text of a column takes

MARKS = 7  # cursor, icon (one of them is two cells wide), mark, number of the workspace
_GAP = 2
_FEWEST_FOR_NAME, _ENOUGH_FOR_NAME, _MOST_FOR_NAME = 4, 28, 40  # cells, the latter where others could do with more
_WIDE = 120  # cells, from which on columns are content with less
_ANY = 10_000  # cells that a column could use whose texts were not measured
_MEASURED_ROWS = 200  # the first, so that a list of ten thousand is not gone through; what is longer below is cut


class ColumnLayout:
    """The columns that a list of some width has room for, each with its width."""

    def __init__(self, width: int, facts: frozenset[str], chosen: Sequence[Column], longest: Longest) -> None:
        shown = [column for column in chosen if column.shown_for is None or column.shown_for in facts]
        room = width - MARKS
        useful = {name: cells + _GAP for name, cells in longest} if room >= _WIDE else {}
        self._columns = _share_out(_fitting(shown, room, useful), room, useful)

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


def longest_texts(listed: ListedTasks, *, shows_project: bool) -> Longest:
    """How many cells the longest text of each column takes that has its texts measured, its title included."""
    longest = {column.name: len(column.title) for column in COLUMNS if column is TASK or column.text is not None}
    for place, row in enumerate(listed.rows[:_MEASURED_ROWS]):
        if row.task is None:
            continue
        name = shown_name(row.task, shows_project=shows_project)
        extra = len(listed.guides[place]) if listed.guides else 0
        marks = conflict_marks(row)
        longest[TASK.name] = max(longest[TASK.name], cell_len(name) + extra + (len(marks) + 1 if marks else 0))
        for column in COLUMNS:
            if column.text is not None:
                longest[column.name] = max(longest[column.name], cell_len(column.text(row)))
    return tuple(longest.items())


def _fitting(wanted: Sequence[Column], room: int, useful: Mapping[str, int]) -> list[Column]:
    """Those that there is room for: what tells most first, and of the rest whatever still fits."""
    kept = [column for column in wanted if not column.gives_way]
    for column in sorted(wanted, key=lambda column: column.gives_way):
        if column not in kept and _needed([*kept, column], room, useful) <= room:
            kept.append(column)
    return [column for column in wanted if column in kept]


def _needed(shown: Sequence[Column], room: int, useful: Mapping[str, int]) -> int:
    return sum(_least(column, room, useful) for column in shown)


def _least(column: Column, room: int, useful: Mapping[str, int]) -> int:
    least = column.least if column.least and room >= _WIDE else column.width
    return min(least, useful.get(column.name, _ANY))


def _share_out(shown: Sequence[Column], room: int, useful: Mapping[str, int]) -> list[tuple[Column, int]]:
    """Give the room that is left to the name, to what has not its whole width, and to those that grow alike.

    None gets more than it can use, but for the last that grows: so numbers stand at the right edge.
    """
    widths = {column.name: _least(column, room, useful) for column in shown}
    spare = room - _needed(shown, room, useful)

    def widen(column: Column, most: int) -> None:
        nonlocal spare
        extra = max(0, min(spare, min(most, useful.get(column.name, _ANY)) - widths[column.name]))
        widths[column.name] += extra
        spare -= extra

    def is_cut_anyway(column: Column) -> bool:
        return column.grows or useful.get(column.name, _ANY) > column.width

    others = [column for column in shown if column.grows and column is not TASK]
    others.sort(key=lambda column: useful.get(column.name, _ANY))
    widen(TASK, _ENOUGH_FOR_NAME)
    for column in sorted(shown, key=lambda column: (is_cut_anyway(column), column.gives_way)):
        widen(column, column.width)
    widen(TASK, _MOST_FOR_NAME if others else room)
    for column in shown:
        if column.name in useful and not column.grows:
            widen(column, _MOST_FOR_NAME)
    for left in range(len(others), 0, -1):
        widen(others[-left], widths[others[-left].name] + spare // left)
    widths[(others[-1] if others else TASK).name] += max(0, spare)
    widths[TASK.name] = max(_FEWEST_FOR_NAME, widths[TASK.name] + min(0, spare))  # where not even the least fits
    return [(column, widths[column.name]) for column in shown]


class ColumnTitles(Widget):
    """What the columns are, in the line above the list; as wide as the list, so that they stand alike."""

    facts: reactive[frozenset[str]] = reactive(frozenset[str]())
    chosen: reactive[tuple[Column, ...]] = reactive(COLUMNS)
    longest: reactive[Longest] = reactive(())

    def show(self, facts: frozenset[str], chosen: tuple[Column, ...], longest: Longest) -> None:
        """Have what the list has."""
        self.facts, self.chosen, self.longest = facts, chosen, longest

    def render(self) -> Text:
        layout = layout_for(self.size.width, self.facts, self.chosen, self.longest)
        return Text(layout.titles(), style=palette_for(self.app).dim)


@lru_cache(maxsize=8)
def layout_for(
    width: int, facts: frozenset[str] = frozenset(), chosen: tuple[Column, ...] = COLUMNS, longest: Longest = ()
) -> ColumnLayout:
    """The columns of a list that is so many cells wide, and whose tasks have these of `FACTS` and no longer texts."""
    return ColumnLayout(width, facts, chosen, longest)
