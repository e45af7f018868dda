"""A trial: a worktree of one commit that is on no branch, for checks on what a merge would make.

It is nobody's workspace: it lies in a place of ours beside the pool, is set up as a workspace is, and is removed
afterwards. Who was killed meanwhile has left it there; the next one removes it, unless something still runs in it.
Whoever makes or removes trials of a project holds its merge lock.
"""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager, suppress

from orange_tui.domain.errors import Refused
from orange_tui.home.files import make_directory
from orange_tui.outside.git import SLOW_SECONDS, Repository
from orange_tui.outside.git_worktree import find_worktree
from orange_tui.outside.processes import end_processes_with, processes_in
from orange_tui.workspaces._contents import as_it_is, copy_files, run_setup
from orange_tui.workspaces.pool_file import PoolFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from orange_tui.domain.task import Task
    from orange_tui.home.paths import Home
    from orange_tui.home.projects import Project
    from orange_tui.outside.git_worktree import Worktree
    from orange_tui.workspaces._contents import Confine

_WITHOUT_HOOKS = ("core.hooksPath=/dev/null",)  # the person's hooks are for their own checkouts
_ALL_RIGHTS = 0o700


@contextmanager
def trial(home: Home, project: Project, task: Task, commit: str, confine: Confine = as_it_is) -> Iterator[str]:
    """A worktree with the files of a commit and what the project's set-up puts beside them; it is gone afterwards."""
    remove_trials(home, project)
    place = _new_place(home, project)
    try:
        worktree = _add(home, project, _worktree(place), commit)
        copy_files(project, worktree)
        run_setup(home, project, task, worktree, confine=confine)
        yield worktree.path
    finally:
        end_processes_with("ORANGE_TASK", task.id, place)  # a check has left them, and nobody else would be in there
        _remove(project, place)


def has_trials(home: Home, project: Project) -> bool:
    """Whether there is a trial, of a merge that is under way or was killed."""
    return bool(_places(home, project))


def remove_trials(home: Home, project: Project) -> None:
    """Remove what killed commands have left. One in which something still runs stays for later."""
    for place in _places(home, project):
        if not processes_in(place):
            _remove(project, place)


def _places(home: Home, project: Project) -> list[str]:
    """A directory for each trial: while it is there, something is left to be removed."""
    folder = os.path.join(home.root, ".cache", "trials", project.name)
    names = os.listdir(folder) if os.path.isdir(folder) and not os.path.islink(folder) else []
    return [os.path.join(folder, name) for name in sorted(names)]


def _new_place(home: Home, project: Project) -> str:
    taken, number = set(_places(home, project)), 1
    while (place := os.path.join(home.root, ".cache", "trials", project.name, str(number))) in taken:
        number += 1
    make_directory(place)
    return place


def _worktree(place: str) -> str:
    return os.path.join(place, "merged")


def _add(home: Home, project: Project, path: str, commit: str) -> Worktree:
    words = ("worktree", "add", "--quiet", "--detach", "--force", "--force", path, commit)
    with PoolFile(home).making(project.name):
        done = Repository(project.path).ask(*words, timeout=SLOW_SECONDS, settings=_WITHOUT_HOOKS)
    worktree = find_worktree(path)
    if done.code != 0 or worktree is None:
        raise Refused(f"git worktree add: {done.message or f'ended with {done.code}'}")
    return worktree


def _remove(project: Project, place: str) -> None:
    """Delete a trial: its files, then what git knows of it, and its place only after that."""

    def make_writable(remove: Callable[[str], object], inner: str, _problem: object) -> None:
        with suppress(OSError):  # some tools make what they download read-only
            os.chmod(os.path.dirname(inner), _ALL_RIGHTS)
            remove(inner)

    if os.path.lexists(_worktree(place)):
        shutil.rmtree(_worktree(place), onerror=make_writable)
    Repository(project.path).ask("worktree", "remove", "--force", "--force", _worktree(place))
    with suppress(OSError):  # what could not be deleted keeps its place, for the next one who tries
        os.rmdir(place)
