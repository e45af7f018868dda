"""When a limit ends, from what an agent says of it: `resets 2am (Europe/Zurich)`, `try again in 2 days 3 hours`.

A time of day means the next one after it was said. Agents say it in whole minutes, so one that is just over is meant
as well. What cannot be understood is None: nobody knows, which is better than a wrong time.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import tzinfo

_MAX_CHARACTERS = 4000  # of what an agent says
_JUST_OVER = timedelta(minutes=10)
_MILLISECONDS_FROM = 100_000_000_000  # no number of seconds is that large before the year 5138
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_SECONDS = {"d": 86400, "h": 3600, "m": 60, "s": 1}
_NOON = 12

_FLAGS = re.ASCII | re.IGNORECASE
# What stands before a time: without one of these, a number is not about the end of a limit.
_ANCHOR = re.compile(
    r"(?:\bresets?(?:_at)?|\bretry(?:ing)?|\btry again|\buntil|\bavailable|\blimit reached(?=\s*\|))(?!\w)", _FLAGS
)
_UNIX = re.compile(r"\d{10,13}(?!\d)", _FLAGS)
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?\s?(?:Z|[+-]\d{2}:?\d{2})?", _FLAGS)
_PERIOD = re.compile(
    r"(\d{1,6})\s*(d(?:ays?)?|h(?:(?:ou)?rs?)?|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?)(?![a-z])", _FLAGS
)
_AFTER = re.compile(r"(?:in|after)\s+(?:about\s+|~\s?)?(?=\d)", _FLAGS)
_CLOCK = re.compile(
    r"(?:(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?"
    r"(?:,?\s+(?P<year>\d{4}))?,?\s+(?:at\s+)?|(?P<weekday>mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\s+(?:at\s+)?)?"
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d{2})(?::\d{2})?)?(?:\s*(?P<half>[ap])\.?m\b)?(?![\w:])"
    r"\.?(?:\s*\((?P<zone>[^)]{1,100})\))?",
    _FLAGS,
)


@record
class Said:
    """When something was said, and where: the zone of whoever heard it, and how to find another by its name."""

    at: datetime
    zone: tzinfo
    find_zone: Callable[[str], tzinfo | None]


def reset_time(text: str, said: Said) -> str | None:
    """When a limit ends, by what an agent says of it, as ISO 8601 in UTC; None where it does not say."""
    text = text[:_MAX_CHARACTERS]
    for anchor in _ANCHOR.finditer(text):
        try:
            found = _time_in(text[anchor.end() :].lstrip(' ":|·-'), said)
            if found is not None:
                return utc_text(found)
        except (ValueError, OverflowError):
            continue  # the 31st of November, the year 9999
    return None


def utc_text(moment: datetime) -> str:
    """A time as ISO 8601 in UTC with microseconds: such texts sort by time."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def from_unix(seconds: float) -> str | None:
    """A time from seconds or milliseconds since 1970; None where there is no such time."""
    try:
        return utc_text(datetime.fromtimestamp(seconds / 1000 if seconds >= _MILLISECONDS_FROM else seconds, UTC))
    except (ValueError, OverflowError, OSError):
        return None


def from_iso(text: str) -> datetime | None:
    """A time that is written as ISO 8601; one without a zone is in UTC."""
    try:
        found = datetime.fromisoformat(text)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _time_in(text: str, said: Said) -> datetime | None:
    """The time that a text begins with, after a word or two such as `at`."""
    text = re.sub(r"^(?:at|on|the|your limit|again)\b[\s:]*", "", text, flags=_FLAGS)
    if found := _UNIX.match(text):
        stamp = from_unix(int(found[0]))
        return from_iso(stamp) if stamp is not None else None
    if found := _ISO.match(text):
        return _iso_time(found[0], said)
    if found := _AFTER.match(text):
        return _after(text[found.end() :], said)
    if found := _CLOCK.match(text):
        return _clock_time(found, said)
    return None


def _iso_time(text: str, said: Said) -> datetime:
    written = datetime.fromisoformat(text.strip().replace(" +", "+").replace(" -", "-").replace(" Z", "Z"))
    return written if written.tzinfo else _in_zone(written, said.zone)


def _after(text: str, said: Said) -> datetime | None:
    """A period such as `2 days 3 hours`, from when it was said."""
    seconds, position = 0, 0
    while found := _PERIOD.match(text, position):
        seconds += int(found[1]) * _SECONDS[found[2][0].lower()]
        separator = re.compile(r"[\s,]*(?:and\s+)?", _FLAGS).match(text, found.end())
        position = separator.end() if separator is not None else found.end()
    return said.at + timedelta(seconds=seconds) if position else None


def _clock_time(found: re.Match[str], said: Said) -> datetime | None:
    """A time of day, with or without its date: the next one, unless it is just over."""
    if found["minute"] is None and found["half"] is None:
        return None  # a mere number
    zone = said.zone if found["zone"] is None else said.find_zone(found["zone"])
    if zone is None:
        return None
    hour, minute = _hour(int(found["hour"]), found["half"]), int(found["minute"] or 0)
    today = said.at.astimezone(zone).replace(hour=hour, minute=minute, second=0, microsecond=0, tzinfo=None)
    moments = [_in_zone(each, zone) for each in _dates(found, today)]
    if found["month"] is not None:
        return min(moments, key=lambda moment: abs(moment - said.at), default=None)
    return next((moment for moment in moments if moment >= said.at - _JUST_OVER), None)


def _hour(hour: int, half: str | None) -> int:
    if half is None:
        return hour
    if not 1 <= hour <= _NOON:
        raise ValueError(hour)
    return hour % _NOON + (_NOON if half.lower() == "p" else 0)


def _dates(found: re.Match[str], today: datetime) -> Iterator[datetime]:
    """The days that may be meant, in their order; which of them, the time when it was said decides."""
    if found["month"] is not None:
        month, day = _MONTHS.index(found["month"].lower()) + 1, int(found["day"])
        years = [int(found["year"])] if found["year"] else [today.year - 1, today.year, today.year + 1]
        yield from (today.replace(year=year, month=month, day=day) for year in years if _is_date(year, month, day))
        return
    weekday = found["weekday"]
    for days in range(-1, 9):
        date = today + timedelta(days=days)
        if weekday is None or date.weekday() == _DAYS.index(weekday.lower()):
            yield date


def _is_date(year: int, month: int, day: int) -> bool:
    try:
        datetime(year, month, day, tzinfo=UTC)
    except ValueError:
        return False
    return True


def _in_zone(local: datetime, zone: tzinfo) -> datetime:
    """The moment of a local time; where clocks are changed and there are two or none, the later one."""
    return max(local.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
