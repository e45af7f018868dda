"""What there is to see of the selected task, a tab each. Everything is read and drawn in a thread."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING

from rich.text import Text
from textual.containers import Vertical

from orange_tui.domain.errors import OrangeError
from orange_tui.tui.drawing.lines import said
from orange_tui.tui.tabs.sources import SOURCES, Source
from orange_tui.tui.widgets.bars import Line
from orange_tui.tui.widgets.strip_view import StripView

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events
    from textual.app import ComposeResult
    from textual.strip import Strip

    from orange_tui.board.rows import TaskRow
    from orange_tui.store.store import TaskRef
    from orange_tui.tui.app import OrangeApp
    from orange_tui.tui.tabs.sources import Lines

    What = tuple[TaskRef | None, int, int]  # task, tab, width

_GAP = "   "
_FRAME = 0.2  # seconds between two looks at a live session
_SETTLE = 0.06  # seconds the cursor must rest before a preview is worth drawing


class Preview(Vertical):
    """The tabs of one task."""

    app: OrangeApp

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual calls it so
        super().__init__(id=id)
        self._row: TaskRow | None = None
        self._tab = 0
        self._shown: What | None = None
        self._loading: What | None = None
        self._again = False  # it has changed while it was being read
        self._is_whole = False  # what is shown of a session goes back to its beginning

    def compose(self) -> ComposeResult:
        yield Line(id="tabs")
        yield StripView(id="view")

    def on_mount(self) -> None:
        self._timer = self.set_interval(_FRAME, self._next_frame)

    @property
    def source(self) -> Source:
        """What the present tab shows."""
        return SOURCES[self._tab]

    def next_tab(self, step: int = 1) -> None:
        """Show the next tab."""
        self._tab = (self._tab + step) % len(SOURCES)
        self._draw()

    def tell(self, row: TaskRow | None) -> None:
        """Show another task, or the same one anew."""
        self._row = row
        self._draw()

    def on_resize(self) -> None:
        self._draw()

    def _next_frame(self) -> None:
        if self.app.screen is not self.screen or not self.source.is_live or not self.is_in_sight:
            return
        if self._row is None or self._row.session != "active":
            return
        if self._view.is_at_end or not self._is_whole:  # who has scrolled back reads, and nothing moves meanwhile
            self._draw()

    @property
    def _view(self) -> StripView:
        return self.query_one("#view", StripView)

    def scroll_page(self, direction: int) -> bool:
        """Page through a live session; says whether there is one to page through."""
        if self.source.is_live and self.is_in_sight:
            scroll = self._view.scroll_page_down if direction > 0 else self._view.scroll_page_up
            scroll(animate=False)
            return True
        return False

    @property
    def is_in_sight(self) -> bool:
        """Whether anybody could see this: what is hidden is not drawn."""
        return bool(self.display) and self.size.width > 0 and self.screen.is_current

    def _draw(self) -> None:
        if not (self.is_mounted and self.is_in_sight):
            return
        self._draw_tabs()
        wanted = (self._row.ref if self._row else None, self._tab, max(20, self._view.size.width - 3))
        if wanted == self._loading:  # to begin again would be never to end, where something changes all the time
            self._again = True
            return
        self._loading = wanted
        # mypy does not find the result type of a worker that has none
        self.run_worker(self._load, group="preview", exclusive=True, exit_on_error=False)  # type: ignore[arg-type]

    def _draw_tabs(self) -> None:
        palette = self.app.palette
        line = Text()
        for number, title in enumerate(self._titles()):
            line.append(title, style=palette.accent if number == self._tab else palette.dim)
            line.append(_GAP)
        self.query_one("#tabs", Line).say(line)

    def _titles(self) -> list[str]:
        return [source.title(self._row) for source in SOURCES]

    def on_click(self, event: events.Click) -> None:
        """A click on a tab's title shows that tab."""
        if event.widget is not self.query_one("#tabs"):
            return
        ends = list(accumulate(len(title) + len(_GAP) for title in self._titles()))
        tab = bisect_right(ends, event.x - 1)  # the line begins a cell from the edge
        if tab < len(SOURCES):
            self.next_tab(tab - self._tab)

    async def _load(self) -> None:
        what = self._loading
        if what is None or self._row is None:
            self._view.show([])
            self._loading = self._shown = None
            return
        if what != self._shown:
            await asyncio.sleep(_SETTLE)
        self._again = True
        while self._again:
            self._again = False
            await self._show(what, self._row)
        self._loading = None

    async def _show(self, what: What, row: TaskRow) -> None:
        source, is_same = SOURCES[what[1]], what == self._shown
        looks_back = source.is_live and is_same and not self._view.is_at_end
        if looks_back and self._is_whole:
            return
        self._is_whole = looks_back
        lines = source.whole if self._is_whole and source.whole is not None else source.lines
        strips = await asyncio.to_thread(self._read, lines, row, what[2])
        self._view.show(strips, follow=source.is_live, keep_place=is_same)
        self._shown = what

    def _read(self, lines: Lines, row: TaskRow, width: int) -> Sequence[Strip]:
        """What there is to see; whatever is wrong with it is what there is to see then."""
        orange, palette = self.app.orange, self.app.palette
        try:
            return lines(orange, row, width, palette)
        except OrangeError as problem:
            return said(str(problem), palette.bad, width)
        except Exception as problem:  # noqa: BLE001 - the preview of one task must not stop the others
            orange.log.write("error", f"{row.ref.id} cannot be shown: {problem!r}", task=row.ref.id)
            return said(f"This cannot be shown: {problem!r}. `orange log` has it too.", palette.bad, width)
