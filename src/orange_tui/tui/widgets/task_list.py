"""The task list: a line a task, drawn as it comes into sight, so that ten thousand cost what ten do.

A second line appears only where it tells something: the summary of the selected task, the reason why one needs
the person, what is being done to one right now. Headings stand above groups; the cursor is on rows alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from rich.segment import Segment
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from orange_tui.tui.drawing.cells import fit
from orange_tui.tui.drawing.labels import budget_note
from orange_tui.tui.listing.column_layout import layout_for, longest_texts
from orange_tui.tui.listing.columns import COLUMNS
from orange_tui.tui.listing.line_layout import LineLayout
from orange_tui.tui.listing.tree import ListedTasks
from orange_tui.tui.theme import palette_for
from orange_tui.tui.widgets.row_drawing import RowDrawing, RowState, second_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rich.style import Style
    from textual import events

    from orange_tui.board.rows import TaskRow
    from orange_tui.store.store import TaskRef
    from orange_tui.tui.drawing.palette import Palette
    from orange_tui.tui.listing.column_layout import Longest
    from orange_tui.tui.listing.columns import Column

_HEADING = -1  # the part of a row that stands above it
_DOUBLE = 2  # clicks
_STRIPS = 512  # a few times as many lines as are in sight


class TaskList(ScrollView, can_focus=True, inherit_bindings=False):
    """Rows with a cursor on one of them; the cursor stays with its task when the list changes.

    Keys are the screen's: a scrolling view's own would take the arrows and move the list under the cursor.
    """

    @dataclass
    class Selected(Message):
        """The cursor is on another task, or on none."""

        row: TaskRow | None

    @dataclass
    class Opened(Message):
        """A task was double-clicked."""

        row: TaskRow

    def __init__(self, status_style: Callable[[TaskRow], Style], *, id: str) -> None:  # noqa: A002 - Textual calls it so
        super().__init__(id=id)
        self._status_style = status_style
        self._listed = ListedTasks(())
        self._lines = LineLayout()
        self._laid_out: tuple[ListedTasks, Mapping[TaskRef, str]] | None = None
        self._drawn: dict[tuple[int, int, bool], tuple[TaskRow, Strip]] = {}
        self._drawing: RowDrawing | None = None
        self._base: Style
        self._cursor = 0
        self._was_moved = False  # until the person has chosen a task, the cursor is on the first, whichever comes first
        self._busy: Mapping[TaskRef, str] = {}
        self._shows_project = True
        self.marked: set[TaskRef] = set()
        self.columns: tuple[Column, ...] = COLUMNS
        self.facts: frozenset[str] = frozenset()  # that a task has, of those that most have not
        self.longest: Longest = ()  # texts, by column
        self.empty_text = ""

    def _palette(self) -> Palette:
        return palette_for(self.app)

    @property
    def _rows(self) -> Sequence[TaskRow]:
        return self._listed.rows

    @property
    def selected(self) -> TaskRow | None:
        """The task under the cursor."""
        return self._rows[self._cursor] if self._cursor < len(self._rows) else None

    @property
    def place(self) -> int:
        """The how manieth row the cursor is on, from 0."""
        return self._cursor

    def show(self, listed: ListedTasks, busy: Mapping[TaskRef, str], *, shows_project: bool) -> None:
        """Replace the rows; the cursor stays on its task, or where that was."""
        before = self.selected
        was_in_sight = self._is_cursor_in_sight()
        if listed is not self._listed or shows_project != self._shows_project:
            self.longest = longest_texts(listed, shows_project=shows_project)
        self._listed, self._busy, self._shows_project = listed, busy, shows_project
        if before is not None and self._was_moved:
            self._cursor = self._place_of(before.ref, near=self._cursor)
        self._lay_out()
        self.redraw()
        if was_in_sight:  # who has scrolled away from it is not brought back
            self.see_cursor()
        now = self.selected
        if now is not before:
            self.post_message(self.Selected(now))

    def _place_of(self, ref: TaskRef, near: int) -> int:
        """Where a task is; mostly where it was. The same place where it is gone."""
        if near < len(self._rows) and self._rows[near].ref == ref:
            return near
        places = (place for place, row in enumerate(self._rows) if row.ref.id == ref.id and row.ref == ref)
        return next(places, min(near, max(0, len(self._rows) - 1)))

    def move(self, steps: int) -> None:
        """Move the cursor by some rows, as far as there are any."""
        self.move_to(self._cursor + steps)

    def move_to(self, place: int) -> None:
        """Put the cursor on a row; where there are fewer, on the nearest."""
        self._was_moved = True
        place = max(0, min(len(self._rows) - 1, place))
        if not self._rows or place == self._cursor:
            return
        before, extra = self._cursor, self._lines.extra
        self._cursor = place
        self._lay_out()
        # With another height of the cursor's row, all rows below it have moved too.
        last = max(before, place)
        end = self._lines.start(last) + self._lines.height(last) + 1 if extra == self._lines.extra else None
        self._refresh_lines(self._lines.start(min(before, place)), end)
        self.see_cursor()
        self.post_message(self.Selected(self.selected))

    def toggle_mark(self) -> None:
        """Mark the task under the cursor, or not any more, and go on to the next."""
        if self.selected is not None:
            self.marked ^= {self.selected.ref}
            self.move(1)

    def hold_cursor(self) -> None:
        """From now on the cursor stays on its task, whichever comes first."""
        self._was_moved = True

    def see_cursor(self) -> None:
        """Scroll to where the cursor is."""
        if self._rows:
            start, height = self._lines.start(self._cursor), self._lines.height(self._cursor)
            self.scroll_to_region(Region(0, start, 1, height), animate=False, force=True)

    @property
    def workplace(self) -> Region:
        """Where the selected task is on the screen."""
        if not self._rows:
            return Region()
        top = self.region.y + self._lines.start(self._cursor) - self.scroll_offset.y
        return Region(self.region.x, top, self.region.width, self._lines.height(self._cursor))

    def _is_cursor_in_sight(self) -> bool:
        if not self._rows:
            return False
        first = self._lines.start(self._cursor) - self.scroll_offset.y
        return 0 <= first <= self.size.height - self._lines.height(self._cursor)

    def _refresh_lines(self, first: int, end: int | None) -> None:
        """Draw some lines anew, without an end all from the first on; the others stay as they are drawn."""
        top = max(0, first - self.scroll_offset.y)
        bottom = self.size.height if end is None else end - self.scroll_offset.y
        if bottom > top:
            self.refresh(Region(0, top, self.size.width, bottom - top))

    def select(self, ref: TaskRef) -> None:
        """Put the cursor on a task, if it is listed."""
        for place, row in enumerate(self._rows):
            if row.ref == ref:
                self.move_to(place)
                return

    @property
    def _width(self) -> int:
        """What is left beside the scrollbar."""
        return self.scrollable_content_region.width

    def page(self) -> int:
        """How many rows are in sight, about."""
        return max(1, self.size.height - 2)

    def count(self) -> int:
        """How many rows there are."""
        return len(self._rows)

    def _second_line(self, place: int) -> str:
        row = self._rows[place]
        return second_line(row, self._busy.get(row.ref), is_selected=place == self._cursor)

    def _lay_out(self) -> None:
        """Where each row begins. All but the one under the cursor keep their height while the rows are the same."""
        known = self._laid_out
        if known is None or known[0] is not self._listed or known[1] != self._busy:
            self._laid_out = self._listed, self._busy
            tall = [
                bool(row.needs or row.limit or row.error)
                or (row.budget is not None and budget_note(row) is not None)
                or (bool(self._busy) and row.ref in self._busy)
                for row in self._rows
            ]
            self._lines = LineLayout(tall, self._listed.headings)
        has_second_line = bool(self._rows and self._second_line(self._cursor))
        self._lines.put_cursor(self._cursor, has_second_line=has_second_line)
        # One line more than the rows need: the height is the same wherever the cursor is, and nothing is laid out anew.
        size = Size(self._width, self._lines.lines + 1)
        if size != self.virtual_size:
            self.virtual_size = size

    def redraw(self) -> None:
        """Draw every line in sight anew: what time alone changes, too."""
        self._drawn.clear()
        self._drawing = None
        self.refresh()

    def notify_style_update(self) -> None:
        """Another theme, or the focus came or went: no line is as it was."""
        self._drawn.clear()
        self._drawing = None
        super().notify_style_update()

    def on_resize(self) -> None:
        self._lay_out()
        self.redraw()
        self.see_cursor()

    def on_click(self, event: events.Click) -> None:
        """A click on a row selects it, a second one opens it: by then another row may be where the first one was."""
        place, part = self._lines.part_at(self.scroll_offset.y + event.y)
        if place >= len(self._rows) or part == _HEADING:
            return
        self.focus()
        if event.chain == 1:
            self.move_to(place)
        elif event.chain == _DOUBLE and self.selected is not None:
            self.post_message(self.Opened(self.selected))

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines as they are, without borders to be put around each: a line that was drawn is not touched again."""
        if self._drawing is None or (self._drawing.width, self._drawing.palette) != (self._width, self._palette()):
            self._drawn.clear()
            columns = layout_for(self._width, self.facts, self.columns, self.longest)
            self._drawing = RowDrawing(self._width, self._palette(), columns, self._shows_project)
        background = self.background_colors[1]
        self._base = self.rich_style  # worked out once, not for each line
        strips = [self._draw_line(y, self._drawing) for y in crop.line_range]
        for line_filter in self.get_line_filters():
            strips = [strip.apply_filter(line_filter, background) for strip in strips]
        return [strip.crop(crop.x, crop.right) for strip in strips]

    def _draw_line(self, y: int, drawing: RowDrawing) -> Strip:
        if not self._rows:
            return self._empty_line(y, self.size.width)
        place, part = self._lines.part_at(self.scroll_offset.y + y)
        if place >= len(self._rows):
            return Strip.blank(self.size.width, self._base)
        if part == _HEADING:
            return self._strip(drawing.heading(self._listed.headings[place]), is_selected=False)
        return self._line(place, part, drawing)

    def _line(self, place: int, part: int, drawing: RowDrawing) -> Strip:
        """A line as it was drawn before, if nothing has changed since: a list that scrolls has no other news."""
        row, is_selected = self._rows[place], place == self._cursor
        key = id(row), part, is_selected
        found = self._drawn.get(key)
        if found is None:
            state = self._state(place, row)
            if part == 0:
                segments = drawing.first(row, state, self._status_style(row))
            else:
                segments = drawing.second(row, state, self._second_line(place))
            # The row is kept with its line: as long as it is, no other one has its id.
            found = self._drawn[key] = row, self._strip(segments, is_selected=is_selected)
        return found[1]

    def _state(self, place: int, row: TaskRow) -> RowState:
        listed = self._listed
        guides = (listed.guides[place], listed.guides_below[place]) if listed.guides else ("", "")
        return RowState(place == self._cursor, row.ref in self.marked, row.ref in self._busy, *guides)

    def _strip(self, segments: list[Segment], *, is_selected: bool) -> Strip:
        style = self._base + self._palette().selected if is_selected else self._base
        return _strip_of(tuple(segments), self.size.width, style)

    def _empty_line(self, y: int, width: int) -> Strip:
        lines = self.empty_text.splitlines()
        text = lines[y - 1] if 0 < y <= len(lines) else ""
        return Strip([Segment(fit(f"  {text}", width), self._palette().dim)]).apply_style(self._base)


@lru_cache(maxsize=_STRIPS)
def _strip_of(segments: tuple[Segment, ...], width: int, style: Style) -> Strip:
    """A line; the same object for what looks the same, since Textual keeps with it how it is cut and written."""
    return Strip(segments).adjust_cell_length(width).apply_style(style)
