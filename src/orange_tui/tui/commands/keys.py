"""The table of keys: each with its name, what it does, where it is there, and why not when it is not.

A new key is one entry in `COMMANDS`, and its function in the module of its topic: `_tasks`, `_delivery`, `_views`.
Footer, help, command palette and the `keys:` of config.yml follow. A key about a task follows the task's workflow: it
is there where the move exists, whatever the states are called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding

from orange_tui.domain.errors import Refused
from orange_tui.domain.workflow import REVIEW_WORKFLOW
from orange_tui.tui.commands import _approvals, _delivery, _tasks, _views
from orange_tui.tui.commands._attach import chat
from orange_tui.tui.commands.context import KeyCommand
from orange_tui.tui.drawing.labels import shown_key
from orange_tui.tui.theme import palette_for
from orange_tui.tui.widgets.bars import FooterKey

if TYPE_CHECKING:
    from collections.abc import Mapping

    from orange_tui.tui.commands.context import CommandContext


def _show_help(context: CommandContext) -> None:
    """Show every key; here, because it is about the table itself."""
    from orange_tui.tui.commands._help_page import help_lines
    from orange_tui.tui.screens.page import Page

    context.show(Page("Help", lambda width: help_lines(COMMANDS, context, width, palette_for(context.app))))


COMMANDS: tuple[KeyCommand, ...] = (
    KeyCommand(
        "enter",
        "enter",
        "open",
        "Attach to the agent, or start or restart it",
        _tasks.enter,
        _tasks.why_no_enter,
        task_title=_tasks.enter_title,
    ),
    KeyCommand(
        "answer", "a", "answer", "Send the agent a message without attaching", _tasks.answer, _tasks.why_no_answer
    ),
    KeyCommand(
        "approve",
        "A",
        "allow?",
        "See what the agent asks to be allowed: all of it; allow it once, for this task, or deny it",
        _approvals.approve,
        _approvals.why_no_approval,
        footer_for=_approvals.asks,
    ),
    KeyCommand(
        "hand_over",
        "h",
        "hand over",
        "Have another agent go on with the work, at a limit or at any time",
        _tasks.hand_over,
        _tasks.why_no_hand_over,
        footer_for=_tasks.is_at_limit,
    ),
    KeyCommand(
        "send_back",
        "r",
        "send back",
        "Request changes: they go to ## Feedback and to the worker",
        _tasks.send_back,
        _tasks.why_no_send_back,
    ),
    KeyCommand(
        "retry",
        "u",
        "retry",
        "Start over or unblock: back to the workflow's first state",
        _tasks.retry,
        _tasks.why_no_retry,
        gives_way=2,
    ),
    KeyCommand(
        "merge",
        "m",
        "merge",
        "Merge the branch and finish the task",
        _delivery.merge,
        _delivery.why_no_merge,
        gives_way=1,
    ),
    KeyCommand(
        "cancel", "x", "cancel", "Cancel the task; its work is saved", _tasks.cancel, _tasks.why_no_cancel, gives_way=3
    ),
    KeyCommand("delete", "d", "delete", "Delete a finished task", _tasks.delete, _tasks.why_no_delete, gives_way=4),
    KeyCommand(
        "pull_request",
        "p",
        "PR",
        "Open its pull request, or create one; push what is not in it yet",
        _delivery.pull_request,
        _delivery.why_no_pull_request,
        gives_way=5,
    ),
    KeyCommand(
        "run",
        "o",
        "run",
        "Open what the project's `run` command serves, and start it where it does not run",
        _delivery.open_run,
        _delivery.why_no_run,
        in_footer=False,
    ),
    KeyCommand(
        "refresh",
        "R",
        "refresh PR",
        "Refresh its pull request from GitHub",
        _delivery.refresh,
        _delivery.why_no_refresh,
    ),
    KeyCommand(
        "send_review",
        "V",
        "send review",
        "Send the comments to its pull request on GitHub, as one review",
        _delivery.send_review,
        _delivery.why_no_send_review,
        footer_for=lambda row: row.task is not None and row.task.workflow == REVIEW_WORKFLOW,
    ),
    KeyCommand(
        "workspace",
        "w",
        "workspace",
        "Session, diff and history, full screen",
        _views.workspace,
        _tasks.why_not_readable,
        in_footer=False,
    ),
    KeyCommand(
        "diff",
        "D",
        "review",
        "Review what the branch changes: comment on lines, send back, merge",
        _views.review,
        _tasks.why_not_readable,
        gives_way=7,
    ),
    KeyCommand("create", "c", "new task", "Create a task", _views.create, gives_way=6),
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
    KeyCommand("copy", "y", "copy id", "Copy the task's id", _views.copy_id, _tasks.why_not_readable, in_footer=False),
    KeyCommand(
        "map",
        "W",
        "workflow",
        "Show the task's workflow as a picture",
        _views.workflow_picture,
        _tasks.why_not_readable,
        in_footer=False,
    ),
    KeyCommand(
        "projects",
        "P",
        "projects",
        "Projects: register one, change its pool size or workflow",
        _views.projects,
        in_footer=False,
    ),
    KeyCommand(
        "saved",
        "S",
        "saved work",
        "Saved work, also from deleted tasks: restore it to a branch",
        _views.saved_work,
        in_footer=False,
    ),
    KeyCommand("chat", "C", "chat", "Chat with an orchestrator that creates and watches tasks", chat, in_footer=False),
    KeyCommand(
        "jobs",
        "J",
        "jobs",
        "Jobs: tasks created on a schedule; add, disable, remove",
        _views.jobs,
        in_footer=False,
    ),
    KeyCommand(
        "usage",
        "U",
        "usage",
        "Tokens and dollars, by task, project, agent, model or day",
        _views.usage,
        in_footer=False,
    ),
    KeyCommand("log", "L", "log", "What Orange has been doing", _views.log, in_footer=False),
    KeyCommand("help", "question_mark", "help", "Every key, and whether it works now", _show_help),
    KeyCommand("theme", "T", "theme", "Change theme", _views.change_theme, in_footer=False),
    KeyCommand(
        "unblock_all",
        "",
        "unblock all",
        "Start every blocked task over",
        _tasks.unblock_all,
        in_footer=False,
    ),
    KeyCommand("quit", "q", "quit", "Quit; agents keep running", _views.leave, in_footer=False),
)

MOVING_KEYS = (
    *("j", "k", "g", "G", "up", "down", "left", "right", "space", "home", "end", "pageup", "pagedown", "escape"),
    *("shift+tab", "ctrl+u", "ctrl+d", "ctrl+p", "ctrl+c", "ctrl+q"),
)


def command_named(name: str) -> KeyCommand:
    """The command with this name."""
    return next(command for command in COMMANDS if command.name == name)


def footer_keys(context: CommandContext) -> list[FooterKey]:
    """The keys that can be used now, for a footer."""
    row, overrides = context.selected, context.shared.key_overrides
    keys = []
    for command in COMMANDS:
        if command.is_in_footer_for(row) and command.why_unavailable(context) is None:
            own = command.task_title(context.workflow_of(row), row) if command.task_title and row is not None else ""
            title, about_task = own or command.title, command.why_not is not None
            keys.append(FooterKey(command.shown_key(overrides), title, about_task, command.gives_way))
    return keys


def keymap(chosen: Mapping[str, str]) -> dict[str, str]:
    """The keys a person has chosen, as Textual names them.

    Refused: names that are no command, what is no key, and a key that would do two things.
    """
    with_keys = [command for command in COMMANDS if command.key]
    names = {command.name for command in with_keys}
    for name in chosen:
        if name not in names:
            raise Refused(f"keys: there is no command '{name}'; the commands are {', '.join(sorted(names))}")
    keys = {name: _textual_key(name, key) for name, key in chosen.items()}
    taken: dict[str, str] = dict.fromkeys(MOVING_KEYS, "moving around")
    for command in with_keys:
        key = keys.get(command.name, command.key)
        if key in taken:
            shown = shown_key(key)
            raise Refused(f"keys: '{shown}' is already used for {taken[key]}; choose another key for {command.name}")
        taken[key] = command.name
    return keys


def _textual_key(name: str, key: str) -> str:
    """A key as Textual calls it: `?` is question_mark there."""
    if not key or not key.isprintable() or any(letter in key for letter in ", "):
        raise Refused(f"keys: {name} must be one key, such as M, f5 or ctrl+t")
    return next(iter(Binding.make_bindings([Binding(key, "")]))).key
