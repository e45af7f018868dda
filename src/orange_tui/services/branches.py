"""A task follows its branch: when the agent has renamed it, or is asked to."""

from __future__ import annotations

import os

from orange_tui.domain.errors import Refused
from orange_tui.domain.task import check_branch
from orange_tui.outside.git import Repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.task import Task
    from orange_tui.services.orange import Orange
    from orange_tui.services.store import TaskRef


def follow_branch(orange: Orange, ref: TaskRef, name: str | None, directory: str) -> Task:
    """Without a name, take the branch that is checked out; with one, check it out or rename to it."""
    with orange.engine.open(ref) as opened:
        workspace = opened.task.workspace
    worktree = os.path.join(orange.home.workspaces, workspace) if workspace else None
    if name is not None:
        check_branch(name)
        _must_not_be_default(orange, ref, name)
        if worktree is None:
            return orange.tasks.rename_branch(ref, name)
        return orange.tasks.rename_branch(ref, name, lambda: _check_out_or_rename(Repository(worktree), name))
    current = Repository(worktree or directory).current_branch()
    if current is None:
        raise Refused("No branch is checked out here (a rebase under way?), so the task keeps the one it has")
    _must_not_be_default(orange, ref, current)
    return orange.tasks.rename_branch(ref, current)


def _check_out_or_rename(repository: Repository, name: str) -> None:
    if repository.current_branch() == name:
        return
    if repository.has_branch(name):
        repository.switch(name)
    else:
        repository.rename_current_branch(name)


def _must_not_be_default(orange: Orange, ref: TaskRef, branch: str) -> None:
    project = orange.projects.find(ref.project)
    if project is not None and branch == project.default_branch:
        raise Refused(f"{branch} is the default branch of {ref.project}; a task needs one of its own")
