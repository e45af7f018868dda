"""The line above a review: which task and file, how much was viewed, what is open, and what came since."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from orange_tui.domain.records import record
from orange_tui.domain.task import printable
from orange_tui.tui.drawing.cells import fit_end

if TYPE_CHECKING:
    from collections.abc import Iterable

    from orange_tui.tui.drawing.palette import Palette

_SHORTEST_PATH = 12


@record
class Progress:
    """How far a review has come."""

    viewed: int
    hunks: int
    open: int
    drafts: int
    new: int

    def parts(self, *, short: bool) -> Iterable[str]:
        """What there is to say, the most telling first."""
        if self.hunks:
            yield f"viewed {self.viewed}/{self.hunks}"
        if self.open:
            yield f"{self.open} open" if short else f"{_count(self.open, 'thread')} open"
        if self.drafts:
            yield _count(self.drafts, "draft")
        if self.new:
            yield f"+{self.new} new" if short else f"+{self.new} since you looked"


def header_line(  # noqa: PLR0913 - each of them is seen
    name: str, counts: str, where: str, progress: Progress, *, note: str, palette: Palette, width: int
) -> Text:
    """All of it in one line; with too little room, words get shorter, counts go, and then the path is cut."""
    for short, shown in ((False, counts), (True, counts), (False, ""), (True, "")):
        right = " · ".join(progress.parts(short=short))
        room = width - sum(cell_len(part) + 2 for part in (name, note, shown, right) if part) - 2
        if room >= cell_len(where):
            break
    path = fit_end(where, min(room, cell_len(where))) if room >= min(cell_len(where), _SHORTEST_PATH) else ""
    parts = ((path, palette.text), (shown, palette.text), (note, palette.warning))
    rest = [(f"  {printable(part)}", style) for part, style in parts if part]
    left = Text.assemble((f" {printable(name)}", palette.accent), *rest)
    gap = " " * max(2, width - left.cell_len - cell_len(right) - 1)
    line = Text.assemble(left, gap, (right, palette.text))
    line.truncate(width, overflow="ellipsis")
    return line


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' if number != 1 else ''}"
