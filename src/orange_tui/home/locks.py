"""Locks between processes.

A lock is a file of its own, which is never removed while it could be held; the lock itself ends with its process.
"""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import contextmanager

from orange_tui.domain.errors import NotFound, Refused
from orange_tui.home.files import open_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_WAIT_NOTICE_SECONDS = 1.0  # how long to wait for a lock before saying so
_LOCK_POLL_SECONDS = 0.003


def _report_to_nobody(_what: str) -> None:
    """The default: waiting is not reported."""


report_lock_wait: Callable[[str], None] = _report_to_nobody  # the command line prints it


@contextmanager
def locked(path: str, *, what: str, wait: bool = True, timeout: float | None = None) -> Iterator[bool]:
    """Hold an inter-process lock; with wait=False, yield whether it was free.

    With a `timeout` in seconds, waiting longer is refused; without one, it waits as long as it takes.
    """
    descriptor = _open_lock(path)
    held = False
    try:
        held = _acquire(descriptor, what=what, timeout=timeout) if wait else _try_acquire(descriptor)
        if held and not _is_still_at(descriptor, path):
            raise NotFound(f"{what} was deleted in the meantime")
        yield held
    finally:
        if held:  # to close it is not enough: a program that another thread is starting just now has it open as well
            fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)


def _open_lock(path: str) -> int:
    try:
        return open_regular(path, os.O_RDWR | os.O_CREAT, follow=False)
    except NotFound:
        raise NotFound(f"{os.path.dirname(path)} does not exist") from None


def _acquire(descriptor: int, *, what: str, timeout: float | None) -> bool:
    deadline = time.monotonic() + (_WAIT_NOTICE_SECONDS if timeout is None else timeout)
    while not _try_acquire(descriptor):
        if time.monotonic() > deadline:
            if timeout is not None:
                raise Refused(f"{what} is held by another command; try again in a moment")
            report_lock_wait(what)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            return True
        time.sleep(_LOCK_POLL_SECONDS)
    return True


def _try_acquire(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_still_at(descriptor: int, path: str) -> bool:
    """Whether the lock file we hold is the one others will open: it goes when its task is deleted."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False
