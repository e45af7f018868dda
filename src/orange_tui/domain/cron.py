"""When a job runs: cron expressions, checked, and the moments they mean in a person's time zone.

cronsim does the arithmetic, as Debian's cron does it: across a change of the clock a job at a set time runs once, and
one that repeats within the hour goes by real time. Moments go in and come out in UTC, so that they compare and sort.
"""

from __future__ import annotations

from datetime import UTC, timedelta

from orange_tui.domain.errors import Refused
from orange_tui.domain.task import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime, tzinfo

ALIASES = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
RIGHT = "Right is: minute hour day month weekday, such as `30 9 * * MON-FRI`, or @hourly, @daily, @weekly, @monthly"
_FIELDS = 5
_MONTH = 3
_LONGEST = 200
_RANGES = {
    "minute": "the minute is 0-59",
    "hour": "the hour is 0-23",
    "day-of-month": "the day is 1-31",
    "month": "the month is 1-12 or JAN-DEC",
    "day-of-week": "the weekday is 0-7 or SUN-SAT",
}
# How far to look back for the last of many missed runs: not through all of them, where there was one a minute.
_BACK = (timedelta(hours=1), timedelta(days=1), timedelta(days=32), timedelta(days=370))


def check_cron(text: str) -> str:
    """A cron expression as it is kept; what is wrong with one that is not right, and what a right one looks like."""
    kept = " ".join(text.split()) if text.isprintable() else text
    if kept.lower() in ALIASES:
        return kept.lower()
    if kept.lower() == "@reboot":
        raise Refused(f"@reboot is no time: a job of Orange runs by the clock. {RIGHT}")
    wrong = _what_is_wrong(kept)
    if wrong:
        raise Refused(f"'{printable(kept[:_LONGEST])}' is not a cron expression: {wrong}. {RIGHT}")
    return kept


def _what_is_wrong(text: str) -> str | None:
    if len(text) > _LONGEST or not text.isascii():
        return "it is longer than any, or has characters that none has"
    fields = text.split()
    if len(fields) != _FIELDS:
        return f"it has {len(fields)} fields and not {_FIELDS}"
    problem = _problem(text)
    if problem is None:
        return None
    any_month = " ".join([*fields[:_MONTH], "*", *fields[_MONTH + 1 :]])
    never = problem in {"", "day-of-month"} and _problem(any_month) is None
    return "that day never comes" if never else _RANGES.get(problem, "it cannot be understood")


def _problem(text: str) -> str | None:
    """The field that is wrong; empty where all are right and no such day comes in fifty years."""
    from datetime import datetime

    from cronsim import CronSim, CronSimError

    try:
        next(CronSim(text, datetime(2026, 1, 1, tzinfo=UTC)))
    except CronSimError as problem:
        return str(problem).removeprefix("Bad ")
    except StopIteration:
        return ""
    return None


def runs_after(cron: str, after: datetime, zone: tzinfo) -> Iterator[datetime]:
    """The moments a job runs at, strictly later than a moment, in order."""
    from cronsim import CronSim

    latest = after
    for moment in CronSim(ALIASES.get(cron, cron), after.astimezone(zone)):
        run = moment.astimezone(UTC)
        if run > latest:  # in the hour that comes twice, cronsim begins with the first of the two
            latest = run
            yield run


def next_run(cron: str, after: datetime, zone: tzinfo) -> datetime | None:
    """The first run after a moment; None where none comes in fifty years."""
    return next(runs_after(cron, after, zone), None)


def last_run(cron: str, after: datetime, until: datetime, zone: tzinfo) -> datetime | None:
    """The last run after one moment and not after another: of all that were missed, the one to catch up with."""
    starts = [max(after, until - back) for back in _BACK]
    for start in (*starts, after):
        last = None
        for run in runs_after(cron, start, zone):
            if run > until:
                break
            last = run
        if last is not None or start == after:
            return last
    return None
