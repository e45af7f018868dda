"""A task's relatives in its preview: the task it is a part of, and its own parts, a line each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip

from orange_tui.domain.errors import OrangeError
from orange_tui.store.store import StoredTask
from orange_tui.store.subtasks import parent_of
from orange_tui.tui.drawing.cells import fit
from orange_tui.tui.drawing.lines import said
from orange_tui.tui.drawing.look import name_of, session_icon
from orange_tui.tui.drawing.palette import facts_of, status_look

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orange_tui.board.rows import TaskRow
    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import Workflow
    from orange_tui.orange import Orange
    from orange_tui.store.store import TaskRef
    from orange_tui.tui.drawing.palette import Palette

_MOST_PARTS = 50
_STATUS = 14


def relative_lines(orange: Orange, row: TaskRow, width: int, palette: Palette) -> list[Strip]:
    """What it is a part of, and its parts with how each stands; nothing for a task without relatives."""
    lines: list[Strip] = []
    if row.task is not None and row.task.parent is not None:
        found = parent_of(orange.store, row.task)
        name = (
            f"{name_of(found.task)} ({found.task.status})" if found is not None else f"{row.task.parent}, which is gone"
        )
        lines += said(f"Part of {name}", palette.dim, width)
    if row.subtasks is not None:
        lines += said(f"Subtasks: {row.subtasks[0]} of {row.subtasks[1]} done", palette.dim, width)
        lines += _part_lines(orange, row.parts, width, palette)
    return lines


def _part_lines(orange: Orange, parts: Sequence[TaskRef], width: int, palette: Palette) -> list[Strip]:
    found = [orange.store.read(ref) for ref in parts[:_MOST_PARTS]]
    longest = max((cell_len(name_of(each.task)) for each in found if isinstance(each, StoredTask)), default=0)
    room = min(longest, max(4, width - _STATUS - 6))
    lines = [_part_line(orange, each.task, room, palette) for each in found if isinstance(each, StoredTask)]
    left = len(parts) - _MOST_PARTS
    return [*lines, *(said(f"  … and {left} more", palette.dim, width) if left > 0 else [])]


def _part_line(orange: Orange, task: Task, room: int, palette: Palette) -> Strip:
    workflow = _workflow(orange, task)
    look = status_look(facts_of(workflow, task.status), palette)
    state = workflow.states.get(task.status) if workflow is not None else None
    icon, style = session_icon(orange.sessions.state(task, state), palette)
    if state is not None and state.terminal:
        icon, style = look.mark, look.style
    return Strip(
        [
            Segment(fit(f"  {icon}", 5), style),
            Segment(fit(name_of(task), room), palette.text),
            Segment(f"  {fit(task.status, _STATUS)}", look.style),
        ]
    )


def _workflow(orange: Orange, task: Task) -> Workflow | None:
    try:
        return orange.workflows.load(task.workflow)
    except OrangeError:
        return None
