"""What a review is made of, read from disk and from git. Everything here waits for one of them: call it in a thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.domain.errors import OrangeError
from orange_tui.domain.records import record
from orange_tui.domain.review.diff import parse_diff
from orange_tui.review.drafts import Drafts
from orange_tui.tui.review.document import Document

if TYPE_CHECKING:
    from orange_tui.board.rows import TaskRow
    from orange_tui.domain.review.thread import Thread
    from orange_tui.orange import Orange


@record
class Material:
    """One reading. `problem` says why there is no diff to be had, in git's words; comments are there all the same."""

    document: Document
    threads: tuple[Thread, ...]
    problem: str | None = None
    threads_problem: str | None = None


def read_material(orange: Orange, row: TaskRow) -> Material:
    """The diff of a task and the comments on it."""
    from orange_tui.branches.task_diff import TaskDiffs

    threads, threads_problem = read_threads(orange, row)
    try:
        diffs = TaskDiffs(orange.projects, orange.store, orange.pool)
        text = diffs.read(row.ref, row.task, finished=row.finished) if row.task is not None else ""
    except OrangeError as problem:
        return Material(Document(), threads, str(problem), threads_problem)
    return Material(Document(parse_diff(text)), threads, None, threads_problem)


def read_threads(orange: Orange, row: TaskRow) -> tuple[tuple[Thread, ...], str | None]:
    """The comments on a task, or why they can't be read."""
    try:
        return Drafts(orange.store, row.ref).file.read(), None
    except OrangeError as problem:
        return (), str(problem)
