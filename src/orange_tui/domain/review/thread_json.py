"""Threads as JSON objects, in threads.json and on the command line; what cannot be a thread is refused."""

from __future__ import annotations

from orange_tui.domain.errors import Unreadable
from orange_tui.domain.review.thread import AGENT, ANSWERS, BY, SIDES, STATES, Thread, ThreadReply, is_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Entry = Mapping[str, object]
    Check = Callable[[object], bool]


def thread_as_json(thread: Thread) -> dict[str, object]:
    """A thread as one object, with the keys of SPEC 17 and those that are ours."""
    return {**thread.__dict__, "replies": [dict(reply.__dict__) for reply in thread.replies]}


def thread_from_json(entry: Entry) -> Thread:
    """The thread that an object says; keys that are not known count for nothing here."""
    replies = entry.get("replies")
    if not isinstance(replies, list) or not all(isinstance(each, dict) for each in replies):
        raise Unreadable("its replies must be a list of objects")
    found = tuple(ThreadReply(**_values(each, _REPLY)) for each in replies)
    thread = Thread(**_values(entry, _THREAD), replies=found)
    if thread.line is None and thread.end_line is not None:
        raise Unreadable("its end_line has no line")
    if thread.line is not None and (not thread.path or thread.line > (thread.end_line or thread.line)):
        raise Unreadable("its line must be one of a file, and not after its end_line")
    return thread


def _values(entry: Entry, checks: Mapping[str, tuple[Check, str, object]]) -> dict[str, Any]:
    found = {}
    for name, (is_right, what, default) in checks.items():
        value = entry.get(name, default)
        if not is_right(value):
            raise Unreadable(f"its {name} must be {what}")
        found[name] = value
    return found


_REQUIRED = object()


def _is_id(value: object) -> bool:
    return (
        isinstance(value, str) and value.isascii() and value[:1] == "t" and value[1:19].isdecimal() and not value[19:]
    )


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_text_or_none(value: object) -> bool:
    return value is None or isinstance(value, str)


def _is_line_or_none(value: object) -> bool:
    return value is None or (type(value) is int and value > 0)


def _one_of(words: tuple[str | None, ...]) -> tuple[Check, str, object]:
    named = ", ".join(str(word) for word in words if word)
    return (lambda value: value in words if isinstance(value, str) else None in words and value is None), named, None


_TEXT = (_is_text, "text", _REQUIRED)
_OPTIONAL_TEXT = (_is_text, "text", "")
_COMMIT = (_is_text_or_none, "a commit", None)
_FLAG = (lambda value: isinstance(value, bool), "true or false", False)
_LINE = (_is_line_or_none, "the number of a line", None)
_REPLY: Mapping[str, tuple[Check, str, object]] = {
    "by": _one_of((AGENT, *BY)),
    "text": _TEXT,
    "at": _OPTIONAL_TEXT,
    "state": _one_of((*ANSWERS, None)),
    "commit": _COMMIT,
    "author": _OPTIONAL_TEXT,
    "remote": _OPTIONAL_TEXT,
    "held": _FLAG,
}
_THREAD: Mapping[str, tuple[Check, str, object]] = {
    "id": (_is_id, "t and a number", _REQUIRED),
    "path": (lambda value: isinstance(value, str) and (not value or is_path(value)), "a path in the repository", None),
    "line": _LINE,
    "end_line": _LINE,
    "quote": _TEXT,
    "commit": _COMMIT,
    "by": _one_of(BY),
    "text": _TEXT,
    "state": _one_of(STATES),
    "side": (lambda value: value in SIDES, " or ".join(SIDES), SIDES[0]),
    "author": _OPTIONAL_TEXT,
    "at": _OPTIONAL_TEXT,
    "outdated": _FLAG,
    "remote": _OPTIONAL_TEXT,
    "url": _OPTIONAL_TEXT,
}
