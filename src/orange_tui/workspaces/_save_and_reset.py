"""Clearing a workspace so that no work is lost: first all of it is saved, then exactly that is removed.

Where something cannot be saved, is still in use, or appears meanwhile, that is refused and stays as it is.
"""

from __future__ import annotations

import os
import time
from contextlib import contextmanager

from orange_tui.domain.errors import Refused
from orange_tui.domain.records import record
from orange_tui.outside.git import Repository, local, remote
from orange_tui.outside.git_changes import changes_in, left_in, read_flags
from orange_tui.outside.git_guard.nested import is_settled_repository, is_settled_submodule
from orange_tui.outside.git_saved import (
    SUBMODULE,
    hash_files,
    save,
    save_submodules,
)
from orange_tui.outside.processes import processes_in
from orange_tui.workspaces._contents import (
    LINKS,
    is_unchanged_copy,
    keep_list,
    links_replaced_by_files,
    remove_links,
)
from orange_tui.workspaces._removal import (
    Aside,
    delete_ignored,
    is_kept,
    nested_repositories,
    remove_empty_directories,
    remove_pipes,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from orange_tui.home.projects import Project
    from orange_tui.outside.git_changes import Changes
    from orange_tui.outside.git_saved import Content
    from orange_tui.outside.git_worktree import Worktree

EXIT_WAIT_SECONDS = 2.0  # for the processes of a window that was just closed
_POLL_SECONDS = 0.02
_DEEPEST = 500  # directories in each other: the library goes through them by recursion
_TOO_DEEP = "It has directories in each other, deeper than can be looked through; remove them"


@record
class SavedState:
    """What a workspace held when it was saved: just this may be removed. `ref` is None where nothing had to be saved.

    `before` is the commit that was checked out, `target` the one the workspace is to be reset to.
    """

    ref: str | None
    before: str | None
    target: str
    changes: Changes
    contents: Mapping[str, Content]


@contextmanager
def _within_depth() -> Iterator[None]:
    try:
        yield
    except RecursionError:
        raise Refused(_TOO_DEEP) from None


@_within_depth()
def save_work(project: Project, worktree: Worktree, task: str) -> SavedState:
    """Save everything in a workspace that is on no branch, and say what that was."""
    check_unused(worktree.path)
    worktree.remove_dead_locks()
    aside = Aside(worktree)
    interrupted = aside.exists()
    aside.put_all_back()
    keep, target, before = keep_list(project), _target(project, worktree), worktree.git.head()
    changes = changes_in(worktree, target)
    _check_savable(worktree, changes, keep)
    files = [*changes.files, *links_replaced_by_files(worktree)]
    copies = {path for path in files if is_unchanged_copy(project, worktree, path)}
    stored = hash_files(worktree.git, worktree.path, [path for path in files if path not in copies], store=True)
    to_save: dict[str, Content | None] = dict(stored)
    if not interrupted:  # else what is missing was removed by us, and is saved
        to_save |= {path: None for path in files if path not in stored and path not in copies}
    to_save |= {path: _submodule(worktree, path) for path in changes.submodules}
    ref = save(worktree, task, before, to_save, staged=not interrupted)
    save_submodules(worktree, task)
    return SavedState(
        ref, before, target, changes, stored | hash_files(worktree.git, worktree.path, copies, store=False)
    )


def _target(project: Project, worktree: Worktree) -> str:
    """The commit of the default branch, of the remote where there is one."""
    names = (remote(project.default_branch), local(project.default_branch))
    refs = worktree.git.refs(*names)
    target = next((refs[name].commit for name in names if name in refs), None) or worktree.git.head()
    if target is None:
        raise Refused(f"{project.path} has no commit to go back to")
    return target


def _submodule(worktree: Worktree, path: str) -> Content | None:
    inner = os.path.join(worktree.path, path)
    commit = Repository(inner).head() if os.path.isdir(inner) else None
    return None if commit is None else (SUBMODULE, commit)


def _check_savable(worktree: Worktree, changes: Changes, keep: list[str]) -> None:
    if any(path.count("/") > _DEEPEST for path in changes.files):  # said before anything is moved aside
        raise Refused(_TOO_DEEP)
    replaced = next((name for name in LINKS if f"{name}/" in changes.ignored), None)
    if replaced is not None:  # git ignores it because of us, so what is in it would go unsaved
        raise Refused(f"{replaced} is a directory now, in the place of the link to the task's file; move it away")
    if changes.dirty_submodules:
        raise Refused(f"The submodule {changes.dirty_submodules[0]} has uncommitted work; commit it there")
    nested = [path for path in changes.nested if not is_settled_submodule(worktree, path)]
    nested += [
        path
        for path in nested_repositories(worktree.path, changes.ignored, keep)
        if not is_settled_repository(os.path.join(worktree.path, path))
    ]
    if nested:
        raise Refused(f"{nested[0]} is a git repository of its own, which cannot be saved with the rest; move it away")


def check_unused(path: str) -> None:
    """Refuse a workspace in which a process runs; one that is just ending is waited for."""
    deadline = time.monotonic() + EXIT_WAIT_SECONDS
    while (found := processes_in(path)) and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)
    if found:
        raise Refused(f"A process is still running in it: {'; '.join(map(str, found[:3]))}")


@_within_depth()
def reset(project: Project, worktree: Worktree, saved: SavedState) -> str | None:
    """Reset a workspace to the default branch, removing only what was saved; returns its commit."""
    aside = Aside(worktree)
    aside.create()
    remove_links(worktree.path)
    aside.delete_files(saved.contents, saved.changes.replaced)
    ignored = [path for path in saved.changes.ignored if path not in LINKS]
    delete_ignored(worktree.path, ignored, keep_list(project))
    remove_pipes(worktree.path, keep_list(project))
    remove_empty_directories(worktree.path, keep_list(project))
    worktree.end_operations()
    worktree.stay_here()
    flags = read_flags(worktree.git) if worktree.end_sparse_checkout() else saved.changes.flags
    worktree.detach(saved.target, saved.before, flags)
    left = _find_leftover(project, worktree)
    if left is not None:
        raise Refused(f"{left} appeared while the workspace was being cleared")
    aside.remove()
    return worktree.head()


def find_leftover(project: Project, worktree: Worktree, index: str | None) -> str | None:
    """A file in a free workspace that is not to be there, or not so; None where it is clean.

    `index` is the stamp of the index it was left with, in which no file is flagged.
    """
    if index is not None and index == worktree.index_stamp():
        return _find_leftover(project, worktree)
    flags = read_flags(worktree.git)
    flagged = (*flags.assume_unchanged, *(path for path in flags.skip_worktree if _exists(worktree, path)))
    return next(iter(flagged), None) or _find_leftover(project, worktree)


def _find_leftover(project: Project, worktree: Worktree) -> str | None:
    found, keep = left_in(worktree), keep_list(project)
    nested = [path for path in found.nested if not is_settled_submodule(worktree, path)]
    ignored = [path for path in found.ignored if not is_kept(path, keep)]
    return next(iter([*found.files, *found.dirty_submodules, *nested, *ignored]), None)


def _exists(worktree: Worktree, path: str) -> bool:
    return os.path.lexists(os.path.join(worktree.path, path))


def is_being_reset(worktree: Worktree) -> bool:
    """Whether a reset was begun here and not finished, so that files are missing."""
    return Aside(worktree).exists()
