"""Which project and task a command is about: the one named, else the one of the current directory or window."""

from __future__ import annotations

import os

from orange_tui.domain.errors import NotFound, Refused, UsageError
from orange_tui.domain.task import printable
from orange_tui.store.store import readable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.cli.parsing.grammar import Parsed
    from orange_tui.home.projects import Project
    from orange_tui.orange import Orange
    from orange_tui.store.store import TaskRef


def target_project(parsed: Parsed, orange: Orange) -> Project:
    """The project that was named, else the one that contains the current directory."""
    found = named_project(parsed, orange) or orange.projects.containing(current_directory())
    if found is None:
        raise Refused(
            "This directory is in no registered project. Change to one, name one with --project,"
            " or register this one with `orange project add`",
        )
    return found


def named_project(parsed: Parsed, orange: Orange) -> Project | None:
    """The project that was named, if one was."""
    name = parsed.text("project")
    return None if name is None else orange.projects.get(name)


def listed_project(parsed: Parsed, orange: Orange) -> Project | None:
    """The project that a list is limited to: the one named, else the current directory's; None for all of them."""
    if parsed.flag("all"):
        return None
    return named_project(parsed, orange) or orange.projects.containing(current_directory())


def target_task(parsed: Parsed, orange: Orange) -> TaskRef:
    """The task that was named, else the one whose window or workspace this is."""
    name, project = parsed.text("id"), parsed.text("project")
    if name is not None:
        return find_task(name, project, orange)
    found = own_task(orange)
    if found is None:
        raise UsageError("Which task? Give its id, or run this in its workspace")
    return found


def own_task(orange: Orange) -> TaskRef | None:
    """The task whose window or workspace this is, if it is one's."""
    return _task_of_this_window(orange) or _task_of_this_workspace(orange)


def find_task(name: str, project: str | None, orange: Orange) -> TaskRef:
    """The task of an id, or of the beginning of one; else the one task whose branch is called so.

    What an agent may change is asked for by id alone (`permissions`): a branch can be renamed in between.
    """
    try:
        return orange.store.find(name, project)
    except (NotFound, Refused):
        found = _tasks_on_branch(name, project, orange)
        if not found:
            raise
    if len(found) > 1:
        names = ", ".join(sorted(f"{ref.id} ({ref.project})" for ref in found))
        raise Refused(f"Several tasks have the branch {printable(name)}: {names}. Give the id of the one you mean")
    return found[0]


def _tasks_on_branch(name: str, project: str | None, orange: Orange) -> list[TaskRef]:
    """Those that have this branch; a finished one has given it up where another has it now."""
    found = [each for each in readable(orange.store.read_all(project)) if each.task.branch == name]
    unfinished = [each for each in found if not orange.engine.is_finished(each.task)]
    return [each.ref for each in unfinished or found]


def _task_of_this_window(orange: Orange) -> TaskRef | None:
    name = os.environ.get("ORANGE_TASK")
    return orange.store.find(name) if name else None


def _task_of_this_workspace(orange: Orange) -> TaskRef | None:
    """The task that holds this worktree: the one its TASK.md links to, else the one whose TASK.md names it."""
    workspaces = os.path.realpath(orange.home.workspaces)
    current = os.path.realpath(current_directory())
    if not current.startswith(workspaces + os.sep):
        return None
    workspace = os.path.relpath(current, workspaces).split(os.sep)[0]
    linked = os.path.realpath(os.path.join(workspaces, workspace, "TASK.md"))
    if linked.startswith(os.path.realpath(orange.home.tasks) + os.sep):
        return orange.store.find(os.path.basename(os.path.dirname(linked)))
    project = workspace.rpartition("--")[0]
    holders = [found for found in readable(orange.store.read_all(project)) if found.task.workspace == workspace]
    return holders[0].ref if len(holders) == 1 else None


def current_directory() -> str:
    """The current directory, which may have been deleted meanwhile."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        raise NotFound("The current directory no longer exists; change to another one") from None
