"""The comments of a review, a line each: their state, where they are, and how they begin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from orange_tui.tui.drawing.cells import fit, fit_end
from orange_tui.tui.review.thread_lines import MARKS, state_style
from orange_tui.tui.theme import palette_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events

    from orange_tui.domain.review.thread import Thread

_PLACE_SHARE = 0.4


class ThreadList(ScrollView):
    """A line a comment, drawn as it comes into sight; the one under the cursor of the diff is marked."""

    @dataclass
    class Chosen(Message):
        """A comment was clicked on."""

        thread: str

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual calls it so
        super().__init__(id=id)
        self._threads: Sequence[Thread] = ()
        self._current: str | None = None

    def show(self, threads: Sequence[Thread]) -> None:
        """Replace the comments."""
        if threads != self._threads:
            self._threads = threads
            self.virtual_size = Size(self.scrollable_content_region.width, len(threads))
            self.refresh()

    def follow(self, thread: str | None) -> None:
        """Mark the comment that the cursor is on, and bring it into sight."""
        if thread != self._current:
            self._current = thread
            row = next((number for number, each in enumerate(self._threads) if each.id == thread), None)
            if row is not None:
                self.scroll_to_region(Region(0, row, 1, 1), animate=False, force=True)
            self.refresh()

    def on_click(self, event: events.Click) -> None:
        number = self.scroll_offset.y + event.y
        if number < len(self._threads):
            self.post_message(self.Chosen(self._threads[number].id))

    def render_line(self, y: int) -> Strip:
        number, width = self.scroll_offset.y + y, self.scrollable_content_region.width
        if number >= len(self._threads):
            return Strip.blank(width, self.rich_style)
        thread, palette = self._threads[number], palette_for(self.app)
        here = thread.id == self._current
        room = max(8, width - 3)
        place = fit_end(thread.place, min(len(thread.place), int(room * _PLACE_SHARE)))
        words = fit(thread.text.strip().partition("\n")[0], room - len(place) - 1)
        style = palette.dim if thread.state == "resolved" else palette.text
        segments = [
            Segment("▌" if here else " ", palette.accent),
            Segment(f"{MARKS[thread.state]} ", state_style(thread.state, palette)),
            Segment(f"{place} ", palette.dim),
            Segment(words, style),
        ]
        background = palette.selected if here else Style()
        return Strip(segments).adjust_cell_length(width).apply_style(self.rich_style + background)
