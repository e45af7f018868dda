"""In which order the list shows tasks, and in which groups. A new order or grouping is one entry here.

A list may have ten thousand rows and is arranged anew with every change, so the usual order only deals them out.
"""

from __future__ import annotations

from bisect import bisect_left
from operator import attrgetter
from typing import TYPE_CHECKING

from orange_tui.domain.records import record
from orange_tui.tui.drawing.labels import task_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from orange_tui.board.rows import TaskRow

    Rows = Sequence[TaskRow]

NEEDS_YOU, WORKING, WAITING, DONE = range(4)
STATES = ("needs you", "working", "waiting", "done")
BY_NEED, UNGROUPED = "needs you", "none"
_is_finished, _needs = attrgetter("finished"), attrgetter("needs")


def state_of(row: TaskRow) -> int:
    """What a person has to know first of a task: that it needs them, is worked on, waits for something, or is done."""
    if row.needs is not None:
        return NEEDS_YOU
    if row.finished:
        return DONE
    return WORKING if row.session == "active" and row.limit is None else WAITING


def _by_need(rows: Rows) -> Rows:
    """What needs the person first, whoever waits longest before the others; then what is alive. Newest first else."""
    first_done = bisect_left(rows, True, key=_is_finished)  # the board has what is finished last
    is_usual = not any(map(_needs, rows[first_done:]))  # nothing that is finished needs anybody
    dealt: tuple[list[TaskRow], ...] = ([], [], [], [])
    for row in rows[:first_done] if is_usual else rows:
        dealt[state_of(row)].append(row)
    dealt[NEEDS_YOU].sort(key=lambda row: row.needs_since)
    done = rows[first_done:] if is_usual else dealt[DONE]
    return [*dealt[NEEDS_YOU], *dealt[WORKING], *dealt[WAITING], *done]


def _cost(row: TaskRow) -> float:
    return row.usage.total().cost if row.usage is not None else 0.0


def _name(row: TaskRow) -> str:
    return f"{row.ref.project}/{task_name(row.task) if row.task is not None else row.ref.id}".casefold()


ORDERS: Mapping[str, Callable[[Rows], Rows]] = {
    BY_NEED: _by_need,
    "newest": lambda rows: rows,  # as the board has them, what is finished last
    "longest in its state": lambda rows: sorted(rows, key=lambda row: (row.finished, row.since)),
    "name": lambda rows: sorted(rows, key=lambda row: (row.finished, _name(row))),
    "cost": lambda rows: sorted(rows, key=_cost, reverse=True),
}


@record
class Grouping:
    """What tasks are put together by: a key that sorts the groups, and what stands above one."""

    key: Callable[[TaskRow], int | str]
    title: Callable[[TaskRow], str]


GROUPINGS: Mapping[str, Grouping | None] = {
    UNGROUPED: None,
    "state": Grouping(state_of, lambda row: STATES[state_of(row)]),
    "project": Grouping(lambda row: row.ref.project, lambda row: row.ref.project),
}


def group_rows(rows: Rows, name: str) -> tuple[Rows, dict[int, str]]:
    """The rows group by group, in the order they had; and what stands above which of them."""
    grouping = GROUPINGS[name]
    if grouping is None:
        return rows, {}
    groups: dict[int | str, list[TaskRow]] = {}
    for row in rows:
        groups.setdefault(grouping.key(row), []).append(row)
    found: list[TaskRow] = []
    headings: dict[int, str] = {}
    for key in sorted(groups, key=str):
        headings[len(found)] = f"{grouping.title(groups[key][0])} · {len(groups[key])}"
        found += groups[key]
    return found, headings


def next_name(table: Mapping[str, object], name: str) -> str:
    """The entry after this one, round and round."""
    names = list(table)
    return names[(names.index(name) + 1) % len(names)]
