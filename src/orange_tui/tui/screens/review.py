"""The review of a task on the whole screen: its diff with a cursor, comments between the lines, a list of both beside.

Nothing here waits for git or a file: reading and writing go on in threads, and what comes of it is shown then.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.containers import Container, Horizontal, Vertical
from textual.screen import Screen

from orange_tui.domain.records import replace
from orange_tui.tui.drawing.labels import shown_key
from orange_tui.tui.drawing.lines import paragraph
from orange_tui.tui.review.comment_box import CommentBox
from orange_tui.tui.review.keys import REVIEW_KEYS
from orange_tui.tui.review.lines import ReviewDrawing
from orange_tui.tui.review.material import Code, Comments, ReviewFiles, note_look
from orange_tui.tui.review.progress import Progress, header_line
from orange_tui.tui.review.side_lists import ThreadList
from orange_tui.tui.review.state import ReviewState
from orange_tui.tui.review.view import ReviewView
from orange_tui.tui.screens._review_key_actions import ReviewKeyActions
from orange_tui.tui.theme import palette_for
from orange_tui.tui.widgets.bars import Footer, FooterKey, Line
from orange_tui.tui.widgets.file_list import FileList
from orange_tui.tui.widgets.strip_view import StripView
from orange_tui.tui.workers import begin_work

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.app import ComposeResult

    from orange_tui.board.rows import Snapshot, TaskRow
    from orange_tui.domain.review.thread import Thread
    from orange_tui.tui.context import AppContext
    from orange_tui.tui.review.document import Key
    from orange_tui.tui.review.keys import ReviewKey, TaskCommand

_WIDE_CELLS = 100
_BAR_CELLS = 2


class ReviewScreen(Screen[None]):
    """The review of one task; it is read again when the branch has moved, and its comments when one has come."""

    BINDINGS = [  # noqa: RUF012 - Textual's own way
        ("escape,q,D", "back", "Back"),
        *(Binding(key.key, f"do('{key.key}')", key.title, show=False) for key in REVIEW_KEYS),
    ]

    def __init__(self, shared: AppContext, row: TaskRow, commands: Mapping[str, TaskCommand]) -> None:
        super().__init__()
        self.row = row
        self._shared = shared
        self.code: Code | None = None
        self.comments = Comments()
        self._added = self._removed = 0
        self._has_moved = False
        self.marked: dict[Key, bool] = {}  # while the diff was being read: viewed, or not any more
        self._drawing: ReviewDrawing | None = None
        self._progress = Progress(0, 0, 0, 0, 0)
        self.review = ReviewState(self._height)
        self._key_actions = ReviewKeyActions(self, shared, commands)

    @property
    def view(self) -> ReviewView:
        """The diff."""
        return self.query_one("#changes", ReviewView)

    def compose(self) -> ComposeResult:
        yield Line(id="header", markup=False)
        with Horizontal(id="body"):
            with Vertical(id="beside"):
                yield FileList(id="files")
                yield ThreadList(id="threads")
            with Container(id="review"):
                yield ReviewView(id="changes")
                yield StripView(id="message")
                yield CommentBox(id="box")
        yield Footer(id="footer", markup=False)

    def on_mount(self) -> None:
        self.view.focus()
        self._show_header("reading …")
        self.watch(self.app, "snapshot", self._follow_task, init=False)
        self._read()

    def on_resize(self) -> None:
        self.set_class(self.size.width >= _WIDE_CELLS, "-files")
        self.call_after_refresh(self.show)

    # ── reading ──

    def _follow_task(self, before: Snapshot | None, now: Snapshot | None) -> None:
        row = next((row for row in (now.rows if now else ()) if row.ref == self.row.ref), self.row)
        has_moved, self.row = _state_of(row) != _state_of(self.row), row
        if has_moved:
            self._read()
        elif before is None or now is None or before.text_changes != now.text_changes:
            self.read_comments()
        self._show_place()
        self._key_actions.follow(now)

    @property
    def files(self) -> ReviewFiles:
        """What the review reads and writes."""
        return ReviewFiles(self._shared.orange, self.row)

    def _read(self) -> None:
        begin_work(self, self._load, group="diff", exclusive=True)

    async def _load(self) -> None:
        """Read everything and show it; then find the lines of the comments again, which may take longer."""
        files, self.marked = self.files, {}
        code, self.comments = await asyncio.to_thread(lambda: (files.read_code(), files.read_comments()))
        if code.problem and self.code is not None and self.code.whole.files:
            code = replace(self.code, problem=code.problem)  # what was read before stays to be read
        self.code = code
        changed = frozenset(self.marked)
        self.review.viewed = code.viewed - changed | {key for key in changed if self.marked[key]}
        self.show()
        await asyncio.to_thread(files.relocate, code.whole)
        await self.load_comments()

    def read_comments(self) -> None:
        """Read the comments again: one has come, or was answered."""
        if self.code is not None:
            begin_work(self, self.load_comments, group="comments", exclusive=True)

    async def load_comments(self) -> None:
        """Read the comments now, and show what is other than before."""
        before, now = self.comments, await asyncio.to_thread(self.files.read_comments)
        if now.problem and not before.problem:
            now = replace(now, threads=before.threads, unfinished=before.unfinished)
        self.comments = now
        if before != now:
            self.show()
        if before.commit != now.commit:
            self._read()

    # ── showing ──

    def _height(self, thread: Thread, in_place: bool) -> int:
        return self._drawing.height(thread, in_place) if self._drawing is not None else 1

    @property
    def shows_new(self) -> bool:
        """Whether only what is new is shown."""
        return self.has_class("-new")

    def show(self) -> None:
        """Show everything as it is now; the cursor stays on what it was on."""
        code, palette = self.code, palette_for(self.app)
        if code is None:
            return
        shown = self.view.size.width or self.query_one("#review").size.width  # it is hidden where there is nothing
        width = max(20, shown - _BAR_CELLS)
        if self._drawing is None or not self._drawing.is_for(width, palette):
            self._drawing = ReviewDrawing(width, palette)
        self._drawing.unfinished = self.comments.unfinished
        self._key_actions.writing.hide_written()
        document = code.new if self.shows_new else code.whole
        self.review.show(document, self.comments.threads, self.review.viewed)
        is_empty = not self.review.layout.size
        self.set_class(is_empty, "-nothing")
        if is_empty:
            text = code.problem or self.comments.problem or ("Nothing new." if self.shows_new else "No changes yet.")
            self.query_one("#message", StripView).show(paragraph(text, palette.dim, width))
        self.query_one(FileList).show(document.files)
        self.query_one(ThreadList).show(self.review.placed.in_order())
        self.set_class(bool(self.comments.threads), "-threads")
        self.lay_out()

    def on_review_view_moved(self) -> None:
        self._has_moved = self._has_moved or self.review.cursor > 0
        self._show_place()

    def _show_place(self) -> None:
        review, code = self.review, self.code
        self._key_actions.writing.place_box()
        if code is None:
            return
        files = review.document.files
        self.query_one(FileList).follow(review.file)
        self.query_one(ThreadList).follow(review.thread.id if review.thread is not None else None)
        where = f"{review.file + 1}/{len(files)} {files[review.file].path}" if files else "no changes"
        self._show_header(where, f"+{self._added:,} −{self._removed:,}")
        self._show_footer()

    def _note(self) -> str:
        """What is wrong, or unusual about what is shown."""
        code = self.code
        if code is not None and code.problem:
            return "not read again: the branch or its directory is gone" if code.whole.files else "no diff"
        if self.comments.problem:
            return "comments can't be read"
        return "only what is new" if self.shows_new else ""

    def _show_header(self, where: str, counts: str = "") -> None:
        task = self.row.task
        name = f"{task.project}/{task.branch}" if task is not None else self.row.ref.id
        line = header_line(
            name, counts, where, self._progress, note=self._note(), palette=palette_for(self.app), width=self.size.width
        )
        self.query_one("#header", Line).show_line(line)

    def _show_footer(self) -> None:
        keys = [
            FooterKey(shown_key(key.key), self._title(key), about_task=True, gives_way=key.gives_way)
            for key in (REVIEW_KEYS if not self._key_actions.writing.is_open else ())  # what is typed is text
            if key.gives_way >= 0 and self._why_not(key) is None
        ]
        writing = (("ctrl+s", "keep as a draft"), ("esc", "close, the text stays"))
        last = writing if self._key_actions.writing.is_open else (("esc", "back"),)
        self.query_one(Footer).show(keys, (), last, palette_for(self.app))

    def lay_out(self) -> None:
        """Show the same again: something was folded, or a box has come or gone."""
        if self._drawing is not None and self.code is not None:
            states = [thread.state for thread in self.comments.threads]
            viewed, hunks, new = self.code.progress(self.review.viewed)
            self._progress = Progress(viewed, hunks, states.count("open"), states.count("draft"), new)
            files = self.review.document.files
            self._added, self._removed = sum(file.added for file in files), sum(file.removed for file in files)
            self.view.show_review(self.review, self._drawing.lines(self.review))
            self._show_place()

    def toggle_opened(self, thread: str) -> None:
        """Show the whole of a resolved comment, or one line of it."""
        if self._drawing is not None:
            self._drawing.opened ^= {thread}
            self.review.rebuild(self.review.box)
            self.lay_out()

    # ── keys ──

    def action_back(self) -> None:
        """A range ends first; then the screen."""
        if self.review.has_range:
            self.review.end_range()
            self.view.see_cursor()
        else:
            self.leave()

    def leave(self) -> None:
        """Go back; who has gone through the diff has looked at it, and what comes later is new."""
        if self._has_moved:
            files, code = self.files, self.code
            self._shared.work.start(self.row.ref, "Remembering what you saw", lambda _report: note_look(files, code))
        self.dismiss()

    def action_do(self, name: str) -> None:
        """Do what a key is for, or say why not."""
        key = next(key for key in REVIEW_KEYS if key.key == name)
        reason = self._why_not(key)
        if reason is None:
            key.run(self._key_actions)
        else:
            self.notify(reason, title=f"{self._title(key)}: not now", severity="warning", markup=False)

    def _title(self, key: ReviewKey) -> str:
        return key.title_here(self._key_actions) if key.title_here is not None else key.title

    def _why_not(self, key: ReviewKey) -> str | None:
        return key.why_not(self._key_actions) if key.why_not is not None else None

    def on_file_list_chosen(self, message: FileList.Chosen) -> None:
        row = self.review.layout.row_of_file(message.number)
        if row is not None:
            self.review.move_to(row)
            self.view.see_top()

    def on_thread_list_chosen(self, message: ThreadList.Chosen) -> None:
        if self.review.go_to_thread(message.thread):
            self.view.see_cursor()

    def on_review_view_opened(self) -> None:
        self.action_do("enter")

    def on_comment_box_typed(self, message: CommentBox.Typed) -> None:
        self._key_actions.writing.typed(message.text)

    def on_comment_box_closed(self, message: CommentBox.Closed) -> None:
        self._key_actions.writing.close(message.text, is_done=message.is_done)

    async def on_unmount(self) -> None:
        await self._key_actions.writing.save_now()


def _state_of(row: TaskRow) -> tuple[object, ...]:
    """What a diff is read again for: the branch has moved, or the task, with which a look may have been noted."""
    return row.stats, row.finished, row.task.status if row.task is not None else None
