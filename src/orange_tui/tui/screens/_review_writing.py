"""The box of a review: opened below a line, saved while somebody types, closed when everything is safe."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from orange_tui.tui.review.comment_box import CommentBox
from orange_tui.tui.review.writing import Autosave, WrittenComment
from orange_tui.tui.workers import begin_work

if TYPE_CHECKING:
    from collections.abc import Callable

    from orange_tui.tui.review.layout import Box
    from orange_tui.tui.review.writing import Writing
    from orange_tui.tui.screens.review import ReviewScreen


class ReviewWriting:
    """The box and what is written in it: saved while it is typed, and when it is closed."""

    def __init__(self, screen: ReviewScreen, on_emptied: Callable[[str], None]) -> None:
        self._screen, self._on_emptied = screen, on_emptied
        self._writing: Writing | None = None
        self._autosave: Autosave | None = None
        self._was_refused = False  # closing the box failed, and the person has read why

    @property
    def is_open(self) -> bool:
        """Whether somebody is writing."""
        return self._writing is not None

    @property
    def _box(self) -> CommentBox:
        return self._screen.query_one(CommentBox)

    def open(self, writing: Writing, box: Box) -> None:
        """Let the person write, where the box is."""
        self._writing = writing
        self._autosave = Autosave(writing.save, self._saved)
        self._screen.review.rebuild(box)
        self._screen.lay_out()
        self._screen.view.see_gap()
        self._box.open(writing.title, writing.text, writing.keep)
        self.place_box()

    def hide_written(self) -> None:
        """What is written is in the box; the draft that it has become meanwhile is not shown as well."""
        box, writing = self._screen.review.box, self._writing
        if box is not None and isinstance(writing, WrittenComment):
            self._screen.review.box = replace(box, hidden=writing.thread.id or None)

    def place_box(self) -> None:
        """Put the box where the lines leave room for it; it scrolls with them."""
        gap = self._screen.review.layout.gap
        if self._writing is not None and gap is not None:
            self._box.styles.offset = (2, gap - self._screen.view.top)

    def typed(self, text: str) -> None:
        """The text is another."""
        if self._autosave is not None:
            self._was_refused = False
            self._autosave.typed(text)
            begin_work(self._screen, self._autosave.run, group="autosave")

    def _saved(self, problem: str | None) -> None:
        is_shown = self._screen.is_attached and bool(self._screen.query(CommentBox))
        if self._writing is not None and is_shown and (problem or not self._was_refused):
            self._box.show_problem(problem)

    async def save_now(self) -> None:
        """Save what was typed: the screen goes, or the app."""
        if self._autosave is not None:
            await self._autosave.flush()

    def close(self, text: str, *, is_done: bool) -> None:
        """The person has finished; a text that can't be saved stays in the box."""
        begin_work(self._screen, partial(self._close, text, is_done=is_done), group="close")

    async def _close(self, text: str, *, is_done: bool) -> None:
        writing, autosave = self._writing, self._autosave
        if writing is None or autosave is None:
            return
        await autosave.stop()
        closing = Autosave(partial(writing.finish, is_done=is_done), self._saved)
        closing.typed(text)
        if not await closing.flush():
            self._was_refused = True
            autosave.typed(text)  # whoever goes on typing goes on saving, and sends nothing by it
            return
        self._writing = self._autosave = None
        self._box.close()
        self._screen.view.focus()
        review = self._screen.review
        review.end_range()
        review.rebuild(None)
        self._screen.lay_out()
        await self._screen.load_comments()
        written = writing.thread.id if isinstance(writing, WrittenComment) else ""
        if written and review.go_to_thread(written):
            self._screen.view.see_cursor()
            if not text.strip():
                self._on_emptied(written)
