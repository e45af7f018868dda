"""The current time, from one place, so that tests can set it."""

from __future__ import annotations

import time


def now() -> str:
    """The current time in UTC, as ISO 8601 with microseconds; such texts sort by time."""
    return at(time.time_ns())


def at(nanoseconds: int) -> str:
    """A time as a text like that, from nanoseconds since 1970."""
    seconds, rest = divmod(nanoseconds, 1_000_000_000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{rest // 1000:06d}Z"


def seconds_since(stamp: str) -> float:
    """Seconds since a timestamp; 0 for one that cannot be read."""
    then = in_seconds(stamp)
    return 0.0 if then is None else time.time() - then


def in_seconds(stamp: object) -> float | None:
    """A timestamp as seconds since 1970; None for what is none."""
    from datetime import UTC, datetime

    try:
        then = datetime.fromisoformat(str(stamp))
        return (then if then.tzinfo else then.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
