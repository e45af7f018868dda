"""Tasks on disk: finding them, reading them, and holding one to change it.

Reading takes no lock and repairs nothing. Whoever changes a task opens it first: the lock is taken, whatever
a crash, a careless editor or an agent left behind is repaired, and only then is there a task to work on.
"""

from __future__ import annotations

import os
from contextlib import contextmanager

from orange_tui.domain.engine_values import Judge
from orange_tui.domain.errors import Busy, NotFound, OrangeError, Unreadable
from orange_tui.domain.records import record, replace
from orange_tui.domain.task import check_id, check_project_name, is_branch, match_prefix
from orange_tui.domain.text import task_file
from orange_tui.home import clock
from orange_tui.home.files import make_directory, not_saved, read_bytes
from orange_tui.home.locks import locked
from orange_tui.store._task_directories import LOCK, TaskDirectories, subdirectories, sweep
from orange_tui.store.journal import Journal
from orange_tui.store.open_task import OpenTask
from orange_tui.store.task_text import TaskText

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from contextlib import ExitStack

    from orange_tui.domain.engine_values import RecordedMove
    from orange_tui.domain.task import Task
    from orange_tui.home.paths import Home

_ID_LETTERS = "abcdefghijkmnpqrstuvwxyz"
_ID_ALPHABET = _ID_LETTERS + "23456789"
_ID_LENGTH = 7


@record
class TaskRef:
    """Which task: its project and its id."""

    project: str
    id: str


@record
class StoredTask:
    """A task as it was read, with the engine's own values for the engine's fields."""

    ref: TaskRef
    task: Task
    body: str
    tampered: bool


@record
class BrokenTask:
    """A task whose TASK.md cannot be read, and why."""

    ref: TaskRef
    error: str


def _any_move(_move: RecordedMove) -> bool:
    return True


def _as_claimed(_task: str, workspace: str) -> str:
    return workspace


@record
class Store:
    """All tasks under one home.

    `fill_in` completes the fields that only the project or workflow knows; `may_move` says whether a workflow has a
    move, and `confirm_workspace` which one a task has that claims one: agents can write what is read here.
    """

    home: Home
    fill_in: Callable[[Task], Task]
    may_move: Callable[[RecordedMove], bool] = _any_move
    confirm_workspace: Callable[[str, str], str | None] = _as_claimed

    def directory(self, ref: TaskRef) -> str:
        """Where a task lives, and its agents may write. There is a task where there is such a directory."""
        return os.path.join(self.home.tasks, ref.project, ref.id)

    def state_directory(self, ref: TaskRef) -> str:
        """What is the engine's alone of a task: its history, its locks, what is true only now, and its logs."""
        return self.home.task_state(ref.project, ref.id)

    def made_state(self, ref: TaskRef) -> str:
        """The same, made where a task that was copied in has none yet. Of a deleted task it is not made again."""
        if not self.has(ref):
            raise NotFound(f"{self.directory(ref)} does not exist")
        make_directory(self.state_directory(ref))
        return self.state_directory(ref)

    def refs(self, project: str | None = None) -> list[TaskRef]:
        """Every task there is, readable or not."""
        every_project = subdirectories(self.home.tasks)  # refused where these are not to be seen
        projects = [project] if project is not None else every_project
        return [
            TaskRef(name, task_id)
            for name in projects
            for task_id in subdirectories(os.path.join(self.home.tasks, name))
        ]

    def has(self, ref: TaskRef) -> bool:
        """Whether there is such a task, readable or not."""
        return os.path.isdir(self.directory(ref))

    def is_gone(self, ref: TaskRef) -> bool:
        """Whether there is certainly no such task; refused where nobody can tell, such as on a disk that is missing."""
        if self.has(ref):
            return False
        return ref not in self.refs(ref.project)

    def find(self, prefix: str, project: str | None = None) -> TaskRef:
        """The task whose id begins with this; an exact id wins, an ambiguous prefix is refused."""
        check_id(prefix)
        projects = [project] if project is not None else subdirectories(self.home.tasks)
        exact = [ref for name in projects if self.has(ref := TaskRef(name, prefix))]
        if len(exact) == 1:
            return exact[0]  # without listing ten thousand others
        found = match_prefix(prefix, self.refs(project), lambda ref: f"{ref.id} ({ref.project})")
        if found is None:
            raise NotFound(f"There is no task {prefix}; `orange task list --all` shows what there is")
        return found

    def read(self, ref: TaskRef, journal: Journal | None = None) -> StoredTask | BrokenTask:
        """A task as it is now; `journal` saves reading it twice, for callers that have it."""
        directory = self.directory(ref)
        try:
            file = TaskText(directory).read()
            history = (journal or self.journal(ref)).engine_history()
            event = history.truth()
        except OrangeError as problem:
            return BrokenTask(ref, _at_path(problem, directory))
        found = self.complete(file.task if event is not None else history.possible(file.task), ref)
        engine = event["engine"] if event is not None else {}
        if all(getattr(found, name) == value for name, value in engine.items()):
            return StoredTask(ref, found, file.body, bool(history.refused))
        return StoredTask(ref, replace(found, **engine), file.body, True)

    def ref_of(self, task: Task) -> TaskRef:
        """Where a task that was read belongs."""
        return TaskRef(task.project, task.id)

    def read_all(self, project: str | None = None) -> list[StoredTask | BrokenTask]:
        """Every task as it is now; one that cannot be read stops none of the others."""
        return [self.read(ref) for ref in self.refs(project)]

    def journal(self, ref: TaskRef) -> Journal:
        """What happened to a task."""
        judge = Judge(ref.id, ref.project, self.may_move, self.confirm_workspace)
        return Journal(os.path.join(self.state_directory(ref), "history.jsonl"), judge)

    def outcome(self, ref: TaskRef) -> str | None:
        """What the agent wrote to `.orange-outcome`."""
        path = os.path.join(self.directory(ref), ".orange-outcome")
        try:
            return read_bytes(path, max_bytes=1_000_000, follow=False).decode(errors="replace")
        except OrangeError:
            return None

    def complete(self, task: Task, ref: TaskRef) -> Task:
        """The directory decides what a task is called; a missing branch, or one that is none, has its usual name."""
        branch = task.branch if is_branch(task.branch) else f"orange-tasks/{ref.id}"
        if (task.id, task.project, task.branch) != (ref.id, ref.project, branch):
            task = replace(task, id=ref.id, project=ref.project, branch=branch)
        return self.fill_in(task)

    @contextmanager
    def open(self, ref: TaskRef, *, wait: bool = True) -> Iterator[OpenTask]:
        """Hold a task's lock, repair what is wrong with its files, and hand it out to be changed."""
        with self.lock(ref, wait=wait) as held:
            if not held:
                raise Busy(f"Task {ref.id} is busy: another command is at work on it")
            yield self.opened(ref)

    @contextmanager
    def lock(self, ref: TaskRef, *, wait: bool = True) -> Iterator[bool]:
        """Hold a task's lock; with wait=False, yield whether it was free. A task that was copied in has none yet."""
        with locked(os.path.join(self.made_state(ref), LOCK), what=f"task {ref.id}", wait=wait) as held:
            if held and not self.has(ref):
                raise NotFound(f"task {ref.id} was deleted in the meantime")
            yield held

    def opened(self, ref: TaskRef) -> OpenTask:
        """The same for who holds its lock already: its creator."""
        task = OpenTask(
            self.home,
            self.directory(ref),
            self.state_directory(ref),
            self.journal(ref),
            lambda found: self.complete(found, ref),
        )
        try:
            task.recover()
        except Unreadable as problem:
            raise Unreadable(_at_path(problem, self.directory(ref))) from None
        return task

    @contextmanager
    def project_lock(self, project: str) -> Iterator[None]:
        """Hold what makes branch names unique within a project."""
        check_project_name(project)
        if not os.path.exists(self.home.layout_file):  # before the first task, and so before any agent could forge one
            from orange_tui.store.migration import move_over

            move_over(self)
        for tree in (self.home.tasks, self.home.state):
            make_directory(os.path.join(tree, project))
        with locked(os.path.join(self.home.state, project, LOCK), what=f"project {project}"):
            yield

    def add(  # noqa: PLR0913 - all but the first three have a usual value
        self,
        project: str,
        values: Mapping[str, object],
        body: str,
        *,
        start: bool = False,
        initial: str | None = None,
        held: ExitStack | None = None,
    ) -> TaskRef:
        """Write a new task; its directory appears complete or not at all. The caller holds the project's lock.

        That its agent is to be started, and in which initial state, is recorded with it: a command killed in between
        is finished by the supervisor. Into `held` goes the new task's lock: nobody has it before its creator.
        Its id may have been chosen before (`free_id`).
        """
        ref = TaskRef(project, str(values.get("id") or self.free_id()))
        stamp, branch = clock.now(), values.get("branch") or f"orange-tasks/{ref.id}"
        ours = {"id": ref.id, "project": project, "branch": branch, "created_at": stamp, "updated_at": stamp}
        file = task_file.new({**values, **ours}, body)
        about = {"start": start, "initial": initial, "engine": file.task.engine_fields()}
        self._sweep(project)
        try:
            event = {"type": "task.created", "timestamp": stamp, **about}
            self._directories(ref).create(file.encode(), self.journal(ref), event, held)
        except OSError as problem:
            self._sweep(project)
            raise not_saved(self.directory(ref), problem) from None
        except OrangeError:
            self._sweep(project)
            raise
        return ref

    def _sweep(self, project: str) -> None:
        sweep(os.path.join(self.home.tasks, project), os.path.join(self.home.state, project))

    def _directories(self, ref: TaskRef) -> TaskDirectories:
        return TaskDirectories(self.directory(ref), self.state_directory(ref))

    def free_id(self) -> str:
        """An id for a task that is yet to be written down; not that of a deleted one whose use is still known."""
        known = {name for project in subdirectories(self.home.state) for name in self._state_ids(project)}
        return random_id({ref.id for ref in self.refs()} | known)

    def _state_ids(self, project: str) -> list[str]:
        return subdirectories(os.path.join(self.home.state, project))

    def remove(self, ref: TaskRef) -> None:
        """Delete a task; what its agents used stays known."""
        self._directories(ref).remove()


def random_id(taken: set[str]) -> str:
    """A short new id: easy to read out, safe in paths and on a command line."""
    while True:
        letters = os.urandom(_ID_LENGTH)
        first = _ID_LETTERS[letters[0] % len(_ID_LETTERS)]
        new = first + "".join(_ID_ALPHABET[byte % len(_ID_ALPHABET)] for byte in letters[1:])
        if new not in taken:
            return new


def _at_path(problem: OrangeError, directory: str) -> str:
    path = os.path.join(directory, "TASK.md")
    if isinstance(problem, Unreadable) and problem.line:
        return f"{path}:{problem.line}: {problem.reason}"
    text = str(problem)
    return text if directory in text else f"{path}: {text}"


def readable(tasks: Iterable[StoredTask | BrokenTask]) -> list[StoredTask]:
    """Those that could be read."""
    return [task for task in tasks if isinstance(task, StoredTask)]
