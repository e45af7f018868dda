"""Catches whoever reads a file or starts a program in the event loop's thread: there, every other key waits for it.

No clock is asked, so a slow machine finds what a quick one does. Python itself tells of each file that is opened and
of each program that is started; those that only look at a file (`stat`) are asked for here.
"""

from __future__ import annotations

import os
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    import pytest

_TOLD = frozenset({"open", "subprocess.Popen", "os.listdir", "os.scandir", "os.posix_spawn", "os.rename", "os.remove"})
_ASKED_FOR = ("stat", "lstat", "fsync", "replace", "mkdir", "kill")
_OURS = f"{os.sep}orange_tui{os.sep}"
_IMPORTS = "<frozen importlib"
_ASYNCIO = os.path.join("asyncio", "subprocess.py")


class LoopGuard:
    """What was done in the thread of an event loop, each with the way there."""

    def __init__(self) -> None:
        self.thread: int | None = None
        self.found: list[str] = []

    def note(self, what: str, args: tuple[Any, ...]) -> None:
        if threading.get_ident() != self.thread:
            return
        frames = list(_frames(sys._getframe(2)))
        ours = [frame for frame in frames if _OURS in frame[0]]
        if not ours or any(name.startswith(_IMPORTS) for name, _, _ in frames):
            return  # Textual's own business; or a module that is loaded, which happens once
        if any(name.endswith(_ASYNCIO) and function.startswith("create_subprocess") for name, _, function in frames):
            return  # started, but not waited for
        way = " < ".join(f"{os.path.basename(name)}:{line} {function}" for name, line, function in ours[:4])
        self.found.append(f"{what} {args[:1]} in {way}")


def _frames(frame: FrameType | None) -> Iterator[tuple[str, int, str]]:
    """The way to here, the last step first; without a look at the sources, which would be files read."""
    while frame is not None:
        yield frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name
        frame = frame.f_back


_guards: list[LoopGuard] = []


def _hear(event: str, args: tuple[Any, ...]) -> None:
    if _guards and event in _TOLD:
        for guard in _guards:
            guard.note(event, args)


sys.addaudithook(_hear)  # for good: Python knows no way to take one away


@contextmanager
def guarded(monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopGuard]:
    """Watch this thread, in which the event loop runs, until the end."""
    guard = LoopGuard()
    for name in _ASKED_FOR:
        monkeypatch.setattr(os, name, _noting(guard, name))
    guard.thread = threading.get_ident()
    _guards.append(guard)
    try:
        yield guard
    finally:
        _guards.remove(guard)
        guard.thread = None


def _noting(guard: LoopGuard, name: str) -> Any:
    real = getattr(os, name)

    def call(*args: Any, **kwargs: Any) -> Any:
        guard.note(name, args)
        return real(*args, **kwargs)

    return call
