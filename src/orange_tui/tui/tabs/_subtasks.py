"""A task's parent and subtasks in its preview, a line each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip

from orange_tui.domain.errors import OrangeError
from orange_tui.presentation.tasks import state_words
from orange_tui.store.store import StoredTask
from orange_tui.store.subtasks import parent_of
from orange_tui.tui.drawing.cells import fit
from orange_tui.tui.drawing.labels import session_icon, task_name
from orange_tui.tui.drawing.lines import paragraph
from orange_tui.tui.drawing.palette import state_facts, status_style

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orange_tui.board.rows import TaskRow
    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import Workflow
    from orange_tui.orange import Orange
    from orange_tui.store.store import TaskRef
    from orange_tui.tui.drawing.palette import Palette

_MOST_SUBTASKS = 50
_STATUS_CELLS = 14


def subtask_lines(orange: Orange, row: TaskRow, width: int, palette: Palette) -> list[Strip]:
    """Its parent, and its subtasks with how each stands; nothing for a task with neither."""
    lines: list[Strip] = []
    if row.task is not None and row.task.parent is not None:
        parent = parent_of(orange.store, row.task)
        name = (
            f"{task_name(parent.task)} ({state_words(parent.task.status)})"
            if parent is not None
            else f"{row.task.parent}, which is gone"
        )
        lines += paragraph(f"Subtask of {name}", palette.dim, width)
    if row.subtask_counts is not None:
        lines += paragraph(f"Subtasks: {row.subtask_counts[0]} of {row.subtask_counts[1]} done", palette.dim, width)
        lines += _each_subtask(orange, row.subtasks, width, palette)
    return lines


def _each_subtask(orange: Orange, refs: Sequence[TaskRef], width: int, palette: Palette) -> list[Strip]:
    found = [orange.store.read(ref) for ref in refs[:_MOST_SUBTASKS]]
    subtasks = [each.task for each in found if isinstance(each, StoredTask)]
    longest = max((cell_len(task_name(task)) for task in subtasks), default=0)
    room = min(longest, max(4, width - _STATUS_CELLS - 6))
    lines = [_subtask_line(orange, task, room, palette) for task in subtasks]
    left = len(refs) - _MOST_SUBTASKS
    return [*lines, *(paragraph(f"  … and {left} more", palette.dim, width) if left > 0 else [])]


def _subtask_line(orange: Orange, task: Task, room: int, palette: Palette) -> Strip:
    workflow = _workflow(orange, task)
    status = status_style(state_facts(workflow, task.status), palette)
    state = workflow.states.get(task.status) if workflow is not None else None
    icon, style = session_icon(orange.sessions.state(task, state), palette)
    if state is not None and state.terminal:
        icon, style = status.mark, status.style
    return Strip(
        [
            Segment(fit(f"  {icon}", 5), style),
            Segment(fit(task_name(task), room), palette.text),
            Segment(f"  {fit(state_words(task.status), _STATUS_CELLS)}", status.style),
        ]
    )


def _workflow(orange: Orange, task: Task) -> Workflow | None:
    try:
        return orange.workflows.load(task.workflow)
    except OrangeError:
        return None
