"""Which line of the screen shows what: headings, code, comments under their lines, what is folded, room for a text box.

A layout is a list of segments, some lines each. It is made anew whenever something folds or a comment comes, in as
much time as there are files and comments, not lines.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from orange_tui.tui.review.document import DiffPlace, Document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from orange_tui.domain.review.thread import Thread

    Kind = Literal["blank", "heading", "fold", "code", "thread", "gap"]

ANSWERED_BY_PERSON = "resolved"


@dataclass(slots=True, eq=False)  # not frozen: there are thousands, and that makes them slow
class Segment:
    """Lines of one kind. `first` is the row of its chunk that it begins with."""

    kind: Kind
    size: int
    file: int = -1
    hunk: int = -1
    chunk: int = -1
    first: int = 0
    begins_hunk: bool = False
    thread: Thread | None = None


@dataclass(frozen=True, slots=True)
class Box:
    """Room for a text that is being written: below which comment, line or file, and how many lines it takes.

    With none of them it is about the whole task. `hidden` is the comment that the text itself has become meanwhile.
    """

    size: int
    place: DiffPlace | None = None
    thread: str | None = None
    file: int | None = None
    hidden: str | None = None


@dataclass(slots=True)
class PlacedThreads:
    """Comments by where they are shown: on top, under a file's heading, or under a line of code."""

    top: list[Thread] = field(default_factory=list)
    files: dict[int, list[Thread]] = field(default_factory=dict)
    lines: dict[tuple[int, int], list[tuple[int, Thread]]] = field(default_factory=dict)  # file, chunk: row, comment

    def in_order(self) -> list[Thread]:
        """All of them from top to bottom."""
        found = list(self.top)
        chunks = sorted(self.lines)
        at = 0
        for file in sorted({*self.files, *(file for file, _ in chunks)}):
            found += self.files.get(file, [])
            while at < len(chunks) and chunks[at][0] == file:
                found += [thread for _, thread in self.lines[chunks[at]]]
                at += 1
        return found


def place_threads(document: Document, threads: Iterable[Thread]) -> PlacedThreads:
    """Find the place of each comment; one whose code is not in the diff stands under its file, or on top."""
    placed = PlacedThreads()
    for thread in threads:
        file = document.file_number(thread.path) if thread.path else None
        if file is None:
            placed.top.append(thread)
            continue
        place = None
        if thread.line is not None and not thread.outdated:
            numbers = (thread.end_line or thread.line, thread.line)
            place = next(filter(None, (document.find(thread.path, thread.side, each) for each in numbers)), None)
        if place is None:
            placed.files.setdefault(file, []).append(thread)
        else:
            placed.lines.setdefault((place.file, place.chunk), []).append((place.row, thread))
    for each in placed.lines.values():
        each.sort(key=lambda found: found[0])
    return placed


class Layout:
    """The segments from top to bottom, and where each begins."""

    def __init__(self, segments: list[Segment]) -> None:
        self.segments = segments
        self.starts: list[int] = []
        self.headings: list[int] = []
        self.hunks: list[int] = []
        self.threads: list[int] = []
        size = 0
        for segment in segments:
            self.starts.append(size)
            if segment.kind == "heading":
                self.headings.append(size)
            elif segment.begins_hunk:
                self.hunks.append(size)
            elif segment.kind == "thread":
                self.threads.append(size)
            size += segment.size
        self.size = size
        self.gap: int | None = next(
            (start for segment, start in zip(segments, self.starts, strict=True) if segment.kind == "gap"), None
        )

    def at(self, row: int) -> tuple[Segment, int]:
        """The segment that a line of the screen belongs to, and where in it the line is."""
        number = max(0, bisect_right(self.starts, row) - 1)
        return self.segments[number], row - self.starts[number]

    def stop(self, row: int) -> range | None:
        """The lines that the cursor is on when it is at this one; None where it cannot be."""
        if not 0 <= row < self.size:
            return None
        segment, within = self.at(row)
        if segment.kind in {"blank", "gap"}:
            return None
        if segment.kind == "code":
            return range(row, row + 1)
        return range(row - within, row - within + segment.size)

    def nearest_stop(self, row: int, step: int = 1) -> range | None:
        """The first place for the cursor from this line on; where there is none that way, the other way."""
        for direction in (step, -step):
            at = min(max(0, row), self.size - 1)
            while 0 <= at < self.size:
                found = self.stop(at)
                if found is not None:
                    return found
                at += direction
        return None

    def place(self, row: int) -> DiffPlace | None:
        """The line of the diff at a line of the screen."""
        segment, within = self.at(row)
        return DiffPlace(segment.file, segment.chunk, segment.first + within) if segment.kind == "code" else None

    def row_of(self, place: DiffPlace) -> int | None:
        """Where a line of the diff is shown: itself, or what it is folded into."""
        folded = None
        for number in self._segments_of(place.file):
            segment = self.segments[number]
            if segment.kind == "code" and segment.chunk == place.chunk:
                if segment.first <= place.row < segment.first + segment.size:
                    return self.starts[number] + place.row - segment.first
            elif segment.kind == "fold" and segment.chunk <= place.chunk:
                folded = self.starts[number]
        return folded

    def row_of_thread(self, thread: str) -> int | None:
        """Where a comment begins."""
        rows = (row for row in self.threads if (found := self.at(row)[0].thread) is not None and found.id == thread)
        return next(rows, None)

    def row_of_file(self, file: int) -> int | None:
        """Where a file begins."""
        return self.headings[file] if 0 <= file < len(self.headings) else None

    def _segments_of(self, file: int) -> Iterable[int]:
        row = self.row_of_file(file)
        number = bisect_right(self.starts, row) - 1 if row is not None else len(self.segments)
        while number < len(self.segments) and self.segments[number].file == file:
            yield number
            number += 1


class LayoutBuilder:
    """Puts the segments together.

    `is_folded` tells of a hunk whether it is, `height` of a comment how many lines it takes, in its place or elsewhere.
    """

    def __init__(
        self,
        document: Document,
        placed: PlacedThreads,
        *,
        is_folded: Callable[[int, int], bool],
        height: Callable[[Thread, bool], int],
        box: Box | None,
    ) -> None:
        self._document, self._placed = document, placed
        self._is_folded, self._height, self._box = is_folded, height, box
        self._segments: list[Segment] = []

    def build(self) -> Layout:
        """The layout of everything."""
        if self._box is not None and self._box.place is None and self._box.file is None and self._box.thread is None:
            self._segments.append(Segment("gap", self._box.size))
        self._threads(self._placed.top, -1, -1)
        for file in range(len(self._document.files)):
            self._file(file)
        return Layout(self._segments)

    def _file(self, file: int) -> None:
        if self._segments:
            self._segments.append(Segment("blank", 1))
        chunks = self._document.chunks[file]
        hunks = range(len(self._document.files[file].hunks)) or (-1,)
        is_folded = all(self._is_folded(file, hunk) for hunk in hunks)
        self._segments.append(Segment("heading", 1 if is_folded else chunks[0].size, file))
        box = self._box
        if box is not None and box.file == file and box.place is None and box.thread is None:
            self._segments.append(Segment("gap", box.size, file))
        self._threads(self._placed.files.get(file, ()), file, -1)
        for number in range(1, len(chunks)):
            self._chunk(file, number, is_folded=is_folded)

    def _chunk(self, file: int, number: int, *, is_folded: bool) -> None:
        chunk = self._document.chunks[file][number]
        threads, box = self._placed.lines.get((file, number), ()), self._box
        own = box.place.row if box is not None and box.place is not None and box.place[:2] == (file, number) else None
        if is_folded or self._is_folded(file, chunk.number):
            if chunk.begin == 0 and not is_folded:
                self._segments.append(Segment("fold", 1, file, chunk.number, number, begins_hunk=True))
            open_ones = [thread for _, thread in threads if thread.state != ANSWERED_BY_PERSON]
            self._threads(open_ones, file, chunk.number)
            if own is not None and box is not None and box.thread is None:
                self._segments.append(Segment("gap", box.size, file, chunk.number))
            return
        cuts = {row for row, _ in threads}
        first = 0
        for row in sorted({*cuts, *([own] if own is not None else [])}):
            self._code(file, number, first, row + 1)
            first = row + 1
            self._threads((thread for at, thread in threads if at == row), file, chunk.number)
            if own == row and box is not None and box.thread is None:
                self._segments.append(Segment("gap", box.size, file, chunk.number))
        if first < chunk.size:
            self._code(file, number, first, chunk.size)

    def _code(self, file: int, number: int, first: int, end: int) -> None:
        chunk = self._document.chunks[file][number]
        begins = first == 0 and chunk.begin == 0
        self._segments.append(Segment("code", end - first, file, chunk.number, number, first, begins_hunk=begins))

    def _threads(self, threads: Iterable[Thread], file: int, hunk: int) -> None:
        box = self._box
        for thread in threads:
            if box is None or box.hidden != thread.id:
                self._segments.append(Segment("thread", self._height(thread, hunk >= 0), file, hunk, thread=thread))
            if box is not None and box.thread == thread.id:
                self._segments.append(Segment("gap", box.size, file, hunk))
