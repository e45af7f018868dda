"""Work that takes time: done in a thread, one thing a task at a time, told in the task's row while it lasts."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from orange_tui.domain.errors import OrangeError

if TYPE_CHECKING:
    from collections.abc import Callable

    from orange_tui.store.store import TaskRef
    from orange_tui.tui.app import OrangeApp

    Say = Callable[[str], None]
    Work = Callable[[Say], str | None]


class Jobs:
    """What is being done to which task."""

    def __init__(self, app: OrangeApp) -> None:
        self._app = app
        self._locks: dict[TaskRef, asyncio.Lock] = {}
        self.running: dict[TaskRef, str] = {}

    def start(self, ref: TaskRef, title: str, work: Work) -> None:
        """Do something to a task; what came of it is told, whatever it is."""
        self._app.run_worker(self._run(ref, title, work), group="jobs", exit_on_error=False)

    async def _run(self, ref: TaskRef, title: str, work: Work) -> None:
        async with self._locks.setdefault(ref, asyncio.Lock()):
            self._show(ref, f"{title} …")
            try:
                result = await asyncio.to_thread(work, lambda step: self._from_thread(ref, f"{title}: {step} …"))
            except OrangeError as problem:
                self._app.notify(str(problem), title=f"{title}: refused", severity="error", timeout=15, markup=False)
            except Exception as problem:  # noqa: BLE001 - whatever it is, the person hears of it and the app goes on
                write = self._app.orange.log.write
                await asyncio.to_thread(write, "error", f"{title}: {problem!r}", task=ref.id)
                self._app.notify(f"{problem!r}. `orange log` has it too", title=title, severity="error", markup=False)
            else:
                if result:
                    self._app.notify(result, title=title, markup=False)
            finally:
                self._show(ref, None)

    def _from_thread(self, ref: TaskRef, text: str) -> None:
        self._app.call_from_thread(self._show, ref, text)

    def _show(self, ref: TaskRef, text: str | None) -> None:
        if text is None:
            self.running.pop(ref, None)
        else:
            self.running[ref] = text
        self._app.mutate_reactive(type(self._app).snapshot)
