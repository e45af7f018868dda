"""The line for `/`: a screen that has it can be searched, and while somebody types there, a letter is a letter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Horizontal
from textual.screen import Screen
from textual.widgets import Input, Label

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult

SEARCH_KEYS = (("⏎", "keep what is found"), ("esc", "end the search"))


class SearchLine(Horizontal):
    """Where the words are typed; in sight only while they are."""

    def __init__(self, placeholder: str) -> None:
        super().__init__(id="search-line")
        self._placeholder = placeholder

    def compose(self) -> ComposeResult:
        yield Label("/ ")
        yield Input(placeholder=self._placeholder, id="search", select_on_focus=False)


class SearchScreen(Screen[None]):
    """A screen with a `SearchLine`. Its own letters do nothing while something is typed there."""

    LETTER_ACTIONS: frozenset[str] = frozenset()

    def searched(self, text: str) -> None:
        """The words are others: show what they find."""
        raise NotImplementedError

    def focus_content(self) -> None:
        """Give the keys back to what is searched."""
        raise NotImplementedError

    def show_keys(self) -> None:
        """Show the keys that do something now: while something is typed, these are others."""

    def start_search(self) -> None:
        """Let the person type what to look for."""
        self.add_class("-searching")
        self.set_focus(self.query_one("#search", Input))
        self.show_keys()

    def end_search(self) -> None:
        """Search for nothing any more."""
        with self.prevent(Input.Changed):
            self.query_one("#search", Input).value = ""
        self._end_typing()

    @property
    def is_searching(self) -> bool:
        """Whether the person is typing what to look for."""
        return self.has_class("-searching")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While something is searched for, a letter is a letter, even one that was typed before the line was there."""
        if self.is_searching and action in self.LETTER_ACTIONS:
            return False
        return super().check_action(action, parameters)

    def on_key(self, event: events.Key) -> None:
        search = self.query_one("#search", Input)
        if self.is_searching and event.is_printable and event.character and not search.has_focus:
            search.insert_text_at_cursor(event.character)
            event.stop()

    def on_input_changed(self, event: Input.Changed) -> None:
        self.searched(event.value)

    def on_input_submitted(self) -> None:
        self._end_typing()

    def _end_typing(self) -> None:
        self.remove_class("-searching")
        self.focus_content()
        self.show_keys()
