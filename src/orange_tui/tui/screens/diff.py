"""What a branch changes, on the whole screen: the files beside the diff where there is room, and keys to go through it.

The diff is one long text. Where the person is in it is a line; the file and the change that belong to it follow.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from rich.text import Text
from textual.containers import Horizontal
from textual.screen import Screen
from textual.widgets import Static

from orange_tui.domain.errors import OrangeError
from orange_tui.domain.task import printable
from orange_tui.tui.drawing.diff_view import DiffLines
from orange_tui.tui.drawing.lines import paragraph
from orange_tui.tui.theme import palette_for
from orange_tui.tui.widgets.bars import keys_line
from orange_tui.tui.widgets.file_list import FileList
from orange_tui.tui.widgets.strip_view import StripView

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult

    from orange_tui.board.rows import Snapshot, TaskRow
    from orange_tui.domain.review.diff import DiffFile
    from orange_tui.orange import Orange

_WIDE_CELLS = 100
_KEYS = (("] [", "file"), ("n p", "change"), ("j k space g G", "scroll"), ("f", "files"), ("esc", "back"))


class DiffScreen(Screen[None]):
    """The diff of one task; it is read again when the branch has moved."""

    BINDINGS = [  # noqa: RUF012 - Textual's own way
        ("escape,q,D", "dismiss", "Back"),
        ("right_square_bracket", "file(1)", "Next file"),
        ("left_square_bracket", "file(-1)", "Previous file"),
        ("n", "hunk(1)", "Next change"),
        ("p", "hunk(-1)", "Previous change"),
        ("f", "files", "Files"),
    ]

    def __init__(self, row: TaskRow, orange: Orange) -> None:
        super().__init__()
        self._row, self._orange = row, orange
        self._files: Sequence[DiffFile] = ()
        self._lines: DiffLines | None = None
        self._place = 0  # the line we are at; it can be one that the end of the text keeps from the top

    @property
    def _view(self) -> StripView:
        return self.query_one("#changes", StripView)

    def compose(self) -> ComposeResult:
        yield Static(id="header")
        with Horizontal(id="body"):
            yield FileList(id="files")
            yield StripView(id="changes")
        yield Static(keys_line(_KEYS, palette_for(self.app)), id="footer")

    def on_mount(self) -> None:
        self._view.focus()
        self._show_header("reading …")
        self.watch(self._view, "scroll_y", self._scrolled, init=False)
        self.watch(self.app, "snapshot", self._follow_task, init=False)
        self._read()

    def on_resize(self) -> None:
        self.set_class(self.size.width >= _WIDE_CELLS, "-files")

    def _follow_task(self, snapshot: Snapshot | None) -> None:
        now = next((row for row in (snapshot.rows if snapshot else ()) if row.ref == self._row.ref), self._row)
        moved, self._row = now.stats != self._row.stats, now
        if moved:
            self._read()

    def _read(self) -> None:
        self.run_worker(self._load(), group="diff", exclusive=True, exit_on_error=False)

    async def _load(self) -> None:
        try:
            files, lines = await asyncio.to_thread(self._drawn)
        except OrangeError as problem:
            self._view.show(paragraph(str(problem), palette_for(self.app).dim, max(20, self._view.size.width - 2)))
            self._show_header("no diff")
            return
        self._files, self._lines = files, lines
        self._view.show(lines if files else paragraph("No changes yet.", palette_for(self.app).dim, 40))
        self.query_one(FileList).show(files)
        self._show_place()

    def _drawn(self) -> tuple[list[DiffFile], DiffLines]:
        from orange_tui.branches.task_diff import TaskDiffs
        from orange_tui.domain.review.diff import parse_diff

        row, diffs = self._row, TaskDiffs(self._orange.projects, self._orange.store, self._orange.pool)
        text = diffs.read(row.ref, row.task, finished=row.finished) if row.task is not None else ""
        files = parse_diff(text)
        return files, DiffLines(files, palette_for(self.app))

    def _scrolled(self, top: float) -> None:
        if int(top) != min(self._place, self._view.max_scroll_y):
            self._place = int(top)
            self._show_place()

    def _show_place(self) -> None:
        number = self._file()
        self.query_one(FileList).follow(number)
        added, removed = sum(file.added for file in self._files), sum(file.removed for file in self._files)
        where = f"{number + 1}/{len(self._files)} {self._files[number].path}   " if self._files else "no changes   "
        self._show_header(f"{where}+{added:,} −{removed:,}")

    def _file(self) -> int:
        return max(0, bisect_right(self._lines.files, self._place) - 1) if self._lines is not None else 0

    def _show_header(self, what: str) -> None:
        task, palette = self._row.task, palette_for(self.app)
        name = f"{task.project}/{task.branch}" if task is not None else self._row.ref.id
        line = Text.assemble((f" {printable(name)}", palette.accent), (f"   {printable(what)}", palette.text))
        self.query_one("#header", Static).update(line, layout=False)

    def _go(self, place: int) -> None:
        self._place = place
        self._view.scroll_to(y=place, animate=False, force=True)
        self._show_place()

    def on_file_list_chosen(self, message: FileList.Chosen) -> None:
        if self._lines is not None:
            self._go(self._lines.files[message.number])

    def action_file(self, step: int) -> None:
        self._jump(self._lines.files if self._lines is not None else [], step)

    def action_hunk(self, step: int) -> None:
        self._jump(self._lines.hunks if self._lines is not None else [], step)

    def _jump(self, places: list[int], step: int) -> None:
        number = bisect_right(places, self._place) if step > 0 else bisect_left(places, self._place) - 1
        if 0 <= number < len(places):
            self._go(places[number])

    def action_files(self) -> None:
        self.toggle_class("-files")
