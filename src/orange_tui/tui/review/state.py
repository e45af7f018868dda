"""Where the person is in a review, and what they see: the cursor, a range of lines, what is folded, what is written.

Nothing here knows a screen or a file. A line under the cursor is known by its file, its number and its text, so the
cursor stays on it when the agent commits, rewrites the branch or answers a comment meanwhile.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from orange_tui.tui.review.document import CommentPlace, DiffPlace, Document, Spot
from orange_tui.tui.review.layout import Layout, LayoutBuilder, PlacedThreads, place_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from orange_tui.domain.review.thread import Thread
    from orange_tui.tui.review.document import CodeLine, Key
    from orange_tui.tui.review.layout import Box, Segment

    Which = Literal["file", "hunk", "thread"]


class ReviewState:
    """The review as it is shown. `height` says how many lines a comment takes on this screen."""

    def __init__(self, height: Callable[[Thread, bool], int]) -> None:
        self._height = height
        self.document = Document()
        self.threads: Sequence[Thread] = ()
        self.viewed: frozenset[Key] = frozenset()
        self.unfolded: set[Key] = set()  # viewed, but opened to look at it again
        self.box: Box | None = None
        self.placed = PlacedThreads()
        self.layout = Layout([])
        self.cursor = 0
        self._anchor: int | None = None

    # ── what is shown ──

    def show(self, document: Document, threads: Sequence[Thread], viewed: frozenset[Key]) -> None:
        """Show another reading of the diff and the comments; the cursor stays on what it was on."""
        spot = self.spot(self.cursor)
        begun, self._anchor = self.spot(self._anchor) if self._anchor is not None else None, None
        written = self._box_spot()
        self.document, self.threads, self.viewed = document, threads, viewed
        self.placed = place_threads(document, threads)
        self._move_box(written)
        self._build(spot)
        if begun is not None:
            self._anchor = self._row_of(begun)
            self._anchor = self._anchor if self._is_in_range(self.cursor) else None

    def _box_spot(self) -> Spot | None:
        """What is written about, by content."""
        box = self.box
        if box is None or box.file is None or box.file >= len(self.document.files):
            return None
        line = self.document.line(box.place) if box.place is not None else None
        return Spot(self.document.files[box.file].path, line=line)

    def _move_box(self, spot: Spot | None) -> None:
        """Keep the box below what it is about in another reading of the diff; below its file where that is gone."""
        if self.box is not None and spot is not None:
            file = self.document.file_number(spot.path)
            place = self._place_in_file(file, spot) if file is not None else None
            self.box = replace(self.box, file=file, place=place)

    def rebuild(self, box: Box | None = None) -> None:
        """Lay out again: something was folded, or a text box comes or goes."""
        spot = self.spot(self.cursor)
        self.box = box
        self._build(spot)

    def _build(self, spot: Spot | None) -> None:
        builder = LayoutBuilder(self.document, self.placed, is_folded=self.is_folded, height=self._height, box=self.box)
        self.layout = builder.build()
        self._put(self._row_of(spot) if spot is not None else 0)

    def is_folded(self, file: int, hunk: int) -> bool:
        """Whether a hunk, or a file without any, is folded to one line: it was viewed."""
        return self.is_viewed(file, hunk) and self.document.key(file, hunk) not in self.unfolded

    def is_viewed(self, file: int, hunk: int) -> bool:
        """Whether the person has marked a hunk, or a file without any."""
        return self.document.key(file, hunk) in self.viewed

    @property
    def keys_here(self) -> tuple[Key, ...]:
        """The hunks that a mark here is for: the one under the cursor, on a file's heading all of them."""
        segment = self.segment
        if segment is None or segment.file < 0:
            return ()
        if segment.hunk < 0:
            return tuple(self.document.keys[segment.file])
        return (self.document.key(segment.file, segment.hunk),)

    def mark(self, keys: Iterable[Key]) -> bool:
        """Mark these hunks as viewed, or if all of them are, as not; says which. Then go to the next that is not."""
        wanted = {key for key in keys if key}
        is_viewed = not wanted <= self.viewed
        self.viewed = self.viewed | wanted if is_viewed else self.viewed - wanted
        self.unfolded -= wanted
        self._anchor = None
        self.rebuild(self.box)
        if is_viewed:
            self._go_to_unviewed()
        return is_viewed

    def _go_to_unviewed(self) -> None:
        """Put the cursor on the next hunk that was not viewed; where there is none below, it stays."""
        for row in self.layout.hunks:
            segment = self.layout.at(row)[0]
            if row > self.cursor and not self.is_viewed(segment.file, segment.hunk):
                self._put(row)
                return

    # ── the cursor ──

    @property
    def segment(self) -> Segment | None:
        """What is under the cursor."""
        return self.layout.at(self.cursor)[0] if self.layout.size else None

    @property
    def thread(self) -> Thread | None:
        """The comment under the cursor."""
        return self.segment.thread if self.segment is not None else None

    @property
    def file(self) -> int:
        """The number of the file that the cursor is in; before the first, that one."""
        return max(0, self.segment.file) if self.segment is not None else 0

    @property
    def rows(self) -> range:
        """The lines of the screen that are chosen: those under the cursor, or a range."""
        own = self.layout.stop(self.cursor) or range(self.cursor, self.cursor + 1)
        if self._anchor is None:
            return own
        return range(min(self._anchor, own.start), max(self._anchor + 1, own.stop))

    @property
    def has_range(self) -> bool:
        """Whether a range was begun."""
        return self._anchor is not None

    def move(self, steps: int) -> None:
        """Go some places up or down."""
        for _ in range(abs(steps)):
            own = self.layout.stop(self.cursor) or range(self.cursor, self.cursor + 1)
            self._put(own.stop if steps > 0 else own.start - 1, 1 if steps > 0 else -1)

    def move_to(self, row: int) -> None:
        """Go to a line of the screen."""
        self._put(row)

    def _put(self, row: int, step: int = 1) -> None:
        row = min(max(0, row), max(0, self.layout.size - 1))
        found = self.layout.nearest_stop(row, step) if self.layout.size else None
        place = found.start if found is not None else 0
        if self._anchor is not None and not self._is_in_range(place):
            return
        self.cursor = place

    def jump(self, which: Which, step: int) -> bool:
        """Go to the next or previous file, hunk or comment; says whether there was one.

        Comments go round: who resolves one after the other would else take the last for the next.
        """
        layout = self.layout
        rows = {"file": layout.headings, "hunk": layout.hunks, "thread": layout.threads}[which]
        number = bisect_right(rows, self.cursor) if step > 0 else bisect_left(rows, self.cursor) - 1
        number = number % len(rows) if which == "thread" and rows else number
        if not 0 <= number < len(rows):
            return False
        self._anchor = None
        self._put(rows[number])
        return True

    def go_to_thread(self, thread: str) -> bool:
        """Put the cursor on a comment."""
        row = self.layout.row_of_thread(thread)
        if row is not None:
            self._anchor = None
            self._put(row)
        return row is not None

    # ── ranges ──

    def begin_range(self) -> bool:
        """Begin a range of lines at the cursor; only code can be in one."""
        if self._line_at(self.cursor) is None:
            return False
        self._anchor = self.cursor if self._anchor is None else None
        return True

    def extend(self, row: int) -> None:
        """Take the lines from where the range began to this one into it; it stays within its hunk."""
        if self._anchor is None and not self.begin_range():
            self._put(row)
            return
        self._put(row, 1 if row > self.cursor else -1)

    def end_range(self) -> None:
        """Choose only what is under the cursor."""
        self._anchor = None

    def _is_in_range(self, row: int) -> bool:
        """Whether a range may go to a line: it is code of the hunk where the range began."""
        if self._anchor is None or self._anchor >= self.layout.size:
            return True
        begun, here = self.layout.at(self._anchor)[0], self.layout.at(row)[0]
        return (begun.file, begun.hunk) == (here.file, here.hunk)

    def _line_at(self, row: int) -> CodeLine | None:
        place = self.layout.place(row) if self.layout.size else None
        return self.document.line(place) if place is not None else None

    # ── what a comment would be about ──

    def comment_place(self) -> CommentPlace:
        """What is under the cursor or in the range, as a comment names it. A header stands for its whole hunk."""
        segment = self.segment
        if segment is None or segment.file < 0:
            return CommentPlace("")
        path = self.document.files[segment.file].path
        if segment.kind == "thread" and segment.thread is not None and segment.thread.line is not None:
            own = segment.thread
            below = self.document.find(path, own.side, own.end_line or own.line or 0)
            return CommentPlace(path, own.side, own.line, own.end_line, own.quote, below)
        lines = self._chosen_lines(segment)
        on_new_side = [each for each in lines if each[1].new is not None]
        chosen = on_new_side or [each for each in lines if each[1].old is not None]
        if not chosen:
            return CommentPlace(path)
        side = "new" if on_new_side else "old"
        numbers = [line.new if on_new_side else line.old for _, line in chosen]
        last = numbers[-1] if len(numbers) > 1 else None
        quote = "\n".join(line.text for _, line in chosen)
        return CommentPlace(path, side, numbers[0], last, quote, lines[-1][0] if segment.kind == "code" else None)

    def _chosen_lines(self, segment: Segment) -> list[tuple[DiffPlace, CodeLine]]:
        if segment.kind in {"heading", "thread"}:
            return []
        places = [place for row in self.rows if (place := self.layout.place(row)) is not None]
        found = [(place, line) for place in places if (line := self.document.line(place)) is not None]
        return found or list(self.document.lines_of_hunk(segment.file, segment.hunk))

    # ── finding the place again ──

    def spot(self, row: int) -> Spot | None:
        """What the cursor is on at a line of the screen, by content."""
        if not 0 <= row < self.layout.size:
            return None
        segment = self.layout.at(row)[0]
        path = self.document.files[segment.file].path if segment.file >= 0 else ""
        if segment.thread is not None:
            return Spot(path, thread=segment.thread.id)
        line = self._line_at(row)
        key = self.document.key(segment.file, segment.hunk) if segment.file >= 0 and segment.hunk >= 0 else None
        return Spot(path, line=line, hunk=key)

    def _row_of(self, spot: Spot) -> int:
        if spot.thread is not None:
            row = self.layout.row_of_thread(spot.thread)
            if row is None and self.box is not None and self.box.hidden == spot.thread:
                row = max(0, (self.layout.gap or 0) - 1)
            if row is not None:
                return row
        file = self.document.file_number(spot.path) if spot.path else None
        if file is None:
            return min(self.cursor, max(0, self.layout.size - 1))
        return self._row_in_file(file, spot)

    def _row_in_file(self, file: int, spot: Spot) -> int:
        place = self._place_in_file(file, spot)
        row = self.layout.row_of(place) if place is not None else None
        return row if row is not None else self.layout.row_of_file(file) or 0

    def _place_in_file(self, file: int, spot: Spot) -> DiffPlace | None:
        place = None
        if spot.line is not None:
            number = spot.line.number or 0
            same = self.document.find(spot.path, spot.line.side, number)
            is_same = same is not None and self.document.line(same) == spot.line
            place = same if is_same else self.document.find_text(file, spot.line.text, number) or same
        elif spot.hunk is not None and spot.hunk in self.document.keys[file]:
            hunk = list(self.document.keys[file]).index(spot.hunk)
            chunk = next(number for number, each in enumerate(self.document.chunks[file]) if each.number == hunk)
            place = DiffPlace(file, chunk, 0)
        return place
