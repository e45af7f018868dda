"""A task follows its branch: when the agent has renamed it, or is asked to. Task, git and tmux change together.

All that can be refused is refused before git is touched, the move that goes with it included; and what goes wrong
after that gives the branch its old name back.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress

from orange_tui.branches._left_commits import keeping_left_commits, save_loose_commit
from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.domain.sandbox.tables import is_sandboxed
from orange_tui.domain.task import check_branch
from orange_tui.engine.creation import check_branch_is_free
from orange_tui.outside.git import Repository
from orange_tui.outside.git_worktree import worktree_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import Actor
    from orange_tui.engine.engine import Engine, Moved
    from orange_tui.engine.parts import HomeParts
    from orange_tui.engine.tasks import Tasks
    from orange_tui.home.log import Log
    from orange_tui.home.projects import Projects
    from orange_tui.sessions.liveness import Sessions
    from orange_tui.store.open_task import OpenTask
    from orange_tui.store.store import TaskRef

    Undo = Callable[[], None]


def update_with_branch(  # noqa: PLR0913 - what a command can change, all at once
    tasks: Tasks,
    ref: TaskRef,
    name: str | None,
    directory: str,
    *,
    status: str | None = None,
    summary: str | None = None,
    options: Mapping[str, object] | None = None,
    actor: Actor = "agent",
) -> tuple[Task, Moved | None]:
    """Follow a branch, and change what else is given: all of it or nothing.

    Without a name it is the branch that is checked out; with one, that is checked out or renamed to.
    """
    engine, parts = tasks.engine, tasks.engine.parts
    with engine.open(ref) as opened:
        workspace = opened.task.workspace
        worktree = _worktree(parts, ref, workspace) if workspace else None
        wanted = check_branch(name) if name is not None else _current_branch(worktree or Repository(directory))
        _check_not_default(parts.projects, ref, wanted)
        _check_sandbox(parts.projects, opened.task, wanted)
        check_branch_is_free(engine, ref.project, wanted, but=ref.id)
        changes = {"branch": wanted, **tasks.changes(opened.task, summary, options)}
        claim = _claimed(engine, opened, wanted, worktree if name is not None else None)
        moved = tasks.apply_changes(opened, changes, status, actor, claim)
        _rename_session(parts.sessions, parts.log, opened)
        return opened.task, moved


def _worktree(parts: HomeParts, ref: TaskRef, workspace: str) -> Repository:
    """Git in the task's worktree, if its `.git` still leads into the project's repository."""
    return worktree_of(parts.projects.get(ref.project).path, os.path.join(parts.home.workspaces, workspace)).git


def _current_branch(repository: Repository) -> str:
    current = repository.current_branch()
    if current is None:
        raise Refused("No branch is checked out here (a rebase under way?), so the task keeps the one it has")
    return current


def _check_not_default(projects: Projects, ref: TaskRef, branch: str) -> None:
    project = projects.find(ref.project)
    if project is not None and branch == project.default_branch:
        raise Refused(f"{branch} is the default branch of {ref.project}; a task needs one of its own")


def _check_sandbox(projects: Projects, task: Task, branch: str) -> None:
    """Refuse a name by which a live agent in a sandbox could not commit: its branch has to stay in its directory."""
    folder = os.path.dirname(task.branch)
    if task.tmux_session is None or os.path.dirname(branch) == folder:
        return
    if is_sandboxed(projects.sandbox(task.project), reviews=False):
        instead = f"{folder}/{branch.replace('/', '-')}" if folder else branch.replace("/", "-")
        raise Refused(
            f"{task.id}'s agent runs in a sandbox that was made for its branch, so that can have another name only in"
            f" the same place: {instead}, for example"
        )


@contextmanager
def _claimed(engine: Engine, opened: OpenTask, branch: str, worktree: Repository | None) -> Iterator[None]:
    """Hold the branch names of a project while a task gets one; what fails within leaves git as it was."""
    task = opened.task
    with engine.store.project_lock(task.project):
        check_branch_is_free(engine, task.project, branch, but=task.id)
        undo = _check_out_or_rename(worktree, branch, opened) if worktree is not None else None
        try:
            yield
        except BaseException:
            if undo is not None:
                undo()
            raise


def _check_out_or_rename(worktree: Repository, name: str, opened: OpenTask) -> Undo | None:
    """Have the worktree on that branch; git refuses where work would be lost. Returns how to undo it.

    An undo fails silently: why it was needed is what the person must be told. Where an agent has gone elsewhere
    meanwhile, there is nothing to undo.
    """
    back: Undo | None = None

    def undo() -> None:
        with suppress(OrangeError), keeping_left_commits(worktree, opened):
            if back is not None and worktree.current_branch() == name:
                back()

    try:
        with keeping_left_commits(worktree, opened):
            back = _move_head(worktree, name, opened)
    except BaseException:
        undo()
        raise
    return undo


def _move_head(worktree: Repository, name: str, opened: OpenTask) -> Undo | None:
    before = worktree.current_branch()
    if before == name:
        return None
    if not worktree.has_branch(name):
        if before is None:
            raise Refused("No branch is checked out, so there is none to be renamed")
        if before != opened.task.branch:  # it may be anybody's, so it keeps its name
            worktree.leave_branch(name)
            return lambda: worktree.return_to_branch(before, known_as=name)
        worktree.rename_current_branch(name, known_as=before)
        return lambda: worktree.rename_current_branch(before, known_as=name)
    if before is None:
        return _leave_detached_head(worktree, name, opened)
    worktree.switch(name)
    return lambda: worktree.switch(before)


def _leave_detached_head(worktree: Repository, name: str, opened: OpenTask) -> Undo | None:
    """Its commits are on no branch, so they are saved before anything else."""
    before = worktree.head()
    save_loose_commit(worktree, "HEAD", opened)
    worktree.switch(name)
    return None if before is None else lambda: worktree.switch_to_commit(before)


def _rename_session(sessions: Sessions, log: Log, opened: OpenTask) -> None:
    """The session's name follows, for the person who looks for it; Orange itself knows it by its id."""
    task = opened.task
    if task.tmux_session is None:
        return
    try:
        windows = sessions.windows(task.id, fresh=True)
        if not windows:
            return
        name = sessions.tmux.rename_session(windows[0], f"{task.project}/{task.branch}")
    except OrangeError as problem:
        log.write("warning", f"the session keeps its name: {problem}", task=task.id)
        return
    if name and name != task.tmux_session:
        opened.change("task.updated", {"tmux_session": name}, fields={"tmux_session": name})
