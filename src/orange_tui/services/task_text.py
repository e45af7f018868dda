"""TASK.md on disk, while agents write it too.

Our own writers exclude each other by the task's lock; agents know no lock. So a rewrite never overwrites:

1. link the present file to a second name that tells its size and checksum (`.TASK.md.old-…`);
2. write the new text beside it (`.TASK.md.new-…`), synced;
3. swap the new file and TASK.md in one step, so that whatever stood there last is still there to be seen;
4. look at what was swapped out, once nobody has it open for writing any more: what an agent put into it
   meanwhile is taken over. A file still open keeps its second name, and the next command looks again.

Killed at any point, the names left behind say what was under way, and `settle` finishes it.
"""

from __future__ import annotations

import os
import time
import zlib
from contextlib import suppress

from orange_tui.domain import task_file
from orange_tui.domain.errors import NotFound, OrangeError, Unreadable
from orange_tui.domain.records import record
from orange_tui.services.files import exchange, has_writer, not_saved, read_bytes, sync_directory, write_aside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from orange_tui.domain.task_file import TaskFile

    Edit = Callable[[TaskFile], TaskFile]

_OLD, _NEW, _KEPT = ".TASK.md.old-", ".TASK.md.new-", "TASK.md.kept-"
_MOMENT = 0.2  # seconds an agent gets to finish what it is writing
_GRACE = 10.0  # where open files cannot be told: seconds until a superseded file is let go


@record
class TaskText:
    """The TASK.md of one task directory."""

    directory: str

    @property
    def path(self) -> str:
        """The file itself; the TASK.md in a worktree is only a link to it."""
        return os.path.join(self.directory, "TASK.md")

    def read(self) -> TaskFile:
        """The file as it is now."""
        try:
            return task_file.decode(read_bytes(self.path, most=task_file.MOST_BYTES))
        except NotFound:
            raise Unreadable("TASK.md is gone") from None

    def read_settled(self) -> TaskFile:
        """The file, allowing an agent a moment to finish writing it."""
        deadline = time.monotonic() + _MOMENT
        while True:
            try:
                return self.read()
            except Unreadable:
                if time.monotonic() > deadline or not self._was_just_written():
                    raise
            time.sleep(0.005)

    def _was_just_written(self) -> bool:
        with suppress(OSError):
            return abs(time.time() - os.stat(self.path).st_mtime) < 1
        return False

    def rewrite(self, edit: Edit) -> TaskFile:
        """Apply an edit to the file as it is at that moment; returns what is on disk then."""
        while True:
            before = self.read_settled()
            after = edit(before)
            if after.text == before.text:
                return before
            swap = _Swap.prepare(self, before.text.encode(), after.encode())
            if swap is None:
                continue  # an agent wrote between our reading and linking: begin anew
            for late in swap.carry_out():
                self._take_over(late, edit, before, after)
            return self.read_settled()

    def _take_over(self, late: bytes, edit: Edit, before: TaskFile, ours: TaskFile) -> None:
        """Something was written to the file we replaced: apply our edit to that instead."""
        base = before.text.encode()

        def merge(current: TaskFile) -> TaskFile:
            if current.text == ours.text:
                return edit(task_file.decode(late))
            if late.startswith(base):
                return current.with_body(current.body + late[len(base) :].decode())
            raise Unreadable("both files were written to")

        try:
            self.rewrite(merge)
        except (OrangeError, UnicodeDecodeError):
            self.keep(late)  # it cannot be merged, and may not be lost

    def settle(self) -> None:
        """Finish what a killed command left, and take over what agents wrote to superseded files."""
        names = [name for name in os.listdir(self.directory) if name.startswith((_OLD, _NEW))]
        for name in sorted(names, reverse=True):  # old-… before new-…: the second is judged by the first
            if name.startswith(_OLD):
                self._settle_old(name)
        for name in names:
            if name.startswith(_NEW):
                self._remove(name)

    def _settle_old(self, name: str) -> None:
        old = os.path.join(self.directory, name)
        token = name.rpartition("-")[2]
        if _same_file(old, self.path):  # the swap was never made
            self._remove(_NEW + token)
            self._remove(name)
            return
        displaced = os.path.join(self.directory, _NEW + token)
        if os.path.exists(displaced) and not _same_file(displaced, old):
            self.keep(read_bytes(displaced))  # an agent's file, put there as we were swapping
        self._remove(_NEW + token)
        late = _Superseded(old).additions()
        if late is None:
            return
        if late:
            self._append(late)
        self._remove(name)

    def _append(self, late: bytes) -> None:
        """Add to the body what an agent added to an older version of it."""
        try:
            text = late.decode()
        except UnicodeDecodeError:
            self.keep(late)
            return
        self.rewrite(lambda current: current.with_body(current.body + text))

    def keep(self, data: bytes) -> None:
        """Keep a version that cannot be merged where a person can see it."""
        name = f"{_KEPT}{zlib.crc32(data):08x}"
        path = os.path.join(self.directory, name)
        if not os.path.exists(path):
            write_aside(path, data)

    def kept(self) -> list[str]:
        """Versions that were kept beside TASK.md and wait for a person."""
        return sorted(name for name in os.listdir(self.directory) if name.startswith(_KEPT))

    def _remove(self, name: str) -> None:
        with suppress(FileNotFoundError):
            os.unlink(os.path.join(self.directory, name))


@record
class _Superseded:
    """A version of TASK.md that was swapped out; its name tells what it was then."""

    path: str

    def additions(self) -> bytes | None:
        """What was written to it since: nothing, an addition, or a whole other text. None: not finished yet."""
        size, crc = self._as_it_was()
        descriptor = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            if not _is_finished(descriptor):
                return None
            data = read_bytes(self.path)
        finally:
            os.close(descriptor)
        if zlib.crc32(data[:size]) == crc and len(data) >= size:
            return data[size:]
        TaskText(os.path.dirname(self.path)).keep(data)
        return b""

    def _as_it_was(self) -> tuple[int, int]:
        size, crc, _token = os.path.basename(self.path).removeprefix(_OLD).split("-")
        return int(size), int(crc, 16)


class _Swap:
    """One replacement of TASK.md, from the second name to the last look at the old file."""

    def __init__(self, text: TaskText, before: bytes, after: bytes) -> None:
        token = os.urandom(4).hex()
        self._text, self._before, self._after = text, before, after
        self._old = os.path.join(text.directory, f"{_OLD}{len(before)}-{zlib.crc32(before):08x}-{token}")
        self._new = os.path.join(text.directory, _NEW + token)

    @classmethod
    def prepare(cls, text: TaskText, before: bytes, after: bytes) -> _Swap | None:
        """Link the old file and write the new one; None when the old one changed since it was read."""
        swap = cls(text, before, after)
        try:
            os.link(text.path, swap._old)
        except FileNotFoundError:
            return None
        except OSError as problem:
            raise not_saved(text.path, problem) from None
        if read_bytes(swap._old) != before:
            os.unlink(swap._old)
            return None
        try:
            write_aside(swap._new, after)
        except BaseException:
            os.unlink(swap._old)
            raise
        return swap

    def carry_out(self) -> list[bytes]:
        """Swap, and return the versions that were written in the last moment, if there are any."""
        if not exchange(self._new, self._text.path):
            # Without an exchange there is a gap of some microseconds; the old file keeps its second name.
            os.rename(self._new, self._text.path)
        sync_directory(self._text.directory)
        return [late for late in (self._displaced_by_another(), self._last_look()) if late is not None]

    def _displaced_by_another(self) -> bytes | None:
        if not os.path.exists(self._new):
            return None
        another = None if _same_file(self._new, self._old) else read_bytes(self._new)
        os.unlink(self._new)
        return another

    def _last_look(self) -> bytes | None:
        descriptor = os.open(self._old, os.O_RDONLY | os.O_CLOEXEC)
        try:
            if not _is_finished(descriptor, wait=0.03):
                return None  # it keeps its second name, and the next command looks again
            data = read_bytes(self._old)
        finally:
            os.close(descriptor)
        os.unlink(self._old)
        return data if data != self._before else None


def _is_finished(descriptor: int, *, wait: float = 0.0) -> bool:
    """Whether nobody will write to this nameless file any more."""
    deadline = time.monotonic() + wait
    while (writer := has_writer(descriptor)) and time.monotonic() < deadline:
        time.sleep(0.001)
    if writer is None:
        return time.time() - os.fstat(descriptor).st_ctime > _GRACE
    return not writer


def _same_file(one: str, other: str) -> bool:
    try:
        return os.path.samestat(os.stat(one), os.stat(other))
    except FileNotFoundError:
        return False
