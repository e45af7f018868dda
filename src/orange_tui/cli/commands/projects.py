"""The `project` and `workspace` commands, and `task restore`."""

from __future__ import annotations

import os
import sys

from orange_tui.cli.commands.tasks import confirm
from orange_tui.cli.reply import Reply, printable_text
from orange_tui.cli.targets import current_directory, listed_project, named_project, target_project, target_task
from orange_tui.domain.errors import NotFound, Refused, UsageError
from orange_tui.domain.task import check_id
from orange_tui.engine.starting import start_trusted
from orange_tui.issues.links import IssueLinks
from orange_tui.options.project_options import PROJECT_OPTIONS
from orange_tui.options.projects import register_project, remove_project, update_project, what_stays
from orange_tui.presentation import trust as presentation
from orange_tui.presentation.workspaces import slot_words
from orange_tui.trust.trust import read_orange_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from orange_tui.cli.parsing.grammar import Parsed
    from orange_tui.home.projects import Project
    from orange_tui.orange import Orange
    from orange_tui.outside.git_guard.brought import Brought


def add(parsed: Parsed, orange: Orange) -> Reply:
    """`orange project add`."""
    path = os.path.expanduser(parsed.text("path") or ".")
    path = os.path.normpath(path if os.path.isabs(path) else os.path.join(current_directory(), path))
    named = parsed.text("name")
    given = _given(parsed) | ({"name": (named,)} if named is not None else {})
    project = register_project(orange.engine.parts, path, given)
    return Reply(
        printable_text(f"{project.name}  registered: {project.path}, branch {project.default_branch}"),
        project.as_json(),
        (presentation.sentence(project.name, new),) if (new := orange.trust.untrusted(project)) else (),
    )


def list_projects(_parsed: Parsed, orange: Orange) -> Reply:
    """`orange project list`."""
    projects = orange.projects.all()
    lines = [_line(project, orange) for project in projects]
    text = "\n".join(lines) or "No projects yet. `orange project add` registers the repository you are in."
    return Reply(text, [_data(project, orange) for project in projects])


def _line(project: Project, orange: Orange) -> str:
    gone = "" if os.path.isdir(project.path) else "  (this directory no longer exists)"
    return printable_text(
        f"{project.name}  {project.path}  {project.default_branch}  {project.workflow}"
        f"  pool {project.pool_size}{_issues(project, orange)}{gone}"
    )


def _issues(project: Project, orange: Orange) -> str:
    if not project.entry.get("issues"):
        return ""
    problem = IssueLinks(orange.home, project.name).problem
    return f"  issues ({problem})" if problem else "  issues"


def _data(project: Project, orange: Orange) -> dict[str, object]:
    problem = {"issue_problem": IssueLinks(orange.home, project.name).problem} if project.entry.get("issues") else {}
    return project.as_json() | problem


def update(parsed: Parsed, orange: Orange) -> Reply:
    """`orange project update`."""
    given = _given(parsed)
    if not given:
        *names, last = (f"--{option.name}" for option in PROJECT_OPTIONS)
        raise UsageError(f"What should change? Give {', '.join(names)} or {last}")
    project = update_project(orange.engine.parts, parsed.required("name"), given)
    return Reply(_line(project, orange), _data(project, orange))


def _given(parsed: Parsed) -> dict[str, tuple[str, ...]]:
    """The options of the table that were given, each with its values."""
    found = {option.name: parsed.values.get(option.name) for option in PROJECT_OPTIONS}
    texts = {name: (value,) if isinstance(value, str) else value for name, value in found.items()}
    return {name: value for name, value in texts.items() if isinstance(value, tuple)}


def remove(parsed: Parsed, orange: Orange) -> Reply:
    """`orange project remove`."""
    project = orange.projects.get(parsed.required("name"))
    confirm(f"Remove project {project.name} from Orange? {what_stays(orange.tasks, project)}", parsed)
    remove_project(orange.tasks, project.name)
    return Reply(printable_text(f"{project.name}  removed"), {"name": project.name, "removed": True})


def trust(parsed: Parsed, orange: Orange) -> Reply:
    """`orange project trust`: what was shown is remembered, whatever is there by now."""
    project = orange.projects.get(parsed.required("name"))
    problems = read_orange_file(project).problems
    if problems:
        raise Refused("\n".join(str(problem) for problem in problems))
    everything, new = orange.trust.brought(project), orange.trust.untrusted(project)
    data = _trust_data(project, everything)
    if not new:
        return Reply(printable_text(f"{project.name}  {presentation.nothing_new(everything)}"), data)
    shown = printable_text("\n".join(presentation.lines(new)))
    if not parsed.flag("yes") and not parsed.json:
        print(shown, file=sys.stderr, flush=True)
    confirm(f"Trust this in {project.name}? {presentation.WHAT_IT_MEANS}", parsed)
    orange.trust.confirm(project, new)
    started = start_trusted(orange.engine, project.name)
    more = f"; {', '.join(ref.id for ref in started)} started" if started else ""
    done = printable_text(f"{project.name}  trusted{more}")
    return Reply(f"{shown}\n{done}" if parsed.flag("yes") else done, data)


def _trust_data(project: Project, items: Sequence[Brought]) -> dict[str, object]:
    listed = [{"kind": each.kind, "name": each.name, "text": each.text} for each in items]
    return {"name": project.name, "trusted": True, "items": listed}


def init(parsed: Parsed, orange: Orange) -> Reply:
    """`orange workspace init`."""
    project = target_project(parsed, orange)
    made = orange.pool.init(project)
    text = "\n".join(f"{name}  created" for name in made) or f"{project.name} already has all its workspaces"
    return Reply(printable_text(text), {"project": project.name, "made": made})


def list_workspaces(parsed: Parsed, orange: Orange) -> Reply:
    """`orange workspace list`."""
    slots = orange.pool.slots(listed_project(parsed, orange))
    lines = [printable_text(f"{slot.name}  {slot_words(slot)}") for slot in slots]
    text = "\n".join(lines) or "No workspaces. Register a repository with `orange project add` first."
    return Reply(text, [slot.as_json() for slot in slots])


def gc(_parsed: Parsed, orange: Orange) -> Reply:
    """`orange workspace gc`."""
    done = orange.tasks.free_workspaces()
    return Reply(printable_text("\n".join(done) or "Nothing to release"), {"done": done})


def restore(parsed: Parsed, orange: Orange) -> Reply:
    """`orange task restore`."""
    project, task = _task_of_saved_work(parsed, orange)
    branch = orange.saved_work.restore(project, task, parsed.number("number"), parsed.text("branch"))
    return Reply(
        printable_text(f"{task}  restored on branch {branch}"), {"id": task, "project": project.name, "branch": branch}
    )


def _task_of_saved_work(parsed: Parsed, orange: Orange) -> tuple[Project, str]:
    """The task that was named, even if deleted; one that left no trace needs its full id and project."""
    try:
        ref = target_task(parsed, orange)
    except NotFound:
        named = named_project(parsed, orange)
        known = orange.saved_work.find_deleted(check_id(parsed.required("id")), named.name if named else None)
        if known is not None:
            return orange.projects.get(known.project), known.id
        project = named or orange.projects.containing(current_directory())
        if project is None:
            raise
        return project, parsed.required("id")
    return orange.projects.get(ref.project), ref.id
