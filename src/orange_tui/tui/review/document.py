"""The diff under review: its files in chunks, and where each line of code stands in it.

Made once for each reading of the diff, in a thread. Nothing is drawn for it, and no line is looked at twice.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from orange_tui.tui.drawing.diff_view import chunks_of, width_of_diff

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from orange_tui.domain.review.diff import DiffFile
    from orange_tui.tui.drawing.diff_view import Chunk

    Key = tuple[str, ...]  # the fingerprints of what a hunk changes


class DiffPlace(NamedTuple):
    """A line of the diff: the number of its file, of the chunk there, and its row in that, the header counted."""

    file: int
    chunk: int
    row: int


@dataclass(frozen=True, slots=True)
class CodeLine:
    """One line of a hunk, as it is in the files."""

    sign: str
    old: int | None
    new: int | None
    text: str

    @property
    def side(self) -> str:
        """The file before or after the change: where the line is to be found."""
        return "old" if self.sign == "-" else "new"

    @property
    def number(self) -> int | None:
        """Its number on its side."""
        return self.old if self.sign == "-" else self.new


@dataclass(frozen=True, slots=True)
class Spot:
    """What the cursor is on, by content: a comment, a line of code, or a file's heading."""

    path: str = ""
    thread: str | None = None
    line: CodeLine | None = None
    hunk: Key | None = None


@dataclass(frozen=True, slots=True)
class CommentPlace:
    """What a comment is about: lines of a file on one side, a file, or with an empty path the whole task."""

    path: str
    side: str = "new"
    line: int | None = None
    end_line: int | None = None
    quote: str = ""
    below: DiffPlace | None = None

    @property
    def title(self) -> str:
        """As people write it."""
        if self.line is None:
            return self.path or "the task as a whole"
        last = f"-{self.end_line}" if self.end_line not in {None, self.line} else ""
        return f"{self.path}:{self.line}{last}{' (removed)' if self.side == 'old' else ''}"


class Document:
    """The files of a diff; `keys` tell each hunk by its content, that it is known again in another diff."""

    def __init__(self, files: Sequence[DiffFile] = (), keys: Sequence[Sequence[Key]] | None = None) -> None:
        self.files = files
        self.keys = keys if keys is not None else [[()] * max(1, len(file.hunks)) for file in files]
        self.chunks: list[list[Chunk]] = [list(chunks_of(file)) for file in files]
        self.width = width_of_diff(files)
        self._starts: dict[tuple[int, str], list[int]] = {}
        self._numbers = {file.old_path: number for number, file in enumerate(files)}
        self._numbers |= {file.path: number for number, file in enumerate(files)}

    def file_number(self, path: str) -> int | None:
        """Which file this is, by its name after the change or before."""
        return self._numbers.get(path)

    def find(self, path: str, side: str, number: int) -> DiffPlace | None:
        """Where a line of a file stands, if the diff shows it."""
        file = self._numbers.get(path)
        if file is None:
            return None
        chunks = self.chunks[file]
        nearest = bisect_right(self._starts_of(file, side), number)
        for chunk in (nearest, nearest - 1):  # before a hunk without lines on this side, its number is the line above
            if chunk > 0:
                found = self._row(chunks[chunk], side, number)
                if found is not None:
                    return DiffPlace(file, chunk, found)
        return None

    def _starts_of(self, file: int, side: str) -> list[int]:
        """The numbers with which the chunks of a file begin; of big files they are asked for again and again."""
        key = file, side
        if key not in self._starts:
            self._starts[key] = [chunk.old if side == "old" else chunk.new for chunk in self.chunks[file][1:]]
        return self._starts[key]

    def _row(self, chunk: Chunk, side: str, number: int) -> int | None:
        for row, (sign, old, new, _) in enumerate(chunk.numbered(), start=chunk.header_size):
            if (old if side == "old" else new) == number and (side == "new" or sign == "-"):
                return row
        return None

    def line(self, place: DiffPlace) -> CodeLine | None:
        """The line that stands there; a header is none."""
        chunk = self.chunks[place.file][place.chunk]
        row = place.row - chunk.header_size
        if chunk.hunk is None or not 0 <= row < chunk.end - chunk.begin:
            return None
        return next((CodeLine(*each) for number, each in enumerate(chunk.numbered()) if number == row), None)

    def lines_of_hunk(self, file: int, hunk: int) -> Iterator[tuple[DiffPlace, CodeLine]]:
        """Every line of a hunk, and where it stands."""
        for number, chunk in enumerate(self.chunks[file]):
            if chunk.number == hunk:
                for row, each in enumerate(chunk.numbered(), start=chunk.header_size):
                    yield DiffPlace(file, number, row), CodeLine(*each)

    def find_text(self, file: int, text: str, near: int) -> DiffPlace | None:
        """The line of a file with this text that is nearest to this number: where somebody was before it moved."""
        found = [
            (abs((line.number or 0) - near), place)
            for hunk in range(len(self.files[file].hunks))
            for place, line in self.lines_of_hunk(file, hunk)
            if line.text == text
        ]
        return min(found)[1] if found else None

    def key(self, file: int, hunk: int) -> Key:
        """By what a hunk is known again; a file without one, as a binary one, has a key of its own."""
        return self.keys[file][max(0, hunk)]
