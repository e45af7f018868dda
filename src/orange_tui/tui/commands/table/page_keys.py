"""Keys that open pages about everything but one task, and leaving."""

from __future__ import annotations

from orange_tui.tui.commands import _manage, _tasks, _views
from orange_tui.tui.commands._attach import chat
from orange_tui.tui.commands.context import KeyCommand

PAGE_KEYS = (
    KeyCommand(
        "projects",
        "P",
        "projects",
        "Projects: register, change, trust or remove one; sync its issues",
        _manage.projects,
        in_footer=False,
    ),
    KeyCommand(
        "workspaces",
        "K",
        "workspaces",
        "Workspaces: who holds which, which are set aside and why; look, release",
        _manage.workspaces,
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
        _manage.jobs,
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
    KeyCommand(
        "doctor",
        "H",
        "doctor",
        "Check-up: what is installed, what is wrong and how to mend it",
        _manage.doctor,
        in_footer=False,
    ),
    KeyCommand("log", "L", "log", "What Orange has been doing", _views.log, in_footer=False),
    KeyCommand("theme", "T", "theme", "Change theme", _views.change_theme, in_footer=False),
    KeyCommand(
        "check_workflows",
        "",
        "check workflows",
        "What is wrong with every workflow, with file and line",
        _manage.check_workflows,
        in_footer=False,
    ),
    KeyCommand(
        "unblock_all",
        "",
        "unblock all",
        "Start every blocked task over",
        _tasks.unblock_all,
        in_footer=False,
    ),
    KeyCommand(
        "demo",
        "",
        "demo",
        "Watch the demo: scripted agents, nothing of yours is touched; q leads back here",
        _views.demo,
        in_footer=False,
    ),
    KeyCommand("quit", "q", "quit", "Quit; agents keep running", _views.leave, in_footer=False),
)
