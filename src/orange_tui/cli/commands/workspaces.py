"""The `workspace` commands, and `task restore`."""

from __future__ import annotations

import os

from orange_tui.cli.reply import Reply, printable_text
from orange_tui.cli.targets import current_directory, listed_project, named_project, target_project, target_task
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
    project = target_project(parsed, orange)
    made = orange.pool.init(project)
    text = "\n".join(f"{name}  created" for name in made) or f"{project.name} already has all its workspaces"
    return Reply(printable_text(text), {"project": project.name, "made": made})


def list_workspaces(parsed: Parsed, orange: Orange) -> Reply:
    """`orange workspace list`."""
    slots = orange.pool.slots(listed_project(parsed, orange))
    text = "\n".join(map(_line, slots)) or "No workspaces. Register a repository with `orange project add` first."
    return Reply(text, [slot.as_json() for slot in slots])


def _line(slot: Slot) -> str:
    if slot.state == BOUND:
        return printable_text(f"{slot.name}  held by {slot.task}")
    if slot.state == QUARANTINED:
        reason = (slot.reason or "").replace("\n", " ")
        return printable_text(f"{slot.name}  quarantined with work of {slot.task}: {reason}")
    return printable_text(f"{slot.name}  free" if os.path.isdir(slot.path) else f"{slot.name}  free, not created yet")


def gc(_parsed: Parsed, orange: Orange) -> Reply:
    """`orange workspace gc`."""
    refs = {(ref.project, ref.id) for ref in orange.store.refs()}
    done = orange.pool.gc(lambda project, task: (project, task) in refs)
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
