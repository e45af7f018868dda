"""Answering an agent with what it says in sight: its screen, live and in colour, above the box."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from textual.containers import VerticalScroll
from textual.widgets import Static

from orange_tui.tui.screens.dialogs import MessageDialog
from orange_tui.tui.widgets.strip_view import StripView
from orange_tui.tui.workers import begin_work

if TYPE_CHECKING:
    from collections.abc import Callable, MutableMapping, Sequence

    from textual.app import ComposeResult
    from textual.strip import Strip

    ReadScreen = Callable[[int], Sequence[Strip]]

_FRAME_SECONDS = 0.2  # between two reads of the agent's screen
_HINT = "Sent into its input, or held back while it asks for permission."


class AnswerDialog(MessageDialog):
    """A message to an agent below its screen and the questions in TASK.md; both are read while it is there already."""

    def __init__(
        self,
        branch: str,
        *,
        drafts: MutableMapping[str, str],
        read_questions: Callable[[], str],
        read_screen: ReadScreen,
    ) -> None:
        super().__init__(f"Answer {branch}", _HINT, "Send", drafts=drafts)
        self._read_questions, self._read_screen = read_questions, read_screen
        self._is_reading = False

    def compose_context(self) -> ComposeResult:
        """What the message is about: the last lines of the agent, and what it has asked in TASK.md."""
        with VerticalScroll(id="question", can_focus=False):
            yield Static("", markup=False)
        yield StripView(id="agent", takes_focus=False)

    def on_mount(self) -> None:
        """Read both; the screen again and again."""
        super().on_mount()
        begin_work(self, self._show_questions, exit_on_error=True)
        self.call_after_refresh(self._next_frame)
        self.set_interval(_FRAME_SECONDS, self._next_frame)

    async def _show_questions(self) -> None:
        text = await asyncio.to_thread(self._read_questions)
        self.query_one("#question Static", Static).update(text)
        self.query_one("#question").set_class(bool(text), "-some")

    def _next_frame(self) -> None:
        view = self.query_one("#agent", StripView)
        is_held = view.text_selection is not None or not view.is_at_end  # somebody reads or marks what is there
        if self.is_current and not is_held and not self._is_reading:
            self._is_reading = True
            begin_work(self, partial(self._show_frame, view))

    async def _show_frame(self, view: StripView) -> None:
        try:
            width = view.scrollable_content_region.width
            view.show(await asyncio.to_thread(self._read_screen, width), follow=True)
        finally:
            self._is_reading = False
