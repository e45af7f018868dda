"""Asking somebody far away again and again: less and less while there is no answer, and beside all else."""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    T = TypeVar("T")

_AS_TOLD = 3600.0  # seconds: the longest pause that somebody may ask for


class Patience:
    """When somebody may be asked again, and what keeps them from answering."""

    def __init__(self, every: float, longest: float) -> None:
        self.due = 0.0
        self.problem: str | None = None
        self._every, self._longest = every, longest
        self._pause = every

    def answered(self) -> None:
        """All is well."""
        self.problem, self._pause = None, self._every
        self.due = time.monotonic() + self._every

    def failed(self, problem: str, pause: float) -> bool:
        """Leave them alone, each time for twice as long; says whether this is news."""
        is_news, self.problem = problem != self.problem, problem
        self._pause = min(self._pause * 2, self._longest)
        self.due = time.monotonic() + max(self._pause, min(pause, _AS_TOLD))
        return is_news


async def aside(work: Callable[[], T]) -> T:
    """Do something in a thread that nobody has to wait for: leaving the app does not wait for GitHub."""
    loop = asyncio.get_running_loop()
    result: asyncio.Future[T] = loop.create_future()

    def tell(tell_it: Callable[[], None]) -> None:
        if not result.done():
            tell_it()

    def run() -> None:
        try:
            found = work()
            say = lambda: result.set_result(found)  # noqa: E731
        except Exception as problem:  # noqa: BLE001 - whoever waits gets it
            failure = problem
            say = lambda: result.set_exception(failure)  # noqa: E731
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(tell, say)

    threading.Thread(target=run, name="github", daemon=True).start()
    return await result
