"""A task's session and age, in the few cells that a list has for them."""

from __future__ import annotations

from datetime import UTC, datetime

from orange_tui.home import clock

SESSION_ICONS = {"active": "●", "dead": "✗", "lost": "⚡", "none": "○"}
# States of shipped workflows whose names say less than these words; files and commands call them as ever.
_STATE_WORDS = {"agent-review": "AI review", "reviewing": "your review", "needs_review": "your review"}
_UNITS = ((86400, "d"), (3600, "h"), (60, "m"), (1, "s"))


def state_words(status: str) -> str:
    """What a state is called on the screen."""
    return _STATE_WORDS.get(status, status)


def age(stamp: str, *, with_seconds: bool = False) -> str:
    """How long ago, in one unit, "now" if it is less than the smallest; nothing where the stamp is not a time."""
    try:
        then = datetime.fromisoformat(stamp)
    except ValueError:
        return ""
    if then.tzinfo is None:
        then = then.replace(tzinfo=UTC)
    seconds = max(0, int((datetime.fromisoformat(clock.now()) - then).total_seconds()))
    units = _UNITS if with_seconds else _UNITS[:-1]
    return next((f"{seconds // size}{unit}" for size, unit in units if seconds >= size), "now")
