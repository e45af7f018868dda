"""What a person does to a project besides its tasks: register it, change its settings, remove it, sync its issues."""

from __future__ import annotations

from orange_tui.domain.errors import Refused
from orange_tui.home.registration import register
from orange_tui.options.project_options import read_changes
from orange_tui.store.store import BrokenTask, readable
from orange_tui.workspaces.pool_file import FREE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from orange_tui.engine.parts import HomeParts
    from orange_tui.engine.tasks import Tasks
    from orange_tui.home.projects import Project
    from orange_tui.options.project_options import Texts

REGISTERING = ("name", "default-branch", "workflow", "pool-size")  # what can be said when a project is registered


def register_project(parts: HomeParts, path: str, given: Mapping[str, Texts]) -> Project:
    """Register the repository that contains a path; what is not said of it has its default."""
    own = {name.replace("-", "_"): given[name][0] for name in REGISTERING[:2] if name in given}
    others = {name: given[name] for name in REGISTERING[2:] if name in given}
    return register(parts.projects, path, {**own, **read_changes(parts, path, others)})


def update_project(parts: HomeParts, name: str, given: Mapping[str, Texts]) -> Project:
    """Change what was given of a project; all of it, or nothing where one part is refused."""
    changes = read_changes(parts, parts.projects.get(name).path, given)
    return parts.projects.update(name, changes)


def check_removable(tasks: Tasks, project: Project) -> None:
    """Refuse to remove a project that somebody may be at work on."""
    found = tasks.engine.store.read_all(project.name)
    broken = [each.ref.id for each in found if isinstance(each, BrokenTask)]
    if broken:
        ids = ", ".join(broken)
        raise Refused(f"{project.name} has tasks that can't be read: {ids}. Mend them first; `orange doctor` says how")
    active = [each.ref.id for each in readable(found) if not tasks.is_finished(each.task)]
    if active:
        raise Refused(f"{project.name} has unfinished tasks: {', '.join(active)}. Merge or cancel them first")


def what_stays(tasks: Tasks, project: Project) -> str:
    """What becomes of a project's work when it is removed, for the question before it."""
    check_removable(tasks, project)
    parts = tasks.engine.parts
    finished = len(parts.store.refs(project.name))
    held = [slot.name for slot in parts.pool.slots(project) if slot.state != FREE]
    files = f"the files of its {_count(finished, 'finished task')}" if finished else "all else of it"
    left = f" No longer looked after, with what is in there: {', '.join(held)}." if held else ""
    return f"Orange forgets its settings. Its repository, its branches and {files} stay.{left}"


def remove_project(tasks: Tasks, name: str) -> None:
    """Remove a project from the list; nothing of its repository or its tasks is deleted."""
    check_removable(tasks, tasks.projects.get(name))
    tasks.projects.remove(name)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
