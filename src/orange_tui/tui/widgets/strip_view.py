"""A scrolling view of lines that are drawn already: TASK.md, a session, a diff, a history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from orange_tui.tui.drawing.lines import LazyLines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.style import Style
    from textual.geometry import Region


class StripView(ScrollView, can_focus=True):
    """Shows lines; only those in sight are touched, so their number does not matter."""

    BINDINGS = [  # noqa: RUF012 - Textual's own way
        ("j", "scroll_down", "Down"),
        ("k", "scroll_up", "Up"),
        ("g", "scroll_home", "Top"),
        ("G", "scroll_end", "Bottom"),
        ("space", "page_down", "Page down"),
    ]

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual calls it so
        super().__init__(id=id)
        self._strips: Sequence[Strip] = ()
        self._base: Style

    def show(self, strips: Sequence[Strip], *, follow: bool = False, keep_place: bool = True) -> None:
        """Replace the lines. A new text begins at its top; one that is followed, at its end; else the place stays."""
        if strips is self._strips and keep_place:
            return
        x, y = self.scroll_offset if keep_place else (0, 0)
        if follow:
            # Counted from the end: who has begun to read further up goes on there when the beginning is added.
            y = len(strips) - (len(self._strips) - y if keep_place and not self.is_at_end else self.size.height)
        self._strips = strips
        self.virtual_size = Size(_width(strips), len(strips))
        # A place that stays is left alone: to scroll to it would end a scroll that is under way.
        if follow or not keep_place or y > len(strips) - self.size.height:
            self.scroll_to(x, max(0, y), animate=False, force=True)
        self.refresh()

    @property
    def is_at_end(self) -> bool:
        """Whether the last line is in sight."""
        return self.scroll_offset.y + self.size.height >= len(self._strips)

    def action_page_down(self) -> None:
        self.scroll_page_down()

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines in sight; the style they all have is worked out once, not for each."""
        self._base = self.rich_style
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        scroll_x, scroll_y = self.scroll_offset
        line = scroll_y + y
        width = self.scrollable_content_region.width
        if line >= len(self._strips):
            return Strip.blank(width, self._base)
        strip = self._strips[line].crop(scroll_x, scroll_x + width)
        return strip.extend_cell_length(width, self._base).apply_style(self._base)


def _width(strips: Sequence[Strip]) -> int:
    if isinstance(strips, LazyLines):
        return strips.width
    return max((strip.cell_length for strip in strips), default=0)
