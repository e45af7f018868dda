"""What a task has changed, as git tells it: everything since its branch left the default branch, committed or not.

Where the task has a worktree, what lies there is shown, new files included: an agent's work is to be seen before it
is committed. Of a merged task the merge knows. Everything here waits for git: call it off the event loop.
"""

from __future__ import annotations

import os

from orange_tui.domain.errors import NotFound, OrangeError
from orange_tui.outside.git import Repository, local, remote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.task import Task
    from orange_tui.home.projects import Project
    from orange_tui.orange import Orange
    from orange_tui.store.store import TaskRef

_DIFF = ("diff", "--no-color", "--no-ext-diff", "-M")
_MOST_NEW_FILES = 200  # each costs a process; more of them are hardly written by hand


def task_diff(orange: Orange, ref: TaskRef, task: Task, *, finished: bool) -> str:
    """The diff as git prints it; refused in git's own words where there is none to be had."""
    project = orange.projects.get(task.project)
    if not os.path.isdir(project.path):
        way_out = f"put it back, or forget the project: orange project remove {project.name}"
        raise NotFound(f"The directory of {project.name} is not there: {project.path}; {way_out}")
    merged = orange.store.journal(ref).last("merge.started") if finished else None
    if merged is not None:
        return Repository(project.path).must(*_DIFF, f"{merged['base']}...{merged['head']}", "--")
    base = _base(project)
    worktree = orange.pool.worktree(task.workspace) if task.workspace else None
    if worktree is None or not os.path.isdir(worktree):
        return Repository(project.path).must(*_DIFF, f"{base}...{local(task.branch)}", "--")
    here = Repository(worktree)
    fork = here.answer("merge-base", base, "HEAD") or base
    return here.must(*_DIFF, fork, "--") + "".join(_new_files(here))


def _base(project: Project) -> str:
    """What the remote's default branch is, else ours: what the list compares with, too."""
    name = remote(project.default_branch)
    found = Repository(project.path).answer("rev-parse", "--verify", "--quiet", name)
    return name if found else local(project.default_branch)


def _new_files(here: Repository) -> list[str]:
    """Files git does not know yet, each as one that is added."""
    names = here.must("ls-files", "--others", "--exclude-standard", "-z").split("\0")
    return [_added(here, name) for name in names[:_MOST_NEW_FILES] if name]


def _added(here: Repository, name: str) -> str:
    try:
        return here.ask(*_DIFF, "--no-index", "--", os.devnull, name).output
    except OrangeError:
        return ""
