"""A field for what others in sight of the screen should not read: addresses with tokens and passwords in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.segment import Segment
from textual.strip import Strip
from textual.widgets import Input

from orange_tui.options.settings_file import hidden_value
from orange_tui.tui.drawing.cells import fit

if TYPE_CHECKING:
    from textual import events

_PASSING = frozenset({"tab", "shift+tab", "escape", "ctrl+s"})  # keys of the form: they edit nothing


class SecretInput(Input):
    """Shows only of which kind its value is, until a key is pressed in it or it is clicked: Tab alone shows nothing."""

    is_open = False

    def render_line(self, y: int) -> Strip:
        """The line of the value, or what may be seen of it."""
        if self.is_open or y != 0 or not self.value:
            return super().render_line(y)
        style = self.get_component_rich_style("input--selection") if self.has_focus else None
        shown = fit(hidden_value(self.value), self.scrollable_content_region.width)
        return Strip([Segment(shown, style)]).apply_style(self.rich_style)

    async def on_key(self, event: events.Key) -> None:
        if event.key not in _PASSING:
            self._open(is_open=True)

    def on_mouse_down(self) -> None:
        self._open(is_open=True)

    def on_blur(self) -> None:
        self._open(is_open=False)

    def _open(self, *, is_open: bool) -> None:
        self.is_open = is_open
        self.refresh()
