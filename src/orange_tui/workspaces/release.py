"""Emptying a workspace so that nothing in it is lost: first all of it is saved, then it is reset.

Whatever cannot be saved, or is still in use, is a refusal, with the workspace as it was.
"""

from __future__ import annotations

import os
import time

from orange_tui.domain.errors import Refused
from orange_tui.domain.records import record
from orange_tui.outside.git import local, remote
from orange_tui.outside.git_saved import changes_in, is_settled_submodule, save, save_submodules
from orange_tui.outside.processes import processes_in
from orange_tui.workspaces.contents import is_copy, plain_files_for_links, remove_links

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.home.projects import Project
    from orange_tui.outside.git_worktree import Worktree

PATIENCE = 2.0  # seconds for the processes of a window that was just closed to be gone


@record
class Released:
    """What came of giving a workspace back: where its work was saved, and why it is not free."""

    saved: str | None
    quarantined: str | None


def save_work(project: Project, worktree: Worktree, task: str) -> str | None:
    """Keep everything in a workspace that is on no branch; returns the name it has now, if there was anything."""
    must_be_left(worktree.path)
    worktree.remove_dead_locks()
    changes = changes_in(worktree)
    if changes.dirty_submodules:
        raise Refused(f"The submodule {changes.dirty_submodules[0]} has uncommitted work; commit it there")
    nested = [path for path in changes.nested if not is_settled_submodule(worktree, path)]
    if nested:
        raise Refused(f"{nested[0]} is a git repository of its own, which cannot be saved with the rest; move it away")
    files = [path for path in changes.files if not is_copy(project, worktree, path)]
    saved = save(worktree, task, files=files, forced=plain_files_for_links(worktree))
    save_submodules(worktree, task)
    return saved


def must_be_left(path: str) -> None:
    """Nobody may be at work in it; those who are just leaving are given a moment."""
    deadline = time.monotonic() + PATIENCE
    while (found := processes_in(path)) and time.monotonic() < deadline:
        time.sleep(0.02)
    if found:
        raise Refused(f"Something still runs in it: {'; '.join(map(str, found[:3]))}")


def reset(project: Project, worktree: Worktree) -> str | None:
    """Put a workspace whose work is saved on the default branch, clean and without links; returns its commit."""
    names = (remote(project.default_branch), local(project.default_branch))
    refs = worktree.git.refs(*names)
    start = next((refs[name].commit for name in names if name in refs), "HEAD")
    worktree.detach(start)
    remove_links(worktree.path)
    for name in plain_files_for_links(worktree):
        os.unlink(os.path.join(worktree.path, name))
    return worktree.head()
