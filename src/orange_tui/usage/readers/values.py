"""Values of a JSON line that an agent wrote: each is what it should be, or the line is not understood."""

from __future__ import annotations

import json

from orange_tui.home import clock
from orange_tui.usage.readers.items import NotUnderstood

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MOST_TOKENS = 10**12  # no conversation has used so many
_MOST_DOLLARS = 10**6
_MOST_PERCENT = 10_000
_MOST_CHARACTERS = 200  # of a name
_LATEST_SECOND = 2**33  # since 1970


def parse(line: bytes) -> dict[str, Any]:
    """The object in a line; an empty one where there is none, such as in a line that was torn by a crash."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def mapping(entry: dict[str, Any], name: str) -> dict[str, Any]:
    """A mapping in a mapping; an empty one where there is none."""
    found = entry.get(name)
    return found if isinstance(found, dict) else {}


def text(entry: dict[str, Any], name: str) -> str:
    """A name, an id or a time; empty where there is none, or something else."""
    found = entry.get(name)
    return found if isinstance(found, str) and len(found) <= _MOST_CHARACTERS else ""


def count(entry: dict[str, Any], name: str, *, required: bool = False) -> int:
    """A number of tokens; one that need not be there is 0 without it."""
    found = entry.get(name)
    if found is None and not required:
        return 0
    if type(found) is not int or not 0 <= found <= _MOST_TOKENS:
        raise NotUnderstood(f"`{name}` is not a number of tokens")
    return found


def dollars(entry: dict[str, Any], name: str) -> float | None:
    """A cost; None where there is none. An agent that does not know a price writes 0: that is none."""
    found = entry.get(name)
    if found is None:
        return None
    if type(found) not in {int, float} or not 0 <= found <= _MOST_DOLLARS:
        raise NotUnderstood(f"`{name}` is not a cost")
    return float(found) or None


def percent(entry: dict[str, Any], name: str) -> float | None:
    """A share in percent; None where there is none."""
    found = entry.get(name)
    if not isinstance(found, int | float) or isinstance(found, bool) or not 0 <= found <= _MOST_PERCENT:
        return None
    return min(float(found), 100.0)


def stamp(seconds: object) -> str | None:
    """A time in whole seconds since 1970, as ISO 8601; None where it is none."""
    return clock.at(seconds * 10**9) if type(seconds) is int and 0 < seconds < _LATEST_SECOND else None
