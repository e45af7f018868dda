"""What a one-shot agent printed, and the JSON object in it that was asked for.

Agents wrap their answer in prose, in a code fence, or in an envelope of their own with what it cost.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_TEXT = 1_000_000  # characters, from the end: an answer comes last
_MOST_TRIES = 2000  # braces looked at; hostile text is made of nothing else
_ENVELOPE = "result"


def answered(text: str) -> dict[str, Any] | None:
    """The last whole JSON object of a text; one that is an agent's envelope is opened."""
    found = _last_object(text[-MOST_TEXT:])
    inner = found.get(_ENVELOPE) if found is not None and "type" in found else None
    return answered(inner) if isinstance(inner, str) else found


def envelope(text: str) -> dict[str, Any]:
    """What an agent says around its answer: what it cost, and how long it took. Most say nothing."""
    found = _last_object(text[-MOST_TEXT:])
    return found if found is not None and _ENVELOPE in found and "type" in found else {}


def _last_object(text: str) -> dict[str, Any] | None:
    """From brace to brace backwards: what still ends at the same place or later contains what was found before."""
    decoder = json.JSONDecoder()
    best: dict[str, Any] | None = None
    best_end, start = 0, len(text)
    for _ in range(_MOST_TRIES):
        start = text.rfind("{", 0, start)
        if start < 0:
            break
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        if end < best_end:
            break  # it ended before: a separate, earlier one
        best, best_end = value, end
    return best
