"""Login files that an agent in a sandbox replaces instead of writing them: kept the same inside and outside.

A file that is mounted into a sandbox cannot be replaced there, and one that is replaced outside is another one from
then on. Codex replaces its own, to save new tokens: where that fails it uses the old ones again, until its login is
withdrawn. So it has a copy, in a directory of its own, and its window's launcher passes on what has changed.

What is in that directory is the agent's: nothing in there is followed, waited for, or read without a limit.
"""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_MAX_BYTES = 1_000_000
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Login:
    """One file: `inside` is the agent's copy, `outside` the person's own. What is changed outside counts for more."""

    def __init__(self, inside: str, outside: str) -> None:
        self._inside, self._outside = inside, outside
        self._known = _read(outside)

    def pass_on(self) -> None:
        """Pass on what has changed since; what is gone on one side is removed on neither."""
        inside, outside = _read(self._inside), _read(self._outside)
        if outside is None or inside is None or inside == outside:
            self._known = outside or self._known
        elif outside != self._known:
            self._known = outside
            _replace(self._inside, outside)
        elif _is_object(inside):
            self._known = inside
            _replace(self._outside, inside)

    def remove_copy(self) -> None:
        """Remove the agent's copy, once it has ended; what it has put there instead stays, and is no login."""
        try:
            os.unlink(self._inside)
        except OSError:
            return


def read_logins(text: str) -> list[Login]:
    """The files that a launcher was told of; none for an empty text."""
    if not text:
        return []
    import json

    return [Login(inside, outside) for inside, outside in json.loads(text)]


def pass_all_on(logins: Iterable[Login]) -> None:
    """Pass on what has changed in any of them; where the disk is full, or something in the way, it is tried again."""
    for login in logins:
        try:
            login.pass_on()
        except OSError:
            continue


def end_all(logins: Iterable[Login]) -> None:
    """Pass on the last change, and leave no copy of a login behind."""
    pass_all_on(logins)
    for login in logins:
        login.remove_copy()


def _read(path: str) -> bytes | None:
    try:
        descriptor = os.open(path, _FLAGS)
    except OSError:
        return None
    try:
        found = os.fstat(descriptor)
        is_fit = stat.S_ISREG(found.st_mode) and found.st_size <= _MAX_BYTES
        return os.read(descriptor, _MAX_BYTES) if is_fit else None
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _is_object(data: bytes) -> bool:
    """Whether it is whole: one that is just being written is not passed on."""
    import json

    try:
        return isinstance(json.loads(data), dict)
    except (ValueError, RecursionError):
        return False


def _replace(path: str, data: bytes) -> None:
    new = f"{path}.{os.urandom(6).hex()}.new"
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, path)
    except OSError:
        os.unlink(new)
        raise
