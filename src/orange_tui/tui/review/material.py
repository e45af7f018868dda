"""What a review is made of, read from disk and from git. Everything here waits for one of them: call it in a thread."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from orange_tui.domain.errors import OrangeError
from orange_tui.domain.records import record
from orange_tui.domain.review.diff import parse_diff
from orange_tui.review.drafts import Drafts
from orange_tui.review.quotes import task_code
from orange_tui.review.relocate import relocate
from orange_tui.review.viewed_file import ViewedFile
from orange_tui.review.what_is_new import Review
from orange_tui.tui.review.document import Document

if TYPE_CHECKING:
    from collections.abc import Mapping

    from orange_tui.board.rows import TaskRow
    from orange_tui.domain.review.thread import Thread
    from orange_tui.orange import Orange
    from orange_tui.tui.review.document import Key


@record
class Comments:
    """The comments on a task, answers that were begun, and the commit that is there. `problem`: why there are none."""

    threads: tuple[Thread, ...] = ()
    unfinished: Mapping[str, str] = {}
    commit: str | None = None
    problem: str = ""


@record
class Code:
    """The whole diff, what is new in it, and what was viewed. `problem` says why there is none, in git's words."""

    whole: Document
    new: Document
    viewed: frozenset[Key] = frozenset()
    has_looked: bool = False
    problem: str = ""
    note: str = ""

    def progress(self, viewed: frozenset[Key]) -> tuple[int, int, int]:
        """How many changes were viewed, how many there are, and how many are new and not viewed."""
        keys = [key for file in self.whole.keys for key in file]
        news = [key for file in self.new.keys for key in file] if self.has_looked else []
        return sum(key in viewed for key in keys), len(keys), sum(key not in viewed for key in news)


class ReviewFiles:
    """The files of one task's review."""

    def __init__(self, orange: Orange, row: TaskRow) -> None:
        self._orange, self._row = orange, row
        self.drafts = Drafts(orange.store, row.ref)

    @property
    def viewed(self) -> ViewedFile:
        """What the person has viewed."""
        return ViewedFile(self._orange.home, self._row.ref.project, self._row.ref.id)

    def read_code(self) -> Code:
        """The diff, held against what was viewed and looked at before."""
        from orange_tui.branches.task_diff import TaskDiffs

        orange, row = self._orange, self._row
        try:
            diffs = TaskDiffs(orange.projects, orange.store, orange.pool)
            text = diffs.read(row.ref, row.task, finished=row.finished) if row.task is not None else ""
        except OrangeError as problem:
            return Code(Document(), Document(), problem=str(problem))
        files, viewed = parse_diff(text), self.viewed.read()
        review = Review.of(files, viewed)
        marked = {
            key
            for file, keys in enumerate(review.fingerprints)
            for hunk, key in enumerate(keys)
            if key and review.is_viewed(file, hunk)
        }
        return Code(
            Document(files, review.fingerprints),
            Document(review.only_new(), _keys_of_new(review)) if review.has_looked else Document(),
            frozenset(marked),
            review.has_looked,
            note=viewed.problem,
        )

    def read_comments(self) -> Comments:
        """The comments as they are stored."""
        try:
            return Comments(self.drafts.file.read(), self.drafts.unfinished(), self._head())
        except OrangeError as problem:
            return Comments(problem=str(problem))

    def relocate(self, whole: Document) -> None:
        """Find the lines of the comments again, in the code as it is now; where that fails, they stay as they are."""
        task = self._row.task
        with suppress(OrangeError):
            if task is not None and not self._row.finished and self.drafts.file.read():
                code = task_code(self._orange.home, self._orange.projects, task)
                relocate(self.drafts.file, whole.files, code.read)

    def _head(self) -> str | None:
        task = self._row.task
        try:
            return task_code(self._orange.home, self._orange.projects, task).head() if task is not None else None
        except OrangeError:
            return None


def note_look(files: ReviewFiles, code: Code | None) -> None:
    """Write down what the person had in front of them: what has come since is new. Waits for the disk."""
    if code is not None and not code.problem:
        files.viewed.looked(code.whole.files)


def _keys_of_new(review: Review) -> list[list[Key]]:
    """The keys of what is new: those of the whole diff; of what is there no more, none."""
    found: list[list[Key]] = []
    for number, file in enumerate(review.only_new()):
        places = [review.origin(number, hunk) for hunk in range(max(1, len(file.hunks)))]
        found.append([review.marks(*place) if place is not None else () for place in places])
    return found
