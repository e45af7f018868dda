"""Finding words in lines that are drawn already, as `/` on a page does it: where they are, and how that looks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.strip import Strip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.style import Style


def find_lines(lines: Sequence[Strip], words: str) -> list[int]:
    """The lines that have these words, whatever their case, from the top."""
    wanted = words.strip().casefold()
    return [place for place, line in enumerate(lines) if wanted in line.text.casefold()] if wanted else []


def mark_found(lines: Sequence[Strip], words: str, places: Sequence[int], style: Style) -> list[Strip]:
    """The lines, with the words in another style where they are."""
    marked, wanted = list(lines), words.strip().casefold()
    for place in places:
        marked[place] = _mark(marked[place], wanted, style)
    return marked


def _mark(line: Strip, wanted: str, style: Style) -> Strip:
    text = line.text.casefold()
    if len(text) != len(line.text):  # a letter that is two in lower case: its places would be others
        return line
    pieces, end = [], 0
    start = text.find(wanted)
    while start >= 0:
        left, right = cell_len(line.text[:start]), cell_len(line.text[: start + len(wanted)])
        pieces += [line.crop(end, left), line.crop(left, right).apply_style(style)]
        end, start = right, text.find(wanted, start + len(wanted))
    return Strip.join([*pieces, line.crop(end)])
