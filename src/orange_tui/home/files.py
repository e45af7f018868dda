"""Reading and replacing files, so that nobody ever sees half of one."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from contextlib import suppress
from functools import cache

from orange_tui.domain.errors import NotFound, NotSaved, OrangeError, Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Signature = tuple[int, int, int]  # inode, time of the last change, size

_RENAME_EXCHANGE = 2
PRIVATE_FILE = 0o600  # a home is nobody else's business
_PRIVATE_DIRECTORY = 0o700
_AT_FDCWD = -100
_MAX_BYTES = 20_000_000  # of a file that is read without a limit of its own
_NO_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}  # of a disk that has no second names for files
_OTHER_THINGS = {errno.ELOOP: "a link", errno.EISDIR: "a directory", errno.ENXIO: "not a regular file"}


def read_signature(path: str) -> Signature | None:
    """Inode, time and size of a file, to see whether it has changed since it was read; None where there is no file."""
    try:
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return (0, 0, 0)  # it exists, and reading it will say what is wrong
    return (status.st_ino, status.st_mtime_ns, status.st_size)


def open_regular(path: str, flags: int = os.O_RDONLY, *, follow: bool = True) -> int:
    """Open a regular file and nothing else: every file that an agent could have put another thing in place of.

    A pipe would block us for ever, a device might never end, and what is written to a link goes somewhere else. Without
    `follow`, a link is refused too: nobody but an agent puts one into a task's directory, and it may lead to what that
    agent is not allowed to read.
    """
    flags |= os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
    try:
        descriptor = os.open(path, flags, PRIVATE_FILE)
    except FileNotFoundError:
        raise NotFound(f"{path} does not exist") from None
    except OSError as problem:
        if problem.errno in _OTHER_THINGS:
            raise _not_regular(path, _OTHER_THINGS[problem.errno]) from None
        is_writing = flags & (os.O_WRONLY | os.O_RDWR)
        raise not_saved(path, problem) if is_writing else _unreadable(path, problem) from None
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return descriptor
    os.close(descriptor)
    raise _not_regular(path, "a directory" if stat.S_ISDIR(mode) else "not a regular file")


def check_database(path: str) -> None:
    """Refuse a SQLite database that is no regular file, or has something else beside it: a pipe would block us.

    Nothing is opened for that: to close it again would take away the locks of whoever reads it in this process.
    """
    for each in (path, f"{path}-wal", f"{path}-shm", f"{path}-journal"):
        with suppress(FileNotFoundError, NotADirectoryError):
            if not stat.S_ISREG(os.lstat(each).st_mode):
                raise _not_regular(each, "not a regular file")


def _not_regular(path: str, what: str) -> Unreadable:
    return Unreadable(f"{path} is {what}; move it away")


def _unreadable(path: str, problem: OSError) -> Unreadable:
    return Unreadable(f"{path} cannot be read: {problem.strerror}")


def read_bytes(path: str, *, max_bytes: int | None = None, follow: bool = True) -> bytes:
    """The content of a regular file; one byte more than `max_bytes` of a longer one."""
    descriptor = open_regular(path, follow=follow)
    try:
        return _read_all(descriptor, path, max_bytes)
    finally:
        os.close(descriptor)


def _read_all(descriptor: int, path: str, max_bytes: int | None) -> bytes:
    size = os.fstat(descriptor).st_size
    pieces, left = [], (_MAX_BYTES if max_bytes is None else max_bytes) + 1
    try:
        # One read usually takes all of it; a file that grows meanwhile needs more than one.
        while left > 0 and (piece := os.read(descriptor, min(left, max(size + 1, 65536)))):
            pieces.append(piece)
            left -= len(piece)
    except OSError as problem:
        raise _unreadable(path, problem) from None
    if max_bytes is None and left <= 0:
        raise Unreadable(f"{path} is over {_MAX_BYTES // 1_000_000} MB; move it away")
    return b"".join(pieces)


def read_end(path: str, max_bytes: int) -> bytes:
    """The last bytes of a file, such as a log; nothing where it cannot be read."""
    try:
        descriptor = open_regular(path, follow=False)
    except OrangeError:
        return b""
    try:
        return os.pread(descriptor, max_bytes, max(0, os.fstat(descriptor).st_size - max_bytes))
    except OSError:
        return b""
    finally:
        os.close(descriptor)


def write_aside(path: str, data: bytes) -> None:
    """Write a new file completely and durably, or leave none."""
    try:
        _write_new(path, data, durable=True)
    except OSError as problem:
        raise not_saved(path, problem) from None


def _write_new(path: str, data: bytes, *, durable: bool, directory: int | None = None) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE_FILE, dir_fd=directory)
    try:
        write_all(descriptor, data)
        if durable:
            os.fsync(descriptor)
    except OSError:
        with suppress(OSError):
            os.unlink(path, dir_fd=directory)
        raise
    finally:
        os.close(descriptor)


def make_directory(path: str) -> None:
    """Make a directory of the home, and those above it that are missing, for the person alone."""
    try:
        os.mkdir(path, _PRIVATE_DIRECTORY)
    except FileExistsError:
        if not os.path.isdir(path):
            raise NotSaved(f"{path} is not a directory; move it away") from None
    except FileNotFoundError:
        make_directory(os.path.dirname(path))
        make_directory(path)


def write_all(descriptor: int, data: bytes) -> None:
    """Write every byte, or raise: a disk that is almost full accepts a part without an error."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def replace_file(path: str, data: bytes, *, durable: bool = True, follow: bool = True) -> None:
    """Replace a file's content atomically; what can be made again need not be durable. The caller holds its lock.

    Without `follow`, its directory is one that an agent could replace: it must be no link, and stays the same one.
    """
    folder, name = os.path.split(path)
    directory = _open_directory(folder, follow=follow)
    try:
        with suppress(FileNotFoundError):
            os.unlink(f"{name}.new", dir_fd=directory)
        _write_new(f"{name}.new", data, durable=durable, directory=directory)
        if durable:
            _rename_durably(f"{name}.new", name, directory)
        else:
            os.rename(f"{name}.new", name, src_dir_fd=directory, dst_dir_fd=directory)
    except OSError as problem:
        with suppress(OSError):
            os.unlink(f"{name}.new", dir_fd=directory)
        raise not_saved(path, problem) from None
    finally:
        os.close(directory)


def _rename_durably(new: str, name: str, directory: int) -> None:
    """Put a new file in the place of the old one; where that does not get to the disk, the old one is put back."""
    old = f".{name}.orange-old"  # what people keep beside a file has other names
    with suppress(FileNotFoundError):
        os.unlink(old, dir_fd=directory)  # of one that was killed
    is_first = is_kept = False
    try:
        os.link(name, old, src_dir_fd=directory, dst_dir_fd=directory, follow_symlinks=False)
        is_kept = True
    except FileNotFoundError:
        is_first = True
    except OSError as problem:
        if problem.errno not in _NO_LINKS:
            raise
    os.rename(new, name, src_dir_fd=directory, dst_dir_fd=directory)
    try:
        os.fsync(directory)
    except OSError:
        if is_kept:
            os.rename(old, name, src_dir_fd=directory, dst_dir_fd=directory)
        elif is_first:
            os.unlink(name, dir_fd=directory)
        raise
    if is_kept:
        with suppress(OSError):
            os.unlink(old, dir_fd=directory)


def _open_directory(path: str, *, follow: bool = True) -> int:
    try:
        return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW))
    except OSError as problem:
        if os.path.islink(path) and not follow:
            raise NotSaved(f"{path} is a link, and nothing is written to where it leads; remove it") from None
        raise not_saved(path, problem) from None


def sync_directory(path: str) -> None:
    """Sync a directory to disk, so that renames and new names in it survive a power cut."""
    descriptor = _open_directory(path)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def not_saved(path: str, problem: OSError) -> NotSaved:
    """The error for a write that failed: why, what to do, and that the old content is unchanged."""
    ways_out = {
        errno.ENOSPC: "free some space and try again",
        errno.EDQUOT: "free some of your quota and try again",
        errno.EROFS: "the disk is read-only",
        errno.EACCES: "check its owner and permissions",
    }
    way_out = ways_out.get(problem.errno or 0)
    advice = f"; {way_out}" if way_out else ""
    return NotSaved(f"{path} was not saved: {problem.strerror}{advice}. Its old content is unchanged")


def exchange(one: str, other: str) -> bool:
    """Swap two names atomically; False where the system cannot.

    A plain rename would destroy what somebody wrote there a microsecond ago; after a swap it can still be read.
    """
    swap = _renameat2()
    return bool(swap and swap(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE) == 0)


@cache
def _renameat2() -> Callable[..., int] | None:
    """The system call, looked up once."""
    try:
        import ctypes

        found: Callable[..., int] = ctypes.CDLL(None, use_errno=True).renameat2
    except (ImportError, OSError, AttributeError):
        return None
    return found


def has_writer(descriptor: int) -> bool | None:
    """Whether any process has this file open for writing; None where the system cannot tell.

    A read lease is granted exactly when there is no writer. Only for a file that has no name any more: opening a leased
    file would send us a signal.
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
