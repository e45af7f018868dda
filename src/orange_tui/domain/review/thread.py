"""A thread: a comment on lines of code, and the answers to it. The functions here are the only ways its state changes.

A person's comment is a draft until it is sent. An open thread waits for the agent, who answers it as fixed or declined;
words alone leave it open. Only the person resolves a thread, or opens it again. On the path of `orange task update`.
"""

from __future__ import annotations

from orange_tui.domain.errors import NotFound, Refused
from orange_tui.domain.records import record, replace
from orange_tui.domain.task import printable
from orange_tui.domain.text.quoting import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

BY = ("person", "reviewer", "github", "checks")
STATES = ("draft", "open", "fixed", "declined", "resolved")
ANSWERS = ("fixed", "declined")
AGENT = "agent"  # who answers, besides those who comment
SIDES = ("new", "old")
MAX_TEXT_CHARACTERS = 20_000
MAX_QUOTE_CHARACTERS = 4_000
_MAX_PATH_CHARACTERS = 1_000
_MAX_REPLIES = 200
_MAX_NAMED = 20


@record
class ThreadReply:
    """One answer in a thread; its state is fixed, declined, or None for words alone.

    `held`: it is a stranger's, and no agent is told of it before the person has read and sent it.
    """

    by: str
    text: str
    at: str = ""
    state: str | None = None
    commit: str | None = None
    author: str = ""
    remote: str = ""
    held: bool = False


@record
class Thread:
    """A comment and its answers. Path "" is about the task as a whole, line None about a whole file.

    `quote` is the code of those lines when it was written, by which they are found again; `side` is old for a line
    that was removed. `author` is a window, or a login on GitHub; `remote` is where it came from.
    """

    id: str
    path: str
    line: int | None
    end_line: int | None
    quote: str
    commit: str | None
    by: str
    text: str
    state: str
    replies: tuple[ThreadReply, ...] = ()
    side: str = "new"
    author: str = ""
    at: str = ""
    outdated: bool = False
    remote: str = ""
    url: str = ""

    @property
    def place(self) -> str:
        """Where it is, as one types it: path:line-line."""
        if self.line is None:
            return self.path or "the task"
        last = f"-{self.end_line}" if self.end_line not in {None, self.line} else ""
        return f"{self.path}:{self.line}{last}"


def sent(thread: Thread) -> Thread:
    """A draft that goes out."""
    if thread.state != "draft":
        raise Refused(f"{thread.id} is {thread.state}: only a draft is sent")
    return replace(thread, state="open")


def answered(thread: Thread, reply: ThreadReply) -> Thread:
    """The thread with one more answer, and in the state that the answer names, if any."""
    if thread.state == "draft":
        raise Refused(f"{thread.id} is a draft: it is answered once it has been sent")
    if thread.state == "resolved":
        raise Refused(f"{thread.id} is resolved: nothing is left to answer; the person can reopen it")
    if reply.state not in {None, *ANSWERS}:
        raise Refused(f"An answer says {' or '.join(ANSWERS)}, not {reply.state}")
    if len(thread.replies) >= _MAX_REPLIES:
        raise Refused(f"{thread.id} has {_MAX_REPLIES} answers already; the person can resolve it")
    return replace(thread, replies=(*thread.replies, reply), state=reply.state or thread.state)


def for_agents(threads: Iterable[Thread]) -> list[Thread]:
    """What an agent may know of: neither what the person has not sent, nor what strangers said and nobody has read."""
    return [without_held(thread) for thread in threads if thread.state != "draft"]


def without_held(thread: Thread) -> Thread:
    """The thread without the replies that are held back."""
    if not any(reply.held for reply in thread.replies):
        return thread
    return replace(thread, replies=tuple(reply for reply in thread.replies if not reply.held))


def released(thread: Thread, shown: Thread) -> Thread:
    """The thread once its replies are sent: those that the person was shown, word for word."""
    known = {(reply.remote, reply.text) for reply in shown.replies}
    replies = tuple(
        replace(reply, held=False) if reply.held and (reply.remote, reply.text) in known else reply
        for reply in thread.replies
    )
    return thread if replies == thread.replies else replace(thread, replies=replies)


def resolved(thread: Thread) -> Thread:
    """The person is content."""
    if thread.state == "resolved":
        raise Refused(f"{thread.id} is resolved already")
    if thread.state == "draft":
        raise Refused(f"{thread.id} is a draft: it has not been sent yet, so there is nothing to resolve")
    return replace(thread, state="resolved")


def reopened(thread: Thread) -> Thread:
    """The person is not: the thread waits for an answer again."""
    if thread.state == "open":
        raise Refused(f"{thread.id} is open already")
    if thread.state == "draft":
        raise Refused(f"{thread.id} is a draft: it has not been sent yet")
    return replace(thread, state="open")


def find_thread(threads: Iterable[Thread], thread_id: str) -> Thread:
    """The thread with this id; where there is none, those there are."""
    known = {thread.id: thread for thread in threads}
    if thread_id in known:
        return known[thread_id]
    more = f" and {len(known) - _MAX_NAMED} more" if len(known) > _MAX_NAMED else ""
    there = f"there are {', '.join([*known][:_MAX_NAMED])}{more}" if known else "the task has none"
    raise NotFound(f"There is no thread {printable(thread_id[:40])}: {there}")


def is_path(path: str) -> bool:
    """Whether a path is one of a file inside a repository, whatever is there."""
    parts = path.split("/")
    wrong = {"", ".", ".."}.intersection(parts) or parts[0] == ".git" or len(path) > _MAX_PATH_CHARACTERS
    return not wrong and printable(path) == path


def check_text(text: str) -> str:
    """A comment or an answer as it is stored; an empty or endless one is refused."""
    found = clean_text(text)
    if not found:
        raise Refused("The text is empty: say what should change, or what was done")
    if len(found) > MAX_TEXT_CHARACTERS:
        limit = f"{MAX_TEXT_CHARACTERS:,}"
        raise Refused(f"The text has {len(found):,} characters, and {limit} are the limit: say it shorter")
    return found


def clean_text(text: str) -> str:
    """Somebody's text without anything a terminal would obey, and without blanks around it."""
    return plain(text).strip("\n").rstrip()
