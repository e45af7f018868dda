"""The question before a review is sent: what it says as a whole, and its verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Button, Label, Static, TextArea

from orange_tui.delivery.send_review import APPROVE, COMMENT, REQUEST_CHANGES

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from textual.app import ComposeResult

_HINT = (
    "All open comments and drafts go to GitHub as one review, with this text; resolved ones stay here."
    " Then the task is done."
)
_VERDICTS = {"comment": COMMENT, "changes": REQUEST_CHANGES, "approve": APPROVE}


class SendReviewDialog(ModalScreen[tuple[str, str] | None]):
    """The text and the verdict; what was written and not sent is there again the next time."""

    BINDINGS = [("escape", "leave", "Cancel"), ("ctrl+s", "send", "Send")]  # noqa: RUF012 - Textual's own way

    def __init__(self, title: str, *, drafts: MutableMapping[str, str]) -> None:
        super().__init__()
        self._title, self._drafts = title, drafts

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label(self._title, classes="title", markup=False)
            yield Static(_HINT, classes="hint", markup=False)
            yield TextArea(self._drafts.get(self._title, ""), id="text", tab_behavior="focus", compact=True)
            with Horizontal(classes="buttons"):
                yield Button("Cancel (esc)", id="no", compact=True)
                yield Button("Approve", id="approve", compact=True)
                yield Button("Request changes", id="changes", compact=True)
                yield Button("Comment (ctrl+s)", id="comment", compact=True)

    def on_mount(self) -> None:
        area = self.query_one(TextArea)
        area.cursor_blink = False
        area.move_cursor(area.document.end)
        area.focus()

    def action_send(self, verdict: str = COMMENT) -> None:
        self._drafts.pop(self._title, None)
        self.dismiss((self.query_one(TextArea).text.strip(), verdict))

    def action_leave(self) -> None:
        self._drafts[self._title] = self.query_one(TextArea).text
        self.dismiss(None)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        if event.button.id in _VERDICTS:
            self.action_send(_VERDICTS[event.button.id])
        else:
            self.action_leave()
