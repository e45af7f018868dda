"""What a one-shot agent printed, and the JSON object in it that was asked for.

Agents wrap their answer in prose, in a code fence, or in an envelope of their own with what it cost.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Object = dict[str, object]

_MOST_TEXT = 1_000_000  # characters, from the end: an answer comes last
_INSIDE = "result"  # where an envelope has the answer


def find_answer(text: str, key: str) -> Object | None:
    """The last object with this key, also inside an envelope; else the last object there is."""
    objects = list(_objects(text[-_MOST_TEXT:]))
    for found in reversed(objects):
        if key in found:
            return found
        inner = found.get(_INSIDE)
        if isinstance(inner, str):
            for answer in reversed(list(_objects(inner))):
                if key in answer:
                    return answer
    return objects[-1] if objects else None


def envelope(text: str) -> Object:
    """What an agent says around its answer: what it cost, and how long it took. Most say nothing."""
    return next((found for found in reversed(list(_objects(text[-_MOST_TEXT:]))) if _INSIDE in found), {})


def _objects(text: str) -> Iterator[Object]:
    """Every JSON object in a text that is in no other, in order."""
    decoder, position = json.JSONDecoder(), text.find("{")
    while position >= 0:
        try:
            found, position = decoder.raw_decode(text, position)
            yield found
        except (ValueError, RecursionError):
            position += 1
        position = text.find("{", position)
