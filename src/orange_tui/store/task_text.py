"""TASK.md on disk, while agents write it too.

Our own writers exclude each other by the task's lock; agents know no lock. So a rewrite never overwrites:

1. link the present file to a second name that tells its size and checksum (`.TASK.md.old-…`);
2. write the new text beside it (`.TASK.md.new-…`), synced;
3. swap the new file and TASK.md in one step, so that the replaced file is still there: one that an agent put there
   since we read TASK.md goes back at once, and we retry from it; an agent that read ours in between may yet write
   without theirs, so theirs is remembered for a second (`.TASK.md.seen-…`);
4. read the replaced file again, once nobody has it open for writing: what an agent wrote to it meanwhile is merged.
   A file still open keeps its second name, and the next command reads it again.

Steps 1 and 2 are `prepare`, 3 and 4 `commit`: what must be written elsewhere first (the journal) comes in between.

Killed at any point, the names left behind say what was under way, and `recover` finishes it.
"""

from __future__ import annotations

import os
import time
import zlib
from contextlib import suppress

from orange_tui.domain.errors import NotFound, OrangeError, Unreadable
from orange_tui.domain.records import record
from orange_tui.domain.task import ENGINE_FIELDS
from orange_tui.domain.text import task_file
from orange_tui.home.files import read_bytes
from orange_tui.store._task_swap import (
    NEW,
    OLD,
    SEEN,
    SEPARATOR,
    ReplacedVersion,
    Swap,
    keep_conflict_copy,
    own_files,
    same_file,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from orange_tui.domain.text.task_file import TaskFile

    Edit = Callable[[TaskFile], TaskFile]

_OURS = frozenset({*ENGINE_FIELDS, "updated_at"})
_MAX_RETRIES = 50  # from what agents put in TASK.md's place; then ours goes first, and theirs is merged
_WRITE_WAIT_SECONDS = 0.2  # for an agent to finish what it is writing
_SEEN_KEPT_SECONDS = 1.0  # until somebody who has read our file for theirs will have written what they make of it


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
            return task_file.decode(read_bytes(self.path, max_bytes=task_file.MAX_BYTES, follow=False))
        except NotFound:
            raise Unreadable("TASK.md is gone") from None

    def read_with_retry(self) -> TaskFile:
        """The file; one that an agent is writing just now is read again until it is complete."""
        deadline = time.monotonic() + _WRITE_WAIT_SECONDS
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
        return self.prepare(edit).commit()

    def rewrite_unreadable(self, edit: Callable[[bytes], bytes]) -> None:
        """The same for a file that is none of a task: what is added to it meanwhile is added, all else kept beside."""
        attempts = 0
        while (after := edit(before := read_bytes(self.path, follow=False))) != before:
            attempts += 1
            swap = Swap.prepare(self.directory, before, after)
            if swap is None:
                continue
            swap.execute(insist=attempts > _MAX_RETRIES)
            for late in swap.late_writes():
                if late.startswith(before):
                    self._append(late[len(before) :])
                else:
                    keep_conflict_copy(self.directory, late)
            swap.clear()
            if swap.made:
                return

    def prepare(self, edit: Edit) -> Rewrite:
        """Write the edited text beside TASK.md, synced, so that only the swap is left to do."""
        return Rewrite(self, edit)

    def merge_late_write(self, late: bytes, base: TaskFile | None) -> None:
        """Something was written to `base` while we replaced it: put both together, or keep it beside."""
        try:
            if base is None:
                raise Unreadable("what it was before is not known")
            theirs = task_file.decode(late)
            self.rewrite(lambda current: _merged(current, theirs, base))
        except OrangeError:
            keep_conflict_copy(self.directory, late)  # it cannot be merged, and may not be lost

    def recover(self) -> None:
        """Finish what a killed command left, and merge what agents wrote to replaced files."""
        names = own_files(self.directory)
        others = {name.rpartition("-")[2]: name for name in names if name.startswith(NEW)}
        pairs = [(name, others.pop(name.rpartition("-")[2], None)) for name in names if name.startswith(OLD)]
        made = [pair for pair in pairs if not self._clear_if_never_swapped(*pair)]
        for old, other in made:
            self._recover_old(old, other)
        for name in others.values():
            self._remove(name)
        for name in names:
            if name.startswith(SEEN):
                self._restore_lost_lines(name)

    def _clear_if_never_swapped(self, old: str, other: str | None) -> bool:
        """Clear a swap away that was only prepared: TASK.md is still the old file."""
        if not same_file(os.path.join(self.directory, old), self.path):
            return False
        if other is not None:
            self._remove(other)
        self._remove(old)
        return True

    def _recover_old(self, name: str, other: str | None) -> None:
        old = ReplacedVersion(os.path.join(self.directory, name))
        if other is not None:
            self._recover_displaced(os.path.join(self.directory, other), old)
            self._remove(other)
        late = old.additions()
        if late:
            self._append(late)
        if old.is_finished():
            self._remove(name)
        elif late:
            old.mark_as_read(len(late))

    def _recover_displaced(self, path: str, old: ReplacedVersion) -> None:
        """What has the new file's name: after the swap the old file, or one an agent had just put in its place."""
        if same_file(path, old.path):
            return
        data = read_bytes(path, follow=False)
        if not path.startswith(f"{os.path.join(self.directory, NEW)}{zlib.crc32(data):08x}-"):  # else never swapped
            self.merge_late_write(data, old.as_it_was())

    def _restore_lost_lines(self, name: str) -> None:
        """Restore lines that an agent dropped because it read our file while another agent's was swapped out."""
        path = os.path.join(self.directory, name)
        base, _, theirs = read_bytes(path, follow=False).partition(SEPARATOR)
        try:
            known, wanted = task_file.decode(base).body, task_file.decode(theirs).body
        except Unreadable:  # we were killed while we wrote it: nobody has read anything since
            self._remove(name)
            return
        self.rewrite(lambda current: _with_lines_of(wanted, current, known))
        if time.time() - os.stat(path).st_mtime > _SEEN_KEPT_SECONDS:
            self._remove(name)

    def _append(self, late: bytes) -> None:
        """Add to the body what an agent added to an older version of it."""
        try:
            text = late.decode()
            self.rewrite(lambda current: current.with_body(_with_addition(current.body, text)))
        except (OrangeError, UnicodeDecodeError):
            keep_conflict_copy(self.directory, late)

    def _remove(self, name: str) -> None:
        with suppress(FileNotFoundError):
            os.unlink(os.path.join(self.directory, name))


class Rewrite:
    """A rewrite of TASK.md that is prepared, and then either committed or discarded."""

    def __init__(self, text: TaskText, edit: Edit) -> None:
        self._text, self._edit = text, edit
        self._attempts = 0
        self._before, self._swap = self._prepare()

    def _prepare(self) -> tuple[TaskFile, Swap | None]:
        """The file as it is, and the swap that is left to do; None where the edit changes nothing."""
        while True:
            self._attempts += 1
            before = self._text.read_with_retry()
            after = self._edit(before)
            if after.text == before.text:
                return before, None
            swap = Swap.prepare(self._text.directory, before.text.encode(), after.encode())
            if swap is not None:  # else an agent wrote between our reading and linking: retry
                return before, swap

    def discard(self) -> None:
        """Leave TASK.md as it is: nothing has happened."""
        if self._swap is not None:
            self._swap.discard()

    def commit(self) -> TaskFile:
        """Swap the files, retrying from what an agent puts in TASK.md's place; returns what is on disk then."""
        while self._swap is not None:
            self._swap.execute(insist=self._attempts > _MAX_RETRIES)
            for late in self._swap.late_writes():
                self._text.merge_late_write(late, self._before)
            self._swap.clear()
            if self._swap.made:
                break
            self._before, self._swap = self._prepare()
        return self._text.read_with_retry()


def _merged(current: TaskFile, theirs: TaskFile, base: TaskFile) -> TaskFile:
    """Both sides' changes to `base`; where they cannot be put together, it is refused."""
    was, now = base.task.as_json(), theirs.task.as_json()
    fields = {name: value for name, value in now.items() if value != was.get(name) and name not in _OURS}
    merged = current.with_fields(fields) if fields else current
    if current.body in (base.body, theirs.body):
        return merged.with_body(theirs.body)
    if not theirs.body.startswith(base.body):
        raise Unreadable("both files were written to")
    return merged.with_body(_with_addition(current.body, theirs.body[len(base.body) :]))


def _with_lines_of(wanted: str, current: TaskFile, known: str) -> TaskFile:
    """The file with those lines that are neither in it nor known from before."""
    there = {*known.splitlines(), *current.body.splitlines()}
    lost = [line for line in wanted.splitlines(keepends=True) if line.rstrip("\r\n") not in there]
    return current.with_body(current.body + "".join(lost))


def _with_addition(body: str, addition: str) -> str:
    """A body with something added to it, unless a command that was killed has added it already."""
    return body if body.endswith(addition) else body + addition
