"""Whole pages to read: TASK.md, the log, help, a workflow as a map."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.text import Text
from textual.screen import Screen
from textual.strip import Strip
from textual.widgets import Static

from orange_tui.domain.task import printable
from orange_tui.tui.theme import palette_for
from orange_tui.tui.widgets.bars import keys_line
from orange_tui.tui.widgets.strip_view import StripView

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.app import ComposeResult

    from orange_tui.tui.drawing.palette import Palette

    Lines = Callable[[int], Sequence[Strip]]

_KEYS = (("j k space g G", "scroll"), ("esc", "back"))


class Page(Screen[None]):
    """Lines under a title; Escape or q goes back. They are made in a thread, again whenever something has changed."""

    BINDINGS = [("escape,q", "dismiss", "Back")]  # noqa: RUF012 - Textual's own way

    def __init__(self, title: str, lines: Lines, *, follows: bool = False) -> None:
        super().__init__()
        self._title, self._lines, self._follows = title, lines, follows

    def compose(self) -> ComposeResult:
        palette = palette_for(self.app)
        yield Static(Text(f" {printable(self._title)}", style=palette.accent), id="header")
        yield StripView(id="page")
        yield Static(keys_line(_KEYS, palette), id="footer")

    def on_mount(self) -> None:
        self.query_one("#page").add_class("page").focus()
        if self._follows:
            self.watch(self.app, "snapshot", self._show, init=False)

    def on_resize(self) -> None:
        self._show()

    def _show(self) -> None:
        # mypy does not find the result type of a worker that has none
        self.run_worker(self._load, group="page", exclusive=True, exit_on_error=False)  # type: ignore[arg-type]

    async def _load(self) -> None:
        strips = await asyncio.to_thread(self._lines, max(20, self.size.width - 4))
        self.query_one("#page", StripView).show(strips)


def plain_lines(text: str, palette: Palette) -> list[Strip]:
    """Lines of ordinary text, as they are."""
    return [Strip([Segment(line, palette.text)]) for line in text.splitlines()]
