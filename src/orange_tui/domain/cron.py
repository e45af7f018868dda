"""Cron expressions: checking them, and the times they mean in the person's time zone.

cronsim does the arithmetic, as Debian's cron does it: across a change to or from summer time a job at a set time runs
once, and one that repeats within the hour goes by real time. Times go in and come out in UTC, so that they compare.
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
_USAGE = "Write: minute hour day month weekday, such as `30 9 * * MON-FRI`, or @hourly, @daily, @weekly, @monthly"
_FIELD_COUNT = 5
_MONTH_FIELD = 3
_MAX_CHARACTERS = 200
_RANGES = {
    "minute": "the minute is 0-59",
    "hour": "the hour is 0-23",
    "day-of-month": "the day is 1-31",
    "month": "the month is 1-12 or JAN-DEC",
    "day-of-week": "the weekday is 0-7 or SUN-SAT",
}
# How far to look back for the last of many missed runs: a job that runs every minute may have missed a million.
_LOOK_BACK = (timedelta(hours=1), timedelta(days=1), timedelta(days=32), timedelta(days=370))


def check_cron(text: str) -> str:
    """A cron expression as it is stored; one with a mistake is refused, with what is wrong and a valid example."""
    cron = " ".join(text.split()) if text.isprintable() else text
    if cron.lower() in ALIASES:
        return cron.lower()
    if cron.lower() == "@reboot":
        raise Refused(f"@reboot is not a time: jobs run at set times. {_USAGE}")
    mistake = _mistake(cron)
    if mistake:
        raise Refused(f"'{printable(cron[:_MAX_CHARACTERS])}' is not a cron expression: {mistake}. {_USAGE}")
    return cron


def _mistake(text: str) -> str | None:
    if len(text) > _MAX_CHARACTERS or not text.isascii():
        return "it is too long, or has characters that cron does not know"
    fields = text.split()
    if len(fields) != _FIELD_COUNT:
        return f"it has {len(fields)} fields instead of {_FIELD_COUNT}"
    wrong_field = _wrong_field(text)
    if wrong_field is None:
        return None
    any_month = " ".join([*fields[:_MONTH_FIELD], "*", *fields[_MONTH_FIELD + 1 :]])
    is_no_day = wrong_field in {"", "day-of-month"} and _wrong_field(any_month) is None
    return "there is no such day" if is_no_day else _RANGES.get(wrong_field, "it cannot be understood")


def _wrong_field(text: str) -> str | None:
    """The field with a mistake; empty where each is valid but no such day comes in fifty years."""
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
    """When a job runs, strictly later than `after`, in order."""
    from cronsim import CronSim

    latest = after
    for moment in CronSim(ALIASES.get(cron, cron), after.astimezone(zone)):
        run = moment.astimezone(UTC)
        if run > latest:  # in the hour that comes twice, cronsim begins with the first of the two
            latest = run
            yield run


def next_run(cron: str, after: datetime, zone: tzinfo) -> datetime | None:
    """The first run later than `after`; None where none comes in fifty years."""
    return next(runs_after(cron, after, zone), None)


def last_run(cron: str, after: datetime, until: datetime, zone: tzinfo) -> datetime | None:
    """The last run later than `after` and not later than `until`: of all missed runs, the one to catch up with."""
    starts = [max(after, until - back) for back in _LOOK_BACK]
    for start in (*starts, after):
        last = None
        for run in runs_after(cron, start, zone):
            if run > until:
                break
            last = run
        if last is not None or start == after:
            return last
    return None
