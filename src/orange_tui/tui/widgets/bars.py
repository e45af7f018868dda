"""The two lines around the list: what is going on, and what can be done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text
from textual.widgets import Static

from orange_tui.domain.task import printable
from orange_tui.tui.actions import COMMANDS, enter_does, key_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orange_tui.services.board import Row, Snapshot
    from orange_tui.tui.palette import Palette
    from orange_tui.tui.screens.dashboard import Dashboard


class Header(Static):
    """Scope, counts by status, what needs the person, and how full the pool is."""

    def tell(self, snapshot: Snapshot | None, scope: str, order: Sequence[str], palette: Palette) -> None:
        """Show what the snapshot says, its counts in the order of the states."""
        left = Text(" 🍊 Orange  ", style=palette.accent)
        left.append(printable(scope), style=palette.text)
        right = self._right(snapshot, palette)
        middle = self._middle(snapshot, order, palette)
        free = self.size.width - left.cell_len - right.cell_len
        if middle.cell_len + 2 > free:
            middle.truncate(max(0, free - 2), overflow="ellipsis")
        gap = max(1, free - middle.cell_len)
        line = left + Text(" " * (gap // 2)) + middle + Text(" " * (gap - gap // 2)) + right
        self.update(line, layout=False)

    def _middle(self, snapshot: Snapshot | None, order: Sequence[str], palette: Palette) -> Text:
        if snapshot is None:
            return Text("reading …", style=palette.dim)
        parts = [Text(f"{snapshot.needing} need you", style=palette.accent)] if snapshot.needing else []
        known = [status for status in order if status in snapshot.counts]
        counted = [*known, *(status for status in snapshot.counts if status not in known)]
        parts += [Text(f"{snapshot.counts[status]} {printable(status)}", style=palette.dim) for status in counted]
        return Text(" · ", style=palette.dim).join(parts)

    def _right(self, snapshot: Snapshot | None, palette: Palette) -> Text:
        if snapshot is None or not snapshot.pool:
            return Text(" ")
        used = sum(use.used for use in snapshot.pool.values())
        size = sum(use.size for use in snapshot.pool.values())
        return Text(f"pool {used}/{size} ", style=palette.dim)


class Footer(Static):
    """The keys that do something now, for the task under the cursor."""

    def tell(self, dashboard: Dashboard, row: Row | None, palette: Palette) -> None:
        """Show the keys for a task; as many as there is room for."""
        about_task, others = Text(" "), Text("")
        for command in COMMANDS:
            if not command.in_footer:
                continue
            if command.why_not is None:
                self._add(others, key_name(command, dashboard.app.other_keys), command.title, palette)
            elif row is not None and command.why_not(dashboard, row) is None:
                title = enter_does(dashboard, row) if command.name == "enter" else command.title
                self._add(about_task, key_name(command, dashboard.app.other_keys), title, palette)
        line = about_task + Text("│ " if about_task.cell_len > 1 else "", style=palette.dim) + others
        line.truncate(self.size.width, overflow="ellipsis")
        self.update(line, layout=False)

    def _add(self, line: Text, key: str, title: str, palette: Palette) -> None:
        line.append(key, style=palette.accent)
        line.append(f" {title}  ", style=palette.dim)
