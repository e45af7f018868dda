"""Texts that a person is writing in a review: saved while they are typed, so that neither Escape nor a kill loses one.

A comment is a draft in threads.json from its first saved word on. An answer is nobody's until it is sent: what there is
of it waits in unfinished.json, by what it is for. The journal hears of a draft when it comes and when it was changed,
not at every word.
"""

from __future__ import annotations

import os

from orange_tui.domain.records import record, replace
from orange_tui.domain.review.thread import Thread, ThreadReply, check_text, find_thread
from orange_tui.home import clock
from orange_tui.home.files import make_directory
from orange_tui.home.json_file import JsonFile
from orange_tui.review.comments import TaskComments
from orange_tui.review.threads_file import ThreadsFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from orange_tui.home.json_file import Object
    from orange_tui.store.store import Store, TaskRef


@record
class Drafts:
    """The drafts of one task."""

    store: Store
    ref: TaskRef

    @property
    def file(self) -> ThreadsFile:
        """Where they are, with all other threads."""
        return ThreadsFile(self.store.home, self.ref.project, self.ref.id)

    def save(self, about: Thread, text: str) -> Thread:
        """Save what was typed so far. `about` is the draft as last saved, or one without an id: then it becomes one.

        A draft that was sent or deleted by somebody else meanwhile is left alone: the text becomes another one, of the
        person's own.
        """
        wanted = replace(about, text=check_text(text))
        saved: list[Thread] = []

        def work(threads: tuple[Thread, ...]) -> Iterable[Thread]:
            known = next((each for each in threads if each.id == about.id and each.state == "draft"), None)
            if known is not None:
                saved.append(replace(known, text=wanted.text))
                return [saved[0] if each is known else each for each in threads]
            if any(each.id == about.id and each.text == wanted.text for each in threads):
                saved.append(wanted)  # sent just as it is
                return threads
            own = {"by": "person", "author": "", "remote": "", "url": ""}
            saved.append(replace(wanted, id="", state="draft", at=clock.now(), replies=(), **own))
            return [*threads, saved[0]]

        after = self.file.change(work)
        if saved[0].id:
            return saved[0]
        self._record("thread.added", after[-1])
        return after[-1]

    def finish(self, thread: Thread) -> None:
        """Say in the journal that a draft was changed."""
        self._record("thread.edited", thread)

    def delete(self, thread_id: str) -> None:
        """Delete a draft."""
        with self.store.open(self.ref) as opened:
            TaskComments(self.store.home, opened).delete(thread_id)

    def reply(self, thread_id: str, text: str) -> None:
        """Answer in a thread, as the person; an answer that is the last one there already was sent before a kill."""
        answer = ThreadReply("person", check_text(text), clock.now())
        with self.store.open(self.ref) as opened:
            comments = TaskComments(self.store.home, opened)
            last = find_thread(comments.file.read(), thread_id).replies[-1:]
            if [(each.by, each.text) for each in last] != [(answer.by, answer.text)]:
                comments.answer(thread_id, answer)

    def resolve_or_reopen(self, thread: Thread) -> None:
        """Resolve a thread that is not; open one again that is."""
        with self.store.open(self.ref) as opened:
            comments = TaskComments(self.store.home, opened)
            change = comments.reopen if thread.state == "resolved" else comments.resolve
            change([thread.id])

    def _record(self, event: str, thread: Thread) -> None:
        with self.store.open(self.ref) as opened:
            opened.record(event, thread=thread.id, path=thread.path, line=thread.line, by=thread.by)

    # ── what is not a comment yet ──

    def unfinished(self) -> dict[str, str]:
        """What was typed and neither sent nor deleted, by what it is for."""
        return {name: text for name, text in self._unfinished.read_object().items() if isinstance(text, str)}

    def keep(self, name: str, text: str) -> None:
        """Keep what was typed so far; an empty text is forgotten."""
        make_directory(os.path.dirname(self._unfinished.path))
        with self._unfinished.changing_object() as texts:
            _put(texts, name, text)

    @property
    def _unfinished(self) -> JsonFile:
        directory = self.store.home.task_state(self.ref.project, self.ref.id)
        lock = os.path.join(directory, ".unfinished.lock")
        return JsonFile(os.path.join(directory, "unfinished.json"), lock, title="texts")


def _put(texts: Object, name: str, text: str) -> None:
    if text.strip():
        texts[name] = text
    else:
        texts.pop(name, None)
