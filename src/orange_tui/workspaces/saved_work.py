"""Saved work: listed, restored to a branch, and deleted only long after its task was deleted.

The deletion of a task is recorded beside its project's tasks, with the time: the age of a commit does not tell how
long somebody may still want it. Only work that is recorded there ever expires. A task whose directory was removed by
hand, or that belongs to another home with the same repository, is not recorded, so its work is kept for good.

A clock may be wrong by years, at the deletion or now, and one look cannot tell. So the days on which Orange looked are
recorded too, and work expires once there were as many different ones as it is kept for: a jump counts as one day.
"""

from __future__ import annotations

import os

from orange_tui.domain.errors import NotFound, OrangeError
from orange_tui.domain.records import record, replace
from orange_tui.domain.task import check_branch, match_prefix
from orange_tui.home import clock
from orange_tui.home.locks import locked
from orange_tui.outside import git_saved
from orange_tui.outside.git import Repository
from orange_tui.store.journal import Journal
from orange_tui.store.store import StoredTask, TaskRef

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from datetime import datetime

    from orange_tui.domain.task import Task
    from orange_tui.home.paths import Home
    from orange_tui.home.projects import Project, Projects
    from orange_tui.outside.git_saved import Saved
    from orange_tui.store.open_task import OpenTask
    from orange_tui.store.store import Store

RETENTION_DAYS = 30
_DATE_CHARS = len("2026-11-16")
_DELETED, _EXPIRED, _DAY = "task.deleted", "work.expired", "day.counted"


@record
class DeletedTask:
    """A deleted task that had saved work: what it was, when it was deleted, and the days counted since."""

    id: str
    branch: str
    summary: str
    at: str
    days: frozenset[str] = frozenset()


@record
class SavedSnapshot:
    """One saved commit of a task's work. `task` is None where there is no such task here any more."""

    ref: TaskRef
    repository: str
    number: int
    when: str
    task: Task | None
    deleted: DeletedTask | None


@record
class SavedWorkStore:
    """The saved work of every task of a home, those that were deleted included."""

    projects: Projects
    store: Store
    open_task: Callable[[TaskRef], AbstractContextManager[OpenTask]]

    def snapshots(self, project: str | None = None) -> list[SavedSnapshot]:
        """Everything that is saved, the latest first; a repository that cannot be read has nothing to list."""
        found: list[SavedSnapshot] = []
        for each in self.projects.all():
            if project in {None, each.name}:
                found += self._snapshots_of(each)
        return sorted(found, key=lambda snapshot: (snapshot.when, snapshot.number), reverse=True)

    def _snapshots_of(self, project: Project) -> Iterator[SavedSnapshot]:
        try:
            saved = git_saved.all_saved_work(Repository(project.path))
            deleted = deleted_tasks(self.store.home, project.name) if saved else {}
        except OrangeError:
            return
        for each in saved:
            ref = TaskRef(project.name, each.task)
            known = self.store.read(ref)
            task = known.task if isinstance(known, StoredTask) else None
            yield SavedSnapshot(ref, project.path, each.number, each.when, task, deleted.get(each.task))

    def find_deleted(self, prefix: str, project: str | None) -> TaskRef | None:
        """The one deleted task whose id begins so; an exact id wins, an ambiguous prefix is refused."""
        projects = [project] if project is not None else [each.name for each in self.projects.all()]
        found = [TaskRef(name, task) for name in projects for task in deleted_tasks(self.store.home, name)]
        return match_prefix(prefix, found)

    def restore(self, project: Project, task: str, number: int | None, branch: str | None) -> str:
        """Put saved work on a new branch, and record that in the task's history, if it has one; returns the branch."""
        name = restore_to_branch(project, task, number, branch)
        ref = TaskRef(project.name, task)
        if isinstance(self.store.read(ref), StoredTask):
            with self.open_task(ref) as opened:
                opened.record("work.restored", branch=name)
        return name

    def expire(self) -> Iterator[str]:
        """Delete what was saved of tasks that were deleted long ago; yields a line for the log with each commit."""
        for project in self.projects.all():
            try:
                _count_day(self.store.home, project.name)
                for deleted in _expired_tasks(self.store.home, project.name):
                    yield from _delete_saved_work(self.store.home, project, deleted)
            except OrangeError as problem:
                yield f"saved work of {project.name} was not checked: {problem}"


def saved_of(project: Project, task_id: str) -> list[Saved]:
    """What was saved of a task's work, oldest first."""
    return git_saved.saved_work(Repository(project.path), task_id)


def restore_to_branch(project: Project, task_id: str, number: int | None, branch: str | None) -> str:
    """Put saved work on a branch, the latest unless a number says which; returns the branch's name."""
    saved = saved_of(project, task_id)
    found = next((each for each in reversed(saved) if number in {None, each.number}), None)
    if found is None:
        numbers = ", ".join(str(each.number) for each in saved)
        raise NotFound(
            f"{task_id} has no saved work number {number}; it has {numbers}"
            if saved
            else f"{task_id} has no saved work: all of its work is on its branch"
        )
    name = check_branch(branch or f"orange-restored/{task_id}-{found.number}")
    git_saved.restore(Repository(project.path), found, name)
    return name


def record_deletion(home: Home, project: Project | None, task: Task) -> None:
    """Before a task is deleted: record it, if it has saved work that would be left without a name."""
    if project is None:
        return
    try:
        saved = bool(saved_of(project, task.id))
    except OrangeError:
        saved = True  # nobody can tell just now; a record about nothing does no harm
    if saved:
        _append(home, project.name, _DELETED, id=task.id, branch=task.branch, summary=task.summary)


def deleted_tasks(home: Home, project: str) -> dict[str, DeletedTask]:
    """The deleted tasks of a project whose saved work has not expired, by id."""
    found: dict[str, DeletedTask] = {}
    for event in Journal(_deletions_file(home, project)).events():
        if event["type"] == _DAY:
            day = frozenset({str(event.get("timestamp"))[:_DATE_CHARS]})
            found = {name: replace(task, days=task.days | day) for name, task in found.items()}
            continue
        task_id = str(event.get("id"))
        found.pop(task_id, None)
        if event["type"] == _DELETED:
            found[task_id] = DeletedTask(
                task_id, str(event.get("branch")), str(event.get("summary") or ""), str(event.get("timestamp"))
            )
    return found


def _append(home: Home, project: str, kind: str, **details: object) -> None:
    path = _deletions_file(home, project)
    with locked(f"{path}.lock", what=f"the saved work of {project}"):
        Journal(path).append({"type": kind, "timestamp": clock.now(), **details})


def _deletions_file(home: Home, project: str) -> str:
    return os.path.join(home.tasks, project, ".saved.jsonl")


def _count_day(home: Home, project: str) -> None:
    """Record that Orange looked today, where there is a deleted task for which that has not been counted yet."""
    today = clock.now()[:_DATE_CHARS]
    if any(today not in {*task.days, task.at[:_DATE_CHARS]} for task in deleted_tasks(home, project).values()):
        _append(home, project, _DAY)


def _expired_tasks(home: Home, project: str) -> list[DeletedTask]:
    now = clock.now()
    found = deleted_tasks(home, project).values()
    return [each for each in found if is_expired(each, now) and not _exists(home, project, each.id)]


def is_expired(deleted: DeletedTask, now: str) -> bool:
    """Whether a task was deleted so long ago that its work may go; a time that cannot be read is never long ago."""
    end = _expiry(deleted)
    return end is not None and end < _parse_time(now) and len(deleted.days) >= RETENTION_DAYS


def _exists(home: Home, project: str, task: str) -> bool:
    """A directory is enough: what cannot be read may be repaired, and a deletion that was killed is no deletion."""
    return os.path.lexists(os.path.join(home.tasks, project, task))


def _delete_saved_work(home: Home, project: Project, deleted: DeletedTask) -> Iterator[str]:
    saved = saved_of(project, deleted.id)
    for each in saved:
        git_saved.forget(Repository(project.path), each)
        yield (
            f"{deleted.id}: deleted {each.name}, {RETENTION_DAYS} days after its task was deleted;"
            f" its commit was {each.commit}"
        )
    _append(home, project.name, _EXPIRED, id=deleted.id, commits=[each.commit for each in saved])


def expires_on(deleted: DeletedTask) -> str | None:
    """The day on which the saved work of a deleted task may go."""
    end = _expiry(deleted)
    return None if end is None else str(end.date())


def _expiry(deleted: DeletedTask) -> datetime | None:
    from datetime import timedelta

    try:
        return _parse_time(deleted.at) + timedelta(days=RETENTION_DAYS)
    except (ValueError, OverflowError):
        return None


def _parse_time(stamp: str) -> datetime:
    from datetime import UTC, datetime

    moment = datetime.fromisoformat(stamp)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
