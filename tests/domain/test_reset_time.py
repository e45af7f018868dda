"""When a limit ends, from an agent's own words: always a time in UTC, or nothing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orange_tui.domain.usage.reset_time import Said, from_iso, from_unix, reset_time, utc_text

ZURICH = ZoneInfo("Europe/Zurich")
EVENING = datetime(2026, 11, 16, 20, 0, tzinfo=UTC)  # 21:00 in Zurich


def find_zone(name: str) -> tzinfo | None:
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, KeyError):
        return None


def said(at: datetime = EVENING, zone: tzinfo = ZURICH) -> Said:
    return Said(at, zone, find_zone)


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("You've hit your session limit · resets 2am (Europe/Zurich)", "2026-11-17T01:00"),
        ("You've hit your session limit · resets 3:30pm", "2026-11-17T14:30"),
        ("Claude usage limit reached. Your limit will reset at 3pm (America/New_York).", "2026-11-16T20:00"),
        ("You've hit your weekly limit · resets Nov 20, 2am (Europe/Zurich)", "2026-11-20T01:00"),
        ("resets Jan 2, 2am (UTC)", "2027-01-02T02:00"),
        ("resets Nov 15, 2am", "2026-11-15T01:00"),
        ("You've hit your usage limit. Upgrade to Pro, or try again at 3:05 PM.", "2026-11-17T14:05"),
        ("or try again at Nov 20th, 2026 3:05 PM.", "2026-11-20T14:05"),
        ("try again in 2 days 3 hours", "2026-11-18T23:00"),
        ("Try again in 1 hour and 20 minutes.", "2026-11-16T21:20"),
        ("try again in 2h 15m", "2026-11-16T22:15"),
        ("retry after 30 seconds", "2026-11-16T20:00:30"),
        ("Rate limit reached for requests [retrying in 1m 12s attempt #1]", "2026-11-16T20:01:12"),
        ("You have hit your ChatGPT usage limit (plus plan). Try again in ~90 min.", "2026-11-16T21:30"),
        ("Claude AI usage limit reached|1763337600", "2025-11-17T00:00"),
        ('"resets_at": 1794873600000', "2026-11-17T00:00"),
        ("resets at 2026-11-20T02:00:00Z", "2026-11-20T02:00"),
        ("resets at 2026-11-20 02:00:00 +0100", "2026-11-20T01:00"),
        ("resets at 2026-11-20 02:00", "2026-11-20T01:00"),
        ("resets Mon 9:00 AM", "2026-11-23T08:00"),
        ("resets 20:55", "2026-11-16T19:55"),  # said at 21:00: it is just over
        ("resets 20:30", "2026-11-17T19:30"),  # the next one
        ("resets 12am", "2026-11-16T23:00"),
        ("resets 12pm", "2026-11-17T11:00"),
    ],
)
def test_words_of_the_agents_are_understood(text: str, end: str) -> None:
    found = reset_time(text, said())
    assert found is not None
    assert from_iso(found) == from_iso(f"{end}Z")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "You've hit your limit",
        "resets 2am (Mars/Phobos)",
        "resets 2am (../../etc/passwd)",
        "resets 13pm",
        "resets 25:00",
        "resets Nov 31, 2am",
        "resets 5",
        "resets in a while",
        "resets ٢am",
        "resets Feb 30, 2027 2am",
        "the tests took 2 hours",
        "resets at 9999-12-31T23:59:59-12:00",
        "try again in 999999 days 999999 days 999999 days 999999 days",
    ],
)
def test_what_is_not_understood_is_no_time(text: str) -> None:
    assert reset_time(text, said()) is None


def test_a_night_in_which_the_clocks_change_gives_the_later_moment() -> None:
    autumn = said(datetime(2026, 10, 24, 20, 0, tzinfo=UTC))
    spring = said(datetime(2026, 3, 28, 20, 0, tzinfo=UTC))
    assert reset_time("resets 2:30am", autumn) == "2026-10-25T01:30:00.000000Z"  # there are two of them
    assert reset_time("resets 2:30am", spring) == "2026-03-29T01:30:00.000000Z"  # there is none


_MOMENTS = st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
_ZONES = st.sampled_from([ZoneInfo(name) for name in ("UTC", "Europe/Zurich", "Pacific/Kiritimati", "Asia/Kathmandu")])


@given(moment=_MOMENTS, zone=_ZONES, hour=st.integers(1, 12), minute=st.integers(0, 59), half=st.sampled_from("ap"))
def test_a_time_of_day_is_within_a_day_and_reads_so_in_its_zone(
    moment: datetime, zone: ZoneInfo, hour: int, minute: int, half: str
) -> None:
    found = reset_time(f"resets {hour}:{minute:02}{half}m ({zone.key})", said(moment, UTC))
    end = from_iso(found or "")
    assert end is not None
    assert timedelta(minutes=-10) <= end - moment <= timedelta(hours=25)
    assert end.astimezone(zone).minute == minute


@given(
    st.one_of(st.text(), st.text("resty again0123456789:/|()apm ,.-TZ+dhNovinMonat")),
    _MOMENTS,
    st.sampled_from(["", "resets ", "try again in "]),
)
def test_any_text_gives_a_time_in_utc_or_none(text: str, moment: datetime, before: str) -> None:
    found = reset_time(before + text, said(moment))
    if found is not None:
        end = from_iso(found)
        assert end is not None
        assert utc_text(end) == found


@given(st.floats() | st.integers())
def test_any_number_gives_a_time_in_utc_or_none(number: float) -> None:
    found = from_unix(number)
    assert found is None or from_iso(found) is not None
