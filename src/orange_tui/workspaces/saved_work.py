"""Saved work: all of it in one list, back onto a branch, and thrown away only long after its task was deleted.

That a task was deleted is noted beside its project's tasks, with the time: how old a commit is says nothing about
how long somebody may still want it. Only what is noted here ever expires. A task whose directory went away by hand,
or that belongs to another home with the same repository, is not noted, and so its work stays for good.
"""

from __future__ import annotations

import os

from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.domain.records import record
from orange_tui.home import clock
from orange_tui.home.files import locked
from orange_tui.outside import git_saved
from orange_tui.outside.git import Repository
from orange_tui.store.journal import Journal
from orange_tui.store.store import StoredTask, TaskRef

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from orange_tui.domain.task import Task
    from orange_tui.home.paths import Home
    from orange_tui.home.projects import Project
    from orange_tui.orange import Orange
    from orange_tui.store.store import Store
    from orange_tui.workspaces.pool import Pool

KEPT_DAYS = 30
_DELETED, _EXPIRED = "task.deleted", "work.expired"


@record
class Deleted:
    """A deleted task that had saved work: what it was, and since when it is gone."""

    id: str
    branch: str
    summary: str
    at: str


@record
class Piece:
    """One piece of saved work. `task` is None where there is no such task here any more."""

    ref: TaskRef
    repository: str
    number: int
    when: str
    task: Task | None
    deleted: Deleted | None


def note_deletion(pool: Pool, store: Store, project: Project | None, task: Task) -> None:
    """Before a task goes: remember it, if there is work of it that would be left without a name."""
    if project is None:
        return
    try:
        saved = bool(pool.saved(project, task.id))
    except OrangeError:
        saved = True  # nobody can look just now; a note about nothing does no harm
    if saved:
        _note(store.home, project.name, _DELETED, id=task.id, branch=task.branch, summary=task.summary)


def _note(home: Home, project: str, kind: str, **details: object) -> None:
    path = _notes(home, project)
    with locked(f"{path}.lock", what=f"the saved work of {project}"):
        Journal(path).append({"type": kind, "timestamp": clock.now(), **details})


def _notes(home: Home, project: str) -> str:
    return os.path.join(home.tasks, project, ".saved.jsonl")


def deleted_tasks(home: Home, project: str) -> dict[str, Deleted]:
    """The deleted tasks of a project whose saved work has not expired, by id."""
    found: dict[str, Deleted] = {}
    for event in Journal(_notes(home, project)).events():
        task_id = str(event.get("id"))
        found.pop(task_id, None)
        if event["type"] == _DELETED:
            found[task_id] = Deleted(
                task_id, str(event.get("branch")), str(event.get("summary") or ""), str(event.get("timestamp"))
            )
    return found


def find_deleted(orange: Orange, prefix: str, project: str | None) -> TaskRef | None:
    """The one deleted task whose id begins so; an exact id wins, an ambiguous beginning is refused."""
    projects = [project] if project is not None else [each.name for each in orange.projects.all()]
    found = [TaskRef(name, task) for name in projects for task in deleted_tasks(orange.home, name)]
    matches = [ref for ref in found if ref.id.startswith(prefix)]
    best = [ref for ref in matches if ref.id == prefix] or matches
    if len(best) > 1:
        raise Refused(f"{prefix} could be any of {', '.join(sorted(ref.id for ref in best))}; type more of it")
    return best[0] if best else None


def restore(orange: Orange, project: Project, task: str, number: int | None, branch: str | None) -> str:
    """Put saved work on a new branch, and note that in the task's history, if it has one; returns the branch."""
    name = orange.pool.restore(project, task, number, branch)
    ref = TaskRef(project.name, task)
    if isinstance(orange.store.read(ref), StoredTask):
        with orange.engine.open(ref) as opened:
            opened.record("work.restored", branch=name)
    return name


def pieces(orange: Orange, project: str | None = None) -> list[Piece]:
    """Everything that is saved, the latest first; a repository that cannot be asked has nothing to tell."""
    found: list[Piece] = []
    for each in orange.projects.all():
        if project in {None, each.name}:
            found += _pieces_of(orange, each)
    return sorted(found, key=lambda piece: (piece.when, piece.number), reverse=True)


def _pieces_of(orange: Orange, project: Project) -> Iterator[Piece]:
    try:
        kept = git_saved.all_saved_work(Repository(project.path))
        deleted = deleted_tasks(orange.home, project.name) if kept else {}
    except OrangeError:
        return
    for each in kept:
        ref = TaskRef(project.name, each.task)
        known = orange.store.read(ref)
        task = known.task if isinstance(known, StoredTask) else None
        yield Piece(ref, project.path, each.number, each.when, task, deleted.get(each.task))


def expire(orange: Orange) -> Iterator[str]:
    """Let go of what was saved of tasks that were deleted long ago; says of what, with the commits, for the log."""
    for project in orange.projects.all():
        try:
            for deleted in _overdue(orange.home, project.name):
                yield from _expired(orange, project, deleted)
        except OrangeError as problem:
            yield f"saved work of {project.name} was not looked through: {problem}"


def _overdue(home: Home, project: str) -> list[Deleted]:
    now = clock.now()
    found = deleted_tasks(home, project).values()
    return [each for each in found if is_overdue(each, now) and not _exists(home, project, each.id)]


def is_overdue(deleted: Deleted, now: str) -> bool:
    """Whether a task was deleted so long ago that its work may go; a time that cannot be read is never long ago."""
    end = _end(deleted)
    return end is not None and end < _moment(now)


def _exists(home: Home, project: str, task: str) -> bool:
    """A directory is enough: what cannot be read may be mended, and a deletion that was killed is no deletion."""
    return os.path.lexists(os.path.join(home.tasks, project, task))


def _expired(orange: Orange, project: Project, deleted: Deleted) -> Iterator[str]:
    saved = orange.pool.saved(project, deleted.id)
    for each in saved:
        git_saved.forget(Repository(project.path), each)
        yield f"{deleted.id}: let go of {each.name}, {KEPT_DAYS} days after its task was deleted; it was {each.commit}"
    _note(orange.home, project.name, _EXPIRED, id=deleted.id, commits=[each.commit for each in saved])


def kept_until(deleted: Deleted) -> str | None:
    """The day on which the work of a deleted task may go."""
    end = _end(deleted)
    return None if end is None else str(end.date())


def _end(deleted: Deleted) -> datetime | None:
    from datetime import timedelta

    try:
        return _moment(deleted.at) + timedelta(days=KEPT_DAYS)
    except (ValueError, OverflowError):
        return None


def _moment(stamp: str) -> datetime:
    from datetime import UTC, datetime

    moment = datetime.fromisoformat(stamp)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
