"""Backoff for services that are polled over the network, background threads in which they are asked, and the pause.

While there is no answer, the pauses between two requests grow, up to a limit.
"""

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

_LONGEST_REQUESTED_SECONDS = 3600.0  # the longest pause that a service may ask for


class Backoff:
    """When a service may be asked again, and what its last failure was."""

    def __init__(self, every: float, longest: float) -> None:
        self.due = 0.0
        self.problem: str | None = None
        self._every, self._longest = every, longest
        self._pause = every

    def succeeded(self) -> None:
        """The service has answered: the next request comes after the usual interval."""
        self.problem, self._pause = None, self._every
        self.due = time.monotonic() + self._every

    def failed(self, problem: str, pause: float) -> bool:
        """Double the pause, or take the one that the service asks for; returns whether the problem is a new one."""
        is_news, self.problem = problem != self.problem, problem
        self._pause = min(self._pause * 2, self._longest)
        self.due = time.monotonic() + max(self._pause, min(pause, _LONGEST_REQUESTED_SECONDS))
        return is_news


async def pause(seconds: float | None, wake: asyncio.Event) -> None:
    """Wait until somebody wakes us, or so long (None: for ever).

    Not `asyncio.wait_for`: before Python 3.12 it drops a cancellation that comes together with the event, and then
    whoever ends the supervisor waits for ever.
    """
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await wake.wait()


async def in_background(work: Callable[[], T]) -> T:
    """Call something in a daemon thread: leaving the app does not wait for the network."""
    loop = asyncio.get_running_loop()
    result: asyncio.Future[T] = loop.create_future()

    def settle(set_outcome: Callable[[], None]) -> None:
        if not result.done():
            set_outcome()

    def run() -> None:
        try:
            found = work()
            set_outcome = lambda: result.set_result(found)  # noqa: E731
        except Exception as problem:  # noqa: BLE001 - whoever waits gets it
            failure = problem
            set_outcome = lambda: result.set_exception(failure)  # noqa: E731
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(settle, set_outcome)

    threading.Thread(target=run, name="background", daemon=True).start()
    return await result
