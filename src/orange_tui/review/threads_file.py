"""threads.json of one task: every comment on its code, and the answers. It is the engine's alone.

Changed under a lock of its own and replaced in one step, durably. What a newer Orange has written stays: keys that are
not known here are kept. A file that cannot be read is refused, and never rewritten: it is the person's words.
"""

from __future__ import annotations

import os

from orange_tui.domain.errors import NotSaved, Refused, Unreadable
from orange_tui.domain.records import record
from orange_tui.domain.review.thread_json import thread_as_json, thread_from_json
from orange_tui.home.files import make_directory
from orange_tui.home.json_file import JsonFile
from orange_tui.review._thread_entries import DELETED, merged, with_ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from orange_tui.domain.review.thread import Thread
    from orange_tui.home.json_file import Object
    from orange_tui.home.paths import Home

MAX_THREADS = 1_000
_MAX_BYTES = 20_000_000


@record
class ThreadsFile:
    """The threads.json of one task."""

    home: Home
    project: str
    id: str

    @property
    def path(self) -> str:
        """Where it is."""
        return os.path.join(self._directory, "threads.json")

    def read(self) -> tuple[Thread, ...]:
        """All threads, in the order in which they were made; none where there is no file."""
        return self._threads(self._file.read_objects())

    def change(self, work: Callable[[tuple[Thread, ...]], Iterable[Thread]]) -> tuple[Thread, ...]:
        """Replace the threads by what `work` makes of them, and return that.

        A thread without an id is new, and is given one. Nothing is written if `work` raises. Only a draft can be left
        out, which deletes it: whatever was sent is somebody's words to somebody else.
        """
        make_directory(self._directory)
        file = self._file
        with file.changing_objects() as entries:
            before = self._threads(entries)
            after = with_ids(work(before), entries)
            gone = {thread.id: thread for thread in before if thread.id not in {each.id for each in after}}
            if kept := [thread.id for thread in gone.values() if thread.state != "draft"]:
                raise Refused(f"{', '.join(kept)} cannot be deleted: only a draft can")
            if len(after) > MAX_THREADS:
                raise Refused(f"A task has at most {MAX_THREADS:,} threads; {self.id} would have {len(after):,}")
            self._must_be_readable(after, before)
            entries[:] = merged(entries, after)
        return after

    def _must_be_readable(self, after: Sequence[Thread], before: Sequence[Thread]) -> None:
        """Refuse what would be refused when it is read: one wrong thread would take all the others with it."""
        known = set(map(id, before))
        try:
            for thread in after:
                if id(thread) not in known:
                    thread_from_json(thread_as_json(thread))
        except Unreadable as problem:
            raise NotSaved(f"{self.path} was not saved: {problem}") from None
        if len({thread.id for thread in after}) < len(after):
            raise NotSaved(f"{self.path} was not saved: it would have two threads of one id")

    def _threads(self, entries: Sequence[Object]) -> tuple[Thread, ...]:
        try:
            found = tuple(thread_from_json(entry) for entry in entries if DELETED not in entry)
        except Unreadable as problem:
            raise self._file.unreadable(f"has a thread that is none: {problem}") from None
        if len({thread.id for thread in found}) < len(found):
            raise self._file.unreadable("has two threads of one id")
        return found

    @property
    def _directory(self) -> str:
        return self.home.task_state(self.project, self.id)

    @property
    def _file(self) -> JsonFile:
        return JsonFile(
            self.path,
            os.path.join(self._directory, ".threads.lock"),
            title="threads",
            repair="fix it by hand, or move it away: the comments are in there",
            max_bytes=_MAX_BYTES,
        )
