"""One task on the whole screen: its session, its diff, its history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.screen import Screen
from textual.widgets import Static

from orange_tui.domain.task import printable
from orange_tui.tui.theme import palette_for
from orange_tui.tui.widgets.bars import keys_line
from orange_tui.tui.widgets.preview import Preview

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult

    from orange_tui.board.rows import Snapshot, TaskRow
    from orange_tui.tui.widgets.preview import PreviewTab

_KEYS = (("⇥", "next tab"), ("j k space g G", "scroll"), ("esc", "back"))


class WorkspaceScreen(Screen[None]):
    """The preview, with all the room there is; it follows the task as the list does."""

    BINDINGS = [  # noqa: RUF012 - Textual's own way
        ("escape", "dismiss", "Back"),
        ("q", "dismiss", "Back"),
        ("tab", "tab(1)", "Next"),
        ("shift+tab", "tab(-1)", "Previous"),
    ]

    def __init__(self, row: TaskRow, tabs: Sequence[PreviewTab]) -> None:
        super().__init__()
        self._row, self._tabs = row, tabs

    def compose(self) -> ComposeResult:
        yield Static(id="header")
        yield Preview(self._tabs, id="whole")
        yield Static(id="footer")

    def on_mount(self) -> None:
        from rich.text import Text

        palette, task = palette_for(self.app), self._row.task
        title = f" {task.project}/{task.branch}" if task is not None else f" {self._row.ref.id}"
        self.query_one("#header", Static).update(Text(printable(title), style=palette.accent))
        self.query_one("#footer", Static).update(keys_line(_KEYS, palette))
        self.query_one("#view").focus()
        self.watch(self.app, "snapshot", self._follow_task)

    def on_resize(self) -> None:
        self.query_one(Preview).show(self._row)

    def _follow_task(self, snapshot: Snapshot | None) -> None:
        rows = snapshot.rows if snapshot else ()
        self._row = next((row for row in rows if row.ref == self._row.ref), self._row)
        self.query_one(Preview).show(self._row)

    def action_tab(self, step: int) -> None:
        self.query_one(Preview).next_tab(step)
