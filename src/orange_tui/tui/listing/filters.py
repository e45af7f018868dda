"""Which tasks the list shows: the filters, and the words of a search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.presentation.tasks import state_words

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from orange_tui.board.rows import TaskRow
    from orange_tui.domain.task import Task
    from orange_tui.store.index import Key

ALL = "all"
FILTERS: Mapping[str, Callable[[TaskRow], bool]] = {
    ALL: lambda _row: True,
    "active": lambda row: not row.finished,
    "finished": lambda row: row.finished,
    "needs you": lambda row: bool(row.needs),
}

_KNOWN: dict[int, tuple[Task, str]] = {}
_MOST_KNOWN = 20_000


def filter_rows(
    rows: Sequence[TaskRow], name: str, search: str = "", in_text: Collection[Key] = ()
) -> Sequence[TaskRow]:
    """The rows to show; the same list where that is all of them, for with ten thousand a copy would be felt.

    `in_text` has the tasks in whose text the words were found, by whoever reads files.
    """
    if name != ALL:
        rows = [row for row in rows if FILTERS[name](row)]
    words = search_words(search)
    if not words:
        return rows
    return [row for row in rows if not missing_words(row, words) or (row.ref.project, row.ref.id) in in_text]


def search_words(search: str) -> list[str]:
    """What is looked for, whatever its case."""
    return search.casefold().split()


def missing_words(row: TaskRow, words: Sequence[str]) -> list[str]:
    """The words that are not in what people know a task by; only in its text they may be found then."""
    folded = _folded(row)
    return [word for word in words if word not in folded]


def _folded(row: TaskRow) -> str:
    """What people know a task by, made once for each: who types a word asks for each letter, of ten thousand tasks."""
    if row.task is None:
        return _known_by(row).casefold()
    known = _KNOWN.get(id(row.task))
    if known is None:
        if len(_KNOWN) > _MOST_KNOWN:
            _KNOWN.clear()
        known = _KNOWN[id(row.task)] = row.task, _known_by(row).casefold()  # kept with it: its id is nobody else's
    return known[1]


def _known_by(row: TaskRow) -> str:
    task = row.task
    if task is None:
        return f"{row.ref.id} {row.ref.project}"
    agents = f"{task.harness or ''} {task.review_harness or ''} {task.model or ''}"
    state = f"{task.status} {state_words(task.status)}"
    about = f"{task.branch} {task.summary} {state} {task.workflow} {' '.join(task.labels)}"
    return f"{row.ref.id} {row.ref.project} {about} {agents}"
