"""Linux tells of changed files by itself, if it is asked directory by directory.

watchfiles asks the same way, but while it walks the directories it holds the interpreter: with ten thousand tasks
nothing else runs for 0.7 s. And it looks a hundred times a second whether something came. Here each directory is one
short call that lets others run, and whoever waits is woken when there is something.
"""

from __future__ import annotations

import os
import struct
from functools import cache

from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

MODIFY, CLOSE_WRITE = 0x2, 0x8
MOVED_FROM, MOVED_TO, CREATE, DELETE = 0x40, 0x80, 0x100, 0x200
APPEARS, GOES = CREATE | MOVED_TO, DELETE | MOVED_FROM
_OVERFLOW, _IGNORED, _ONLY_DIRECTORIES = 0x4000, 0x8000, 0x01000000
_HEADER = struct.Struct("iIII")
_BUFFER = 65536


@record
class FileEvent:
    """Something happened to a path, or came there; without a path, more happened than could be told."""

    path: str | None
    appeared: bool


class Inotify:
    """Directories that are watched, and what happens in them."""

    def __init__(self) -> None:
        start, self._add = _calls()
        self.descriptor = start(os.O_NONBLOCK | os.O_CLOEXEC)
        if self.descriptor < 0:
            raise _error()
        self._directories: dict[int, str] = {}

    def add(self, directory: str, mask: int) -> bool:
        """Watch a directory; False when it is not there. Raises OSError when the system allows no more of them."""
        number = self._add(self.descriptor, os.fsencode(directory), mask | _ONLY_DIRECTORIES)
        if number >= 0:
            self._directories[number] = directory
            return True
        problem = _error()
        if isinstance(problem, FileNotFoundError | NotADirectoryError | PermissionError):
            return False
        raise problem

    def read(self) -> list[FileEvent]:
        """Everything that happened since the last time, without waiting."""
        found: list[FileEvent] = []
        while True:
            try:
                data = os.read(self.descriptor, _BUFFER)
            except BlockingIOError:
                return found
            position = 0
            while position < len(data):
                number, mask, _, length = _HEADER.unpack_from(data, position)
                position += _HEADER.size + length
                if mask & _IGNORED:
                    self._directories.pop(number, None)
                elif mask & _OVERFLOW:
                    found.append(FileEvent(None, appeared=False))
                elif number in self._directories:
                    name = os.fsdecode(data[position - length : position].rstrip(b"\0"))
                    found.append(FileEvent(f"{self._directories[number]}/{name}", appeared=bool(mask & APPEARS)))

    def close(self) -> None:
        """Watch nothing any more; whoever is still adding directories is refused."""
        descriptor, self.descriptor = self.descriptor, -1
        os.close(descriptor)


@cache
def _calls() -> tuple[Callable[[int], int], Callable[[int, bytes, int], int]]:
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    return library.inotify_init1, library.inotify_add_watch


def _error() -> OSError:
    import ctypes

    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))
