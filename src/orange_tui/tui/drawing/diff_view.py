"""A diff as lines: numbers, signs, colours of the language, and the words that changed.

A line is added or removed by its sign first; colour and background only say it again. Long lines are not wrapped,
the view scrolls, but they are cut where nobody reads on. However much has changed, only what comes into sight is
drawn, a piece at a time: a thousand files, or one of five megabytes, cost no more than a screenful.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, overload

from rich.cells import cell_len
from textual.strip import Strip

from orange_tui.tui.drawing.lines import LazyLines, restyle, safe, strip_of
from orange_tui.tui.drawing.syntax import highlight

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from orange_tui.domain.review.diff import DiffFile, Hunk
    from orange_tui.tui.drawing.lines import Run
    from orange_tui.tui.drawing.palette import Palette

_LONGEST_LINE = 2_000
_CHUNK_LINES = 100  # lines that are drawn at once
_MOST_CACHED_CHUNKS = 100  # that are kept drawn
_MOST_HIGHLIGHTED = 20_000  # characters of a piece: more would be felt while scrolling
_LONGEST_COMPARED, _LEAST_COMMON_SHARE = 400, 0.4
_CHANGED = frozenset("+-\\")
_SIGNS = {"+": "+", "-": "−", " ": " ", "\\": " "}


@dataclass(slots=True)
class _Line:
    """One line of a hunk: its sign, its numbers, and its text and the styles of its runs."""

    sign: str
    old: int | None
    new: int | None
    text: str
    runs: list[Run]
    changed: tuple[int, int] = (0, 0)


@dataclass(slots=True, eq=False)  # not frozen: there are thousands, and that makes them slow
class Chunk:
    """Some lines of a hunk, or without one a file's heading. `number` is the hunk's place in its file."""

    file: DiffFile
    hunk: Hunk | None = None
    number: int = -1
    begin: int = 0
    end: int = 0
    old: int = 0
    new: int = 0
    crlf: bool = False

    @property
    def header_size(self) -> int:
        """How many lines stand above the hunk's own: git's header, at its first chunk."""
        return 1 if self.hunk is not None and self.begin == 0 and self.hunk.header else 0

    @property
    def size(self) -> int:
        """How many lines it has."""
        return 1 + len(self.file.notes) if self.hunk is None else self.header_size + self.end - self.begin

    def strips(self, palette: Palette) -> list[Strip]:
        """Its lines, drawn."""
        if self.hunk is None:
            return [*_heading(self.file, palette)]
        lines = list(_drawn(self))
        size = sum(len(line.text) for line in lines)
        _highlight(lines, self.file.path if size <= _MOST_HIGHLIGHTED else "", palette)
        digits = _digits(self.file)
        header = [strip_of([(safe(self.hunk.header), palette.dim)])] if self.header_size else []
        return [*header, *(_strip(line, digits, palette) for line in lines)]

    def numbered(self) -> Iterator[tuple[str, int | None, int | None, str]]:
        """Its lines as they are in the files: sign, number before, number after, text."""
        hunk = self.hunk
        if hunk is None:
            return
        old, new = self.old, self.new
        is_numbered = hunk.new_start + hunk.old_start > 0
        for line in hunk.lines[self.begin : self.end]:
            sign = _sign(line, hunk.parents)
            has_old, has_new = sign in " -" and hunk.parents == 1, sign in " +"
            yield (
                sign,
                old if has_old and is_numbered else None,
                new if has_new and is_numbered else None,
                line[hunk.parents :],
            )
            old, new = old + has_old, new + has_new


def chunks_of(file: DiffFile) -> Iterator[Chunk]:
    """A file in pieces: its heading, then its hunks."""
    yield Chunk(file)
    for number, hunk in enumerate(file.hunks):
        old, new, crlf = hunk.old_start, hunk.new_start, _ends_in_cr(hunk)
        for begin in range(0, max(1, len(hunk.lines)), _CHUNK_LINES):
            end = min(begin + _CHUNK_LINES, len(hunk.lines))
            yield Chunk(file, hunk, number, begin, end, old, new, crlf)
            if end < len(hunk.lines):
                signs = [_sign(line, hunk.parents) for line in hunk.lines[begin:end]]
                if hunk.parents == 1:
                    old += len(signs) - signs.count("+") - signs.count("\\")
                new += len(signs) - signs.count("-") - signs.count("\\")


class ChunkCache:
    """The chunks that were drawn last; the oldest go."""

    def __init__(self, palette: Palette) -> None:
        self._palette = palette
        self._drawn: dict[int, list[Strip]] = {}

    def strips(self, chunk: Chunk) -> list[Strip]:
        """The lines of a chunk, which whoever asks keeps alive: chunks are told apart by where they are in memory."""
        key = id(chunk)
        if key not in self._drawn:
            if len(self._drawn) >= _MOST_CACHED_CHUNKS:
                self._drawn.clear()
            self._drawn[key] = chunk.strips(self._palette)
        return self._drawn[key]

    def __len__(self) -> int:
        return len(self._drawn)


class DiffLines(LazyLines):
    """All lines of a diff, with nothing else between them."""

    def __init__(self, files: Sequence[DiffFile], palette: Palette) -> None:
        self._chunks: list[Chunk] = []
        self._starts: list[int] = []
        self._size = 0
        self._cache = ChunkCache(palette)
        for number, file in enumerate(files):
            self._size += 1 if number else 0  # a blank line between two
            for chunk in chunks_of(file):
                self._chunks.append(chunk)
                self._starts.append(self._size)
                self._size += chunk.size
        self.width = width_of_diff(files)

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, index: int) -> Strip: ...
    @overload
    def __getitem__(self, index: slice) -> list[Strip]: ...
    def __getitem__(self, index: int | slice) -> Strip | list[Strip]:
        if isinstance(index, slice):
            return [self[line] for line in range(*index.indices(self._size))]
        if not 0 <= index < self._size:
            raise IndexError(index)
        number = bisect_right(self._starts, index) - 1
        strips = self._cache.strips(self._chunks[number])
        within = index - self._starts[number]
        return strips[within] if within < len(strips) else Strip([])


def width_of_diff(files: Iterable[DiffFile]) -> int:
    """How wide its lines may be; a guess that is never too small, for nothing is drawn to know it."""
    return max(map(_width, files), default=0)


def _width(file: DiffFile) -> int:
    longest = max((_width_of_hunk(hunk) for hunk in file.hunks), default=0)
    heading = max(_cells(text) for text in (file.path, *file.notes))
    return max(heading + 30, 2 * _digits(file) + 4 + longest)


def _width_of_hunk(hunk: Hunk) -> int:
    text = "".join((hunk.header, *hunk.lines))
    if text.isascii() and text.isprintable():
        longest = max(map(len, (hunk.header, *hunk.lines)))
        if longest <= _LONGEST_LINE:
            return longest
    return max(map(_cells, (hunk.header, *hunk.lines)))


def _cells(line: str) -> int:
    if len(line) > _LONGEST_LINE:
        return _cells(line[:_LONGEST_LINE]) + 30  # and a word about the rest
    return len(line) if line.isascii() and line.isprintable() else cell_len(safe(line))


def _digits(file: DiffFile) -> int:
    return max((len(str(hunk.new_start + hunk.old_start + len(hunk.lines))) for hunk in file.hunks), default=1)


def _heading(file: DiffFile, palette: Palette) -> Iterator[Strip]:
    counts: list[Run] = [
        (f"  +{file.added}", palette.added),
        (f" −{file.removed}", palette.removed),
    ]
    shown = counts if file.added or file.removed else []
    yield strip_of([(safe(file.path), palette.heading), (f"  {file.status}", palette.dim), *shown])
    for note in file.notes:
        yield strip_of([(safe(note), palette.dim)])


def _ends_in_cr(hunk: Hunk) -> bool:
    """Whether a file has CR LF throughout: shown at every line, that would hide what changed."""
    return all(line.endswith("\r") for line in hunk.lines if not line.startswith("\\"))


def _drawn(chunk: Chunk) -> Iterator[_Line]:
    for sign, old, new, text in chunk.numbered():
        yield _Line(sign, old, new, _truncate(text.removesuffix("\r") if chunk.crlf else text), [])


def _sign(line: str, parents: int) -> str:
    if parents == 1:
        return line[:1] if line[:1] in _CHANGED else " "
    columns = line[:parents]
    return next((sign for sign in "+-\\" if sign in columns), " ")


def _truncate(text: str) -> str:
    if len(text) <= _LONGEST_LINE:
        return safe(text)
    return f"{safe(text[:_LONGEST_LINE])} … {len(text) - _LONGEST_LINE:,} more characters"


def _highlight(lines: list[_Line], path: str, palette: Palette) -> None:
    """Give each line its runs. Either side of a hunk is coloured as a whole, for a string may go over lines."""
    for line in lines:
        line.runs = [(line.text, palette.dim if line.sign == "\\" else palette.text)]
    for signs in (" -", " +") if path else ():
        side = [line for line in lines if line.sign in signs]
        for line, runs in zip(
            side, highlight([line.text for line in side], palette.syntax, path=path) or (), strict=False
        ):
            line.runs = runs
    _mark_changed_words(lines)


def _mark_changed_words(lines: list[_Line]) -> None:
    """Where as many lines were put in as were taken out, they are taken to be the same ones, changed."""
    blocks = [(sign, list(block)) for sign, block in groupby(lines, key=lambda line: line.sign)]
    for (sign, removed), (next_sign, added) in pairwise(blocks):
        if (sign, next_sign) == ("-", "+") and len(removed) == len(added):
            for one, other in zip(removed, added, strict=True):
                one.changed, other.changed = _changed_spans(one.text, other.text)


def _changed_spans(one: str, other: str) -> tuple[tuple[int, int], tuple[int, int]]:
    """The part in the middle that differs; nothing, when there is little they have in common."""
    if max(len(one), len(other)) > _LONGEST_COMPARED:
        return (0, 0), (0, 0)
    start = _common_prefix(one, other)
    end = _common_prefix(one[start:][::-1], other[start:][::-1])
    if start + end < _LEAST_COMMON_SHARE * max(len(one), len(other)):
        return (0, 0), (0, 0)
    return (start, len(one) - end), (start, len(other) - end)


def _common_prefix(one: str, other: str) -> int:
    """How many characters they begin with in common."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (mine, its) in pairs if mine != its), min(len(one), len(other)))


def _strip(line: _Line, digits: int, palette: Palette) -> Strip:
    numbers = " ".join(str(number if number is not None else "").rjust(digits) for number in (line.old, line.new))
    styles = {
        "+": (palette.added, palette.added_line, palette.added_words),
        "-": (palette.removed, palette.removed_line, palette.removed_words),
    }
    gutter: Run = (f"{numbers} ", palette.dim)
    if line.sign not in styles:
        return strip_of([gutter, ("  ", palette.text), *line.runs])
    sign, behind, words = styles[line.sign]
    runs = [(text, behind + own) for text, own in line.runs] if palette.syntax else [(line.text, sign)]
    runs = restyle(runs, *line.changed, words) if line.changed[0] < line.changed[1] else runs
    return strip_of([gutter, (f"{_SIGNS[line.sign]} ", sign + behind), *runs])
