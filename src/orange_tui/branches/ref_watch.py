"""Watching for branches that move: a commit, a fetch or a merge by hand changes no file of a task.

On Linux inotify reports them as they happen. Elsewhere branches are measured when a task's files change, which every
step of an agent does sooner or later. Packing a repository's branches moves none of them, and reports none.
"""

from __future__ import annotations

import asyncio
import os
import sys

from orange_tui.home.inotify import APPEARS, GOES, Inotify
from orange_tui.outside.git_worktree import common_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_HAS_INOTIFY = sys.platform == "linux"
_PLACES = ("refs", "reftable")
_LOCK_SUFFIX = ".lock"  # git writes such a file, then gives it the name of the branch


class RefWatch:
    """A watch on the branches of some repositories, in one event loop; calls `moved` when one has moved."""

    def __init__(self, moved: Callable[[], None]) -> None:
        self._moved = moved
        self._repositories: frozenset[str] = frozenset()
        self._inotify: Inotify | None = None

    async def follow(self, repositories: Iterable[str]) -> None:
        """Watch these from now on; while they are the same ones, this costs nothing."""
        wanted = frozenset(repositories)
        if wanted == self._repositories or not _HAS_INOTIFY:
            return
        self._repositories = wanted
        before, loop = self._inotify, asyncio.get_running_loop()
        if before is not None:
            loop.remove_reader(before.descriptor)
        self._inotify = now = await asyncio.to_thread(_watch, wanted)
        if now is not None:
            loop.add_reader(now.descriptor, self._happened, now)
        if before is not None:
            await asyncio.to_thread(before.close)  # the system takes its time, as much as two frames

    def _happened(self, inotify: Inotify) -> None:
        paths = [event.path for event in inotify.read() if event.path is None or not event.path.endswith(_LOCK_SUFFIX)]
        if any(path is not None and _is_directory(inotify, path) for path in paths):
            self._repositories = frozenset()  # `fix/` of a first `fix/login`: the next `follow` reads what is in it
        if paths:
            self._moved()

    def close(self) -> None:
        """Watch nothing any more."""
        if self._inotify is not None:
            asyncio.get_running_loop().remove_reader(self._inotify.descriptor)
            self._inotify.close()
            self._inotify = None


def _is_directory(inotify: Inotify, path: str) -> bool:
    """Whether a new name is a directory; then it is watched. Inotify knows without reading the disk."""
    try:
        return inotify.add(path, APPEARS | GOES)
    except OSError:
        return False  # no more of them: these branches are seen when a task's files change


def _watch(repositories: Iterable[str]) -> Inotify | None:
    """A watch on all of them; none where the system allows no more."""
    inotify = None
    try:
        inotify = Inotify()
        for directory in _directories(repositories):
            inotify.add(directory, APPEARS | GOES)
    except OSError:
        if inotify is not None:
            inotify.close()
        return None
    return inotify


def _directories(repositories: Iterable[str]) -> list[str]:
    """Where git keeps branches, with the directories that slashes in their names make."""
    roots = [os.path.join(common_directory(path) or path, place) for path in repositories for place in _PLACES]
    return [directory for root in roots for directory, _, _ in os.walk(root)]
