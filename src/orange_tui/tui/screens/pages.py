"""Whole pages to read: TASK.md, help, a workflow as a picture."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from rich.segment import Segment
from textual.screen import Screen
from textual.strip import Strip
from textual.widgets import Static

from orange_tui.tui.actions import COMMANDS, key_name
from orange_tui.tui.cells import fit
from orange_tui.tui.look import SIGNS
from orange_tui.tui.widgets.strip_view import StripView

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.app import ComposeResult

    from orange_tui.services.board import Row
    from orange_tui.tui.palette import Palette
    from orange_tui.tui.screens.dashboard import Dashboard


class Page(Screen[None]):
    """Lines under a title, made in a thread; Escape or q goes back."""

    BINDINGS = [("escape", "dismiss", "Back"), ("q", "dismiss", "Back")]  # noqa: RUF012

    def __init__(self, title: str, lines: Callable[[int], Sequence[Strip]], palette: Palette) -> None:
        super().__init__()
        self._title, self._lines, self._palette = title, lines, palette

    def compose(self) -> ComposeResult:
        yield Static(id="header")
        yield StripView(id="page")
        yield Static(id="footer")

    def on_mount(self) -> None:
        self.query_one("#page").add_class("page").focus()
        self._show()

    def on_resize(self) -> None:
        self._show()

    def _show(self) -> None:
        from rich.text import Text

        self.query_one("#header", Static).update(Text(f" {self._title}", style=self._palette.accent))
        keys = Text(" j k space g G move   esc back", style=self._palette.dim)
        self.query_one("#footer", Static).update(keys)
        # mypy does not find the result type of a worker that has none
        self.run_worker(self._load, exclusive=True, exit_on_error=False)  # type: ignore[arg-type]

    async def _load(self) -> None:
        lines = await asyncio.to_thread(self._lines, max(20, self.size.width - 4))
        self.query_one("#page", StripView).show(lines)


def plain(text: str, palette: Palette) -> Callable[[int], Sequence[Strip]]:
    """Lines of ordinary text, as they are."""
    return lambda _width: [Strip([Segment(line, palette.text)]) for line in text.splitlines()]


def help_lines(dashboard: Dashboard, row: Row | None, palette: Palette) -> Callable[[int], Sequence[Strip]]:
    """Every key with what it does, and why it cannot be used where it cannot; then what the signs mean."""

    def lines(width: int) -> list[Strip]:
        shown = [Strip([Segment("Keys", palette.heading)]), Strip([])]
        for command in COMMANDS:
            reason = command.why_not(dashboard, row) if command.why_not and row is not None else None
            style = palette.dim if reason else palette.text
            shown.append(
                Strip(
                    [
                        Segment(fit(f"  {key_name(command, dashboard.app.other_keys)}", 8), palette.accent),
                        Segment(command.help, style),
                    ]
                )
            )
            if reason:
                shown.append(Strip([Segment(" " * 8 + reason, palette.warning)]))
        moving = ("j k ↑ ↓ g G", "Move"), ("space →", "The preview, on a narrow screen"), ("ctrl+p", "Command palette")
        shown += [Strip([Segment(fit(f"  {keys}", 14), palette.accent), Segment(what)]) for keys, what in moving]
        shown += [Strip([]), Strip([Segment("Signs", palette.heading)]), Strip([])]
        shown += [Strip([Segment(fit(f"  {sign}", 8), palette.accent), Segment(what)]) for sign, what in SIGNS]
        return [line.crop(0, width) for line in shown]

    return lines
