"""What changes in a home's files, told to whoever wants to know: the board of the app, and the supervisor.

The first thing told is None, "look at everything": from then on nothing is missed. What comes within a moment is told
together, and the moment is counted from the first of it: a file that is written all the time is told of all the time.
"""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import suppress

from orange_tui.home.inotify import APPEARS, CLOSE_WRITE, GOES, MODIFY, Inotify
from orange_tui.store.store import TaskRef

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

    from watchfiles.main import FileChange

    from orange_tui.home.paths import Home

    # Tasks that have changed (none: something beside them, such as who has which workspace), or None: look everywhere.
    Change = set[TaskRef] | None

_HAS_INOTIFY = sys.platform == "linux"
_MOMENT = 0.02  # seconds
_POLL = 2.0  # seconds, where the system can tell of no more directories
_RUNTIME = "runtime.json"
_TASK_FILES = frozenset({"TASK.md", "history.jsonl", ".orange-outcome", _RUNTIME})
_BESIDE = ("workflows", "workspaces")
_IN_TASK = MODIFY | CLOSE_WRITE | APPEARS | GOES
_IN_LOGS = CLOSE_WRITE | APPEARS  # without MODIFY: what agents print is nobody's news
_IN_FOLDER = CLOSE_WRITE | APPEARS | GOES


def changes(home: Home) -> AsyncIterator[Change]:
    """Everything that changes in a home, for one who is the only one to ask."""
    return Watch(home).changes()


class Watch:
    """One watch on the files of a home, for any number of listeners in one event loop."""

    def __init__(self, home: Home) -> None:
        self._root = os.path.realpath(home.root)
        self._listeners: list[_News] = []
        self._for_links: list[asyncio.Queue[str]] = []
        self._watching: asyncio.Task[None] | None = None
        self._is_ready = False

    async def changes(self, *, runtime: bool = True) -> AsyncIterator[Change]:
        """What changes from now on; without `runtime`, what agents report of themselves does not count."""
        news = _News(runtime=runtime)
        self._listeners.append(news)
        if self._watching is None:
            self._watching = asyncio.create_task(self._watch())
        elif self._is_ready:
            news.note_everything()
        try:
            while True:
                yield await news.taken()
        finally:
            self._listeners.remove(news)
            if not self._listeners:
                await self._stop()

    async def replaced_links(self) -> AsyncIterator[str]:
        """The workspaces in which TASK.md came anew: something took its link's place. While changes are listened to."""
        names: asyncio.Queue[str] = asyncio.Queue()
        self._for_links.append(names)
        try:
            while True:
                yield await names.get()
        finally:
            self._for_links.remove(names)

    async def _stop(self) -> None:
        watching, self._watching, self._is_ready = self._watching, None, False
        if watching is not None:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)

    async def _watch(self) -> None:
        await asyncio.to_thread(self._make_places)
        with suppress(OSError, RuntimeError, AttributeError):  # no such thing here, or no more of it
            await (self._with_inotify() if _HAS_INOTIFY else self._with_watchfiles())
        while True:
            self._tell_all()
            await asyncio.sleep(_POLL)

    def _make_places(self) -> None:
        for folder in ("tasks", "workspaces"):
            os.makedirs(os.path.join(self._root, folder), exist_ok=True)

    def _tell_all(self) -> None:
        self._is_ready = True
        for news in self._listeners:
            news.note_everything()

    async def _with_inotify(self) -> None:
        inotify, loop, broken = Inotify(), asyncio.get_running_loop(), asyncio.Event()
        try:
            await asyncio.to_thread(self._follow, inotify, self._root)
            loop.add_reader(inotify.descriptor, self._happened, inotify, broken)
            self._tell_all()
            await broken.wait()
        finally:
            loop.remove_reader(inotify.descriptor)
            inotify.close()

    def _happened(self, inotify: Inotify, broken: asyncio.Event) -> None:
        events = inotify.read()
        try:
            for appeared in dict.fromkeys(event.path for event in events if event.appeared and event.path):
                self._follow(inotify, appeared)
        except OSError:
            broken.set()
        for path in dict.fromkeys(event.path for event in events):
            self._tell(path)

    def _follow(self, inotify: Inotify, path: str) -> None:
        """Watch a directory that is there now, and those in it, as deep as there is news to come."""
        parts = self._parts(path)
        mask = _mask(parts)
        if mask is None or not inotify.add(path, mask):
            return
        for name in _places(parts, path):
            self._follow(inotify, f"{path}/{name}")

    async def _with_watchfiles(self) -> None:
        """Where inotify is not; the system tells of whole trees there, and this costs nothing to begin."""
        from watchfiles import awatch

        beside = [f"{self._root}/{name}" for name in _folders(self._root) if name in _BESIDE]
        trees = awatch(f"{self._root}/tasks", step=10, debounce=50, watch_filter=None)
        folders = awatch(self._root, *beside, step=100, debounce=200, watch_filter=None, recursive=False)
        hearing = [asyncio.create_task(each) for each in (self._hear(trees), self._hear(folders), self._hear_links())]
        self._tell_all()
        try:
            await asyncio.gather(*hearing)
        finally:
            for each in hearing:
                each.cancel()

    async def _hear(self, found: AsyncIterator[set[FileChange]]) -> None:
        async for some in found:
            for _, path in some:
                self._tell(path)

    async def _hear_links(self) -> None:
        """A worktree that is new is watched too, from then on."""
        from watchfiles import awatch

        root = f"{self._root}/workspaces"
        while True:
            known = [f"{root}/{name}" for name in await asyncio.to_thread(_folders, root)]
            async for some in awatch(root, *known, step=100, watch_filter=None, recursive=False):
                for _, path in some:
                    self._tell(path)
                if any(os.path.dirname(path) == root and path not in known for _, path in some):
                    break

    def _parts(self, path: str) -> list[str]:
        return path[len(self._root) + 1 :].split(os.sep) if len(path) > len(self._root) else []

    def _tell(self, path: str | None) -> None:
        """Say what a changed path means to those who listen; no path means that some were missed."""
        match [] if path is None else self._parts(path):
            case ["tasks", project, task, *rest] if task[0] != "." and _is_news(rest):
                self._tell_of(TaskRef(project, task), is_runtime=rest == [_RUNTIME])
            case ["workspaces", ".pool.json"] | ["jobs.json"]:
                self._tell_of(None)
            case ["workspaces", name] | ["workspaces", name, "TASK.md" | ".orange-outcome"]:
                for names in self._for_links:  # of a worktree that just came, this may have been missed
                    names.put_nowait(name)
            case parts if _is_about_everything(parts):
                self._tell_all()

    def _tell_of(self, ref: TaskRef | None, *, is_runtime: bool = False) -> None:
        for news in self._listeners:
            news.note(ref, is_runtime=is_runtime)


class _News:
    """What one listener has not heard yet."""

    def __init__(self, *, runtime: bool) -> None:
        self._runtime = runtime
        self._refs: set[TaskRef] = set()
        self._everything = False
        self._something = asyncio.Event()

    def note(self, ref: TaskRef | None, *, is_runtime: bool = False) -> None:
        if is_runtime and not self._runtime:
            return
        if ref is not None:
            self._refs.add(ref)
        self._something.set()

    def note_everything(self) -> None:
        self._everything = True
        self._something.set()

    async def taken(self) -> Change:
        """Wait for something, and a moment for what comes with it."""
        await self._something.wait()
        await asyncio.sleep(_MOMENT)
        found = None if self._everything else self._refs
        self._refs, self._everything = set(), False
        self._something.clear()
        return found


def _is_about_everything(parts: list[str]) -> bool:
    """A project's tasks came or went, or what all tasks depend on has changed."""
    match parts:
        case ["tasks", project]:
            return project[0] != "."
        case ["workflows", *rest]:
            return not rest or rest[-1].endswith((".yml", ".yaml"))
        case [] | ["tasks" | "projects.json" | "config.yml" | "harnesses.yml"]:
            return True
    return False


def _is_news(rest: list[str]) -> bool:
    """Whether a path below a task's directory tells something; the directory itself does. Our asides do not."""
    if len(rest) > 1:
        return rest[0] == "logs" and rest[-1].endswith(".exit")
    return not rest or rest[0] in _TASK_FILES


def _mask(parts: list[str]) -> int | None:
    """What to listen for in a directory; None for those that are not ours to watch."""
    match parts:
        case [] | ["tasks" | "workflows" | "workspaces"]:
            return _IN_FOLDER
        case ["workspaces", name] if name[0] != ".":
            return APPEARS  # only what takes a link's place; the rest of a worktree is not our news
        case ["tasks", *names] if not any(name.startswith(".") for name in names):
            return {1: _IN_FOLDER, 2: _IN_TASK, 3: _IN_LOGS if names[-1] == "logs" else None}.get(len(names))
    return None


def _places(parts: list[str], path: str) -> Iterable[str]:
    """The directories to look for in a directory; they are listed only where they can have any name."""
    match parts:
        case []:
            return ("tasks", *_BESIDE)
        case ["tasks"] | ["tasks", _] | ["workspaces"]:
            return _folders(path)
        case ["tasks", _, _]:
            return ("logs",)
    return ()


def _folders(path: str) -> list[str]:
    try:
        with os.scandir(path) as entries:
            return [entry.name for entry in entries if entry.is_dir()]
    except OSError:
        return []
