"""A task follows its branch: when the agent has renamed it, or is asked to. Task, git and tmux change together.

All that can be refused is refused before git is touched, the move that goes with it included; and what goes wrong
after that gives the branch its old name back.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress

from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.domain.task import check_branch, check_summary
from orange_tui.engine.creation import check_branch_is_free
from orange_tui.outside.git import Repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import Actor
    from orange_tui.engine.engine import Moved
    from orange_tui.orange import Orange
    from orange_tui.store.open_task import OpenTask
    from orange_tui.store.store import TaskRef

    Undo = Callable[[], None]


def update_with_branch(  # noqa: PLR0913 - what a command says of a task, all at once
    orange: Orange,
    ref: TaskRef,
    name: str | None,
    directory: str,
    *,
    status: str | None = None,
    summary: str | None = None,
    actor: Actor = "agent",
) -> tuple[Task, Moved | None]:
    """Follow a branch, and change what else is said: all of it or nothing.

    Without a name it is the branch that is checked out; with one, that is checked out or renamed to.
    """
    with orange.engine.open(ref) as opened:
        workspace = opened.task.workspace
        worktree = Repository(os.path.join(orange.home.workspaces, workspace)) if workspace else None
        wanted = check_branch(name) if name is not None else _current(worktree or Repository(directory))
        _must_not_be_default(orange, ref, wanted)
        check_branch_is_free(orange.engine, ref.project, wanted, but=ref.id)
        changes = {"branch": wanted} | ({} if summary is None else {"summary": check_summary(summary)})
        around = _claimed(orange, ref, wanted, worktree if name is not None else None)
        moved = orange.tasks.apply_changes(opened, changes, status, actor, around)
        _rename_session(orange, opened)
        return opened.task, moved


def _current(repository: Repository) -> str:
    current = repository.current_branch()
    if current is None:
        raise Refused("No branch is checked out here (a rebase under way?), so the task keeps the one it has")
    return current


def _must_not_be_default(orange: Orange, ref: TaskRef, branch: str) -> None:
    project = orange.projects.find(ref.project)
    if project is not None and branch == project.default_branch:
        raise Refused(f"{branch} is the default branch of {ref.project}; a task needs one of its own")


@contextmanager
def _claimed(orange: Orange, ref: TaskRef, branch: str, worktree: Repository | None) -> Iterator[None]:
    """Hold the branch names of a project while a task takes one; what fails within leaves git as it was."""
    with orange.store.project_lock(ref.project):
        check_branch_is_free(orange.engine, ref.project, branch, but=ref.id)
        undo = _check_out_or_rename(worktree, branch) if worktree is not None else None
        try:
            yield
        except BaseException:
            if undo is not None:
                undo()
            raise


def _check_out_or_rename(worktree: Repository, name: str) -> Undo | None:
    """Have the worktree on that branch; git refuses where work would be lost. Returns the way back."""
    before = worktree.current_branch()
    if before == name:
        return None
    if worktree.has_branch(name):
        worktree.switch(name)
        return _quietly(lambda: worktree.switch(before)) if before is not None else None
    worktree.rename_current_branch(name)
    return _quietly(lambda: worktree.rename_current_branch(str(before)))


def _quietly(undo: Undo) -> Undo:
    """The way back is tried; why it was needed is what the person must hear."""

    def tried() -> None:
        with suppress(OrangeError):
            undo()

    return tried


def _rename_session(orange: Orange, opened: OpenTask) -> None:
    """The session's name follows, for the person who looks for it; Orange itself knows it by its id."""
    task = opened.task
    if task.tmux_session is None:
        return
    try:
        windows = orange.sessions.windows(task.id, fresh=True)
        if not windows:
            return
        tmux = orange.tmux
        name = tmux.rename_session(windows[0].session_id, f"{task.project}/{task.branch}", task.id)
    except OrangeError as problem:
        orange.log.write("warning", f"the session keeps its name: {problem}", task=task.id)
        return
    if name and name != task.tmux_session:
        opened.change("task.updated", {"tmux_session": name}, fields={"tmux_session": name})
