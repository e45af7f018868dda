"""inotify: Linux reports changed files, for each directory that was added to the watch.

watchfiles uses inotify too, but it holds the interpreter while it walks the directories: with ten thousand tasks
nothing else runs for 0.7 s. And it polls a hundred times a second. Here each directory is one short call that lets
others run, and whoever waits is woken when there is an event.
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
_BUFFER_BYTES = 65536


@record
class FileEvent:
    """A path was changed or appeared; without a path, the queue overflowed and events were lost."""

    path: str | None
    appeared: bool


class Inotify:
    """A watch on directories, and the events in them."""

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
        """All events since the last call, without waiting."""
        found: list[FileEvent] = []
        while True:
            try:
                data = os.read(self.descriptor, _BUFFER_BYTES)
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
        """Stop watching; whoever is still adding directories gets an error."""
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
