"""The `workspace` commands, and `task restore`."""

from __future__ import annotations

import os

from orange_tui.cli.reply import Reply, safe
from orange_tui.cli.where import here, named_project, the_project, the_task
from orange_tui.domain.errors import NotFound
from orange_tui.domain.task import check_id
from orange_tui.workspaces.pool_file import BOUND, QUARANTINED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.cli.parsing.grammar import Parsed
    from orange_tui.home.projects import Project
    from orange_tui.orange import Orange
    from orange_tui.workspaces.pool_file import Slot


def init(parsed: Parsed, orange: Orange) -> Reply:
    """`orange workspace init`."""
    project = the_project(parsed, orange)
    made = orange.pool.init(project)
    text = "\n".join(f"{name}  made" for name in made) or f"{project.name} has all its workspaces already"
    return Reply(safe(text), {"project": project.name, "made": made})


def list_workspaces(parsed: Parsed, orange: Orange) -> Reply:
    """`orange workspace list`."""
    project = named_project(parsed, orange)
    if project is None and not parsed.flag("all"):
        project = orange.projects.containing(here())
    slots = orange.pool.slots(project)
    text = "\n".join(map(_line, slots)) or "No workspaces. `orange project add` registers a repository to make some of."
    return Reply(text, [slot.as_json() for slot in slots])


def _line(slot: Slot) -> str:
    if slot.state == BOUND:
        return safe(f"{slot.name}  held by {slot.task}")
    if slot.state == QUARANTINED:
        reason = (slot.reason or "").replace("\n", " ")
        return safe(f"{slot.name}  quarantined, with work of {slot.task}: {reason}")
    return safe(f"{slot.name}  free" if os.path.isdir(slot.path) else f"{slot.name}  free, not made yet")


def gc(_parsed: Parsed, orange: Orange) -> Reply:
    """`orange workspace gc`."""
    refs = {(ref.project, ref.id) for ref in orange.store.refs()}
    done = orange.pool.gc(lambda project, task: (project, task) in refs)
    return Reply(safe("\n".join(done) or "Nothing to give back"), {"done": done})


def restore(parsed: Parsed, orange: Orange) -> Reply:
    """`orange task restore`."""
    project, task = _whose(parsed, orange)
    branch = orange.saved_work.restore(project, task, parsed.number("number"), parsed.text("branch"))
    return Reply(safe(f"{task}  restored on branch {branch}"), {"id": task, "project": project.name, "branch": branch})


def _whose(parsed: Parsed, orange: Orange) -> tuple[Project, str]:
    """The task that was named, be it deleted; one nobody knows is named by its full id and its project."""
    try:
        ref = the_task(parsed, orange)
    except NotFound:
        named = named_project(parsed, orange)
        known = orange.saved_work.find_deleted(check_id(parsed.needed("id")), named.name if named else None)
        if known is not None:
            return orange.projects.get(known.project), known.id
        project = named or orange.projects.containing(here())
        if project is None:
            raise
        return project, parsed.needed("id")
    return orange.projects.get(ref.project), ref.id
