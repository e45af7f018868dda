"""Commenting and answering: each way a task's threads change, with the event that tells everybody of it.

The threads come first, then the event: a kill between the two loses a line of history, never a comment. What a person
is still writing in the app is in `drafts.py`.
"""

from __future__ import annotations

from orange_tui.domain.records import record, replace
from orange_tui.domain.review import thread as rules
from orange_tui.domain.review.thread import find_thread
from orange_tui.review.threads_file import ThreadsFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from orange_tui.domain.review.thread import Thread, ThreadReply
    from orange_tui.home.paths import Home
    from orange_tui.store.open_task import OpenTask


@record
class TaskComments:
    """The comments on a task that somebody holds open."""

    home: Home
    opened: OpenTask

    @property
    def file(self) -> ThreadsFile:
        """Where they are."""
        return ThreadsFile(self.home, self.opened.task.project, self.opened.task.id)

    def add(self, thread: Thread) -> Thread:
        """A new comment; it is given its id."""
        made = self.file.change(lambda threads: [*threads, replace(thread, id="")])[-1]
        self.opened.record("thread.added", thread=made.id, path=made.path, line=made.line, by=made.by)
        return made

    def delete(self, thread_id: str) -> None:
        """A draft that is not to be sent after all; what was sent stays."""

        def without(threads: tuple[Thread, ...]) -> list[Thread]:
            gone = find_thread(threads, thread_id)
            return [thread for thread in threads if thread is not gone]

        self.file.change(without)
        self.opened.record("thread.deleted", thread=thread_id)

    def answer(self, thread_id: str, reply: ThreadReply) -> Thread:
        """One more answer, and what it says of the thread."""
        details = {"by": reply.by, "state": reply.state}
        return self._change(thread_id, lambda thread: rules.answered(thread, reply), "thread.replied", **details)

    def resolve(self, thread_ids: Sequence[str]) -> tuple[Thread, ...]:
        """The person is content with all of these; with one that cannot be, nothing is changed."""
        return self._change_all(thread_ids, rules.resolved, "thread.resolved")

    def reopen(self, thread_ids: Sequence[str]) -> tuple[Thread, ...]:
        """The person is not: all of these wait for an answer again."""
        return self._change_all(thread_ids, rules.reopened, "thread.reopened")

    def _change_all(self, ids: Sequence[str], change: Callable[[Thread], Thread], event: str) -> tuple[Thread, ...]:
        def changed(threads: tuple[Thread, ...]) -> list[Thread]:
            new = {each: change(find_thread(threads, each)) for each in ids}
            return [new.get(thread.id, thread) for thread in threads]

        found = {thread.id: thread for thread in self.file.change(changed)}
        for each in dict.fromkeys(ids):
            self.opened.record(event, thread=each)
        return tuple(found[each] for each in dict.fromkeys(ids))

    def _change(self, thread_id: str, change: Callable[[Thread], Thread], event: str, **details: object) -> Thread:
        def changed(threads: tuple[Thread, ...]) -> list[Thread]:
            new = change(find_thread(threads, thread_id))
            return [new if thread.id == thread_id else thread for thread in threads]

        found = find_thread(self.file.change(changed), thread_id)
        self.opened.record(event, thread=thread_id, **details)
        return found
