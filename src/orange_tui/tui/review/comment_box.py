"""The box in which a comment or an answer is written, over the diff, below the line that it is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.text import Text
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Static, TextArea

from orange_tui.domain.task import printable
from orange_tui.tui.theme import palette_for
from orange_tui.tui.widgets.bars import Line, keys_line

if TYPE_CHECKING:
    from textual.app import ComposeResult

LINES = 8  # of the whole box


class CommentBox(Vertical):
    """A text with what it is about above it. It is saved while it is typed, so Escape loses nothing either."""

    BINDINGS = [("escape", "close(False)", "Close"), ("ctrl+s", "close(True)", "Done")]  # noqa: RUF012 - Textual's own way

    @dataclass
    class Typed(Message):
        """The text is another."""

        text: str

    @dataclass
    class Closed(Message):
        """The person has finished; `is_done`: with the key for it, and not with Escape."""

        text: str
        is_done: bool

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual calls it so
        super().__init__(id=id)
        self._title = ""
        self._written = ""

    def compose(self) -> ComposeResult:
        yield Line(id="box-title", markup=False)
        yield TextArea("", id="box-text", tab_behavior="focus", compact=True)
        yield Static(id="box-keys", markup=False)

    def on_mount(self) -> None:
        area = self.query_one(TextArea)
        area.cursor_blink = False

    @property
    def is_open(self) -> bool:
        """Whether something is being written."""
        return self.has_class("-open")

    def open(self, title: str, text: str, keep: str) -> None:
        """Let the person write; `keep` says what becomes of the text."""
        palette, area = palette_for(self.app), self.query_one(TextArea)
        self._title = title
        self._written = text
        area.load_text(text)
        area.move_cursor(area.document.end)
        self.show_problem(None)
        keys = (("ctrl+s", keep), ("esc", "close, the text stays"))
        self.query_one("#box-keys", Static).update(keys_line(keys, palette), layout=False)
        self.add_class("-open")
        area.focus()

    def close(self) -> None:
        """Done: there is nothing to write any more."""
        self.remove_class("-open")

    @property
    def text(self) -> str:
        """What was written so far."""
        return self.query_one(TextArea).text

    def show_problem(self, problem: str | None) -> None:
        """Say that the text could not be saved, or that it is again."""
        palette = palette_for(self.app)
        style = palette.bad if problem else palette.accent
        why = problem.rpartition(" was not saved: ")[2] if problem else ""  # there is one line, and which file is known
        title = f"Not saved: {why}" if problem else self._title
        self.query_one("#box-title", Line).show_line(Text(f" {printable(title)}", style=style))

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        if self.is_open and event.text_area.text != self._written:
            self._written = event.text_area.text
            self.post_message(self.Typed(self._written))

    def action_close(self, is_done: bool) -> None:
        self.post_message(self.Closed(self.text, is_done))
