"""Orange's own themes: one accent, calm greys, and status colours that keep to themselves.

Widgets and screens ask here for the colours of the theme that is on: `palette_for(self.app)`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from textual.app import App
from textual.theme import Theme

from orange_tui.home.paths import shipped
from orange_tui.tui.drawing.palette import palette_of

if TYPE_CHECKING:
    from orange_tui.tui.drawing.palette import Palette

DARK = Theme(
    name="orange",
    primary="#ff8c2b",
    secondary="#7aa2c8",
    accent="#ff8c2b",
    warning="#e5b454",
    error="#e06c66",
    success="#8fb573",
    foreground="#d7d3cd",
    background="#161513",
    surface="#1c1b18",
    panel="#262420",
    dark=True,
)

LIGHT = Theme(
    name="orange-light",
    primary="#a04900",
    secondary="#31658f",
    accent="#a04900",
    warning="#96690a",
    error="#b3362f",
    success="#4b7a2b",
    foreground="#2b2925",
    background="#fbf9f5",
    surface="#f4f1ea",
    panel="#e8e3d9",
    dark=False,
)

THEMES = (DARK, LIGHT)

_palettes: dict[tuple[str, bool], Palette] = {}  # a cache: lines are drawn with it all the time


class ThemedApp(App[str]):
    """An app that begins with a theme other than Textual's own, and with the styles of its first screen alone."""

    CSS_PATH = [os.path.join(shipped("styles"), "app.tcss")]  # noqa: RUF012 - Textual's own way

    def __init__(self) -> None:
        super().__init__()
        self._screens_path = os.path.join(shipped("styles"), "screens.tcss")
        with open(self._screens_path, encoding="utf-8") as file:  # now: later, the event loop would wait for it
            self._screens_styles = file.read()

    def add_styles_of_screens(self) -> None:
        """Add the styles of all other screens: most of them, for which the first frame need not wait."""
        if not self.stylesheet.has_source(self._screens_path):
            self.stylesheet.add_source(self._screens_styles, (self._screens_path, ""))

    def push_screen(self, *screen: Any, **how: Any) -> Any:
        """As Textual does, with its styles: it may be opened before the first frame."""
        self.add_styles_of_screens()
        return super().push_screen(*screen, **how)

    def refresh_css(self, animate: bool = True) -> None:
        """Before there is a screen, the theme's colours are all there is: its style sheet is not parsed for nothing."""
        if self.screen_stack:
            super().refresh_css(animate)
        else:
            self.stylesheet.set_variables(self.get_css_variables())


def palette_for(app: App[Any]) -> Palette:
    """The colours of the theme that is on; none where the person set NO_COLOR."""
    key = app.theme, not app.no_color
    if key not in _palettes:
        _palettes[key] = palette_of(app.current_theme, colour=not app.no_color)
    return _palettes[key]
