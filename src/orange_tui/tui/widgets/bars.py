"""The two lines around the list: what is going on, and what can be done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text
from textual.widgets import Static

from orange_tui.domain.records import record
from orange_tui.domain.task import printable
from orange_tui.presentation.tasks import state_words
from orange_tui.tui.drawing.labels import cost_label, typed_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orange_tui.board.rows import Snapshot
    from orange_tui.tui.drawing.palette import Palette

    Keys = Sequence[tuple[str, str]]  # each with what it does

CLICKED_KEY = "key"  # in a style's meta: the key that a click there presses, as Textual calls it
_ROOMY_CELLS = 100
_ROOM_FOR_COUNTS = 40  # with less of it, what was used today gives way to them


class Line(Static):
    """A line of text that is drawn again only when it says something else."""

    _shown: Text | None = None

    def show_line(self, line: Text) -> None:
        """Show a line."""
        if line != self._shown:
            self._shown = line
            self.update(line, layout=False)


class Header(Line):
    """Scope, counts by status, what needs the person, and how full the pool is."""

    def show(self, snapshot: Snapshot | None, scope: str, order: Sequence[str], palette: Palette) -> None:
        """Show what the snapshot says, its counts in the order of the states."""
        width = self.size.width
        name = " 🍊 Orange  " if width >= _ROOMY_CELLS else " 🍊 "
        left = Text.assemble((name, palette.accent), (printable(scope), palette.text))
        right = self._right(snapshot, palette)
        if width - left.cell_len - right.cell_len < _ROOM_FOR_COUNTS:
            right = self._right(snapshot, palette, with_cost=False)
        free = width - left.cell_len - right.cell_len
        middle = self._middle(snapshot, order, palette, free - 4)
        gap = max(1, free - middle.cell_len)
        line = Text.assemble(left, " " * (gap // 2), middle, " " * (gap - gap // 2), right)
        line.truncate(width)
        self.show_line(line)

    def _middle(self, snapshot: Snapshot | None, order: Sequence[str], palette: Palette, room: int) -> Text:
        """As many of the counts as there is room for, none of them cut in two."""
        if snapshot is None:
            return Text("reading …", style=palette.dim)
        parts = (
            [(f"{snapshot.needing} need{'s' if snapshot.needing == 1 else ''} you", palette.accent)]
            if snapshot.needing
            else []
        )
        known = [status for status in order if status in snapshot.counts]
        counted: dict[str, int] = {}
        for status in dict.fromkeys([*known, *snapshot.counts]):
            words = state_words(status)
            counted[words] = counted.get(words, 0) + snapshot.counts[status]
        parts += [(f"{count} {printable(words)}", palette.dim) for words, count in counted.items()]
        some = [[*parts[:count], ("…", palette.dim)] for count in range(len(parts) - 1, 0, -1)]
        for tried in (parts, *some, parts[:1]):  # what needs the person goes last
            joined = Text(" · ", style=palette.dim).join(Text(text, style=style) for text, style in tried)
            if joined.cell_len <= room:
                return joined
        return Text()

    def _right(self, snapshot: Snapshot | None, palette: Palette, *, with_cost: bool = True) -> Text:
        """What was used today, where there is room for it, and the pool."""
        parts = []
        if with_cost and snapshot is not None and snapshot.used_today is not None:
            parts.append(f"today {cost_label(snapshot.used_today)}")
        if snapshot is not None and snapshot.pool:
            used = sum(use.used for use in snapshot.pool.values())
            parts.append(f"pool {used}/{sum(use.size for use in snapshot.pool.values())}")
        return Text(f"{' · '.join(parts)} ", style=palette.dim)


@record
class FooterKey:
    """A key that can be used now. `gives_way`: where there is too little room, the highest goes first; 0 stays."""

    key: str
    title: str
    about_task: bool
    gives_way: int = 0


class Footer(Line):
    """The keys that do something now, for the task under the cursor."""

    _made_of: object = None

    def show(self, keys: Sequence[FooterKey], before: Keys, others_before: Keys, palette: Palette) -> None:
        """Show the keys for a task and the others, each after what the screen has for itself.

        Where there is too little room, the keys that are needed least give way; help, which has them all, stays.
        """
        made_of = (list(keys), list(before), list(others_before), palette, self.size.width)
        if made_of == self._made_of:  # as with nearly every change of a task, and most steps of the cursor
            return
        self._made_of = made_of
        shown = list(keys)
        line = self._line(shown, before, others_before, palette)
        too_much = line.cell_len - self.size.width
        for _place, each in sorted(enumerate(keys), key=lambda found: (-found[1].gives_way, -found[0])):
            if too_much <= 0 or not each.gives_way:
                break
            shown.remove(each)
            too_much -= keys_line([(each.key, each.title)], palette).cell_len - 1
        line = self._line(shown, before, others_before, palette) if len(shown) < len(keys) else line
        line.truncate(self.size.width, overflow="ellipsis")
        self.show_line(line)

    def _line(self, keys: Sequence[FooterKey], before: Keys, others_before: Keys, palette: Palette) -> Text:
        about_task = [(each.key, each.title) for each in keys if each.about_task]
        others = [*others_before, *((each.key, each.title) for each in keys if not each.about_task)]
        if before:
            return Text.assemble(keys_line(before, palette), keys_line(about_task, palette))
        if not about_task:
            return keys_line(others, palette)
        return Text.assemble(keys_line(about_task, palette), ("│", palette.dim), keys_line(others, palette))


def keys_line(keys: Keys, palette: Palette) -> Text:
    """Keys and what they do, as the footer of any screen has them; a click on one presses it."""
    line = Text(" ")
    for key, title in keys:
        pressed = Style(meta={CLICKED_KEY: typed_key(key)})
        line.append(key, style=palette.accent + pressed)
        line.append(f" {title}", style=palette.dim + pressed)
        line.append("  ", style=palette.dim)
    return line
