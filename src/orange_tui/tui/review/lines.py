"""The review as lines for a view: each is drawn when it comes into sight."""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

from textual.strip import Strip

from orange_tui.tui.drawing.diff_view import ChunkCache
from orange_tui.tui.drawing.lines import LazyLines, safe, strip_of
from orange_tui.tui.review.thread_lines import ThreadLines
from orange_tui.tui.review.writing import reply_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from orange_tui.domain.review.thread import Thread
    from orange_tui.tui.drawing.lines import Run
    from orange_tui.tui.drawing.palette import Palette
    from orange_tui.tui.review.document import Document
    from orange_tui.tui.review.layout import Layout, Segment
    from orange_tui.tui.review.state import ReviewState


class ReviewDrawing:
    """Draws what a layout names, for one width and palette; what was drawn is kept while they stay."""

    def __init__(self, width: int, palette: Palette) -> None:
        self.palette, self.width = palette, width
        self.opened: set[str] = set()  # resolved comments that somebody wants to read
        self.unfinished: Mapping[str, str] = {}  # answers that were begun
        self._threads = ThreadLines(width, palette)
        self._chunks = ChunkCache(palette)
        self._document: Document | None = None

    def is_for(self, width: int, palette: Palette) -> bool:
        """Whether it can still be used."""
        return (width, palette) == (self.width, self.palette)

    def height(self, thread: Thread, in_place: bool) -> int:
        """How many lines a comment takes: elsewhere than under its line, it says where it belongs."""
        return len(self._thread(thread, in_place=in_place))

    def lines(self, state: ReviewState) -> ReviewLines:
        """The lines of a review as it is now."""
        if state.document is not self._document:
            self._document, self._chunks = state.document, ChunkCache(self.palette)
        return ReviewLines(state, self)

    def line(self, state: ReviewState, segment: Segment, within: int) -> Strip:
        """One line of a segment."""
        if segment.kind == "code":
            strips = self._chunks.strips(state.document.chunks[segment.file][segment.chunk])
            number = segment.first + within
            return strips[number] if number < len(strips) else Strip([])
        if segment.kind == "thread" and segment.thread is not None:
            return self._thread(segment.thread, in_place=segment.hunk >= 0)[within]
        if segment.kind == "heading":
            return self._heading(state, segment, within)
        return self._fold(state, segment) if segment.kind == "fold" else Strip([])

    def _thread(self, thread: Thread, *, in_place: bool) -> list[Strip]:
        is_open = thread.state != "resolved" or thread.id in self.opened
        unfinished = self.unfinished.get(reply_name(thread.id), "")
        return self._threads.strips(thread, is_open=is_open, has_quote=not in_place, unfinished=unfinished)

    def _heading(self, state: ReviewState, segment: Segment, within: int) -> Strip:
        strip = self._chunks.strips(state.document.chunks[segment.file][0])[within]
        if within > 0:
            return strip
        count = sum(1 for _ in state.document.files[segment.file].hunks)
        viewed = sum(state.is_viewed(segment.file, hunk) for hunk in range(count)) if count else 0
        done = viewed == count if count else state.is_viewed(segment.file, -1)
        if not done and not viewed:
            return strip
        words = "  ✓ viewed" if done else f"  {viewed}/{count} viewed"
        return Strip([*strip, *strip_of([(words, self.palette.good if done else self.palette.dim)])])

    def _fold(self, state: ReviewState, segment: Segment) -> Strip:
        hunk = state.document.files[segment.file].hunks[segment.hunk]
        count = len(hunk.lines)
        runs: list[Run] = [(safe(hunk.header), self.palette.dim), ("  ✓ viewed", self.palette.good)]
        return strip_of([*runs, (f" · {count} line{'s' if count != 1 else ''}", self.palette.dim)])


class ReviewLines(LazyLines):
    """All lines of a review, as its layout has them at this moment."""

    def __init__(self, state: ReviewState, drawing: ReviewDrawing) -> None:
        self._state, self._drawing = state, drawing
        self._layout: Layout = state.layout
        self.width = max(state.document.width, drawing.width)

    def __len__(self) -> int:
        return self._layout.size

    @overload
    def __getitem__(self, index: int) -> Strip: ...
    @overload
    def __getitem__(self, index: slice) -> list[Strip]: ...
    def __getitem__(self, index: int | slice) -> Strip | list[Strip]:
        if isinstance(index, slice):
            return [self[line] for line in range(*index.indices(len(self)))]
        if not 0 <= index < len(self):
            raise IndexError(index)
        return self._drawing.line(self._state, *self._layout.at(index))
