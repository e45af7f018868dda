"""What is being written in the box, and saving it while it is typed, off the event loop."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Protocol

from orange_tui.domain.errors import OrangeError
from orange_tui.domain.review.anchor import plain_line
from orange_tui.domain.review.thread import MAX_QUOTE_CHARACTERS, Thread

if TYPE_CHECKING:
    from collections.abc import Callable

    from orange_tui.review.drafts import Drafts
    from orange_tui.tui.review.document import CommentPlace

_PAUSE_SECONDS = 0.3  # between two savings while somebody types


class Writing(Protocol):
    """A text, what it is for, and how it is kept. `save` and `finish` wait for the disk: they run in a thread."""

    title: str
    text: str  # to begin with
    keep: str  # what the key for it says

    def save(self, text: str) -> None:
        """Keep what was typed so far."""

    def finish(self, text: str, *, is_done: bool) -> None:
        """The person has closed the box; `is_done`: with the key for it, and not with Escape."""


class WrittenComment:
    """A comment: a draft from its first word on."""

    keep = "keep as a draft, r sends it"

    def __init__(self, drafts: Drafts, about: Thread) -> None:
        self._drafts, self.thread = drafts, about
        self._is_new = not about.id
        self._turn = threading.Lock()  # closing the box does not wait for the saving that is under way
        self.text = self._last = about.text
        self.title = f"{'Comment on' if self._is_new else 'Edit the draft on'} {about.place}"

    def save(self, text: str) -> None:
        with self._turn:
            if text.strip() and text != self._last:  # an emptied draft is deleted only when somebody says so
                self.thread = self._drafts.save(self.thread, text)
                self._last = text

    def finish(self, text: str, *, is_done: bool) -> None:  # noqa: ARG002 - a draft either way
        before = self.text
        self.save(text)
        if not self._is_new and self._last != before:
            self._drafts.finish(self.thread)


class WrittenReply:
    """An answer of the person in a thread: sent with the key for it, else kept to go on with."""

    keep = "answer"

    def __init__(self, drafts: Drafts, thread: Thread, text: str) -> None:
        self._drafts, self._thread, self.text = drafts, thread, text
        self.title = f"Answer {thread.id} on {thread.place}"

    def save(self, text: str) -> None:
        self._drafts.keep(reply_name(self._thread.id), text)

    def finish(self, text: str, *, is_done: bool) -> None:
        if is_done and text.strip():
            self._drafts.reply(self._thread.id, text)
            self.save("")
        else:
            self.save(text)


def reply_name(thread_id: str) -> str:
    """What an unfinished answer is kept as."""
    return f"reply {thread_id}"


def new_comment(drafts: Drafts, place: CommentPlace, commit: str | None) -> WrittenComment:
    """A comment on lines, a file or the task."""
    quote = "\n".join(map(plain_line, place.quote.split("\n"))) if place.line is not None else ""
    about = Thread(
        id="",
        path=place.path,
        line=place.line,
        end_line=place.end_line,
        quote=quote[:MAX_QUOTE_CHARACTERS],
        commit=commit,
        by="person",
        text="",
        state="draft",
        side=place.side,
    )
    return WrittenComment(drafts, about)


class Autosave:
    """Saves a text now and then while it is typed; `on_result` hears what was wrong with it, or None."""

    def __init__(self, save: Callable[[str], None], on_result: Callable[[str | None], None]) -> None:
        self._save, self._on_result = save, on_result
        self._pending: str | None = None
        self._turn = asyncio.Lock()

    def typed(self, text: str) -> None:
        """There is something to save."""
        self._pending = text

    async def stop(self) -> None:
        """Save nothing more, once the saving under way is done: whoever has the text now sees to it."""
        self._pending = None
        async with self._turn:
            self._pending = None

    async def run(self) -> None:
        """Save what was typed, a moment later; for as long as there is something."""
        while self._pending is not None:
            await asyncio.sleep(_PAUSE_SECONDS)
            await self.flush()

    async def flush(self) -> bool:
        """Save what was typed now; says whether it is safe."""
        async with self._turn:
            text, self._pending = self._pending, None
            if text is None:
                return True
            problem = await asyncio.to_thread(_problem, self._save, text)
            self._on_result(problem)
            if problem is not None and self._pending is None:
                return False
            return problem is None


def _problem(save: Callable[[str], None], text: str) -> str | None:
    try:
        save(text)
    except (OrangeError, OSError) as problem:
        return str(problem)
    return None
