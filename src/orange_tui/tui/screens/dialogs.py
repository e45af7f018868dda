"""Questions: each says what will happen to which work, in one sentence, with the safe answer as default."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Label, Static, TextArea

if TYPE_CHECKING:
    from collections.abc import Callable, MutableMapping

    from textual.app import ComposeResult


class ConfirmDialog(ModalScreen[bool]):
    """Yes or no; Escape and Enter are no, unless the person has gone to yes."""

    BINDINGS = [("escape", "dismiss(False)", "No"), ("y", "dismiss(True)", "Yes"), ("n", "dismiss(False)", "No")]  # noqa: RUF012

    def __init__(self, title: str, what_happens: str, yes: str) -> None:
        super().__init__()
        self._title, self._what_happens, self._yes = title, what_happens, yes

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label(self._title, classes="title", markup=False)
            yield Static(self._what_happens, classes="hint", markup=False)
            with Horizontal(classes="buttons"):
                yield Button("No (n)", id="no", compact=True)
                yield Button(f"{self._yes} (y)", id="yes", compact=True)

    def on_mount(self) -> None:
        self.query_one("#no").focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id == "yes")


class MessageDialog(ModalScreen[str | None]):
    """A message to an agent, which may be prepared: what it is for stands above it, Ctrl+S sends it.

    What was written and not sent is there again the next time: Escape is pressed too easily.
    """

    BINDINGS = [("escape", "leave", "Cancel"), ("ctrl+s", "send", "Send")]  # noqa: RUF012

    def __init__(  # noqa: PLR0913 - each of them is seen
        self,
        title: str,
        hint: str,
        send: str,
        *,
        drafts: MutableMapping[str, str],
        prepared: str = "",
        read_question: Callable[[], str] | None = None,
    ) -> None:
        super().__init__()
        self._title, self._hint, self._send, self._prepared = title, hint, send, prepared
        self._drafts = drafts
        self._read_question = read_question  # what the text answers; it is read while the dialog is there already

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label(self._title, classes="title", markup=False)
            yield Static(self._hint, classes="hint", markup=False)
            with VerticalScroll(id="question", can_focus=False):
                yield Static("", markup=False)
            draft = self._drafts.get(self._title, self._prepared)
            classes = "prepared" if self._prepared else ""
            yield TextArea(draft, classes=classes, id="text", tab_behavior="focus", compact=True)
            with Horizontal(classes="buttons"):
                yield Button("Cancel (esc)", id="no", compact=True)
                yield Button(f"{self._send} (ctrl+s)", id="yes", compact=True)

    def on_mount(self) -> None:
        area = self.query_one(TextArea)
        area.cursor_blink = False
        area.move_cursor(area.document.end)
        area.focus()
        if self._read_question is not None:
            self.run_worker(self._show_question(self._read_question))

    async def _show_question(self, read_question: Callable[[], str]) -> None:
        text = await asyncio.to_thread(read_question)
        self.query_one("#question Static", Static).update(text)
        self.query_one("#question").set_class(bool(text), "-some")

    def action_send(self) -> None:
        self._drafts.pop(self._title, None)
        self.dismiss(self.query_one(TextArea).text.strip() or None)

    def action_leave(self) -> None:
        text = self.query_one(TextArea).text
        if text == self._prepared:  # nobody's words yet, and the next time there may be others to prepare
            self._drafts.pop(self._title, None)
        else:
            self._drafts[self._title] = text
        self.dismiss(None)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "yes":
            self.action_send()
        else:
            self.action_leave()
