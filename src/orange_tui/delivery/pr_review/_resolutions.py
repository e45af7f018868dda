"""Threads that were resolved or opened again here → the same on the forge, where others look.

What changed there was taken in first, so whatever differs from what the forge last said was done here. Resolving what
is resolved changes nothing: who was killed before it was noted does it once more, and nobody sees it twice.
"""

from __future__ import annotations

from orange_tui.delivery.pr_review._checks import CHECKS
from orange_tui.delivery.pr_review._comments import CONVERSATION, is_deleted
from orange_tui.delivery.pr_review.markers import SENT_COMMENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from orange_tui.domain.review.thread import Thread

RESOLVED = "resolved"


def differing(threads: Sequence[Thread], resolved_there: Collection[str]) -> list[Thread]:
    """The threads about lines that are resolved here and not there, or the other way round."""
    known = set(resolved_there)
    return [each for each in threads if _is_there(each) and (each.state == RESOLVED) != (each.remote in known)]


def _is_there(thread: Thread) -> bool:
    """Whether it can be resolved there: neither a check, nor in the conversation, nor a stranger's that waits here."""
    is_thread = bool(thread.remote) and not thread.remote.startswith((CONVERSATION, SENT_COMMENT))
    return is_thread and thread.by != CHECKS and thread.state != "draft" and not is_deleted(thread)
