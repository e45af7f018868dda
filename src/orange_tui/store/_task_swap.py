"""One replacement of TASK.md by a new text, and the version that was replaced until nobody writes to it any more.

Every name begins with a dot and says what the file is, so that the next command can finish what a killed one left.
`task_text` says in which order things are done, and why.
"""

from __future__ import annotations

import os
import time
import zlib
from contextlib import suppress

from orange_tui.domain.errors import Unreadable
from orange_tui.domain.records import record
from orange_tui.domain.task import printable
from orange_tui.domain.text import task_file
from orange_tui.home.files import exchange, has_writer, not_saved, open_regular, read_bytes, sync_directory, write_aside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.text.task_file import TaskFile

OLD, NEW, SEEN = ".TASK.md.old-", ".TASK.md.new-", ".TASK.md.seen-"
SEPARATOR = b"\xff\xfe"  # between two texts in one file: no UTF-8 has it
_CONFLICT_COPY = "TASK.md.kept-"
_OPEN_FILE_GRACE_SECONDS = 10.0  # where open files cannot be listed: until a replaced file is let go


def own_files(directory: str) -> list[str]:
    """The names that a killed command has left; what else has such a name was put there by somebody else."""
    with os.scandir(directory) as entries:
        found = [entry.name for entry in entries if entry.is_file(follow_symlinks=False)]
    return [name for name in found if name.startswith((NEW, SEEN)) or _is_name_of_old(name)]


def _is_name_of_old(name: str) -> bool:
    size, crc, token = [*name.removeprefix(OLD).split("-"), "", ""][:3]
    hexadecimal = "0123456789abcdef"
    return name == f"{OLD}{size}-{crc}-{token}" and size.isdecimal() and bool(crc) and not crc.strip(hexadecimal)


def keep_conflict_copy(directory: str, data: bytes) -> None:
    """Keep a version that cannot be merged where a person can see it."""
    path = os.path.join(directory, f"{_CONFLICT_COPY}{zlib.crc32(data):08x}")
    if not os.path.exists(path):
        write_aside(path, data)


def conflict_copies(directory: str) -> list[str]:
    """Versions that were kept beside TASK.md and wait for a person."""
    return sorted(printable(name) for name in os.listdir(directory) if name.startswith(_CONFLICT_COPY))


def keep_replaced(path: str, directory: str, merged: bytes) -> None:
    """Keep a file that was swapped out elsewhere, and of which this was merged, until nobody writes to it any more."""
    os.rename(path, os.path.join(directory, _name_of_old(merged, os.urandom(4).hex())))


@record
class ReplacedVersion:
    """A version of TASK.md that was swapped out; its name tells what it was then."""

    path: str

    def additions(self) -> bytes:
        """The whole lines written to it since, or all of it when nobody writes any more; another text is kept."""
        finished, data = self.is_finished(), read_bytes(self.path, follow=False)
        size, crc = self._size_and_crc()
        if zlib.crc32(data[:size]) == crc and len(data) >= size:
            return data[size:] if finished else data[size : data.rfind(b"\n", size) + 1]
        if finished:
            keep_conflict_copy(os.path.dirname(self.path), data)
        return b""

    def is_finished(self) -> bool:
        """Whether nobody will write to it any more."""
        descriptor = open_regular(self.path, follow=False)
        try:
            return _is_finished(descriptor)
        finally:
            os.close(descriptor)

    def as_it_was(self) -> TaskFile | None:
        """The version that was swapped out, without what was written to it since; None where that is not known."""
        size, crc = self._size_and_crc()
        data = read_bytes(self.path, follow=False)[:size]
        try:
            return task_file.decode(data) if zlib.crc32(data) == crc else None
        except Unreadable:
            return None

    def mark_as_read(self, count: int) -> None:
        """Note in its name that so many bytes more have been merged."""
        size = self._size_and_crc()[0] + count
        token = self.path.rpartition("-")[2]
        name = _name_of_old(read_bytes(self.path, follow=False)[:size], token)
        os.rename(self.path, os.path.join(os.path.dirname(self.path), name))

    def _size_and_crc(self) -> tuple[int, int]:
        size, crc, _token = os.path.basename(self.path).removeprefix(OLD).split("-")
        return int(size), int(crc, 16)


class Swap:
    """One replacement of TASK.md, from linking the old file to reading it a last time."""

    def __init__(self, directory: str, before: bytes, after: bytes) -> None:
        token = os.urandom(4).hex()
        self._directory, self._before = directory, before
        self._path = os.path.join(directory, "TASK.md")
        self._old = os.path.join(directory, _name_of_old(before, token))
        self._new = os.path.join(directory, f"{NEW}{zlib.crc32(after):08x}-{token}")
        self._seen = os.path.join(directory, SEEN + token)
        self._ours: os.stat_result
        self._inode: int | None
        self._old_is_finished = False
        self.made = False

    @classmethod
    def prepare(cls, directory: str, before: bytes, after: bytes) -> Swap | None:
        """Link the old file and write the new one; None when the old one changed since it was read."""
        swap = cls(directory, before, after)
        try:
            os.link(swap._path, swap._old, follow_symlinks=False)
        except FileNotFoundError:
            return None
        except OSError as problem:
            raise not_saved(swap._path, problem) from None
        if os.path.islink(swap._old) or read_bytes(swap._old, follow=False) != before:
            os.unlink(swap._old)
            return None
        try:
            write_aside(swap._new, after)
        except BaseException:
            os.unlink(swap._old)
            raise
        swap._ours, swap._inode = os.stat(swap._new), _inode(swap._old)
        return swap

    def discard(self) -> None:
        """Take back what was prepared: TASK.md is still the old file."""
        os.unlink(self._new)
        os.unlink(self._old)

    def execute(self, *, insist: bool) -> None:
        """Swap; where an agent has put another file into the old one's place, leave that there, for a retry from it."""
        if not insist and _inode(self._path) != self._inode:
            return
        self.made = True
        if not exchange(self._new, self._path):
            # Without an exchange there is a gap of some microseconds; the old file keeps its second name.
            os.rename(self._new, self._path)
        elif not insist and _inode(self._new) != self._inode:
            theirs = read_bytes(self._new, follow=False)
            self.made = not exchange(self._new, self._path)
            write_aside(self._seen, SEPARATOR.join([self._before, theirs]))
        sync_directory(self._directory)

    def late_writes(self) -> list[bytes]:
        """The versions that agents wrote just before and during the swap, if there are any."""
        return [late for late in (self._displaced_by_another(), self._late_write_to_old()) if late is not None]

    def clear(self) -> None:
        """Let go of what was swapped out, unless somebody is still writing to it: the next command looks again."""
        with suppress(FileNotFoundError):
            os.unlink(self._new)
        if self._old_is_finished:
            os.unlink(self._old)

    def _displaced_by_another(self) -> bytes | None:
        if not os.path.exists(self._new) or same_file(self._new, self._old) or self._is_ours():
            return None
        return read_bytes(self._new, follow=False)

    def _is_ours(self) -> bool:
        return os.path.samestat(os.stat(self._new), self._ours)

    def _late_write_to_old(self) -> bytes | None:
        descriptor = open_regular(self._old, follow=False)
        try:
            self._old_is_finished = _is_finished(descriptor, wait=0.03)
            data = read_bytes(self._old, follow=False)
        finally:
            os.close(descriptor)
        return data if self._old_is_finished and data != self._before else None


def _name_of_old(data: bytes, token: str) -> str:
    return f"{OLD}{len(data)}-{zlib.crc32(data):08x}-{token}"


def _is_finished(descriptor: int, *, wait: float = 0.0) -> bool:
    """Whether nobody will write to this nameless file any more."""
    deadline = time.monotonic() + wait
    while (writer := has_writer(descriptor)) and time.monotonic() < deadline:
        time.sleep(0.001)
    if writer is None:
        return time.time() - os.fstat(descriptor).st_ctime > _OPEN_FILE_GRACE_SECONDS
    return not writer


def _inode(path: str) -> int | None:
    try:
        return os.stat(path).st_ino
    except FileNotFoundError:
        return None


def same_file(one: str, other: str) -> bool:
    """Whether two names are of one file."""
    try:
        return os.path.samestat(os.stat(one), os.stat(other))
    except FileNotFoundError:
        return False
