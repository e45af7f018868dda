"""What time it is: the one place that asks, so that tests can answer."""

from __future__ import annotations

import time


def now() -> str:
    """This moment in UTC, ISO 8601 to the microsecond; such texts sort as the moments do."""
    seconds, rest = divmod(time.time_ns(), 1_000_000_000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{rest // 1000:06d}Z"


def seconds_since(stamp: str) -> float:
    """How long ago that was; a stamp that nobody can read is of no age."""
    from datetime import UTC, datetime

    try:
        then = datetime.fromisoformat(stamp)
    except ValueError:
        return 0.0
    return time.time() - (then if then.tzinfo else then.replace(tzinfo=UTC)).timestamp()
