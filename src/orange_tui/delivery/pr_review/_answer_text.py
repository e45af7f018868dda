"""What is posted about a thread: the answer, literally, and a hidden marker by which it is known again.

An agent wrote it, so nothing in it counts as Markdown and nobody is notified by it (`outside.forge.literal_text`).
"""

from __future__ import annotations

from orange_tui.delivery.pr_review.markers import marker
from orange_tui.domain.review.thread import clean_text
from orange_tui.outside.forge.literal_text import quote_line, quote_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.review.thread import Thread, ThreadReply

POSTING = "posting:"  # before a reply's id, for as long as nobody knows whether it was posted
MAX_TEXT_CHARACTERS = 20_000
_STATES = {"fixed": "Fixed", "declined": "Declined"}
_SHORT_COMMIT = 12
_MAX_QUOTED = 200


def without_markup(text: str, most: int = MAX_TEXT_CHARACTERS) -> str:
    """Somebody's text as it is kept: without control characters, and not longer than that."""
    cleaned = clean_text(text[: 2 * most])
    if len(cleaned) <= most and len(text) <= 2 * most:
        return cleaned
    note = f"\n… (cut: it has {len(text):,} characters)"
    return f"{cleaned[: most - len(note)]}{note}"


def answer_text(thread: Thread, reply: ThreadReply, reply_id: str, *, is_in_thread: bool) -> str:
    """An answer for the forge; outside of a thread it begins with what it answers."""
    about = f"> {quote_line(thread.text)[:_MAX_QUOTED]}\n\n" if not is_in_thread else ""
    state = _STATES.get(reply.state or "", "")
    commit = reply.commit or ""
    is_commit = commit.isascii() and commit.isalnum() and reply.state == "fixed"
    what = f"**{state}**{f' in {commit[:_SHORT_COMMIT]}' if is_commit else ''}: " if state else ""
    return f"{about}🍊 {what}{quote_text(reply.text)}\n\n{marker(reply_id)}"
