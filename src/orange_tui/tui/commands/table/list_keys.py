"""Keys about the list: creating, finding and reading tasks."""

from __future__ import annotations

from orange_tui.tui.commands import _endings, _manage, _tasks, _views
from orange_tui.tui.commands.context import KeyCommand

LIST_KEYS = (
    KeyCommand("create", "c", "new task", "Create a task", _views.create, gives_way=6),
    KeyCommand(
        "undo",
        _endings.UNDO_KEY,
        "undo",
        "Undo the last cancel, for a minute: all of it comes back",
        _endings.undo,
        in_footer=False,
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
    KeyCommand("next", "n", "next", "Go to the next task that needs you", _views.next_in_need, gives_way=9),
    KeyCommand(
        "filter",
        "f",
        "filter",
        "Show all, active or finished tasks, or those that need you",
        _views.next_filter,
        gives_way=10,
    ),
    KeyCommand(
        "tree",
        "t",
        "tree",
        "Show subtasks below their parents, or one flat list",
        _views.toggle_tree,
        in_footer=False,
    ),
    KeyCommand("search", "slash", "search", "Find tasks by branch, summary, status or id", _views.search, gives_way=8),
    KeyCommand(
        "tab",
        "tab",
        "tab",
        "Next tab of the preview: task, session, diff, history",
        _views.next_tab,
        in_footer=False,
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
