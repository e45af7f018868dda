"""Which project and which task a command is about, when it does not say."""

from __future__ import annotations

import os

from orange_tui.domain.errors import NotFound, Refused, UsageError
from orange_tui.store.store import readable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.cli.parsing.grammar import Parsed
    from orange_tui.home.projects import Project
    from orange_tui.orange import Orange
    from orange_tui.store.store import TaskRef


def the_project(parsed: Parsed, orange: Orange) -> Project:
    """The project that was named, else the one around the current directory."""
    found = named_project(parsed, orange) or orange.projects.containing(here())
    if found is None:
        raise Refused(
            "This directory belongs to no registered project: go to one, name one with --project,"
            " or register this one with `orange project add`",
        )
    return found


def named_project(parsed: Parsed, orange: Orange) -> Project | None:
    """The project that was named, if one was."""
    name = parsed.text("project")
    return None if name is None else orange.projects.get(name)


def the_task(parsed: Parsed, orange: Orange) -> TaskRef:
    """The task that was named, else the one whose agent is asking."""
    name, project = parsed.text("id"), parsed.text("project")
    if name is not None:
        return orange.store.find(name, project)
    found = _task_of_window(orange) or _task_of_workspace(orange)
    if found is None:
        raise UsageError("Which task? Give its id, or run this in the task's workspace")
    return found


def _task_of_window(orange: Orange) -> TaskRef | None:
    name = os.environ.get("ORANGE_TASK")
    return orange.store.find(name) if name else None


def _task_of_workspace(orange: Orange) -> TaskRef | None:
    """The task whose worktree this is; the link to its TASK.md says which, or else the tasks do."""
    workspaces = os.path.realpath(orange.home.workspaces)
    current = os.path.realpath(here())
    if not current.startswith(workspaces + os.sep):
        return None
    workspace = os.path.relpath(current, workspaces).split(os.sep)[0]
    linked = os.path.realpath(os.path.join(workspaces, workspace, "TASK.md"))
    if linked.startswith(os.path.realpath(orange.home.tasks) + os.sep):
        return orange.store.find(os.path.basename(os.path.dirname(linked)))
    project = workspace.rpartition("--")[0]
    holders = [found for found in readable(orange.store.read_all(project)) if found.task.workspace == workspace]
    return holders[0].ref if len(holders) == 1 else None


def here() -> str:
    """The current directory, which may have been deleted under us."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        raise NotFound("The current directory is gone; go to one that exists") from None
