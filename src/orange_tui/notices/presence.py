"""Whether the person is at the app: a file for each app, whose time is that of their last key or mouse press.

The app holds a lock on its file, which ends with it however it ends: a file without one tells nothing, and is removed
by whoever finds it. The time is written every now and then, not with every key.
"""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import suppress

from orange_tui.home.files import make_directory, open_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.home.paths import Home

AT_THE_APP_SECONDS = 180.0  # for so long after a key, the person is taken to be there
_PREFIX = ".present."
_FUTURE_SECONDS = 60.0  # a time further ahead is of a clock that was set back since


class Presence:
    """What an app says of the person in front of it. All of it touches files: not in an event loop."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._path = os.path.join(home.state, f"{_PREFIX}{os.getpid()}.{id(self):x}")
        self._descriptor: int | None = None

    def note(self, *, is_there: bool) -> None:
        """The person has pressed a key, or looks elsewhere now."""
        with suppress(OSError):  # then nobody knows, and a notice too many is sent
            if self._descriptor is None:
                self._descriptor = self._open()
            now = time.time() if is_there else 0.0
            os.utime(self._descriptor, (now, now))

    def _open(self) -> int:
        make_directory(self._home.state)
        last_seen_at_app(self._home)  # which removes what killed apps have left
        while True:
            descriptor = open_regular(self._path, os.O_RDWR | os.O_CREAT, follow=False)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if os.fstat(descriptor).st_nlink:
                return descriptor
            os.close(descriptor)  # somebody found it without its lock, and has removed it

    def end(self) -> None:
        """The app is left."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            with suppress(OSError):
                os.unlink(self._path)
            os.close(descriptor)


def last_seen_at_app(home: Home) -> float:
    """When the person last pressed a key in an app that still runs, in seconds since 1970; 0 where there is none."""
    try:
        names = [name for name in os.listdir(home.state) if name.startswith(_PREFIX)]
    except OSError:
        return 0.0
    times = [_read(os.path.join(home.state, name)) for name in names]
    return max((each for each in times if each <= time.time() + _FUTURE_SECONDS), default=0.0)


def _read(path: str) -> float:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return 0.0
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return os.fstat(descriptor).st_mtime
    else:
        with suppress(OSError):
            os.unlink(path)
        return 0.0
    finally:
        os.close(descriptor)
