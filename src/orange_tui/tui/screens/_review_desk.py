"""What the keys of a review do: writing comments in the box, answering, resolving, marking, sending, merging."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from orange_tui.review.drafts import Drafts
from orange_tui.tui.drawing.cells import key_entry
from orange_tui.tui.drawing.labels import shown_key
from orange_tui.tui.drawing.lines import strip_of
from orange_tui.tui.review.comment_box import LINES, CommentBox
from orange_tui.tui.review.keys import MOVING, REVIEW_KEYS
from orange_tui.tui.review.layout import Box
from orange_tui.tui.review.state import CommentPlace
from orange_tui.tui.review.thread_lines import MARKS, MEANINGS
from orange_tui.tui.review.writing import Autosave, WrittenComment, new_comment
from orange_tui.tui.screens.dialogs import ConfirmDialog
from orange_tui.tui.screens.page import Page
from orange_tui.tui.theme import palette_for

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from textual.strip import Strip

    from orange_tui.board.rows import Snapshot, TaskRow
    from orange_tui.store.store import TaskRef
    from orange_tui.tui.context import AppContext
    from orange_tui.tui.drawing.lines import Run
    from orange_tui.tui.drawing.palette import Palette
    from orange_tui.tui.review.keys import TaskCommand
    from orange_tui.tui.review.state import ReviewState, Which
    from orange_tui.tui.review.writing import Writing
    from orange_tui.tui.screens.review import ReviewScreen

_LINES_ABOVE_THREAD = 4


class ReviewWriting:
    """The box and what is written in it: saved while it is typed, and when it is closed."""

    def __init__(self, screen: ReviewScreen, on_emptied: Callable[[str], None]) -> None:
        self._screen, self._on_emptied = screen, on_emptied
        self._writing: Writing | None = None
        self._autosave: Autosave | None = None

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
            self._autosave.typed(text)
            self._screen.run_worker(self._autosave.run(), group="autosave", exit_on_error=False)

    def _saved(self, problem: str | None) -> None:
        if self._writing is not None:
            self._box.show_problem(problem)

    async def save_now(self) -> None:
        """Save what was typed: the screen goes, or the app."""
        if self._autosave is not None:
            await self._autosave.flush()

    def close(self, text: str) -> None:
        """The person has finished; a text that can't be saved stays in the box."""
        self._screen.run_worker(self._close(text), group="close", exit_on_error=False)

    async def _close(self, text: str) -> None:
        writing = self._writing
        if writing is None:
            return
        self._autosave = Autosave(writing.finish, self._saved)
        self._autosave.typed(text)
        if not await self._autosave.flush():
            return
        self._writing = self._autosave = None
        self._box.close()
        review, hidden = self._screen.review, self._screen.review.box.hidden if self._screen.review.box else None
        review.end_range()
        review.rebuild(None)
        if hidden is not None:
            review.go_to_thread(hidden)
        self._screen.view.focus()
        self._screen.lay_out()
        self._screen.read_threads()
        if not text.strip() and hidden is not None:
            self._on_emptied(hidden)


class ReviewDesk:
    """The actions of the keys."""

    def __init__(self, screen: ReviewScreen, shared: AppContext, commands: Mapping[str, TaskCommand]) -> None:
        self._screen, self._shared, self._commands = screen, shared, commands
        self.writing = ReviewWriting(screen, self._ask_to_delete)
        self._is_merging = False

    @property
    def review(self) -> ReviewState:
        """What is shown, and where the person is in it."""
        return self._screen.review

    @property
    def row(self) -> TaskRow:
        """The task."""
        return self._screen.row

    @property
    def _drafts(self) -> Drafts:
        return Drafts(self._shared.orange.store, self.row.ref)

    def why_no_command(self, name: str) -> str | None:
        """Why one of the app's own commands can't be used on the task now."""
        return self._commands[name].why_not(self.row)

    def run_command(self, name: str) -> None:
        """Use it."""
        self._commands[name].run(self.row)

    def jump(self, which: Which, step: int) -> None:
        """Go to another file, change or comment."""
        if self.review.jump(which, step):
            self._screen.view.see_top(above=_LINES_ABOVE_THREAD if which == "thread" else 0)

    def toggle_range(self) -> None:
        """Begin a range of lines, or end it."""
        self.review.begin_range()
        self._screen.view.see_cursor()

    def toggle_files(self) -> None:
        """Show files and comments beside the diff, or not."""
        self._screen.toggle_class("-files")
        self._screen.call_after_refresh(self._screen.show)

    def merge(self) -> None:
        """Merge; once that is done, go on to the next task that needs the person."""
        self._is_merging = True
        self.run_command("merge")

    def follow(self, snapshot: Snapshot | None) -> None:
        """Where the task was merged from here, go on to the next."""
        if snapshot is None or not self._is_merging or not self.row.finished or not self._screen.is_current:
            return
        self._is_merging = False
        following = next_in_need(snapshot.rows, self.row.ref)
        self._screen.dismiss()
        if following is None:
            self._screen.app.notify("Nothing else needs you.", markup=False)
            return
        self._commands["go_to"].run(following)
        if self._commands["send_back"].why_not(following) is None:
            self._commands["review"].run(following)

    def send(self) -> None:
        """Send all drafts in one batch; the dialog says what happens."""
        self.run_command("send_back")

    def show_help(self) -> None:
        """Show all keys, and whether they work now."""
        palette = palette_for(self._screen.app)
        self._screen.app.push_screen(Page("Help: review", lambda width: self._help_lines(width, palette)))

    def _help_lines(self, width: int, palette: Palette) -> list[Strip]:
        lines: list[list[Run]] = [[("Reviewing", palette.heading)]]
        for key in REVIEW_KEYS:
            reason = key.why_not(self) if key.why_not is not None else None
            lines += key_entry(shown_key(key.key), key.help, palette.dim if reason else palette.text, width, palette)
            lines += key_entry("", reason, palette.warning, width, palette) if reason else []
        lines += [[], [("Moving", palette.heading)]]
        for name, what in MOVING:
            lines += key_entry(name, what, palette.text, width, palette)
        lines += [[], [("Symbols", palette.heading)]]
        for state, mark in MARKS.items():
            lines += key_entry(mark, MEANINGS[state], palette.text, width, palette)
        return [strip_of(line) for line in lines]

    def unfold(self) -> None:
        """Open what is folded, or fold it again."""
        thread = self.review.thread
        if thread is not None:
            self._screen.toggle_opened(thread.id)
            return
        keys = self.review.keys_here
        self.review.unfolded ^= {key for key in keys if key in self.review.viewed}
        self.review.rebuild()
        self._screen.lay_out()

    # ── writing ──

    def comment(self) -> None:
        """Write a comment on what is chosen."""
        place = self.review.comment_place()
        self._write(new_comment(self._drafts, place, None), self._box_below(place))

    def comment_on_task(self) -> None:
        """Write a comment on the whole task."""
        self.review.move_to(0)
        self._write(new_comment(self._drafts, CommentPlace(""), None), Box(LINES))

    def _box_below(self, place: CommentPlace) -> Box:
        file = self.review.document.file_number(place.path) if place.path else None
        return Box(LINES, place.below, None, file)

    def edit(self) -> None:
        """Edit the draft under the cursor."""
        thread = self.review.thread
        if thread is not None:
            self._write(WrittenComment(self._drafts, thread), Box(LINES, thread=thread.id, hidden=thread.id))

    def _write(self, writing: Writing, box: Box) -> None:
        self.writing.open(writing, box)

    def resolve(self) -> None:
        """Resolve or reopen the thread under the cursor; delete a draft."""
        thread = self.review.thread
        if thread is not None and thread.state == "draft":
            self._ask_to_delete(thread.id)

    def _ask_to_delete(self, thread_id: str) -> None:
        thread = next((each for each in self.review.threads if each.id == thread_id), None)
        if thread is None:
            return

        def on_answer(yes: bool | None) -> None:
            if yes:
                self._shared.work.start(self.row.ref, "Deleting", lambda _report: self._drafts.delete(thread_id))

        first = thread.text.strip().partition("\n")[0]
        what = f"Your comment on {thread.place} is deleted for good: {first}"
        self._screen.app.push_screen(ConfirmDialog("Delete this draft?", what, "Delete"), on_answer)


def next_in_need(rows: Sequence[TaskRow], after: TaskRef) -> TaskRow | None:
    """The next task that needs the person after this one, round and round."""
    refs = [row.ref for row in rows]
    here = refs.index(after) + 1 if after in refs else 0
    return next((row for row in (*rows[here:], *rows[:here]) if row.needs and row.ref != after), None)
