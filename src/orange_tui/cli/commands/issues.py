"""The `issue` command."""

from __future__ import annotations

from orange_tui.cli.reply import Reply, printable_text
from orange_tui.cli.targets import named_project
from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.issues.rules import rules_of
from orange_tui.issues.sync import sync as sync_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.cli.parsing.grammar import Parsed
    from orange_tui.home.projects import Project
    from orange_tui.issues.changes import IssueChange
    from orange_tui.orange import Orange


def sync(parsed: Parsed, orange: Orange) -> Reply:
    """`orange issue sync`."""
    named = named_project(parsed, orange)
    if named is not None:
        return _reply([(named, *_sync_one(orange, named, alone=True))])
    projects = [project for project in orange.projects.all() if rules_of(project).on]
    if not projects:
        raise Refused("No project takes issues; `orange project update NAME --issues on` turns that on")
    return _reply([(each, *_sync_one(orange, each, alone=len(projects) == 1)) for each in projects])


def _sync_one(orange: Orange, project: Project, *, alone: bool) -> tuple[list[IssueChange], str | None]:
    """What was changed, and the problem that stopped it; one project's problem does not stop the others."""
    try:
        changes = sync_project(orange.tasks, project)
    except OrangeError as problem:
        if alone:
            raise
        return [], str(problem)
    return changes, None


def _reply(results: list[tuple[Project, list[IssueChange], str | None]]) -> Reply:
    lines = [
        f"{project.name}  {each.sentence}" for project, changes, _ in results for each in changes if not each.is_problem
    ]
    notes = [
        f"{project.name}: {each.sentence}" for project, changes, _ in results for each in changes if each.is_problem
    ]
    notes += [f"{project.name}: {problem}" for project, _, problem in results if problem]
    data = [
        {"project": project.name, "did": [each.as_json() for each in changes], "problem": problem}
        for project, changes, problem in results
    ]
    return Reply(printable_text("\n".join(lines) or "Nothing new."), data, tuple(notes), code=1 if notes else 0)
