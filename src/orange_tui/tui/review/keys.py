"""The keys of the review screen: what each does, and why it can't be used now. A new one is one entry here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from orange_tui.domain.records import record
from orange_tui.tui.review.thread_lines import who

if TYPE_CHECKING:
    from collections.abc import Callable

    from orange_tui.board.rows import TaskRow
    from orange_tui.tui.review.state import ReviewState, Which

_FINISHED = "It is finished: there is nobody to read it"


class ReviewActions(Protocol):
    """The review screen, as its keys see it."""

    @property
    def review(self) -> ReviewState:
        """What is shown, and where the person is in it."""

    @property
    def row(self) -> TaskRow:
        """The task."""

    def why_no_command(self, name: str) -> str | None:
        """Why one of the app's own commands can't be used on the task now."""

    def run_command(self, name: str) -> None:
        """Use it."""

    def jump(self, which: Which, step: int) -> None:
        """Go to another file, change or comment."""

    def toggle_range(self) -> None:
        """Begin a range of lines, or end it."""

    def comment(self) -> None:
        """Write a comment on what is chosen."""

    def comment_on_task(self) -> None:
        """Write a comment on the whole task."""

    def edit(self) -> None:
        """Edit the draft under the cursor."""

    def reply(self) -> None:
        """Answer in the thread under the cursor."""

    def mark_viewed(self) -> None:
        """Mark what is under the cursor as viewed, or as not."""

    def why_no_new(self) -> str | None:
        """Why there is nothing new to show."""

    def toggle_new(self) -> None:
        """Show everything, or only what is new."""

    def resolve(self) -> None:
        """Resolve or reopen the thread under the cursor; delete a draft."""

    def send(self) -> None:
        """Send all drafts."""

    def merge(self) -> None:
        """Merge, and go on."""

    def unfold(self) -> None:
        """Open what is folded, or fold it again."""

    def toggle_files(self) -> None:
        """Show the files and comments beside the diff, or not."""

    def show_help(self) -> None:
        """Show all keys."""


@record
class TaskCommand:
    """One of the app's own commands, for the task under review."""

    run: Callable[[TaskRow], None]
    why_not: Callable[[TaskRow], str | None]


@record
class ReviewKey:
    """One key. In a footer with too little room the highest `gives_way` first; 0 stays, below 0 is in help only."""

    key: str
    title: str
    help: str
    run: Callable[[ReviewActions], None]
    why_not: Callable[[ReviewActions], str | None] | None = None
    gives_way: int = -1
    title_here: Callable[[ReviewActions], str] | None = None  # what it is called where that depends on the cursor


def _why_no_words(actions: ReviewActions) -> str | None:
    return _FINISHED if actions.row.finished else None


def _why_no_comment(actions: ReviewActions) -> str | None:
    if actions.review.layout.size == 0:
        return "There is nothing to comment on; C comments on the task as a whole"
    return _why_no_words(actions)


def _why_no_range(actions: ReviewActions) -> str | None:
    segment = actions.review.segment
    return None if segment is not None and segment.kind == "code" else "A range begins on a line of code"


def _why_no_edit(actions: ReviewActions) -> str | None:
    thread = actions.review.thread
    if thread is None or thread.state != "draft":
        sent = thread is not None and thread.by == "person"
        return "It was sent; a adds to it" if sent else "No draft of yours is under the cursor; c writes one"
    if thread.by != "person":
        return f"It is {who(thread.by, thread.author)}'s, not yours: r sends it with yours, x deletes it here"
    return _why_no_words(actions)


def _why_no_answer(actions: ReviewActions) -> str | None:
    thread = actions.review.thread
    if thread is None:
        return actions.why_no_command("answer")
    if thread.state == "draft":
        return "A draft is not sent yet; e edits it"
    return "It is resolved; x opens it again" if thread.state == "resolved" else _why_no_words(actions)


def _answer(actions: ReviewActions) -> None:
    if actions.review.thread is None:
        actions.run_command("answer")
    else:
        actions.reply()


def _why_no_send(actions: ReviewActions) -> str | None:
    """Comments go back to the worker; those on somebody else's pull request, to its forge."""
    return None if actions.why_no_command("send_review") is None else actions.why_no_command("send_back")


def _why_no_resolve(actions: ReviewActions) -> str | None:
    if actions.review.thread is None:
        return "No comment is under the cursor; t goes to the next"
    return _why_no_words(actions) if actions.review.thread.state == "draft" else None


def _resolve_title(actions: ReviewActions) -> str:
    thread = actions.review.thread
    if thread is not None and thread.state == "draft":
        return "delete"
    return "open again" if thread is not None and thread.state == "resolved" else "resolve"


def _send_title(actions: ReviewActions) -> str:
    """As the list calls it, which is where most comments go."""
    return "send" if actions.why_no_command("send_review") is None else "send back"


def _why_no_mark(actions: ReviewActions) -> str | None:
    here = actions.review.keys_here
    if here and not any(here):
        return "It is no longer changed: there is nothing to view"
    return None if here else "No change is under the cursor; n goes to the next"


def _why_no_threads(actions: ReviewActions) -> str | None:
    return None if actions.review.layout.threads else "No comments yet; c writes one"


def _why_not_folded(actions: ReviewActions) -> str | None:
    segment = actions.review.segment
    here = segment is not None and (segment.thread is not None or segment.kind in {"fold", "heading"})
    return None if here else "Only what was viewed or resolved is folded"


REVIEW_KEYS: tuple[ReviewKey, ...] = (
    ReviewKey(
        "c", "comment", "Comment on the line, the range or the file", lambda on: on.comment(), _why_no_comment, 0
    ),
    ReviewKey(
        "C", "comment on the task", "Comment on the task as a whole", lambda on: on.comment_on_task(), _why_no_words
    ),
    ReviewKey(
        "e", "edit", "Edit the draft under the cursor; emptied, it is deleted", lambda on: on.edit(), _why_no_edit, 1
    ),
    ReviewKey("a", "answer", "Answer in the thread under the cursor, else the agent", _answer, _why_no_answer, 2),
    ReviewKey(
        "x",
        "resolve",
        "Resolve a thread, or open it again; delete a draft",
        lambda on: on.resolve(),
        _why_no_resolve,
        3,
        _resolve_title,
    ),
    ReviewKey(
        "v",
        "viewed",
        "Mark the change as viewed, on a heading the file; again: not",
        lambda on: on.mark_viewed(),
        _why_no_mark,
        4,
    ),
    ReviewKey(
        "i",
        "only new",
        "Everything, or only what is new since you last looked",
        lambda on: on.toggle_new(),
        lambda on: on.why_no_new(),
        5,
    ),
    ReviewKey(
        "r",
        "send",
        "Send all drafts in one batch: the task goes back to work; of somebody else's pull request, to GitHub",
        lambda on: on.send(),
        _why_no_send,
        0,
        _send_title,
    ),
    ReviewKey(
        "m",
        "merge",
        "Merge, then on to the next task that needs you",
        lambda on: on.merge(),
        lambda on: on.why_no_command("merge"),
        6,
    ),
    ReviewKey("t", "thread", "Next comment", lambda on: on.jump("thread", 1), _why_no_threads, 7),
    ReviewKey("T", "thread back", "Previous comment", lambda on: on.jump("thread", -1), _why_no_threads),
    ReviewKey("n", "change", "Next change", lambda on: on.jump("hunk", 1), None, 8),
    ReviewKey("p", "change back", "Previous change", lambda on: on.jump("hunk", -1)),
    ReviewKey("right_square_bracket", "file", "Next file", lambda on: on.jump("file", 1), None, 9),
    ReviewKey("left_square_bracket", "file back", "Previous file", lambda on: on.jump("file", -1)),
    ReviewKey("V", "range", "Begin a range of lines, or end it", lambda on: on.toggle_range(), _why_no_range),
    ReviewKey("enter", "open", "Open what is folded, or fold it again", lambda on: on.unfold(), _why_not_folded),
    ReviewKey("f", "files", "Files and comments beside the diff, or not", lambda on: on.toggle_files(), None, 10),
    ReviewKey(
        "question_mark", "help", "All keys of the review, and whether they work now", lambda on: on.show_help(), None, 0
    ),
)

MOVING: tuple[tuple[str, str], ...] = (
    ("j k ↑ ↓", "A line down or up"),
    ("⇧↑ ⇧↓", "Choose a range; so does a drag with the mouse"),
    ("space", "A page down; also ctrl+d, ctrl+u, page up and down"),
    ("g G", "First and last line"),
    ("← →", "Scroll long lines"),
    ("esc q D", "Back to the list"),
)
