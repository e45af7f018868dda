"""The changes in a home, in one order: the index reads what has changed first, then every listener is notified.

So the screen and the supervisor cannot disagree: both look at the same index, which is never older than the change
they were notified of. The first change is None, "anything may have changed": by then the whole index was read, and
from then on nothing is missed.
"""

from __future__ import annotations

import asyncio

from orange_tui.home.watch import Watch
from orange_tui.store.store import TaskRef

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator

    from orange_tui.home.paths import Home
    from orange_tui.home.watch import FileChanges, TaskKey
    from orange_tui.store.index import TaskIndex

    # Tasks that have changed (none: something that concerns none of them), or None: anything may have.
    Change = set[TaskRef] | None


class TaskFeed:
    """The changes of one home, for any number of listeners in one event loop; it begins with the first of them."""

    def __init__(self, home: Home, index: TaskIndex) -> None:
        self._watch = Watch(home)
        self.index = index
        self._listeners: list[_Listener] = []
        self._link_listeners: list[asyncio.Queue[str]] = []
        self._following: asyncio.Task[None] | None = None
        self._is_ready = False

    async def changes(self, *, runtime: bool = True) -> AsyncIterator[Change]:
        """What changes from now on; without `runtime`, what agents report of themselves does not count."""
        listener = _Listener(runtime=runtime)
        self._listeners.append(listener)
        if self._following is None:
            self._following = asyncio.create_task(self._follow())
        elif self._is_ready:
            listener.note_everything()
        try:
            while True:
                yield await listener.next()
        finally:
            self._listeners.remove(listener)
            if not self._listeners:
                await self._stop()

    async def replaced_links(self) -> AsyncIterator[str]:
        """The workspaces in which TASK.md came anew: something took its link's place. While changes are listened to."""
        names: asyncio.Queue[str] = asyncio.Queue()
        self._link_listeners.append(names)
        try:
            while True:
                yield await names.get()
        finally:
            self._link_listeners.remove(names)

    async def _stop(self) -> None:
        following, self._following, self._is_ready = self._following, None, False
        if following is not None:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)

    async def _follow(self) -> None:
        async for changes in self._watch.changes():
            await self._apply(changes)
            is_stale = changes.everything
            while is_stale:
                is_stale = await self._read_everything()

    async def _read_everything(self) -> bool:
        """Read all that has changed; what is known to change meanwhile does not wait for the rest.

        Says whether by the end anything may have changed again.
        """
        slices = self.index.refresh_in_slices()
        is_stale = False
        while not await asyncio.to_thread(_is_exhausted, slices):
            changes = self._watch.take()
            is_stale = is_stale or changes.everything
            await self._apply(changes)
        self._is_ready = True
        for listener in self._listeners:
            listener.note_everything()
        return is_stale

    async def _apply(self, changes: FileChanges) -> None:
        """The index first, then everybody else."""
        tasks, reporting = _refs(changes.tasks), _refs(changes.reporting)
        if tasks:
            await asyncio.to_thread(self.index.refresh, tasks)
        for listener in self._listeners:
            listener.note(tasks, reporting, others=changes.others)
        for name in changes.replaced_links:
            for names in self._link_listeners:
                names.put_nowait(name)


class _Listener:
    """The changes that one listener has not been given yet."""

    def __init__(self, *, runtime: bool) -> None:
        self._runtime = runtime
        self._refs: set[TaskRef] = set()
        self._everything = False
        self._something = asyncio.Event()

    def note(self, tasks: set[TaskRef], reporting: set[TaskRef], *, others: bool) -> None:
        found = tasks | reporting if self._runtime else tasks
        if found or others:
            self._refs |= found
            self._something.set()

    def note_everything(self) -> None:
        self._everything = True
        self._something.set()

    async def next(self) -> Change:
        await self._something.wait()
        found = None if self._everything else self._refs
        self._refs, self._everything = set(), False
        self._something.clear()
        return found


def _refs(keys: Iterable[TaskKey]) -> set[TaskRef]:
    return {TaskRef(*key) for key in keys}


def _is_exhausted(slices: Iterator[None]) -> bool:
    """Do the next slice; says whether there was none any more."""
    return next(slices, _END) is _END


_END = object()
