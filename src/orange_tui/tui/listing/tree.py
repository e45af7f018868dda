"""The list as a tree: every subtask below its parent, with guides that lead to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.domain.records import record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from orange_tui.board.rows import TaskRow

    Parents = Sequence[int | None]

_BRANCH, _LAST, _LINE, _BLANK = "├─ ", "└─ ", "│  ", "   "


@record
class ListedTasks:
    """The rows to show, from the top, with what stands above some of them.

    In a tree each has what leads to it, and what leads past its second line.
    """

    rows: Sequence[TaskRow]
    guides: Sequence[str] = ()
    guides_below: Sequence[str] = ()
    headings: Mapping[int, str] = {}  # by the place of the first row below


def as_tree(rows: Sequence[TaskRow], shown: Sequence[TaskRow]) -> ListedTasks:
    """Parents before their subtasks, the subtasks oldest first; those to be shown come with all their ancestors.

    A row is known by its place among the rows: there may be ten thousand, and this is done with every change.
    """
    places = {row.ref.id: place for place, row in enumerate(rows)}
    parents = [places.get(row.task.parent) if row.task is not None and row.task.parent else None for row in rows]
    kept = range(len(rows)) if shown is rows else _with_ancestors(rows, shown, parents)
    subtasks: dict[int, list[int]] = {}
    for place in kept:
        parent = parents[place]
        if parent is not None:
            subtasks.setdefault(parent, []).append(place)
    for each in subtasks.values():  # only the age counts: a subtask that is done keeps its place
        each.sort(key=lambda place: rows[place].order[1:])
    return _walk(rows, kept, parents, subtasks)


def _with_ancestors(rows: Sequence[TaskRow], shown: Sequence[TaskRow], parents: Parents) -> Sequence[int]:
    wanted = {id(row) for row in shown}
    kept: set[int] = set()
    for each, row in enumerate(rows):
        place: int | None = each if id(row) in wanted else None
        while place is not None and place not in kept:
            kept.add(place)
            place = parents[place]
    return sorted(kept)


def _walk(
    rows: Sequence[TaskRow], kept: Sequence[int], parents: Parents, subtasks: dict[int, list[int]]
) -> ListedTasks:
    """From the tops down. Tasks that are each other's subtasks have no top: then the first of them serves as one."""
    found: list[tuple[TaskRow, str, str]] = []
    seen: set[int] = set()
    for top in (*(place for place in kept if parents[place] is None), *kept):
        waiting = [(top, "", "")] if top not in seen else []
        while waiting:
            place, guide, below = waiting.pop()
            if place in seen:
                continue
            seen.add(place)
            own = subtasks.get(place)
            if own is None:
                found.append((rows[place], guide, below))
                continue
            branch, line = below + _BRANCH, below + _LINE
            found.append((rows[place], guide, line))
            waiting.append((own[-1], below + _LAST, below + _BLANK))
            waiting += [(each, branch, line) for each in own[-2::-1]]
    return ListedTasks([row for row, _, _ in found], [guide for _, guide, _ in found], [below for _, _, below in found])
