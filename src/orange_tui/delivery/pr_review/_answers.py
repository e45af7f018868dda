"""Answers → replies on the forge: what the agent says to a comment goes back to where it was made, exactly once.

An answer gets an id, written down before it is posted and hidden in what is posted. So after a kill, or a request of
which nobody knows whether it arrived, the forge itself tells: the thread is read once more before anything is posted.
"""

from __future__ import annotations

from orange_tui.delivery.pr_review._answer_text import POSTING, answer_text
from orange_tui.delivery.pr_review._comments import GITHUB, is_deleted
from orange_tui.domain.records import record, replace
from orange_tui.domain.review.thread import AGENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from orange_tui.domain.review.thread import Thread, ThreadReply

_PERSON = "person"


@record
class PendingAnswer:
    """An answer that was not posted for certain."""

    thread: Thread
    place: int

    @property
    def reply(self) -> ThreadReply:
        """The answer itself."""
        return self.thread.replies[self.place]

    @property
    def id(self) -> str:
        """Its id; empty where it has none yet."""
        return self.reply.remote.removeprefix(POSTING)

    def text(self, *, is_in_thread: bool) -> str:
        """What is posted."""
        return answer_text(self.thread, self.reply, self.id, is_in_thread=is_in_thread)


def pending_answers(threads: Sequence[Thread]) -> list[PendingAnswer]:
    """The answers to comments from the forge that are not there yet, oldest first.

    The agent's all are, and the person's where they say what became of it; other words of the person are for the agent.
    """
    found = []
    for thread in threads:
        is_there = thread.by == GITHUB and thread.remote and not is_deleted(thread)
        for place, reply in enumerate(thread.replies if is_there else ()):
            is_answer = reply.by == AGENT or (reply.by == _PERSON and reply.state is not None)
            if is_answer and (not reply.remote or reply.remote.startswith(POSTING)):
                found.append(PendingAnswer(thread, place))
    return found


def with_ids(threads: Sequence[Thread], new_id: Callable[[], str]) -> tuple[Thread, ...]:
    """The threads, each pending answer with an id."""
    waiting = {(each.thread.id, each.place) for each in pending_answers(threads) if not each.reply.remote}
    return tuple(_with_remotes(thread, waiting, lambda: f"{POSTING}{new_id()}") for thread in threads)


def with_posted(threads: Sequence[Thread], answer: PendingAnswer, url: str) -> tuple[Thread, ...]:
    """The threads, where this answer was posted."""
    place = (answer.thread.id, answer.place)
    return tuple(_with_remotes(thread, {place}, lambda: url) for thread in threads)


def _with_remotes(thread: Thread, places: Collection[tuple[str, int]], remote: Callable[[], str]) -> Thread:
    replies = tuple(
        replace(reply, remote=remote()) if (thread.id, place) in places else reply
        for place, reply in enumerate(thread.replies)
    )
    return replace(thread, replies=replies) if replies != thread.replies else thread
