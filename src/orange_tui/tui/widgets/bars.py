"""The two lines around the list: what is going on, and what can be done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text
from textual.widgets import Static

from orange_tui.domain.task import printable
from orange_tui.tui.commands.keys import COMMANDS, enter_does, key_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orange_tui.board.rows import Snapshot, TaskRow
    from orange_tui.tui.commands.keys import Command
    from orange_tui.tui.drawing.palette import Palette
    from orange_tui.tui.screens.dashboard import Dashboard

_ROOMY = 100
_LEAST_NEEDED = ("filter", "next", "search", "diff", "create", "pull_request", "delete", "cancel", "retry", "merge")


class Line(Static):
    """A line of text that is drawn again only when it says something else."""

    _said: Text | None = None

    def say(self, line: Text) -> None:
        """Show a line."""
        if line != self._said:
            self._said = line
            self.update(line, layout=False)


class Header(Line):
    """Scope, counts by status, what needs the person, and how full the pool is."""

    def tell(self, snapshot: Snapshot | None, scope: str, order: Sequence[str], palette: Palette) -> None:
        """Show what the snapshot says, its counts in the order of the states."""
        width = self.size.width
        name = " 🍊 Orange  " if width >= _ROOMY else " 🍊 "
        left = Text.assemble((name, palette.accent), (printable(scope), palette.text))
        right = self._right(snapshot, palette)
        free = width - left.cell_len - right.cell_len
        middle = self._middle(snapshot, order, palette, free - 4)
        gap = max(1, free - middle.cell_len)
        line = Text.assemble(left, " " * (gap // 2), middle, " " * (gap - gap // 2), right)
        line.truncate(width)
        self.say(line)

    def _middle(self, snapshot: Snapshot | None, order: Sequence[str], palette: Palette, room: int) -> Text:
        """As many of the counts as there is room for, none of them cut in two."""
        if snapshot is None:
            return Text("reading …", style=palette.dim)
        parts = [(f"{snapshot.needing} need you", palette.accent)] if snapshot.needing else []
        known = [status for status in order if status in snapshot.counts]
        counted = [*known, *(status for status in snapshot.counts if status not in known)]
        parts += [(f"{snapshot.counts[status]} {printable(status)}", palette.dim) for status in counted]
        while True:
            joined = Text(" · ", style=palette.dim).join(Text(text, style=style) for text, style in parts)
            if joined.cell_len <= room or not parts:
                return joined
            parts = [*parts[: -2 if parts[-1][0] == "…" else -1], ("…", palette.dim)] if len(parts) > 1 else []

    def _right(self, snapshot: Snapshot | None, palette: Palette) -> Text:
        if snapshot is None or not snapshot.pool:
            return Text(" ")
        used = sum(use.used for use in snapshot.pool.values())
        size = sum(use.size for use in snapshot.pool.values())
        return Text(f"pool {used}/{size} ", style=palette.dim)


class Footer(Line):
    """The keys that do something now, for the task under the cursor."""

    def tell(self, dashboard: Dashboard, row: TaskRow | None, palette: Palette) -> None:
        """Show the keys for a task and the others. Where there is too little room, help, which has them all, stays."""
        usable = [command for command in COMMANDS if command.in_footer and _can_be_used(dashboard, row, command)]
        line = self._line(dashboard, row, usable, palette)
        for name in _LEAST_NEEDED:
            if line.cell_len <= self.size.width:
                break
            usable = [command for command in usable if command.name != name]
            line = self._line(dashboard, row, usable, palette)
        line.truncate(self.size.width, overflow="ellipsis")
        self.say(line)

    def _line(self, dashboard: Dashboard, row: TaskRow | None, usable: Sequence[Command], palette: Palette) -> Text:
        about_task: list[tuple[str, str]] = []
        others: list[tuple[str, str]] = []
        for command in usable:
            does = enter_does(dashboard, row) if command.name == "enter" and row is not None else ""
            keys = others if command.why_not is None else about_task
            keys.append((key_name(command, dashboard.app.other_keys), does or command.title))
        if dashboard.has_class("-preview"):
            return Text.assemble(keys_line([("esc", "list"), ("⇥", "next")], palette), keys_line(about_task, palette))
        if row is not None and not dashboard.has_class("-wide"):
            others.insert(0, ("␣", "preview"))
        if not about_task:
            return keys_line(others, palette)
        return Text.assemble(keys_line(about_task, palette), ("│", palette.dim), keys_line(others, palette))


def _can_be_used(dashboard: Dashboard, row: TaskRow | None, command: Command) -> bool:
    if command.why_not is None:
        return True
    return row is not None and command.why_not(dashboard, row) is None


def keys_line(keys: Sequence[tuple[str, str]], palette: Palette) -> Text:
    """Keys and what they do, as the footer of any screen has them."""
    line = Text(" ")
    for key, title in keys:
        line.append(key, style=palette.accent)
        line.append(f" {title}  ", style=palette.dim)
    return line
