"""What there is to see of the selected task, a tab each. Everything is read and drawn in a thread."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from rich.text import Text
from textual.containers import Vertical

from orange_tui.tui.sources import SOURCES, Source
from orange_tui.tui.widgets.bars import Line
from orange_tui.tui.widgets.strip_view import StripView

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from orange_tui.services.board import Row
    from orange_tui.tui.app import OrangeApp

_FRAME = 0.2  # seconds between two looks at a live session
_SETTLE = 0.06  # seconds the cursor must rest before a preview is worth drawing


class Preview(Vertical):
    """The tabs of one task."""

    app: OrangeApp

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual calls it so
        super().__init__(id=id)
        self._row: Row | None = None
        self._tab = 0
        self._shown: tuple[object, int, int] | None = None

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

    def tell(self, row: Row | None) -> None:
        """Show another task, or the same one anew."""
        self._row = row
        self._draw()

    def on_resize(self) -> None:
        self._draw()

    def _next_frame(self) -> None:
        if self.source.is_live and self._row is not None and self._row.session == "active" and self.is_in_sight:
            self._draw()

    @property
    def is_in_sight(self) -> bool:
        """Whether anybody could see this: what is hidden is not drawn."""
        return bool(self.display) and self.size.width > 0 and self.screen.is_current

    def _draw(self) -> None:
        if not (self.is_mounted and self.is_in_sight):
            return
        self._draw_tabs()
        # mypy does not find the result type of a worker that has none
        self.run_worker(self._load, group="preview", exclusive=True, exit_on_error=False)  # type: ignore[arg-type]

    def _draw_tabs(self) -> None:
        palette = self.app.palette
        line = Text()
        for number, source in enumerate(SOURCES):
            title = source.title(self._row)
            line.append(f"{title}", style=palette.accent if number == self._tab else palette.dim)
            line.append("   ")
        self.query_one("#tabs", Line).say(line)

    async def _load(self) -> None:
        row, tab, view = self._row, self._tab, self.query_one("#view", StripView)
        if row is None:
            view.show([])
            return
        await asyncio.sleep(_SETTLE)
        width = max(20, view.size.width - 3)
        strips = await asyncio.to_thread(SOURCES[tab].lines, self.app.orange, row, width, self.app.palette)
        what = (row.ref, tab, width)
        view.show(strips, follow=SOURCES[tab].is_live, keep_place=what == self._shown)
        self._shown = what
