"""Run an event loop until a person or the system asks for its end.

A signal only asks: it raises nothing in the middle of whatever runs at that moment, least of all while the event loop
is being made or closed, where an exception would leave half of one behind.
"""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import suppress

from orange_tui.cli.reply import INTERRUPTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

_ALWAYS = (signal.SIGINT, signal.SIGTERM)  # in the background of a script, SIGINT is ignored otherwise
_UNLESS_IGNORED = (signal.SIGHUP,)  # its terminal is closed, and may say so twice; `nohup` has it ignored


class _EndRequest:
    """Whether somebody has asked for the end, at any time, and how the running loop learns of it."""

    def __init__(self) -> None:
        self.signal: int | None = None
        self.wake: Callable[[], object] = lambda: None

    def __call__(self, number: int, _frame: object) -> None:
        if self.signal is not None and number in _ALWAYS:
            os._exit(INTERRUPTED)  # asked twice: whatever is under way is finished by the next command
        self.signal = self.signal or number
        self.wake()


def run_until_signal(work: Callable[[], Coroutine[Any, Any, object]]) -> int:
    """Run this until it ends or is asked to end; returns the exit code. Asked a second time, the process ends at once.

    Ctrl+C is told from the others, as a shell does.
    """
    request = _EndRequest()
    for number in _ALWAYS:
        signal.signal(number, request)
    for number in _UNLESS_IGNORED:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, request)
    asyncio.run(_run(work, request))
    return INTERRUPTED if request.signal == signal.SIGINT else 0


async def _run(work: Callable[[], Coroutine[Any, Any, object]], request: _EndRequest) -> None:
    loop, task = asyncio.get_running_loop(), asyncio.create_task(work())

    def wake() -> None:
        with suppress(RuntimeError):  # the loop is closed: it has ended
            loop.call_soon_threadsafe(task.cancel)

    request.wake = wake
    if request.signal is not None:  # it came before there was a loop
        task.cancel()
    with suppress(asyncio.CancelledError):
        await task
