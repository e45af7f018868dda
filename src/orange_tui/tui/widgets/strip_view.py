"""A scrolling view of lines that are drawn already: TASK.md, a session, a diff, a history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from orange_tui.tui.drawing.line_marks import crop_marked, highlight, selected_text, with_offsets
from orange_tui.tui.drawing.lines import LazyLines
from orange_tui.tui.theme import palette_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.style import Style
    from textual import events
    from textual.geometry import Region
    from textual.selection import Selection


class StripView(ScrollView, can_focus=True):
    """Shows lines; only those in sight are touched, so their number does not matter. Their text can be selected."""

    class Touched(Message):
        """The person has used the mouse here."""

    BINDINGS = [  # noqa: RUF012 - Textual's own way
        ("j", "scroll_down", "Down"),
        ("k", "scroll_up", "Up"),
        ("g", "scroll_home", "Top"),
        ("G", "scroll_end", "Bottom"),
        ("space", "page_down", "Page down"),
    ]

    def __init__(self, *, id: str | None = None, takes_focus: bool = True) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id)
        self._strips: Sequence[Strip] = ()
        self._takes_focus = takes_focus
        self._base: Style
        self._mark: Style
        self._selection: tuple[Selection, Style] | None = None  # while it is drawn: what is selected, and its style
        self._is_drawing = False

    def focus_on_click(self) -> bool:
        """Whether a click has the keys go here: beside a list, they stay with the list."""
        return self._takes_focus

    def on_mouse_down(self, _event: events.MouseDown) -> None:
        self.post_message(self.Touched())

    def on_mouse_scroll_down(self) -> None:
        self.post_message(self.Touched())

    def on_mouse_scroll_up(self) -> None:
        self.post_message(self.Touched())

    def show(self, strips: Sequence[Strip], *, follow: bool = False, keep_place: bool = True) -> None:
        """Replace the lines. A new text begins at its top; one that is followed, at its end; else the place stays."""
        if strips is self._strips and keep_place:
            return
        x, y = self.scroll_offset if keep_place else (0, 0)
        if follow:
            # Counted from the end: who has begun to read further up goes on there when the beginning is added.
            y = len(strips) - (len(self._strips) - y if keep_place and not self.is_at_end else self.size.height)
        if not keep_place and self.text_selection is not None:
            self.screen.clear_selection()
        self._strips = strips
        self.virtual_size = Size(_width(strips), len(strips))
        # A place that stays is left alone: to scroll to it would end a scroll that is under way.
        if follow or not keep_place or y > len(strips) - self.size.height:
            self.scroll_to(x, max(0, y), animate=False, force=True)
        self.refresh()

    @property
    def lines(self) -> Sequence[Strip]:
        """What is shown."""
        return self._strips

    @property
    def is_at_end(self) -> bool:
        """Whether the last line is in sight."""
        return self.scroll_offset.y + self.size.height >= len(self._strips)

    def action_page_down(self) -> None:
        self.scroll_page_down()

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """What is copied of these lines, and what stands between it and the next widget's."""
        return selected_text(self._strips, selection), "\n"

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines in sight; the styles they all have are worked out once, not for each."""
        self._base, self._mark = self.rich_style, palette_for(self.app).dim
        selection = self.text_selection
        style = self.screen.get_component_rich_style("screen--selection") if selection is not None else None
        self._selection = (selection, style) if selection is not None and style is not None else None
        self._is_drawing = True
        try:
            return super().render_lines(crop)
        finally:
            self._is_drawing = False

    def render_line(self, y: int) -> Strip:
        """A line as it is seen; where Textual only asks which character is where, one with its places."""
        scroll_x, scroll_y = self.scroll_offset
        line = scroll_y + y
        strip = self._strips[line] if line < len(self._strips) else None
        if not self._is_drawing:
            return with_offsets(strip or Strip([]), scroll_x, line)
        width = self.scrollable_content_region.width
        if strip is None:
            return Strip.blank(width, self._base)
        if self._selection is not None and (span := self._selection[0].get_span(line)) is not None:
            strip = highlight(strip, span, self._selection[1])
        strip = crop_marked(strip, scroll_x, width, self._mark)
        return strip.extend_cell_length(width, self._base).apply_style(self._base)


def _width(strips: Sequence[Strip]) -> int:
    if isinstance(strips, LazyLines):
        return strips.width
    return max((strip.cell_length for strip in strips), default=0)
