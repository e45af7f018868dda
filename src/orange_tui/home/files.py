"""Reading, locking and replacing files so that nobody ever sees half of one.

A lock is a file of its own that is never removed while it could be held; it dies with its process.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import sys
import time
from contextlib import contextmanager, suppress
from functools import cache

from orange_tui.domain.errors import NotFound, NotSaved, Refused, Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Signature = tuple[int, int, int]  # inode, time of the last change, size

_WAIT_NOTICE_SECONDS = 1.0  # how long to wait for a lock before saying so
_LOCK_POLL_SECONDS = 0.003
_RENAME_EXCHANGE = 2
_AT_FDCWD = -100


def read_signature(path: str) -> Signature | None:
    """What changes whenever a file does: enough to know that it was read already; None where there is no file."""
    try:
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return (0, 0, 0)  # it is there, and reading it will say what is wrong
    return (status.st_ino, status.st_mtime_ns, status.st_size)


def read_bytes(path: str, *, max_bytes: int | None = None) -> bytes:
    """The content of a regular file; of a longer one than `max_bytes`, one byte more than that."""
    try:
        # Without O_NONBLOCK, a pipe somebody put in place of the file would hang us.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise NotFound(f"{path} is not there") from None
    except OSError as problem:
        raise Unreadable(f"{path} cannot be read: {problem.strerror}") from None
    try:
        return _read_all(descriptor, path, max_bytes)
    finally:
        os.close(descriptor)


def _read_all(descriptor: int, path: str, max_bytes: int | None) -> bytes:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        kind = "a directory" if stat.S_ISDIR(status.st_mode) else "not a regular file"
        raise Unreadable(f"{path} is {kind}")
    pieces, left = [], max_bytes + 1 if max_bytes is not None else sys.maxsize
    # One read usually takes all of it; a file that grows meanwhile needs more than one.
    while left > 0 and (piece := os.read(descriptor, min(left, max(status.st_size + 1, 65536)))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def read_end(path: str, max_bytes: int) -> bytes:
    """The last bytes of a file, such as a log; nothing where it cannot be read."""
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - max_bytes))
            return file.read(max_bytes)
    except OSError:
        return b""


def write_aside(path: str, data: bytes, *, durable: bool = True) -> None:
    """Write a new file completely, or leave none; one that is made anew whenever it is needed need not be durable."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        try:
            write_all(descriptor, data)
            if durable:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as problem:
        with suppress(OSError):
            os.unlink(path)
        raise not_saved(path, problem) from None


def write_all(descriptor: int, data: bytes) -> None:
    """Write every byte, or raise: a disk that fills up takes the first half without a word."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def replace_file(path: str, data: bytes, *, durable: bool = True) -> None:
    """Put new content in a file's place in one step that survives a power cut; the caller holds its lock."""
    aside = f"{path}.new"
    with suppress(FileNotFoundError):
        os.unlink(aside)
    write_aside(aside, data, durable=durable)
    try:
        os.rename(aside, path)
        if durable:
            sync_directory(os.path.dirname(path))
    except OSError as problem:
        with suppress(OSError):
            os.unlink(aside)
        raise not_saved(path, problem) from None


def sync_directory(path: str) -> None:
    """Make renames and new names in a directory outlast a power cut."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def not_saved(path: str, problem: OSError) -> NotSaved:
    """Why a write did not happen, and that nothing was changed by it."""
    ways_out = {
        errno.ENOSPC: "free some space and try again",
        errno.EDQUOT: "free some of your quota and try again",
        errno.EROFS: "the disk is read-only",
        errno.EACCES: "check who owns it",
    }
    way_out = ways_out.get(problem.errno or 0)
    advice = f"; {way_out}" if way_out else ""
    return NotSaved(f"{path} was not written: {problem.strerror}{advice}. What was there is unchanged")


def exchange(one: str, other: str) -> bool:
    """Swap two names in one step; False where the system cannot.

    A plain rename would destroy what somebody put there a microsecond ago; after a swap it can be looked at.
    """
    swap = _renameat2()
    return bool(swap and swap(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE) == 0)


@cache
def _renameat2() -> Callable[..., int] | None:
    """The system call, looked up once: whoever asks beforehand has it at hand when microseconds count."""
    try:
        import ctypes

        found: Callable[..., int] = ctypes.CDLL(None, use_errno=True).renameat2
    except (ImportError, OSError, AttributeError):
        return None
    return found


def has_writer(descriptor: int) -> bool | None:
    """Whether any process has this file open for writing; None where the system cannot tell.

    A read lease is granted exactly when there is no writer. Ask only of a file whose name is gone: an open
    of a leased file would be answered with a signal.
    """
    lease = getattr(fcntl, "F_SETLEASE", None)
    if lease is None:
        return None
    try:
        fcntl.fcntl(descriptor, lease, fcntl.F_RDLCK)
        fcntl.fcntl(descriptor, lease, fcntl.F_UNLCK)
    except BlockingIOError:
        return True
    except OSError:
        return None
    return False


def _report_to_nobody(_what: str) -> None:
    """Nobody is told, unless somebody asked to be."""


report_lock_wait: Callable[[str], None] = _report_to_nobody  # the command line tells the person at the terminal


@contextmanager
def locked(path: str, *, what: str, wait: bool = True, timeout: float | None = None) -> Iterator[bool]:
    """Hold an inter-process lock; with wait=False, say whether it could be had at once.

    After `timeout` seconds of waiting it is refused; without one, it is waited for as long as it takes.
    """
    descriptor = _open_lock(path)
    try:
        held = _acquire(descriptor, what=what, timeout=timeout) if wait else _try_acquire(descriptor)
        if held and not _is_still_at(descriptor, path):
            raise NotFound(f"{what} was deleted meanwhile")
        yield held
    finally:
        os.close(descriptor)


def _open_lock(path: str) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except FileNotFoundError:
        raise NotFound(f"{os.path.dirname(path)} is not there") from None
    except OSError as problem:
        raise not_saved(path, problem) from None


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
