"""The files of a diff: what happened to each and how much, with a cursor on the one that is in sight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from orange_tui.tui.drawing.cells import fit_end, fit_right
from orange_tui.tui.drawing.labels import format_count
from orange_tui.tui.theme import palette_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events

    from orange_tui.domain.review.diff import DiffFile

_LETTERS = {"added": "A", "deleted": "D", "modified": "M", "renamed": "R", "binary": "B"}
_LOOKS = {"added": "added", "deleted": "removed", "renamed": "other", "binary": "other"}
_COUNTS = 12


class FileList(ScrollView):
    """A line a file, drawn as it comes into sight; the person moves in the diff, and the cursor follows."""

    @dataclass
    class Chosen(Message):
        """A file was clicked on."""

        number: int

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual calls it so
        super().__init__(id=id)
        self._files: Sequence[DiffFile] = ()
        self._current = 0

    def show(self, files: Sequence[DiffFile]) -> None:
        """Replace the files."""
        self._files = files
        self.virtual_size = Size(self.scrollable_content_region.width, len(files))
        self.refresh()

    def follow(self, number: int) -> None:
        """Put the cursor on a file, and bring it into sight."""
        if number != self._current:
            self._current = number
            self.scroll_to_region(Region(0, number, 1, 1), animate=False, force=True)
            self.refresh()

    def on_click(self, event: events.Click) -> None:
        number = self.scroll_offset.y + event.y
        if number < len(self._files):
            self.post_message(self.Chosen(number))

    def render_line(self, y: int) -> Strip:
        number, width = self.scroll_offset.y + y, self.scrollable_content_region.width
        if number >= len(self._files):
            return Strip.blank(width, self.rich_style)
        file, palette, here = self._files[number], palette_for(self.app), number == self._current
        added = f"+{format_count(file.added)}" if file.added else ""
        removed = f" −{format_count(file.removed)}" if file.removed else ""
        segments = [
            Segment("▌" if here else " ", palette.accent),
            Segment(f"{_LETTERS[file.status]} ", getattr(palette, _LOOKS.get(file.status, "dim"))),
            Segment(fit_end(file.path, width - 3 - _COUNTS), palette.text),
            Segment(fit_right(added, _COUNTS - len(removed)), palette.added),
            Segment(removed, palette.removed),
        ]
        background = palette.selected if here else Style()
        return Strip(segments).adjust_cell_length(width).apply_style(self.rich_style + background)
