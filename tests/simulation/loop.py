"""An event loop for a virtual process: it waits in virtual time, and what it gives to threads is done at once."""

from __future__ import annotations

import asyncio
import selectors
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from simulation.scheduler import Killed

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from simulation.system import System


class _VirtualSelector(selectors.DefaultSelector):
    """Looks at real descriptors, and sleeps in virtual time."""

    def __init__(self, system: System) -> None:
        super().__init__()
        self._system = system

    def select(self, timeout: float | None = None) -> Any:
        self._system.step("wait", "for events")
        if (timeout is None or timeout > 0) and not self._look():
            self._system.scheduler.wait(lambda: bool(self._look()), timeout)
        return self._look()

    def _look(self) -> Any:
        with self._system.really():
            return super().select(0)


class _VirtualLoop(asyncio.SelectorEventLoop):
    def run_in_executor(self, executor: object, func: Callable[..., Any], *args: Any) -> Any:  # type: ignore[override]
        """In the order in which it is asked for, by the same process."""
        future = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as problem:  # noqa: BLE001 - whoever waits gets it
            future.set_exception(problem)
        return future


def run_async(system: System, work: Coroutine[Any, Any, object]) -> None:
    """`asyncio.run` for a virtual process."""
    loop = _VirtualLoop(_VirtualSelector(system))
    loop.set_exception_handler(lambda _loop, _context: None)  # a killed process has no last words
    try:
        loop.run_until_complete(work)
    finally:
        for task in asyncio.all_tasks(loop):  # none, unless it was killed: then they end here, and not anywhere later
            with suppress(Killed, RuntimeError):
                task.get_coro().close()
        with suppress(Killed):
            work.close()
        with system.really():
            loop.close()
