"""Hidden marks in what Orange posts on a pull request, by which it is known again and is nobody else's words."""

from __future__ import annotations

SENT_COMMENT = "review:"  # before the name of a comment of ours, until its thread on the forge is known
_BEGIN, _END = "<!-- orange:", " -->"
_REVIEW = "<!-- orange-review "  # what a whole review has
_MAX_ID_CHARACTERS = 64


def marker(name: str) -> str:
    """The hidden line of something that Orange posts."""
    return f"{_BEGIN}{name}{_END}"


def marker_in(text: str) -> str | None:
    """The name in the last marker; None where the text has none."""
    _, begin, rest = text.rpartition(_BEGIN)
    found, end, _ = rest.partition(_END)
    return found if begin and end and len(found) <= _MAX_ID_CHARACTERS and found.isalnum() else None


def is_marked(text: str) -> bool:
    """Whether Orange has posted this; anybody can write the same, so it counts only under the person's own login."""
    return marker_in(text) is not None or _REVIEW in text


def comment_name(task_id: str, thread_id: str) -> str:
    """What a comment that the person has sent with a review is marked with."""
    return f"{task_id}{thread_id}"
