"""The diff of a task: everything since its branch left the default branch, committed or not.

Where the task has a worktree, uncommitted changes and new files are in it: an agent's work is to be seen before it is
committed. For a merged task the journal knows the commits. Nothing that the agent could have configured is run for it
(`outside/git_guard/look.py`). Everything here waits for git: call it off the event loop.
"""

from __future__ import annotations

import os

from orange_tui.branches.recorded_merge import MADE, STARTED, last_merge
from orange_tui.domain.errors import NotFound, OrangeError
from orange_tui.domain.records import record
from orange_tui.outside.git import Repository, local, remote
from orange_tui.outside.git_guard.look import look_at_repository, look_at_worktree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.branches.recorded_merge import RecordedMerge
    from orange_tui.domain.task import Task
    from orange_tui.home.projects import Projects
    from orange_tui.store.journal import Journal
    from orange_tui.store.store import Store, TaskRef
    from orange_tui.workspaces.pool import Pool

_DIFF = ("diff", "--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty", "--full-index", "-M")
_MOST_UNTRACKED_FILES = 200  # each costs a process; more of them are hardly written by hand


@record
class TaskDiffs:
    """The diffs of a home's tasks."""

    projects: Projects
    store: Store
    pool: Pool

    def read(self, ref: TaskRef, task: Task, *, finished: bool) -> str:
        """The diff as git prints it; refused in git's own words where there is none to be had."""
        project = self.projects.get(task.project)
        if not os.path.isdir(project.path):
            way_out = f"put it back, or forget the project: orange project remove {project.name}"
            raise NotFound(f"The directory of {project.name} is not there: {project.path}; {way_out}")
        merged = _merge_of(self.store.journal(ref)) if finished else None
        base = _base(Repository(project.path), project.default_branch)
        worktree = self.pool.worktree(task.workspace) if task.workspace else None
        if merged is None and worktree is not None and os.path.isdir(worktree):
            with look_at_worktree(project.path, worktree) as git:
                return _worktree_diff(git, base)
        # A forge's merge has no start here: what it was merged into is the first parent of its commit.
        before = (merged.base or f"{merged.commit}^") if merged is not None else base
        between = f"{before}...{merged.head if merged is not None else local(task.branch)}"
        with look_at_repository(project.path) as git:
            return git.must(*_DIFF, between, "--")


def _merge_of(journal: Journal) -> RecordedMerge | None:
    return last_merge(journal, STARTED) or last_merge(journal, MADE)


def _base(git: Repository, default_branch: str) -> str:
    """The remote's default branch, else ours: what the list compares with, too."""
    name = remote(default_branch)
    return name if git.answer("rev-parse", "--verify", "--quiet", name) else local(default_branch)


def _worktree_diff(worktree: Repository, base: str) -> str:
    fork = worktree.answer("merge-base", base, "HEAD") or base
    return worktree.must(*_DIFF, fork, "--") + "".join(_untracked_files(worktree))


def _untracked_files(worktree: Repository) -> list[str]:
    """Files git does not know yet, each as one that is added."""
    names = worktree.must("ls-files", "--others", "--exclude-standard", "-z").split("\0")
    return [_added(worktree, name) for name in names[:_MOST_UNTRACKED_FILES] if name]


def _added(worktree: Repository, name: str) -> str:
    try:
        return worktree.ask(*_DIFF, "--no-index", "--", os.devnull, name).output
    except OrangeError:
        return ""
