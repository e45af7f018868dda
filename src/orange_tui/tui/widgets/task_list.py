"""The task list: a line a task, drawn as it comes into sight, so that ten thousand cost what ten do.

A second line appears only where it tells something: the summary of the selected task, the reason why one needs
the person, what is being done to one right now.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from rich.segment import Segment
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from orange_tui.tui.drawing.cells import fit, fit_right
from orange_tui.tui.drawing.labels import budget_note, task_icon, task_name
from orange_tui.tui.theme import palette_for
from orange_tui.tui.widgets.columns import MARKS, columns_for, seldom_columns
from orange_tui.tui.widgets.task_tree import ListedTasks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rich.style import Style
    from textual import events

    from orange_tui.board.rows import TaskRow
    from orange_tui.store.store import TaskRef
    from orange_tui.tui.drawing.palette import Palette

_ICON = 3  # one of the icons is two cells wide


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
        self._starts: list[int] = [0]  # where each row would begin if the cursor were on none
        self._tall: list[int] = []
        self._extra = 0  # lines that the cursor adds to its row
        self._drawn: dict[tuple[int, bool, bool], tuple[TaskRow, Strip]] = {}
        self._drawn_in: tuple[int, Palette] | None = None
        self._base: Style
        self._laid_out: Sequence[TaskRow] | None = None
        self._laid_out_busy: Mapping[TaskRef, str] = {}
        self._cursor = 0
        self._was_moved = False  # until the person has chosen a task, the cursor is on the first, whichever comes first
        self._busy: Mapping[TaskRef, str] = {}
        self._shows_project = True
        self.seldom_columns: frozenset[str] = frozenset()
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

    def show(self, listed: ListedTasks, busy: Mapping[TaskRef, str], *, shows_project: bool) -> None:
        """Replace the rows; the cursor stays on its task, or where that was."""
        before, rows = self.selected, listed.rows
        was_in_sight = self._is_cursor_in_sight()
        self._listed, self._busy, self._shows_project = listed, busy, shows_project
        self.seldom_columns = seldom_columns(rows)
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
        self.move_to(max(0, min(len(self._rows) - 1, self._cursor + steps)))

    def move_to(self, place: int) -> None:
        """Put the cursor on a row."""
        self._was_moved = True
        if not self._rows or place == self._cursor:
            return
        before, extra = self._cursor, self._extra
        self._cursor = place
        self._lay_out()
        # With another height of the cursor's row, all rows below it have moved too.
        end = self._starts[max(before, place) + 1] + 1 if extra == self._extra else None
        self._refresh_lines(self._start(min(before, place)), end)
        self.see_cursor()
        self.post_message(self.Selected(self.selected))

    def hold_cursor(self) -> None:
        """From now on the cursor stays on its task, whichever comes first."""
        self._was_moved = True

    def see_cursor(self) -> None:
        """Scroll to where the cursor is."""
        if self._rows:
            place = self._cursor
            self.scroll_to_region(Region(0, self._start(place), 1, self._height(place)), animate=False, force=True)

    def _is_cursor_in_sight(self) -> bool:
        first = self._start(self._cursor) - self.scroll_offset.y if self._rows else -1
        return 0 <= first <= self.size.height - self._height(self._cursor)

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

    def _height(self, place: int) -> int:
        return 2 if self._second_line(place) else 1

    def _second_line(self, place: int) -> str:
        row = self._rows[place]
        if row.ref in self._busy:
            return self._busy[row.ref]
        if row.error:
            return row.error[max(0, row.error.find("TASK.md")) :]  # which one, the line above says
        summary = row.task.summary if place == self._cursor and row.task is not None else ""
        return " · ".join(text for text in (row.needs, row.limit, budget_note(row), summary) if text)

    def _lay_out(self) -> None:
        """Where each row begins. All but the one under the cursor keep their height while the rows are the same."""
        if self._rows is not self._laid_out or self._busy != self._laid_out_busy:
            self._laid_out, self._laid_out_busy = self._rows, self._busy
            self._tall = [
                2
                if row.needs
                or row.limit
                or (row.budget and budget_note(row))
                or row.error
                or (self._busy and row.ref in self._busy)
                else 1
                for row in self._rows
            ]
            self._starts = list(accumulate(self._tall, initial=0))
        self._extra = self._height(self._cursor) - self._tall[self._cursor] if self._rows else 0
        # One line more than the rows need: the height is the same wherever the cursor is, and nothing is laid out anew.
        size = Size(self._width, self._starts[-1] + 1)
        if size != self.virtual_size:
            self.virtual_size = size

    def _start(self, place: int) -> int:
        return self._starts[place] + (self._extra if place > self._cursor else 0)

    def _place_at(self, line: int) -> int:
        """Whose line this is; the one after the last row's if nobody's."""
        place = bisect_right(self._starts, line) - 1
        if place <= self._cursor:
            return place
        return max(self._cursor, bisect_right(self._starts, line - self._extra) - 1)

    def redraw(self) -> None:
        """Draw every line in sight anew: what time alone changes, too."""
        self._drawn.clear()
        self.refresh()

    def notify_style_update(self) -> None:
        """Another theme, or the focus came or went: no line is as it was."""
        self._drawn.clear()
        super().notify_style_update()

    def on_resize(self) -> None:
        self._lay_out()
        self.redraw()
        self.see_cursor()

    def on_click(self, event: events.Click) -> None:
        place = self._place_at(self.scroll_offset.y + event.y)
        if 0 <= place < len(self._rows):
            self.focus()
            self.move_to(place)
            if event.chain > 1 and self.selected is not None:
                self.post_message(self.Opened(self.selected))

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines as they are, without borders to be put around each: a line that was drawn is not touched again."""
        if self._drawn_in != (width := self._width, self._palette()):
            self._drawn.clear()
            self._drawn_in = width, self._palette()
        background = self.background_colors[1]
        self._base = self.rich_style  # worked out once, not for each line
        strips = [self.render_line(y) for y in crop.line_range]
        for line_filter in self.get_line_filters():
            strips = [strip.apply_filter(line_filter, background) for strip in strips]
        return [strip.crop(crop.x, crop.right) for strip in strips]

    def render_line(self, y: int) -> Strip:
        line = self.scroll_offset.y + y
        if not self._rows:
            return self._empty_line(y, self.size.width)
        place = self._place_at(line)
        if place >= len(self._rows):
            return Strip.blank(self.size.width, self._base)
        return self._line(place, is_first=line == self._start(place))

    def _line(self, place: int, *, is_first: bool) -> Strip:
        """A line as it was drawn before, if nothing has changed since: a list that scrolls has no other news."""
        row, is_selected = self._rows[place], place == self._cursor
        key = id(row), is_first, is_selected
        found = self._drawn.get(key)
        if found is None:
            width, style = self._width, self._base
            segments = self._first(place, width) if is_first else self._second(place, width)
            if is_selected:
                style += self._palette().selected
            # The row is kept with its line: as long as it is, no other one has its id.
            found = self._drawn[key] = row, Strip(segments).adjust_cell_length(self.size.width).apply_style(style)
        return found[1]

    def _empty_line(self, y: int, width: int) -> Strip:
        lines = self.empty_text.splitlines()
        text = lines[y - 1] if 0 < y <= len(lines) else ""
        return Strip([Segment(fit(f"  {text}", width), self._palette().dim)]).apply_style(self._base)

    def _first(self, place: int, width: int) -> list[Segment]:
        row, palette = self._rows[place], self._palette()
        bar = Segment("▌" if place == self._cursor else " ", palette.accent)
        icon, icon_style = task_icon(row, palette)
        number = row.workspace_number or ""
        if row.task is None:
            name = f"{row.ref.project}/{row.ref.id}"
            return [
                bar,
                Segment(fit(icon, _ICON), icon_style),
                Segment(fit(" " * (MARKS - 1 - _ICON) + name, width - 1 - _ICON), palette.bad),
            ]
        name = f"{row.task.project}/{task_name(row.task)}" if self._shows_project else task_name(row.task)
        columns = columns_for(width, self.seldom_columns)
        name_style = palette.dim if row.finished else palette.accent if row.needs else palette.text
        return [
            bar,
            Segment(fit(icon, _ICON), icon_style),
            Segment(fit_right(number, 2) + " ", palette.dim),
            *columns.line(row, name, name_style, self._status_style(row), palette, guide=self._guide(place)),
        ]

    def _second(self, place: int, width: int) -> list[Segment]:
        row, palette = self._rows[place], self._palette()
        text = self._second_line(place)
        style = palette.info if row.ref in self._busy else palette.warning if row.needs or row.error else palette.dim
        bar = Segment("▌" if place == self._cursor else " ", palette.accent)
        margin, guide = " " * (MARKS - 1), self._guide_below(place)[: width // 2]
        if not guide:
            return [bar, Segment(fit(margin + text.replace("\n", " "), width - 1), style)]
        shown = fit(text.replace("\n", " "), width - MARKS - len(guide))
        return [bar, Segment(margin + guide, palette.dim), Segment(shown, style)]

    def _guide_below(self, place: int) -> str:
        return self._listed.guides_below[place] if self._listed.guides_below else ""

    def _guide(self, place: int) -> str:
        return self._listed.guides[place] if self._listed.guides else ""
