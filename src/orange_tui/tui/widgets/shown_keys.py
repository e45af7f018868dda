"""Keys that are shown can be clicked, and a dialog shows its own in the last line of the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.app import App
from textual.screen import ModalScreen
from textual.widgets import Static

from orange_tui.tui.drawing.labels import shown_key
from orange_tui.tui.theme import palette_for
from orange_tui.tui.widgets.bars import CLICKED_KEY, keys_line

if TYPE_CHECKING:
    from textual import events
    from textual.screen import Screen

    from orange_tui.tui.drawing.palette import Palette


class ShowsKeys(App[str]):
    """The part of the app that every screen's keys are shown by."""

    def push_screen(self, *screen: Any, **how: Any) -> Any:
        """Show a screen; a dialog shows its own keys, where those of the screen below it are."""
        pushed = super().push_screen(*screen, **how)
        if isinstance(self.screen, ModalScreen):
            self.screen.call_after_refresh(_show_own_keys, self.screen, palette_for(self))
        return pushed

    def action_help_quit(self) -> None:
        """Ctrl+C is a habit of people who want to leave."""
        self.notify("Press ctrl+q to quit; agents keep running.", markup=False)

    def on_click(self, event: events.Click) -> None:
        """A key in a footer, or among a dialog's own, can be clicked: that presses it."""
        key = event.style.meta.get(CLICKED_KEY)
        if key is not None:
            self.simulate_key(key)


def _show_own_keys(dialog: Screen[Any], palette: Palette) -> None:
    """Show what a dialog's own keys do, in the last line of the screen; those that do the same stand together."""
    keys: dict[str, list[str]] = {}
    for key, binding in dialog._bindings:  # noqa: SLF001 - Textual has no other way to those of one screen alone
        if binding.show and binding.description:
            keys.setdefault(binding.description.lower(), []).append(shown_key(key))
    if keys and dialog.is_attached:
        line = keys_line([(" ".join(shown), title) for title, shown in keys.items()], palette)
        dialog.mount(Static(line, classes="own-keys"))
