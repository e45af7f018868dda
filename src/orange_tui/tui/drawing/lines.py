"""Text from outside laid out in lines: made safe first, then measured in cells and wrapped.

Everything a renderer puts on screen goes through `safe`. What a terminal would obey is shown as text, and no
Rich or Textual markup is ever parsed here: a run is a text and a style, and stays that way down to the segment.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len, chop_cells
from rich.segment import Segment
from textual.strip import Strip

from orange_tui.domain.task import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.style import Style

    Run = tuple[str, Style]

NARROWEST = 8  # cells: below this there is no room for a mark and a wide character beside it
_TAB, _JOINER = 4, "\u200d"
_WIDE = r"\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60"
_WORD = rf"[{_WIDE}][\ufe00-\ufe0f\u200d\u0300-\u036f]* *|[^ {_WIDE}]+ *| +"  # compiled when needed: it takes a while


class LazyLines(Sequence[Strip]):
    """Lines that are made when they are asked for; `width` is how wide the widest may be."""

    width: int


def safe(text: str) -> str:
    """One line of anybody's text as a terminal may have it: controls become visible, tabs become blanks."""
    if text.isprintable():
        return text
    text = text.rstrip(_JOINER)  # with nothing to join, it would take in what another run begins with
    if "\t" not in text:
        return printable(text)
    pieces, column = [], 0
    for piece in map(printable, text.split("\t")):
        blanks = _TAB - (column + cell_len(piece)) % _TAB
        column += cell_len(piece) + blanks
        pieces += [piece, " " * blanks]
    return "".join(pieces[:-1])


def strip_of(runs: Iterable[Run]) -> Strip:
    """A line for the Line API."""
    return Strip([Segment(text, style) for text, style in runs if text])


def width_of(runs: Iterable[Run]) -> int:
    """How many cells a line takes."""
    return sum(cell_len(text) for text, _ in runs)


def wrap(runs: list[Run], width: int, hang: int = 0) -> list[list[Run]]:
    """Break a line between words, and within one that is longer than a line; later lines are `hang` cells shorter."""
    text = runs[0][0] if len(runs) == 1 else "".join(text for text, _ in runs)
    if text.isascii():
        return [runs] if len(text) <= width else _cut(runs, _ascii_spans(text, width, width - hang))
    return [runs] if cell_len(text) <= width else _cut(runs, _spans(text, width, width - hang))


def chop(runs: list[Run], width: int) -> list[list[Run]]:
    """Break a line wherever it is full: code has no words to keep together."""
    text = "".join(text for text, _ in runs)
    if cell_len(text) <= width:
        return [runs]
    return _cut(runs, _chopped(text, 0, width))


def _chopped(text: str, start: int, width: int) -> Iterator[tuple[int, int]]:
    for piece in chop_cells(text, width):
        yield start, start + len(piece)
        start += len(piece)


def _ascii_spans(text: str, width: int, later: int) -> Iterator[tuple[int, int]]:
    """Where the lines begin and end, when a character is a cell: one search a line, not one a word."""
    start, size = 0, len(text)
    while size - start > width:
        blank = text.rfind(" ", start, start + width + 1)
        end = blank if blank > start else start + width
        yield start, end
        start, width = end, later
        while start < size and text[start] == " ":
            start += 1
    yield start, size


def _spans(text: str, width: int, later: int) -> Iterator[tuple[int, int]]:
    """The same when characters differ in width; a line may also break beside a CJK character."""
    start = end = used = 0
    for begin, word in _words(text, later):
        size = cell_len(word)
        if used and used + (begin - end) + size > width:
            yield start, end
            start, end, used, width = begin, begin, 0, later
        used += begin - end + size
        end = begin + len(word)
    yield start, end


def _words(text: str, longest: int) -> Iterator[tuple[int, str]]:
    """The words of a text and where they begin; what is longer than a line comes in pieces."""
    for found in re.finditer(_WORD, text):
        word = found[0].rstrip(" ")
        if cell_len(word) <= longest:
            yield found.start(), word
        else:
            yield from ((start, text[start:end]) for start, end in _chopped(word, found.start(), longest))


def _cut(runs: list[Run], spans: Iterable[tuple[int, int]]) -> list[list[Run]]:
    """The parts of a line between these offsets, each with its styles."""
    lines, index, begin = [], 0, 0
    for start, end in spans:
        line: list[Run] = []
        while index < len(runs) and begin < end:
            text, style = runs[index]
            line.append((text[max(start - begin, 0) : end - begin], style))
            if begin + len(text) > end:
                break
            begin += len(text)
            index += 1
        lines.append(line)
    return lines


def restyle(runs: list[Run], start: int, end: int, style: Style) -> list[Run]:
    """The same line with one more style on the characters from `start` to `end`."""
    changed: list[Run] = []
    begin = 0
    for text, own in runs:
        low, high = max(start - begin, 0), max(end - begin, 0)
        changed += [(text[:low], own), (text[low:high], own + style), (text[max(low, high) :], own)]
        begin += len(text)
    return [run for run in changed if run[0]]


def paragraph(text: str, style: Style, width: int) -> list[Strip]:
    """A sentence, wrapped."""
    import textwrap

    return [Strip([Segment(line, style)]) for line in textwrap.wrap(printable(text), width) or [""]]
