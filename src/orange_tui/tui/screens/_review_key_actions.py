"""What the keys of a review do: writing comments in the box, answering, resolving, marking, sending, merging."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from orange_tui.domain.review.thread import is_path
from orange_tui.review.drafts import Drafts
from orange_tui.tui.drawing.cells import key_entry
from orange_tui.tui.drawing.labels import shown_key
from orange_tui.tui.drawing.lines import strip_of
from orange_tui.tui.review.comment_box import LINES
from orange_tui.tui.review.document import CommentPlace
from orange_tui.tui.review.keys import MOVING, REVIEW_KEYS
from orange_tui.tui.review.layout import Box
from orange_tui.tui.review.material import note_look
from orange_tui.tui.review.thread_lines import MARKS, MEANINGS
from orange_tui.tui.review.writing import WrittenComment, WrittenReply, new_comment, reply_name
from orange_tui.tui.screens._review_writing import ReviewWriting
from orange_tui.tui.screens.dialogs import WORDS, ConfirmDialog, SendDialog
from orange_tui.tui.screens.page import Page
from orange_tui.tui.theme import palette_for

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual.strip import Strip

    from orange_tui.board.rows import Snapshot, TaskRow
    from orange_tui.domain.review.thread import Thread
    from orange_tui.store.store import TaskRef
    from orange_tui.tui.context import AppContext
    from orange_tui.tui.drawing.lines import Run
    from orange_tui.tui.drawing.palette import Palette
    from orange_tui.tui.review.keys import TaskCommand
    from orange_tui.tui.review.material import Code
    from orange_tui.tui.review.state import ReviewState, Which
    from orange_tui.tui.review.writing import Writing
    from orange_tui.tui.screens.review import ReviewScreen

_LINES_ABOVE_THREAD = 4


class ReviewKeyActions:
    """The actions of the keys."""

    def __init__(self, screen: ReviewScreen, shared: AppContext, commands: Mapping[str, TaskCommand]) -> None:
        self._screen, self._shared, self._commands = screen, shared, commands
        self.writing = ReviewWriting(screen, self._ask_to_delete)
        self._is_merging = False
        self._words: str | None = None  # to be sent besides the comments, as last typed; None: nobody has yet

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
        self._screen.leave()
        if following is None:
            self._screen.app.notify("Nothing else needs you.", markup=False)
            return
        self._commands["go_to"].run(following)
        if self._commands["send_back"].why_not(following) is None:
            self._commands["review"].run(following)

    def send(self) -> None:
        """Send all drafts in one batch; the dialog says what happens."""
        if self.why_no_command("send_review") is None:
            self.run_command("send_review")
            return
        if not self._can_go_back():
            self.run_command("send_back")  # it says the worker that the branch conflicts
            return
        words = self._words if self._words is not None else self._screen.comments.unfinished.get(WORDS, "")
        name = self.row.task.branch if self.row.task is not None else self.row.ref.id
        shown, code = self.review.threads, self._screen.code  # what comes while the dialog is open, nobody has read
        dialog = SendDialog(name, shown, words, self._drafts)
        self._screen.app.push_screen(dialog, lambda answer: self._send(answer, shown, code))

    def _can_go_back(self) -> bool:
        return self._commands["go_back"].why_not(self.row) is None

    def _send(self, answer: tuple[str, bool] | None, shown: Sequence[Thread], code: Code | None) -> None:
        words, is_sent = answer or ("", False)
        self._words = words
        if not is_sent:
            return
        engine, drafts, files = self._shared.orange.engine, self._drafts, self._screen.files

        def work(_report: object) -> str | None:
            from orange_tui.delivery.feedback import request_changes

            drafts.keep(WORDS, words)  # it may be refused
            note_look(files, code)  # whatever the worker changes from now on is new
            errors = request_changes(engine, self.row.ref, words, shown).hook_errors
            drafts.keep(WORDS, "")
            self._words = ""
            return f"Sent, but {'; '.join(errors)}" if errors else "Sent: the task is back at work."

        self._shared.work.start(self.row.ref, "Sending back", work)

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
        self.review.rebuild(self.review.box)
        self._screen.lay_out()

    # ── viewed ──

    def mark_viewed(self) -> None:
        """Mark what is under the cursor as viewed, or as not."""
        here = self.review.keys_here
        marks = [mark for key in here for mark in key]
        is_viewed = self.review.mark(here)
        self._screen.marked.update(dict.fromkeys(here, is_viewed))
        self._screen.lay_out()
        file = self._screen.files.viewed
        self._shared.work.start(self.row.ref, "Marking", lambda _report: file.mark(marks, viewed=is_viewed))

    def why_no_new(self) -> str | None:
        """Why there is nothing new to show."""
        code = self._screen.code
        if self._screen.shows_new:
            return None
        if code is None or not code.has_looked:
            return "You have not looked at it before: all of it is new"
        return None if code.new.files else "Nothing is new since you looked"

    def toggle_new(self) -> None:
        """Show everything, or only what is new."""
        self._screen.toggle_class("-new")
        self._screen.show()

    # ── writing ──

    def comment(self) -> None:
        """Write a comment on what is chosen."""
        place = self.review.comment_place()
        if place.path and not is_path(place.path):
            text = "Its name can't be written down in a comment; C comments on the task as a whole"
            self._screen.notify(text, title="comment: not now", severity="warning", markup=False)
            return
        if self._screen.shows_new and place.side == "old":  # gone since the last look, so on no side of the branch
            place = replace(place, side="new", line=None, end_line=None)
        self._write(new_comment(self._drafts, place, self._screen.comments.commit), self._box_below(place))

    def comment_on_task(self) -> None:
        """Write a comment on the whole task."""
        self.review.move_to(0)
        self._write(new_comment(self._drafts, CommentPlace(""), self._screen.comments.commit), Box(LINES))

    def _box_below(self, place: CommentPlace) -> Box:
        file = self.review.document.file_number(place.path) if place.path else None
        return Box(LINES, place.below, None, file)

    def edit(self) -> None:
        """Edit the draft under the cursor."""
        thread = self.review.thread
        if thread is not None:
            self._write(WrittenComment(self._drafts, thread), Box(LINES, thread=thread.id, hidden=thread.id))

    def reply(self) -> None:
        """Answer in the thread under the cursor."""
        thread = self.review.thread
        if thread is not None:
            begun = self._screen.comments.unfinished.get(reply_name(thread.id), "")
            self._write(WrittenReply(self._drafts, thread, begun), Box(LINES, thread=thread.id))

    def _write(self, writing: Writing, box: Box) -> None:
        self.writing.open(writing, box)

    def resolve(self) -> None:
        """Resolve or reopen the thread under the cursor; delete a draft."""
        thread = self.review.thread
        if thread is not None and thread.state == "draft":
            self._ask_to_delete(thread.id)
        elif thread is not None:
            title = "Opening again" if thread.state == "resolved" else "Resolving"
            drafts = self._drafts
            self._shared.work.start(self.row.ref, title, lambda _report: drafts.resolve_or_reopen(thread))

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
