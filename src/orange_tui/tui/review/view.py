"""The view of a review: lines with a cursor, a range by keys or by mouse, and only what is in sight is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from orange_tui.tui.review.state import ReviewState
from orange_tui.tui.theme import palette_for
from orange_tui.tui.widgets.strip_view import StripView

if TYPE_CHECKING:
    from textual import events

    from orange_tui.tui.drawing.palette import Palette
    from orange_tui.tui.review.lines import ReviewLines

_BAR = 2  # cells on the left, for the cursor
_THREAD_LINES = 5  # of what is usually said of a line, below it


class ReviewView(StripView, inherit_bindings=False):
    """Shows a review and moves the cursor in it; whoever wants to know where it is hears of it."""

    ALLOW_SELECT = False  # a drag chooses lines to comment on
    BINDINGS = [  # noqa: RUF012 - Textual's own way
        Binding("j,down", "move(1)", show=False),
        Binding("k,up", "move(-1)", show=False),
        Binding("shift+down", "extend(1)", show=False),
        Binding("shift+up", "extend(-1)", show=False),
        Binding("pagedown,space", "page(1.0)", show=False),
        Binding("pageup", "page(-1.0)", show=False),
        Binding("ctrl+d", "page(0.5)", show=False),
        Binding("ctrl+u", "page(-0.5)", show=False),
        Binding("g,home", "go(0)", show=False),
        Binding("G,end", "last", show=False),
        Binding("left", "scroll_left", show=False),
        Binding("right", "scroll_right", show=False),
    ]

    @dataclass
    class Moved(Message):
        """The cursor or the range is elsewhere, or the lines have scrolled."""

        def can_replace(self, message: Message) -> bool:
            """Of several in a row, the last is enough."""
            return isinstance(message, ReviewView.Moved)

    @dataclass
    class Opened(Message):
        """A line was clicked twice."""

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual calls it so
        super().__init__(id=id)
        self._review = ReviewState(lambda _thread, _in_place: 1)
        self._row = 0  # where the cursor was when this was last shown
        self._is_dragging = False
        self._chosen: range
        self._palette: Palette

    def show_review(self, review: ReviewState, lines: ReviewLines) -> None:
        """Show a review as it is now; what is under the cursor stays where it is on the screen."""
        before, self._review = self._row, review
        top = self.scroll_offset.y + review.cursor - before
        self.show(lines)
        if top != self.scroll_offset.y:
            self.scroll_to(y=max(0, top), animate=False, force=True, immediate=True)
        self.see_cursor()
        self.refresh()

    @property
    def top(self) -> int:
        """The first line in sight."""
        return int(self.scroll_offset.y)

    @property
    def workplace(self) -> Region:
        """Where the cursor is on the screen, with what may be said of it below."""
        own = self._review.layout.stop(self._review.cursor) or range(0)
        top, bottom = own.start - self.top, min(own.stop - self.top + _THREAD_LINES, self.size.height)
        return Region(self.region.x, self.region.y + top, self.region.width, max(1, bottom - top))

    def see_top(self, above: int = 0) -> None:
        """Bring what the cursor is on to the top, with some lines above it: a change is read from its beginning."""
        self.scroll_to(y=max(0, self._review.cursor - above), animate=False, force=True, immediate=True)
        self.see_cursor()

    def see_cursor(self) -> None:
        """Bring the cursor into sight."""
        review, height = self._review, max(1, self.scrollable_content_region.height)
        self._row = review.cursor
        own = review.layout.stop(review.cursor)
        if own is not None:
            is_far = own.start < self.top or len(own) > height
            wanted = own.start if is_far else max(self.top, own.stop - height)
            if wanted != self.top and not (own.start <= self.top and own.stop >= self.top + height):
                self.scroll_to(y=wanted, animate=False, force=True, immediate=True)
        self.refresh()
        self.post_message(self.Moved())

    def see_gap(self) -> None:
        """Bring the room for a text box into sight, with what it is about above it."""
        layout, height = self._review.layout, self.scrollable_content_region.height
        if layout.gap is not None:
            end = layout.gap + layout.at(layout.gap)[0].size
            if end > self.top + height or layout.gap < self.top:
                self.scroll_to(y=max(0, end - height), animate=False, force=True, immediate=True)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """The wheel takes the cursor along: what is out of sight cannot be meant by a key."""
        super().watch_scroll_y(old_value, new_value)
        review, height = self._review, self.scrollable_content_region.height
        own = review.layout.stop(review.cursor)
        if own is not None and height and (own.stop <= self.top or own.start >= self.top + height):
            is_above = own.stop <= self.top
            review.move_to(self.top if is_above else self.top + height - 1)
            self._row = review.cursor
        self.post_message(self.Moved())

    # ── keys ──

    def action_move(self, steps: int) -> None:
        """Go up or down; within a comment that is longer than the screen, scroll first."""
        own = self._review.layout.stop(self._review.cursor) or range(0)
        end = self.top + self.scrollable_content_region.height
        if own.stop > end if steps > 0 else own.start < self.top < own.stop:
            self.scroll_to(y=self.top + steps, animate=False, force=True, immediate=True)
        else:
            self._review.move(steps)
            self.see_cursor()

    def action_extend(self, step: int) -> None:
        review = self._review
        own = review.layout.stop(review.cursor) or range(review.cursor, review.cursor + 1)
        row = own.stop if step > 0 else own.start - 1
        while 0 <= row < review.layout.size and review.layout.at(row)[0].kind in {"thread", "gap"}:
            row += step  # comments are between the lines, and in no range
        review.extend(row)
        self.see_cursor()

    def action_page(self, share: float) -> None:
        self.action_go(self._review.cursor + round(share * max(1, self.scrollable_content_region.height - 1)))

    def action_go(self, row: int) -> None:
        self._review.move_to(row)
        self.see_cursor()

    def action_last(self) -> None:
        self.action_go(self._review.layout.size - 1)

    # ── the mouse ──

    def on_mouse_down(self, event: events.MouseDown) -> None:
        if event.button == 1 and self.top + event.y < self._review.layout.size:
            self._review.end_range()
            self._is_dragging = True
            self.capture_mouse()
            self.action_go(self.top + event.y)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        row = self.top + event.y
        if self._is_dragging and row != self._review.cursor:
            self._review.extend(min(max(0, row), self._review.layout.size - 1))
            self.see_cursor()

    def on_mouse_up(self) -> None:
        if self._is_dragging:
            self._is_dragging = False
            self.release_mouse()

    def on_click(self, event: events.Click) -> None:
        if event.chain == 2:  # noqa: PLR2004 - a double click
            self.post_message(self.Opened())

    # ── drawing ──

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines in sight; what is chosen is worked out once, not for each."""
        self._chosen, self._palette = self._review.rows, palette_for(self.app)
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        scroll_x, scroll_y = self.scroll_offset
        line, width = scroll_y + y, self.scrollable_content_region.width
        if line >= len(self._strips):
            return Strip.blank(width, self._base)
        palette, is_chosen = self._palette, line in self._chosen
        base = self._base + (palette.selected if is_chosen else Style())
        bar = Strip([Segment("▌ " if is_chosen else "  ", palette.accent)])
        strip = self._strips[line].crop(scroll_x, scroll_x + width - _BAR)
        return Strip.join([bar, strip]).extend_cell_length(width, base).apply_style(base)
