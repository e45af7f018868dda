"""The columns of the task list: each its name, its width, what it tells and what stands in it; a new one is one entry.

`columns:` in config.yml chooses which there are and in which order. A branch is what people know a task by, so its name
keeps some room: where there is too little, columns give way, those that tell least first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.segment import Segment

from orange_tui.board.rows import COULD_START
from orange_tui.domain.errors import Refused
from orange_tui.domain.records import record
from orange_tui.presentation.tasks import age
from orange_tui.tui.drawing.cells import fit, fit_right
from orange_tui.tui.drawing.labels import (
    agent_label,
    conflict_marks,
    cost_label,
    doing_label,
    format_count,
    pull_request_label,
    status_label,
    summary_label,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.style import Style

    from orange_tui.board.rows import TaskRow
    from orange_tui.tui.drawing.palette import Palette

    Cells = Callable[["RowLook", int], list[Segment]]

_GAP = 2  # before a column that begins at the left


@record
class RowLook:
    """A row, and how the list as a whole has it look; in a tree, the guide before its name leads from its parent."""

    row: TaskRow
    name: str
    name_style: Style
    status_style: Style
    palette: Palette
    guide: str = ""


@record
class Column:
    """One column. The highest `gives_way` goes first; 0 stays. One that `grows` takes a share of what room is left.

    In a wide list one that has a `least` is content with that, so that others are there, too.
    """

    name: str  # in config.yml
    title: str
    width: int
    gives_way: int
    meaning: str
    cells: Cells
    shown_for: str | None = None  # one of `FACTS`: it is there only where a task has this
    grows: bool = False
    is_text: bool = False  # it begins at the left
    least: int = 0
    text: Callable[[TaskRow], str] | None = None  # of one that in a wide list is no wider than its texts

    def heading(self, width: int) -> str:
        """What stands above it."""
        return _text(self.title, width) if self.is_text else fit_right(self.title, width)


def _text(text: str, width: int) -> str:
    return " " * min(_GAP, width) + fit(text, width - _GAP)


def _name(look: RowLook, width: int) -> list[Segment]:
    marks = conflict_marks(look.row)
    room = width - len(marks) - 1 if marks else width
    led = look.guide[-max(1, room // 2) :]  # what lies deep keeps some room for its name
    return [
        *([Segment(led, look.palette.dim)] if led else []),
        Segment(fit(look.name, room - len(led)), look.name_style),
        *([Segment(f" {marks}", look.palette.warning)] if marks else []),
    ]


def _status(look: RowLook, width: int) -> list[Segment]:
    return [Segment(f" {fit(status_label(look.row), width - 1)}", look.status_style)]


def _doing(look: RowLook, width: int) -> list[Segment]:
    word, style = doing_label(look.row, look.palette)
    return [Segment(_text(word, width), style)]


def _agent(look: RowLook, width: int) -> list[Segment]:
    return [Segment(_text(agent_label(look.row), width), look.palette.dim)]


def _summary(look: RowLook, width: int) -> list[Segment]:
    style = look.palette.dim if look.row.finished else look.palette.text
    return [Segment(_text(summary_label(look.row), width), style)]


def _output(look: RowLook, width: int) -> list[Segment]:
    return [Segment(_text(look.row.last_line, width), look.palette.dim)]


def _pull_request(look: RowLook, width: int) -> list[Segment]:
    text, style = pull_request_label(look.row, look.palette)
    return [Segment(fit_right(text, width), style)]


def _commits(look: RowLook, width: int) -> list[Segment]:
    ahead = look.row.stats.ahead if look.row.stats is not None else 0
    return [Segment(fit_right(f"↑{format_count(ahead)}" if ahead else "", width), look.palette.dim)]


def _changes(look: RowLook, width: int) -> list[Segment]:
    row, palette = look.row, look.palette
    if row.stats is None or not (row.stats.added or row.stats.removed):
        if not row.waits or row.finished:
            return [Segment(" " * width)]
        return [Segment(fit_right("can start" if row.waits == COULD_START else "waits", width), palette.dim)]
    added, removed = f"+{format_count(row.stats.added)}", f" −{format_count(row.stats.removed)}"
    return [Segment(fit_right(added, width - len(removed)), palette.added), Segment(removed, palette.removed)]


def _cost(look: RowLook, width: int) -> list[Segment]:
    row, palette = look.row, look.palette
    style = palette.warning if row.budget is not None and row.budget.is_nearly_used_up else palette.dim
    return [Segment(fit_right(cost_label(row.usage.total()) if row.usage is not None else "", width), style)]


def _waits(look: RowLook, width: int) -> list[Segment]:
    return [Segment(fit_right(age(look.row.needs_since) if look.row.needs else "", width), look.palette.accent)]


def _age(look: RowLook, width: int) -> list[Segment]:
    return [Segment(fit_right(age(look.row.since), width), look.palette.dim)]


TASK = Column("task", "task", 20, 0, "Its branch, or its summary where nobody chose one", _name, grows=True)
COLUMNS: tuple[Column, ...] = (
    TASK,
    Column("status", "status", 15, 0, "Its state in its workflow", _status),
    Column(
        "doing",
        "doing",
        10,
        5,
        "What its agent does: busy, idle, asks, error, limit, starting; or that it has ended",
        _doing,
        shown_for="status",
        is_text=True,
    ),
    Column(
        "agent",
        "agent",
        22,
        9,
        "Its agent, and the model where one is known",
        _agent,
        is_text=True,
        least=10,
        text=agent_label,
    ),
    Column(
        "summary",
        "summary",
        26,
        7,
        "What it is about",
        _summary,
        grows=True,
        is_text=True,
        least=18,
        text=summary_label,
    ),
    Column(
        "output",
        "last output",
        26,
        8,
        "The last line that its agent has printed, a few seconds old",
        _output,
        shown_for="last_line",
        grows=True,
        is_text=True,
        least=18,
    ),
    Column(
        "pr",
        "PR",
        9,
        2,
        "Its pull request: number, checks (✓ ✗ …), review (+ ↩)",
        _pull_request,
        shown_for="pull_request",
    ),
    Column("commits", "↑", 5, 10, "Commits that the default branch does not have", _commits),
    Column("changes", "±", 12, 3, "Lines added and removed; or that it waits, and can start", _changes),
    Column("cost", "cost", 9, 4, "What its agents have cost so far", _cost, shown_for="usage"),
    Column("waits", "waits", 6, 6, "How long it has been waiting for you", _waits, shown_for="needs"),
    Column("age", "age", 5, 1, "How long it has been in its state", _age),
)


def chosen_columns(names: Sequence[str]) -> tuple[Column, ...]:
    """The columns with these names, in this order; the task's own is always there. None chosen: all of them."""
    known = {column.name: column for column in COLUMNS}
    for name in names:
        if name not in known:
            raise Refused(f"columns: there is no column '{name}'; the columns are {', '.join(known)}")
    found = tuple(known[name] for name in dict.fromkeys(names))
    if not found:
        return COLUMNS
    return found if TASK in found else (TASK, *found)
