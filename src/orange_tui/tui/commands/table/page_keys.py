"""Keys that open pages about everything but one task, and leaving."""

from __future__ import annotations

from orange_tui.tui.commands import _tasks, _views
from orange_tui.tui.commands._attach import chat
from orange_tui.tui.commands.context import KeyCommand

PAGE_KEYS = (
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
