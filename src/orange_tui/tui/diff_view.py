"""One file of a diff as lines: numbers, signs, colours of the language, and the words that changed.

A line is added or removed by its sign first; colour and background only say it again. Long lines are not wrapped,
the view scrolls, but they are cut where nobody reads on; so is a file with more lines than anybody reviews.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

from orange_tui.tui.lines import restyle, safe, strip_of
from orange_tui.tui.syntax import coloured

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.strip import Strip

    from orange_tui.tui.diff import DiffFile, Hunk
    from orange_tui.tui.lines import Run
    from orange_tui.tui.palette import Palette

MOST_LINES = 5_000
_LONGEST_LINE = 2_000
_MOST_COLOURED = 40_000  # characters of a file that are coloured: more would take over a tenth of a second
_LONGEST_COMPARED, _LEAST_ALIKE = 400, 0.4
_SIGNS = {"+": "+", "-": "−", " ": " ", "\\": " "}


@dataclass(slots=True)
class _Line:
    """One line of a hunk: its sign, its numbers, and its text with what is to be said about its look."""

    sign: str
    old: int | None
    new: int | None
    text: str
    runs: list[Run]
    changed: tuple[int, int] = (0, 0)


def render_file(file: DiffFile, palette: Palette, *, most_lines: int = MOST_LINES) -> list[Strip]:
    """A file's lines, headed by what happened to it."""
    return [*_heading(file, palette), *_body(file, palette, most_lines)]


def _heading(file: DiffFile, palette: Palette) -> Iterator[Strip]:
    counts: list[Run] = [
        (f"  +{file.added}", palette.added),
        (f" −{file.removed}", palette.removed),
    ]
    shown = counts if file.added or file.removed else []
    yield strip_of([(safe(file.path), palette.heading), (f"  {file.status}", palette.dim), *shown])
    for note in file.notes:
        yield strip_of([(safe(note), palette.dim)])


def _body(file: DiffFile, palette: Palette, most_lines: int) -> Iterator[Strip]:
    left, size = most_lines, sum(len(line) for hunk in file.hunks for line in hunk.lines)
    digits = max((len(str(hunk.new_start + hunk.old_start + len(hunk.lines))) for hunk in file.hunks), default=1)
    for hunk in file.hunks:
        if left <= 0:
            break
        if hunk.header:
            yield strip_of([(safe(hunk.header), palette.dim)])
        lines = list(_numbered(hunk, left, crlf=_ends_in_cr(hunk)))
        left -= len(lines)
        _colour(lines, file.path if size <= _MOST_COLOURED else "", palette)
        yield from (_strip(line, digits, palette) for line in lines)
    more = sum(len(hunk.lines) for hunk in file.hunks) - most_lines
    if more > 0:
        yield strip_of([(f"… {more:,} more lines of this file are not shown here", palette.dim)])


def _ends_in_cr(hunk: Hunk) -> bool:
    """Whether a file has CR LF throughout: shown at every line, that would hide what changed."""
    return all(line.endswith("\r") for line in hunk.lines if not line.startswith("\\"))


def _numbered(hunk: Hunk, most: int, *, crlf: bool) -> Iterator[_Line]:
    old, new = hunk.old_start, hunk.new_start
    for line in hunk.lines[:most]:
        sign = _sign(line, hunk.parents)
        text = _cut(line[hunk.parents :].removesuffix("\r") if crlf else line[hunk.parents :])
        has_old, has_new = sign in " -" and hunk.parents == 1, sign in " +"
        numbered = hunk.new_start + hunk.old_start > 0
        yield _Line(sign, old if has_old and numbered else None, new if has_new and numbered else None, text, [])
        old, new = old + has_old, new + has_new


def _sign(line: str, parents: int) -> str:
    columns = line[:parents]
    return next((sign for sign in "+-\\" if sign in columns), " ")


def _cut(text: str) -> str:
    if len(text) <= _LONGEST_LINE:
        return safe(text)
    return f"{safe(text[:_LONGEST_LINE])} … {len(text) - _LONGEST_LINE:,} more characters"


def _colour(lines: list[_Line], path: str, palette: Palette) -> None:
    """Give each line its runs. Either side of a hunk is coloured as a whole, for a string may go over lines."""
    for line in lines:
        line.runs = [(line.text, palette.dim if line.sign == "\\" else palette.text)]
    for signs in (" -", " +") if path else ():
        side = [line for line in lines if line.sign in signs]
        for line, runs in zip(
            side, coloured([line.text for line in side], palette.syntax, path=path) or (), strict=False
        ):
            line.runs = runs
    _compare(lines)


def _compare(lines: list[_Line]) -> None:
    """Where as many lines were put in as were taken out, they are taken to be the same ones, changed."""
    blocks = [(sign, list(block)) for sign, block in groupby(lines, key=lambda line: line.sign)]
    for (sign, removed), (next_sign, added) in pairwise(blocks):
        if (sign, next_sign) == ("-", "+") and len(removed) == len(added):
            for one, other in zip(removed, added, strict=True):
                one.changed, other.changed = _difference(one.text, other.text)


def _difference(one: str, other: str) -> tuple[tuple[int, int], tuple[int, int]]:
    """The part in the middle that differs; nothing, when there is little they have in common."""
    if max(len(one), len(other)) > _LONGEST_COMPARED:
        return (0, 0), (0, 0)
    start = _alike(one, other)
    end = _alike(one[start:][::-1], other[start:][::-1])
    if start + end < _LEAST_ALIKE * max(len(one), len(other)):
        return (0, 0), (0, 0)
    return (start, len(one) - end), (start, len(other) - end)


def _alike(one: str, other: str) -> int:
    """How many characters they begin with in common."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (mine, its) in pairs if mine != its), min(len(one), len(other)))


def _strip(line: _Line, digits: int, palette: Palette) -> Strip:
    numbers = " ".join(str(number if number is not None else "").rjust(digits) for number in (line.old, line.new))
    looks = {
        "+": (palette.added, palette.added_line, palette.added_words),
        "-": (palette.removed, palette.removed_line, palette.removed_words),
    }
    gutter: Run = (f"{numbers} ", palette.dim)
    if line.sign not in looks:
        return strip_of([gutter, ("  ", palette.text), *line.runs])
    sign, behind, words = looks[line.sign]
    runs = [(text, behind + own) for text, own in line.runs] if palette.syntax else [(line.text, sign)]
    runs = restyle(runs, *line.changed, words) if line.changed[0] < line.changed[1] else runs
    return strip_of([gutter, (f"{_SIGNS[line.sign]} ", sign + behind), *runs])
