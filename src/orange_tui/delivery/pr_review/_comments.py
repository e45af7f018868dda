"""Comments on a pull request → threads: each comment is one thread, however often it is read.

A thread is known by its key on the forge, a reply likewise, and what Orange itself has posted by the marker in it. Only
somebody who may write to the repository speaks to the agent at once: a comment of anybody else is a draft, and a reply
is held, until the person sends it, or not. What they edit after that is held again.
"""

from __future__ import annotations

from orange_tui.delivery.pr_review._answer_text import POSTING, without_markup
from orange_tui.delivery.pr_review.markers import SENT_COMMENT, comment_name, is_marked, marker_in
from orange_tui.domain.errors import Refused
from orange_tui.domain.records import record, replace
from orange_tui.domain.review.thread import Thread, ThreadReply, answered, is_path, reopened, resolved, sent
from orange_tui.domain.task import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from orange_tui.outside.forge.review_records import PullRequestReview, RemoteComment, RemoteThread

MAX_COMMENT_THREADS = 300
GITHUB = "github"
CONVERSATION = "comment:"  # before the key of what was said in the conversation
_EDITED = "edited:"  # before the key of a stranger's comment, of what it says since it was sent
_GONE = "deleted"  # stands where a reply's key would
_DELETED = "This comment was deleted or hidden there"
_MAX_QUOTE_CHARACTERS = 2_000
_MAX_PATH_CHARACTERS = 100
Event = tuple[str, "Thread", dict[str, object]]


@record
class Merged:
    """The threads after a reading, what happened to them, and how many comments found no place."""

    threads: tuple[Thread, ...]
    events: tuple[Event, ...]
    left_out: int = 0


def merge_comments(
    threads: Sequence[Thread],
    review: PullRequestReview,
    seen: Collection[str],
    resolved_before: Collection[str],
    task_id: str = "",
) -> Merged:
    """The threads with all that people said."""
    merge = _Merge(threads, review, resolved_before)
    places = MAX_COMMENT_THREADS - sum(thread.by == GITHUB for thread in threads)
    left_out = 0
    for remote in review.threads:
        if remote_name(remote) in merge.known:
            merge.update(remote)
        elif merge.is_ours(remote.comments[0]):
            merge.note_posted(remote, task_id)
        elif remote.key in seen or remote.is_resolved:
            continue  # deleted here by the person, or over before it was seen
        elif places > 0:
            places -= 1
            merge.add(remote)
        else:
            left_out += 1
    if review.is_complete:
        merge.note_deleted({remote_name(remote) for remote in review.threads})
    return Merged((*merge.known_or_other(), *merge.added), tuple(merge.events), left_out)


def remote_name(remote: RemoteThread) -> str:
    """What a thread here has as its `remote`; what is no thread there cannot be replied to in its place."""
    return remote.key if remote.is_about_lines else f"{CONVERSATION}{remote.key}"


class _Merge:
    """One reading while it is taken in."""

    def __init__(self, threads: Sequence[Thread], review: PullRequestReview, resolved_before: Collection[str]) -> None:
        self._threads, self._head, self._resolved_before = [*threads], review.head, resolved_before
        self.known = {thread.remote: thread for thread in threads if thread.remote}
        self._posted = {reply.remote for thread in threads for reply in thread.replies if reply.remote}
        self.added: list[Thread] = []
        self.events: list[Event] = []

    def is_ours(self, comment: RemoteComment) -> bool:
        """Whether Orange has posted this."""
        return (comment.is_own and is_marked(comment.text)) or comment.url in self._posted

    def note_posted(self, remote: RemoteThread, task_id: str) -> None:
        """What Orange has posted is found again: an answer, before a kill; or a comment, which may have replies."""
        comment, name = remote.comments[0], marker_in(remote.comments[0].text)
        for place, thread in enumerate(self._threads):
            is_unknown = not thread.remote or thread.remote.startswith(SENT_COMMENT)
            if is_unknown and remote.is_about_lines and comment_name(task_id, thread.id) == name:
                self.known.pop(thread.remote, None)
                self._threads[place] = self.known[remote.key] = replace(thread, remote=remote.key, url=comment.url)
                self.update(remote)
        for key, thread in self.known.items():
            places = [place for place, reply in enumerate(thread.replies) if reply.remote == f"{POSTING}{name}"]
            for place in places:
                self.known[key] = _with(thread, place, remote=comment.url or comment.key)

    def known_or_other(self) -> Iterator[Thread]:
        """The threads that were there before, in their order, as they are now."""
        return (self.known[thread.remote] if thread.remote else thread for thread in self._threads)

    def add(self, remote: RemoteThread) -> None:
        thread = _thread(remote, self._head)
        for comment in remote.comments[1:]:
            thread = with_note(thread, _reply(comment))
        self.added.append(thread)
        self.events.append(("thread.added", thread, {"path": thread.path, "line": thread.line, "by": GITHUB}))

    def update(self, remote: RemoteThread) -> None:
        thread = self._with_text(self.known[remote_name(remote)], remote)
        for comment in remote.comments[1:]:
            thread = self._with_reply(thread, comment, is_over=remote.is_resolved)
        was_resolved = remote.key in self._resolved_before
        if remote.is_resolved and not was_resolved and thread.state != "resolved":
            thread = resolved(sent(thread) if thread.state == "draft" else thread)
            self.events.append(("thread.resolved", thread, {"by": GITHUB}))
        elif was_resolved and not remote.is_resolved and thread.state == "resolved":
            thread = reopened(thread)
            self.events.append(("thread.reopened", thread, {"by": GITHUB}))
        self.known[remote_name(remote)] = thread

    def _with_text(self, thread: Thread, remote: RemoteThread) -> Thread:
        """An edited comment has its new text, as long as nobody here has answered the old one."""
        text = _text(remote)
        if thread.by != GITHUB or thread.state not in {"draft", "open"} or _is_answered(thread, 0):
            return thread
        if text == thread.text:
            return thread
        first = remote.comments[0]
        if thread.state == "open" and not first.is_trusted:  # the person has sent other words
            edited = replace(first, key=f"{_EDITED}{first.key}", text=f"(edited) {text}")
            return self._with_reply(thread, edited, is_over=remote.is_resolved)
        thread = replace(thread, text=text)
        self.events.append(("thread.edited", thread, {"by": GITHUB}))
        return thread

    def _with_reply(self, thread: Thread, comment: RemoteComment, *, is_over: bool) -> Thread:
        places = {reply.remote: place for place, reply in enumerate(thread.replies) if reply.remote}
        if self.is_ours(comment):  # what was posted before a kill is found again
            place = places.get(f"{POSTING}{marker_in(comment.text)}")
            return thread if place is None else _with(thread, place, remote=comment.url or comment.key)
        if comment.key in places:
            place, text = places[comment.key], _reply(comment).text
            if thread.replies[place].text == text or _is_answered(thread, place + 1):
                return thread
            thread = _with(thread, place, text=text, held=not comment.is_trusted)
            self.events.append(("thread.edited", thread, {"by": GITHUB}))
            return thread
        return self._with_new_reply(thread, comment, is_over=is_over)

    def _with_new_reply(self, thread: Thread, comment: RemoteComment, *, is_over: bool) -> Thread:
        """Whoever replies to an answer is not content with it; a stranger may reply, but not wake the agent."""
        noted = with_note(thread, _reply(comment))
        if noted is thread:
            return thread  # it has too many
        wakes = comment.is_trusted and not is_over and thread.state in {"fixed", "declined", "resolved"}
        thread = reopened(noted) if wakes else noted
        self.events.append(("thread.replied", thread, {"by": GITHUB, "state": None}))
        if wakes:
            self.events.append(("thread.reopened", thread, {"by": GITHUB}))
        return thread

    def note_deleted(self, there: Collection[str]) -> None:
        """A comment that is gone there stays here, with a word; nobody need answer it any more."""
        for key, thread in self.known.items():
            if thread.by != GITHUB or key in there or is_deleted(thread):
                continue
            noted = with_note(thread, ThreadReply(GITHUB, _DELETED, remote=_GONE))
            noted = sent(noted) if noted.state == "draft" else noted
            self.known[key] = resolved(noted) if noted.state != "resolved" else noted
            self.events.append(("thread.resolved", self.known[key], {"by": GITHUB}))


def is_deleted(thread: Thread) -> bool:
    """Whether the comment is gone there: nothing can be answered."""
    return any(reply.remote == _GONE for reply in thread.replies)


def with_note(thread: Thread, reply: ThreadReply) -> Thread:
    """The thread with one more reply that changes nothing about its state; one that has too many stays as it is."""
    is_closed = thread.state in {"resolved", "draft"}
    try:
        return replace(answered(replace(thread, state="open") if is_closed else thread, reply), state=thread.state)
    except Refused:
        return thread


def _with(thread: Thread, place: int, **changes: str | bool) -> Thread:
    replies = list(thread.replies)
    replies[place] = replace(replies[place], **changes)
    return replace(thread, replies=tuple(replies))


def _is_answered(thread: Thread, start: int) -> bool:
    return any(reply.by != GITHUB for reply in thread.replies[start:])


def _reply(comment: RemoteComment) -> ThreadReply:
    text = without_markup(comment.text) or "(nothing)"
    held = not comment.is_trusted
    return ThreadReply(GITHUB, text, comment.at, author=comment.author, remote=comment.key, held=held)


def _thread(remote: RemoteThread, head: str) -> Thread:
    first = remote.comments[0]
    path = remote.path if remote.path and is_path(remote.path) else ""
    return Thread(
        id="",
        path=path,
        line=remote.line if path else None,
        end_line=remote.end_line if path else None,
        quote=without_markup(remote.quote, _MAX_QUOTE_CHARACTERS),
        commit=remote.commit or head or None,
        by=GITHUB,
        text=_text(remote),
        state="open" if first.is_trusted else "draft",
        side=remote.side,
        author=first.author,
        at=first.at,
        outdated=remote.is_outdated,
        remote=remote_name(remote),
        url=first.url,
    )


def _text(remote: RemoteThread) -> str:
    """What the comment says; about a file that cannot be, it says which."""
    is_elsewhere = bool(remote.path) and not is_path(remote.path)
    where = f"(about {one_line(remote.path)[:_MAX_PATH_CHARACTERS]!r}) " if is_elsewhere else ""
    return f"{where}{without_markup(remote.comments[0].text) or '(nothing)'}"
