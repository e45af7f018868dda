"""Keys about the list: creating, finding and reading tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.tui.commands import _endings, _manage, _tasks, _views
from orange_tui.tui.commands.context import KeyCommand

if TYPE_CHECKING:
    from orange_tui.board.rows import TaskRow
    from orange_tui.domain.workflow import Workflow


def _why_no_mark(_workflow: Workflow | None, _row: TaskRow) -> str | None:
    """Every task can be marked; what can be done to it then is said by what is to be done."""
    return None


LIST_KEYS = (
    KeyCommand("create", "c", "new task", "Create a task", _views.create, gives_way=6),
    KeyCommand(
        "undo",
        _endings.UNDO_KEY,
        "undo",
        "Undo the last cancel, for a minute: all of it comes back",
        _endings.undo,
        in_footer=False,
        needs_tasks=True,
    ),
    KeyCommand(
        "read",
        "v",
        "read",
        "Read TASK.md, full screen",
        _views.read,
        _tasks.why_not_readable,
        in_footer=False,
    ),
    KeyCommand(
        "next", "n", "next", "Go to the next task that needs you", _views.next_in_need, gives_way=9, needs_tasks=True
    ),
    KeyCommand(
        "filter",
        "f",
        "filter",
        "Show all, active or finished tasks, or those that need you",
        _views.next_filter,
        gives_way=10,
        needs_tasks=True,
    ),
    KeyCommand(
        "sort",
        "s",
        "sort",
        "Sort: what needs you first, newest, longest in its state, by name, by cost",
        _views.next_order,
        in_footer=False,
        needs_tasks=True,
    ),
    KeyCommand(
        "group",
        "z",
        "group",
        "Group by state, by project, or not at all",
        _views.next_grouping,
        in_footer=False,
        needs_tasks=True,
    ),
    KeyCommand(
        "mark",
        "space",
        "mark",
        "Mark the task; then open, answer, hand over, cancel and delete work on all that are",
        _views.toggle_mark,
        _why_no_mark,
        in_footer=False,
    ),
    KeyCommand(
        "tree",
        "t",
        "tree",
        "Show subtasks below their parents, or one flat list",
        _views.toggle_tree,
        in_footer=False,
        needs_tasks=True,
    ),
    KeyCommand(
        "search",
        "slash",
        "search",
        "Find tasks by branch, summary, status, agent, workflow, label, id or a word of TASK.md",
        _views.search,
        gives_way=8,
        needs_tasks=True,
    ),
    KeyCommand(
        "tab",
        "tab",
        "tab",
        "Next tab of the preview: task, session, diff, history",
        _views.next_tab,
        in_footer=False,
        needs_tasks=True,
    ),
    KeyCommand(
        "map",
        "W",
        "workflow",
        "Show the task's workflow as a picture, and what is wrong with its file",
        _manage.workflow_page,
        _tasks.why_not_readable,
        in_footer=False,
    ),
)
