"""Whole pages to read: TASK.md, the log, help, a workflow as a map. `/` finds words in them."""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.strip import Strip
from textual.widgets import Static

from orange_tui.domain.task import printable
from orange_tui.tui.drawing.found_lines import find_lines, mark_found
from orange_tui.tui.theme import palette_for
from orange_tui.tui.widgets.bars import keys_line
from orange_tui.tui.widgets.search_line import SearchLine, SearchScreen
from orange_tui.tui.widgets.strip_view import StripView
from orange_tui.tui.workers import begin_work

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.app import ComposeResult

    from orange_tui.tui.drawing.palette import Palette

    Lines = Callable[[int], Sequence[Strip]]

_KEYS = (("j k space g G", "scroll"), ("/", "search"), ("esc", "back"))
_FOUND = Style(reverse=True)  # in any theme, and without colours
_FOUND_KEYS = (("n N", "next, previous"), ("/", "search"), ("esc", "end the search"))


class Page(SearchScreen):
    """Lines under a title; Escape or q goes back. They are made in a thread, again whenever something has changed."""

    LETTER_ACTIONS = frozenset({"leave", "found", "search"})
    BINDINGS = [  # noqa: RUF012 - Textual's own way
        ("escape", "back", "Back"),
        ("q", "leave", "Back"),
        ("slash", "search", "Search"),
        ("n", "found(1)", "Next"),
        ("N", "found(-1)", "Previous"),
    ]

    def __init__(self, title: str, lines: Lines, *, follows: bool = False) -> None:
        super().__init__()
        self._title, self._lines, self._follows = title, lines, follows
        self._strips: Sequence[Strip] = ()
        self._words = ""
        self._places: list[int] = []  # the lines that have the words
        self._place = 0  # the line that was gone to last

    def compose(self) -> ComposeResult:
        yield Static(id="header")
        yield StripView(id="page")
        yield SearchLine("words on this page")
        yield Static(id="footer")

    @property
    def _view(self) -> StripView:
        return self.query_one("#page", StripView)

    def on_mount(self) -> None:
        self._view.add_class("page").focus()
        self._show_bars()
        if self._follows:
            self.watch(self.app, "snapshot", self._show, init=False)

    def on_resize(self) -> None:
        self._show()

    def _show(self) -> None:
        begin_work(self, self._load, group="page", exclusive=True)

    async def _load(self) -> None:
        self._strips = await asyncio.to_thread(self._lines, max(20, self.size.width - 4))
        self._show_found()

    # ── searching ──

    def _show_found(self) -> None:
        self._places = find_lines(self._strips, self._words)
        strips = mark_found(self._strips, self._words, self._places, _FOUND) if self._places else self._strips
        self._view.show(strips)
        self._show_bars()

    def _show_bars(self) -> None:
        palette = palette_for(self.app)
        count = f"  {len(self._places)} with “{self._words}”" if self._words else ""
        title = Text(f" {printable(self._title)}", style=palette.accent)
        self.query_one("#header", Static).update(title.append(printable(count), style=palette.dim))
        self.query_one("#footer", Static).update(keys_line(_FOUND_KEYS if self._words else _KEYS, palette))

    def searched(self, text: str) -> None:
        """Go to the first line with the words, from where the person is."""
        self._words = text.strip()
        self._show_found()
        self._go_to(self._place)

    def focus_content(self) -> None:
        self._view.focus()

    def action_search(self) -> None:
        self._place = int(self._view.scroll_offset.y)
        self.start_search()

    def action_found(self, step: int) -> None:
        """Go to the next line with the words, or to the one before, round and round."""
        if self._places:
            here = bisect_left(self._places, self._place)
            is_on_one = here < len(self._places) and self._places[here] == self._place
            following = here + step if is_on_one or step < 0 else here
            self._go_to(self._places[following % len(self._places)])

    def _go_to(self, line: int) -> None:
        """Show a line with the words, from this one on."""
        if self._places:
            self._place = self._places[bisect_left(self._places, line) % len(self._places)]
            self._view.scroll_to(y=max(0, self._place - self._view.size.height // 3), animate=False, force=True)

    def action_back(self) -> None:
        if self.is_searching or self._words:
            self.end_search()
            self._words = ""
            self._show_found()
        else:
            self.dismiss()

    def action_leave(self) -> None:
        self.dismiss()


def plain_lines(text: str, palette: Palette) -> list[Strip]:
    """Lines of ordinary text, as they are."""
    return [Strip([Segment(line, palette.text)]) for line in text.splitlines()]
