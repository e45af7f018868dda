"""The objects in threads.json: how threads become the new ones, without a loss of what a newer Orange wrote there."""

from __future__ import annotations

from orange_tui.domain.records import replace
from orange_tui.domain.review.thread_json import thread_as_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from orange_tui.domain.review.thread import Thread
    from orange_tui.home.json_file import Object

DELETED = "deleted"  # the key of what is left of a thread: its id, so that it is not given again


def with_ids(threads: Iterable[Thread], entries: Sequence[Object]) -> tuple[Thread, ...]:
    """The threads, each with an id; one is never given twice, not even that of a deleted draft."""
    last = max((_number(entry.get("id")) for entry in entries), default=0)
    found = []
    for thread in threads:
        last += not thread.id
        found.append(thread if thread.id else replace(thread, id=f"t{last}"))
    return tuple(found)


def _number(thread_id: object) -> int:
    digits = thread_id[1:20] if isinstance(thread_id, str) else ""
    return int(digits) if digits.isascii() and digits.isdecimal() else 0


def merged(entries: Sequence[Object], threads: Sequence[Thread]) -> list[Object]:
    """The objects to be written: what is known as it is now, what is not known as it was."""
    known = {entry.get("id"): entry for entry in entries}
    there = {thread.id for thread in threads}
    deleted = [{"id": name, DELETED: True} for name in known if name not in there]
    return [_object(known.get(thread.id, {}), thread) for thread in threads] + deleted


def _object(entry: Object, thread: Thread) -> Object:
    made = thread_as_json(thread)
    replies, earlier = made["replies"], entry.get("replies", [])
    if isinstance(replies, list):  # an answer is known by its place: they are only ever added
        made["replies"] = [{**(earlier[n] if n < len(earlier) else {}), **reply} for n, reply in enumerate(replies)]
    return {**entry, **made}
