"""What changes in a home's files, in words of the home: which tasks, which worktrees, or everything.

The first change reported is "everything": from then on nothing is missed. Changes within a moment are reported
together, and the moment is counted from the first of them, so a file that is written without a pause is reported too.
"""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import suppress

from orange_tui.domain.records import record
from orange_tui.home.files import make_directory
from orange_tui.home.inotify import APPEARS, CLOSE_WRITE, GOES, MODIFY, Inotify
from orange_tui.home.paths import is_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

    from watchfiles.main import FileChange

    from orange_tui.home.paths import Home

    TaskKey = tuple[str, str]  # project and id

_HAS_INOTIFY = sys.platform == "linux"
_BATCH_SECONDS = 0.02
_POLL_SECONDS = 2.0  # where the system can watch no more directories
_RUNTIME = "runtime.json"
_COUNTING = {"tasks": frozenset({"TASK.md", ".orange-outcome"}), "state": frozenset({"history.jsonl", _RUNTIME})}
_OTHER_FOLDERS = ("workflows", "workspaces")
_IN_TASK = MODIFY | CLOSE_WRITE | APPEARS | GOES
_IN_LOGS = CLOSE_WRITE | APPEARS  # without MODIFY: what agents print concerns nobody here
_IN_FOLDER = CLOSE_WRITE | APPEARS | GOES


@record
class FileChanges:
    """What has changed since the last time."""

    everything: bool = False  # anything may have changed: look everywhere
    tasks: frozenset[TaskKey] = frozenset()
    reporting: frozenset[TaskKey] = frozenset()  # tasks of which only runtime.json has changed: what agents report
    others: bool = False  # something that concerns no task: who has which workspace, jobs
    replaced_links: frozenset[str] = frozenset()  # worktrees in which TASK.md came anew: something replaced its link


class Watch:
    """One watch on the files of a home, for one listener."""

    def __init__(self, home: Home) -> None:
        self._root = os.path.realpath(home.root)
        self._everything = False
        self._tasks: set[TaskKey] = set()
        self._reporting: set[TaskKey] = set()
        self._others = False
        self._links: set[str] = set()
        self._something = asyncio.Event()

    async def changes(self) -> AsyncIterator[FileChanges]:
        """What changes from now on; everything, to begin with."""
        watching = asyncio.create_task(self._watch())
        try:
            while True:
                await self._something.wait()
                await asyncio.sleep(_BATCH_SECONDS)
                yield self.take()
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)

    def take(self) -> FileChanges:
        """What has changed by now, without waiting for it."""
        found = FileChanges(
            self._everything,
            frozenset(self._tasks),
            frozenset(self._reporting - self._tasks),
            self._others,
            frozenset(self._links),
        )
        self._everything = self._others = False
        self._tasks, self._reporting, self._links = set(), set(), set()
        self._something.clear()
        return found

    async def _watch(self) -> None:
        with suppress(OSError, RuntimeError, AttributeError):  # no such thing here, or no more of it
            await asyncio.to_thread(self._make_folders)
            while _HAS_INOTIFY:
                await self._until_overflow()
            await self._with_watchfiles()
        while True:
            self._note_everything()
            await asyncio.sleep(_POLL_SECONDS)

    def _make_folders(self) -> None:
        for folder in (*_COUNTING, "workspaces"):
            make_directory(os.path.join(self._root, folder))

    def _note_everything(self) -> None:
        self._everything = True
        self._something.set()

    async def _until_overflow(self) -> None:
        """Watch with inotify until its queue overflows: directories may have appeared then that nobody follows."""
        inotify, loop = Inotify(), asyncio.get_running_loop()
        ended: asyncio.Future[None] = loop.create_future()
        try:
            await asyncio.to_thread(self._follow, inotify, self._root)
            loop.add_reader(inotify.descriptor, self._handle_events, inotify, ended)
            self._note_everything()
            await ended
        finally:
            loop.remove_reader(inotify.descriptor)
            inotify.close()

    def _handle_events(self, inotify: Inotify, ended: asyncio.Future[None]) -> None:
        if ended.done():
            return
        events = inotify.read()
        if any(event.path is None for event in events):
            ended.set_result(None)  # whoever follows everything anew notes that everything may have changed
            return
        try:
            for appeared in dict.fromkeys(event.path for event in events if event.appeared and event.path):
                self._follow(inotify, appeared)
        except OSError as problem:
            ended.set_exception(problem)
        for path in dict.fromkeys(event.path for event in events if event.path):
            self._note(path)

    def _follow(self, inotify: Inotify, path: str) -> None:
        """Watch a directory that is there now, and those in it, as deep as changes count."""
        parts = self._parts(path)
        mask = _mask(parts)
        if mask is None or not inotify.add(path, mask):
            return
        for name in _watched_folders(parts, path):
            self._follow(inotify, f"{path}/{name}")

    async def _with_watchfiles(self) -> None:
        """Where inotify is not; the system watches whole trees there, and this costs nothing to begin."""
        from watchfiles import awatch

        others = [f"{self._root}/{name}" for name in _folders(self._root) if name in _OTHER_FOLDERS]
        both = [f"{self._root}/{name}" for name in _COUNTING]
        trees = awatch(*both, step=10, debounce=50, watch_filter=None)
        folders = awatch(self._root, *others, step=100, debounce=200, watch_filter=None, recursive=False)
        following = [
            asyncio.create_task(each)
            for each in (self._note_all(trees), self._note_all(folders), self._follow_worktrees())
        ]
        self._note_everything()
        try:
            await asyncio.gather(*following)
        finally:
            for each in following:
                each.cancel()

    async def _note_all(self, found: AsyncIterator[set[FileChange]]) -> None:
        async for some in found:
            for _, path in some:
                self._note(path)

    async def _follow_worktrees(self) -> None:
        """A worktree that is new is watched too, from then on."""
        from watchfiles import awatch

        root = f"{self._root}/workspaces"
        while True:
            known = [f"{root}/{name}" for name in await asyncio.to_thread(_folders, root)]
            async for some in awatch(root, *known, step=100, watch_filter=None, recursive=False):
                for _, path in some:
                    self._note(path)
                if any(os.path.dirname(path) == root and path not in known for _, path in some):
                    break

    def _parts(self, path: str) -> list[str]:
        return path[len(self._root) + 1 :].split(os.sep) if len(path) > len(self._root) else []

    def _note(self, path: str) -> None:
        """Note what a changed path means."""
        match self._parts(path):
            case ["tasks" | "state" as tree, project, task, *rest] if task[0] != "." and _counts(tree, rest):
                (self._reporting if rest == [_RUNTIME] else self._tasks).add((project, task))
            case ["workspaces", ".pool.json"] | ["jobs.json"]:
                self._others = True
            case ["workspaces", name] | ["workspaces", name, "TASK.md" | ".orange-outcome"]:
                self._links.add(name)  # of a worktree that just came, this may have been missed
            case parts if _is_about_everything(parts):
                self._everything = True
            case _:
                return
        self._something.set()


def _is_about_everything(parts: list[str]) -> bool:
    """A project's tasks came or went, or what all tasks depend on has changed."""
    match parts:
        case ["tasks" | "state", project]:
            return project[0] != "."
        case ["workflows", *rest]:
            return not rest or rest[-1].endswith((".yml", ".yaml"))
        case ["tasks" | "state" | "projects.json" | "config.yml" | "harnesses.yml"]:
            return True
    return False


def _counts(tree: str, rest: list[str]) -> bool:
    """Whether a path below one of a task's directories counts; each itself does, our temporary files do not."""
    if len(rest) > 1:
        return (tree, rest[0]) == ("state", "logs") and rest[-1].endswith(".exit")
    return not rest or rest[0] in _COUNTING[tree]


def _mask(parts: list[str]) -> int | None:
    """What to listen for in a directory; None for those that are not ours to watch."""
    match parts:
        case [] | ["tasks" | "state" | "workflows" | "workspaces"]:
            return _IN_FOLDER
        case ["workspaces", name] if name[0] != ".":
            return APPEARS  # only what takes a link's place; the rest of a worktree is not our news
        case ["state", _, _, "logs"]:
            return _IN_LOGS
        case ["tasks" | "state", *names] if not any(name.startswith(".") for name in names):
            return {1: _IN_FOLDER, 2: _IN_TASK}.get(len(names))
    return None


def _watched_folders(parts: list[str], path: str) -> Iterable[str]:
    """The directories to look for in a directory; they are listed only where they can have any name."""
    match parts:
        case []:
            return (*_COUNTING, *_OTHER_FOLDERS)
        case ["tasks" | "state" | "workspaces"] | ["tasks" | "state", _]:
            return _folders(path)
        case ["state", _, _]:
            return ("logs",)
    return ()


def _folders(path: str) -> list[str]:
    try:
        with os.scandir(path) as entries:
            return [entry.name for entry in entries if is_directory(entry)]
    except OSError:
        return []
