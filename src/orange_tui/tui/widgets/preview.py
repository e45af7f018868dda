"""What there is to see of the selected task, a tab each. Everything is read and drawn in a thread."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from rich.text import Text
from textual.containers import Vertical
from textual.message import Message

from orange_tui.domain.records import record
from orange_tui.tui.theme import palette_for
from orange_tui.tui.widgets.bars import Line
from orange_tui.tui.widgets.strip_view import StripView
from orange_tui.tui.workers import begin_work

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual import events
    from textual.app import ComposeResult
    from textual.strip import Strip

    from orange_tui.board.rows import TaskRow
    from orange_tui.store.store import TaskRef
    from orange_tui.tui.drawing.palette import Palette

    Lines = Callable[[TaskRow, int, Palette], Sequence[Strip]]
    Request = tuple[TaskRef | None, int, int]  # task, tab, width

SCROLL_KEYS = ("⇧↑ ⇧↓", "scroll")  # beside a list, which has the arrows for itself
_GAP = "   "
_FRAME_SECONDS = 0.2  # between two reads of a live session
_SETTLE_SECONDS = 0.06  # the cursor must rest that long before a preview is worth drawing


@record
class PreviewTab:
    """One tab: a name and a function that makes its lines, in a thread. A live one is read again while it is seen."""

    name: str
    lines: Lines
    whole: Lines | None = None  # of a live one: with what has scrolled out of sight
    use_size: Callable[[int, int], None] | None = None  # of one that is drawn for the size in which it is shown
    title_for: Callable[[TaskRow], str] | None = None  # where the title says something about the task

    @property
    def is_live(self) -> bool:
        """Whether it changes by itself."""
        return self.whole is not None

    def title(self, row: TaskRow | None) -> str:
        """The tab's title for a task."""
        return self.title_for(row) if self.title_for is not None and row is not None else self.name


class Preview(Vertical):
    """The tabs of one task."""

    @dataclass
    class TabShown(Message):
        """The person has gone to another tab."""

        name: str

    class Read(Message):
        """The person does something here: whoever reads a task goes on reading that one."""

    def __init__(self, tabs: Sequence[PreviewTab], *, id: str) -> None:  # noqa: A002 - Textual calls it so
        super().__init__(id=id)
        self._tabs = tabs
        self._row: TaskRow | None = None
        self._tab = 0
        self._shown: Request | None = None
        self._loading: Request | None = None
        self._again = False  # it has changed while it was being read
        self._missed = False  # it has changed while nobody could see it
        self._is_whole = False  # what is shown of a session goes back to its beginning

    def compose(self) -> ComposeResult:
        yield Line(id="tabs")
        yield StripView(id="view", takes_focus=False)

    def on_mount(self) -> None:
        self.set_interval(_FRAME_SECONDS, self._next_frame)

    @property
    def tab(self) -> PreviewTab:
        """The tab that is shown."""
        return self._tabs[self._tab]

    def next_tab(self, step: int = 1) -> None:
        """Show the next tab."""
        self._tab = (self._tab + step) % len(self._tabs)
        self._draw()
        self.post_message(self.TabShown(self.tab.name))
        self.post_message(self.Read())

    @property
    def names(self) -> list[str]:
        """The tabs there are."""
        return [tab.name for tab in self._tabs]

    def show_tab(self, name: str) -> None:
        """Show the tab with this name."""
        self._tab = self.names.index(name)
        self._draw()

    def show(self, row: TaskRow | None) -> None:
        """Show another task, or the same one anew."""
        self._row = row
        self._draw()

    def on_resize(self) -> None:
        self._draw()

    def _next_frame(self) -> None:
        if self.app.screen is not self.screen or not self.is_in_sight:
            return
        if self._missed:
            self._draw()
        if not self.tab.is_live:
            return
        if self._row is None or self._row.session != "active":
            return
        if self._view.text_selection is not None:  # what somebody marks stays below their pointer
            return
        if self._view.is_at_end or not self._is_whole:  # who has scrolled back reads, and nothing moves meanwhile
            self._draw()

    @property
    def _view(self) -> StripView:
        return self.query_one("#view", StripView)

    def scroll_page(self, direction: int) -> bool:
        """Page through what is shown; says whether anybody can see that."""
        return self.scroll_lines(direction * max(1, self._view.size.height - 1))

    def scroll_lines(self, count: int) -> bool:
        """Scroll what is shown; says whether anybody can see that."""
        if self.is_in_sight:
            self.post_message(self.Read())
            self._view.scroll_relative(y=count, animate=False)
        return self.is_in_sight

    @property
    def is_in_sight(self) -> bool:
        """Whether anybody could see this: what is hidden is not drawn."""
        return bool(self.display) and self.size.width > 0 and self.screen.is_current

    def _draw(self) -> None:
        self._missed = not (self.is_mounted and self.is_in_sight)
        if self._missed:
            return
        self._draw_tabs()
        wanted = (self._row.ref if self._row else None, self._tab, max(20, self._view.size.width - 3))
        if wanted == self._loading:  # to begin again would be never to end, where something changes all the time
            self._again = True
            return
        self._loading = wanted
        begin_work(self, self._load, group="preview", exclusive=True)

    def _draw_tabs(self) -> None:
        palette = palette_for(self.app)
        line = Text()
        for number, title in enumerate(self._titles()):
            line.append(title, style=palette.accent if number == self._tab else palette.dim)
            line.append(_GAP)
        self.query_one("#tabs", Line).show_line(line)

    def _titles(self) -> list[str]:
        return [tab.title(self._row) for tab in self._tabs]

    def on_strip_view_touched(self) -> None:
        self.post_message(self.Read())

    def on_click(self, event: events.Click) -> None:
        """A click on a tab's title shows that tab."""
        if event.widget is not self.query_one("#tabs"):
            return
        ends = list(accumulate(len(title) + len(_GAP) for title in self._titles()))
        tab = bisect_right(ends, event.x - 1)  # the line begins a cell from the edge
        if tab < len(self._tabs):
            self.next_tab(tab - self._tab)

    async def _load(self) -> None:
        request = self._loading
        if request is None or self._row is None:
            self._view.show([])
            self._loading = self._shown = None
            return
        if request != self._shown:
            await asyncio.sleep(_SETTLE_SECONDS)
        self._again = True
        while self._again:
            self._again = False
            await self._show(request, self._row)
        self._loading = None

    async def _show(self, request: Request, row: TaskRow) -> None:
        tab, is_same = self._tabs[request[1]], request == self._shown
        looks_back = tab.is_live and is_same and not self._view.is_at_end
        if looks_back and self._is_whole:
            return
        self._is_whole = looks_back
        if tab.use_size is not None:
            tab.use_size(request[2], self._view.size.height)
        lines = tab.whole if self._is_whole and tab.whole is not None else tab.lines
        shown = () if tab.is_live else self._view.lines  # a live one is followed to its end, and sees to it by itself
        strips = await asyncio.to_thread(_read, lines, row, request[2], palette_for(self.app), shown)
        self._view.show(strips, follow=tab.is_live, keep_place=is_same)
        self._shown = request


def _read(lines: Lines, row: TaskRow, width: int, palette: Palette, shown: Sequence[Strip]) -> Sequence[Strip]:
    """The lines to show: the very ones that are shown where they say the same, and then nothing is drawn."""
    found = lines(row, width, palette)
    return shown if found == shown else found
