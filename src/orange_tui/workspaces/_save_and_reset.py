"""Clearing a workspace so that no work is lost: first all of it is saved, then the workspace is reset.

Where something cannot be saved, or is still in use, that is refused and the workspace stays as it is.
"""

from __future__ import annotations

import os
import time

from orange_tui.domain.errors import Refused
from orange_tui.outside.git import local, remote
from orange_tui.outside.git_saved import changes_in, is_settled_submodule, save, save_submodules
from orange_tui.outside.processes import processes_in
from orange_tui.workspaces._contents import is_unchanged_copy, links_replaced_by_files, remove_links

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.home.projects import Project
    from orange_tui.outside.git_worktree import Worktree

EXIT_WAIT_SECONDS = 2.0  # for the processes of a window that was just closed
_POLL_SECONDS = 0.02


def save_work(project: Project, worktree: Worktree, task: str) -> str | None:
    """Save everything in a workspace that is on no branch; returns the ref it is under, if there was anything."""
    check_unused(worktree.path)
    worktree.remove_dead_locks()
    changes = changes_in(worktree)
    if changes.dirty_submodules:
        raise Refused(f"The submodule {changes.dirty_submodules[0]} has uncommitted work; commit it there")
    nested = [path for path in changes.nested if not is_settled_submodule(worktree, path)]
    if nested:
        raise Refused(f"{nested[0]} is a git repository of its own, which cannot be saved with the rest; move it away")
    files = [path for path in changes.files if not is_unchanged_copy(project, worktree, path)]
    saved = save(worktree, task, files=files, forced=links_replaced_by_files(worktree))
    save_submodules(worktree, task)
    return saved


def check_unused(path: str) -> None:
    """Refuse a workspace in which a process runs; one that is just ending is waited for."""
    deadline = time.monotonic() + EXIT_WAIT_SECONDS
    while (found := processes_in(path)) and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)
    if found:
        raise Refused(f"A process is still running in it: {'; '.join(map(str, found[:3]))}")


def reset(project: Project, worktree: Worktree) -> str | None:
    """Reset a workspace whose work is saved to the default branch, clean and without links; returns its commit."""
    names = (remote(project.default_branch), local(project.default_branch))
    refs = worktree.git.refs(*names)
    start = next((refs[name].commit for name in names if name in refs), "HEAD")
    worktree.detach(start)
    remove_links(worktree.path)
    for name in links_replaced_by_files(worktree):
        os.unlink(os.path.join(worktree.path, name))
    return worktree.head()
