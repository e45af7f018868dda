"""Keys that are shown can be clicked, and a dialog shows its own in the last line of the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.actions import parse
from textual.app import App
from textual.screen import ModalScreen
from textual.widgets import Static

from orange_tui.tui.drawing.labels import shown_key
from orange_tui.tui.theme import palette_for
from orange_tui.tui.widgets.bars import CLICKED_KEY, keys_line

if TYPE_CHECKING:
    from textual import events
    from textual.screen import Screen

    from orange_tui.tui.widgets.bars import Keys


class ShowsKeys(App[str]):
    """The part of the app that every screen's keys are shown by."""

    def push_screen(self, *screen: Any, **how: Any) -> Any:
        """Show a screen; a dialog shows its own keys, where those of the screen below it are."""
        pushed = super().push_screen(*screen, **how)
        if isinstance(self.screen, ModalScreen):
            self.screen.call_after_refresh(show_own_keys, self.screen)
        return pushed

    def action_help_quit(self) -> None:
        """Ctrl+C is a habit of people who want to leave."""
        self.notify("Press ctrl+q to quit; agents keep running.", markup=False)

    def on_click(self, event: events.Click) -> None:
        """A key in a footer, or among a dialog's own, can be clicked: that presses it."""
        key = event.style.meta.get(CLICKED_KEY)
        if key is not None:
            self.simulate_key(key)


class OwnKeys:
    """A dialog whose keys are called otherwise than its bindings, or that has some of them only now and then."""

    def own_keys(self) -> Keys:
        """The keys that do something now, each with what it does."""
        raise NotImplementedError


def show_own_keys(dialog: Screen[Any]) -> None:
    """Show what a dialog's own keys do, in the last line of the screen, or what they do by now."""
    keys = dialog.own_keys() if isinstance(dialog, OwnKeys) else bound_keys(dialog)
    if not keys or not dialog.is_attached:
        return
    line = keys_line(keys, palette_for(dialog.app))
    for shown in dialog.query(".own-keys").results(Static):
        shown.update(line)
        return
    dialog.mount(Static(line, classes="own-keys"))


def bound_keys(dialog: Screen[Any]) -> Keys:
    """A dialog's bindings that can be used now; those that do the same stand together."""
    keys: dict[str, list[str]] = {}
    for key, binding in dialog._bindings:  # noqa: SLF001 - Textual has no other way to those of one screen alone
        if binding.show and binding.description and _can_be_used(dialog, binding.action):
            keys.setdefault(binding.description.lower(), []).append(shown_key(key))
    return [(" ".join(shown), title) for title, shown in keys.items()]


def _can_be_used(dialog: Screen[Any], action: str) -> bool:
    _, name, parameters = parse(action)
    return bool(dialog.check_action(name, parameters))
