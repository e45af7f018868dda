"""The JSON answer in what a one-shot agent has printed.

Agents wrap their answer in prose, in a code fence, or in an envelope of their own that says what it cost.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Object = dict[str, object]

_MAX_CHARACTERS = 1_000_000  # from the end: an answer comes last
_ENVELOPE_KEY = "result"  # where an envelope has the answer


def find_answer(text: str, key: str) -> Object | None:
    """The last object with this key, also inside an envelope; else the last object there is."""
    objects = list(_objects(text[-_MAX_CHARACTERS:]))
    for found in reversed(objects):
        if key in found:
            return found
        inner = found.get(_ENVELOPE_KEY)
        if isinstance(inner, str):
            for answer in reversed(list(_objects(inner))):
                if key in answer:
                    return answer
    return objects[-1] if objects else None


def envelope(text: str) -> Object:
    """The envelope around an answer, with its cost and duration; empty for an agent that prints none."""
    return next((found for found in reversed(list(_objects(text[-_MAX_CHARACTERS:]))) if _ENVELOPE_KEY in found), {})


def _objects(text: str) -> Iterator[Object]:
    """Every outermost JSON object in a text, in order."""
    decoder, position = json.JSONDecoder(), text.find("{")
    while position >= 0:
        try:
            found, position = decoder.raw_decode(text, position)
            yield found
        except (ValueError, RecursionError):
            position += 1
        position = text.find("{", position)
