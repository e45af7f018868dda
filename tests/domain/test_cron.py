"""Cron expressions: which are refused and how, and which moments they mean, also where clocks are changed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from orange_tui.domain.cron import ALIASES, check_cron, last_run, next_run, runs_after
from orange_tui.domain.errors import Refused
from orange_tui.domain.task import printable

BERLIN = ZoneInfo("Europe/Berlin")
FORWARD, BACK = (2026, 3, 29), (2026, 10, 25)  # the days on which Berlin's clocks are put forward and back
steadily = settings(deadline=None, derandomize=True, database=None)

field = st.one_of(
    st.sampled_from(
        ["*", "*/2", "*/15", "0", "5", "1-5", "1,3", "L", "LW", "MON-FRI", "SUN", "1#2", "5L", "JAN", "31", "7"]
    ),
    st.integers(0, 70).map(str),
    st.text("0123456789*/,-#LW", min_size=1, max_size=6),
)
expressions = st.lists(field, min_size=5, max_size=5).map(" ".join)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def runs_on(cron: str, day: tuple[int, int, int], zone: ZoneInfo = BERLIN) -> list[str]:
    """The runs of one day, as the clock on the wall shows them."""
    start, end = datetime(*day, tzinfo=zone) - timedelta(seconds=1), datetime(*day, tzinfo=zone) + timedelta(days=1)
    runs = []
    for run in runs_after(cron, start.astimezone(UTC), zone):
        if run >= end.astimezone(UTC):
            break
        runs.append(run.astimezone(zone).strftime("%H:%M %Z"))
    return runs


@pytest.mark.parametrize("cron", ["30 9 * * MON-FRI", "*/15 * * * *", "0 0 29 2 *", "0 0 1,15 * 3", *ALIASES])
def test_valid_cron_expression_is_stored_as_it_is(cron: str) -> None:
    assert check_cron(cron) == cron


def test_spaces_and_the_case_of_an_alias_do_not_matter() -> None:
    assert check_cron("  0   7 *  * MON ") == "0 7 * * MON"
    assert check_cron("@Daily") == "@daily"


@pytest.mark.parametrize(
    ("cron", "reason"),
    [
        ("61 * * * *", "the minute is 0-59"),
        ("0 24 * * *", "the hour is 0-23"),
        ("0 0 32 * *", "the day is 1-31"),
        ("0 0 * 13 *", "the month is 1-12"),
        ("0 0 * * 8", "the weekday is 0-7"),
        ("* * * *", "it has 4 fields instead of 5"),
        ("0 0 0 * * *", "it has 6 fields instead of 5"),
        ("", "it has 0 fields"),
        ("0 0 30 2 *", "there is no such day"),
        ("0 0 31 4,6 *", "there is no such day"),
        ("@fortnightly", "it has 1 fields"),
        ("*/0 * * * *", "the minute is 0-59"),
        ("9" * 5000 + " * * * *", "too long"),
        ("٣ * * * *", "characters that cron does not know"),
        ("\x1b[2J * * * *", "\\x1b[2J"),
    ],
)
def test_invalid_cron_expression_is_refused_with_the_mistake_and_an_example(cron: str, reason: str) -> None:
    with pytest.raises(Refused) as refusal:
        check_cron(cron)
    assert reason in str(refusal.value)
    assert "`30 9 * * MON-FRI`" in str(refusal.value)
    assert str(refusal.value).isprintable()


def test_reboot_is_refused() -> None:
    with pytest.raises(Refused, match="@reboot is not a time"):
        check_cron("@reboot")


def test_a_job_at_a_time_that_does_not_exist_runs_once_that_day() -> None:
    assert runs_on("30 2 * * *", FORWARD) == ["03:00 CEST"]


def test_a_job_at_a_time_that_comes_twice_runs_once_that_day() -> None:
    assert runs_on("30 2 * * *", BACK) == ["02:30 CEST"]


@pytest.mark.parametrize(("day", "hours"), [(FORWARD, 23), (BACK, 25)])
def test_a_job_every_half_hour_runs_each_real_half_hour(day: tuple[int, int, int], hours: int) -> None:
    assert len(runs_on("*/30 * * * *", day)) == 2 * hours
    assert len(runs_on("30 * * * *", day)) == hours
    assert len(runs_on("@hourly", day)) == hours


def test_next_run_after_the_repeated_hour_began_again_is_not_in_the_first() -> None:
    second = datetime(*BACK, 2, 10, tzinfo=BERLIN, fold=1).astimezone(UTC)
    assert next_run("30 2 * * *", second, BERLIN) == at("2026-10-26T01:30:00")


def test_the_same_expression_is_another_moment_in_another_zone() -> None:
    noon = at("2026-11-16T12:00:00")
    assert next_run("0 9 * * *", noon, ZoneInfo("Asia/Tokyo")) == at("2026-11-17T00:00:00")
    assert next_run("0 9 * * *", noon, ZoneInfo("America/New_York")) == at("2026-11-16T14:00:00")
    assert next_run("0 9 * * *", noon, UTC) == at("2026-11-17T09:00:00")


def test_of_many_missed_runs_the_last_one_counts() -> None:
    year_ago, now = at("2025-11-16T09:00:30"), at("2026-11-16T09:30:30")
    assert last_run("* * * * *", year_ago, now, BERLIN) == at("2026-11-16T09:30:00")
    assert last_run("@yearly", year_ago, now, BERLIN) == at("2025-12-31T23:00:00")
    assert last_run("0 0 29 2 *", at("2019-01-01T00:00:00"), now, UTC) == at("2024-02-29T00:00:00")


def test_a_run_counts_once_whether_asked_right_at_its_time_or_later() -> None:
    run = at("2026-11-16T09:30:00")
    assert last_run("30 9 * * *", run - timedelta(seconds=1), run, UTC) == run
    assert last_run("30 9 * * *", run, run + timedelta(hours=1), UTC) is None


@steadily
@given(st.one_of(expressions, st.text(max_size=30)))
@example("5L/2 * * * 5L/2")
@example("* * L/2 * 1#1/2")
def test_any_text_is_refused_or_has_a_next_run(text: str) -> None:
    try:
        cron = check_cron(text)
    except Refused as refusal:
        said = str(refusal)
    else:
        said = _runs(cron)
    assert printable(said) == said


def _runs(cron: str) -> str:
    assert check_cron(cron) == cron
    following = next_run(cron, at("2026-11-16T12:00:00"), BERLIN)
    assert following is not None
    assert following > at("2026-11-16T12:00:00")
    return cron


@steadily
@given(
    expressions,
    st.integers(0, 2 * 366 * 24 * 3600).map(lambda seconds: at("2026-01-01T00:00:00") + timedelta(seconds=seconds)),
    st.sampled_from(["Europe/Berlin", "Australia/Lord_Howe", "America/Santiago", "Asia/Tokyo", "Africa/Cairo"]),
)
def test_runs_come_in_order_and_the_last_of_them_is_found(text: str, start: datetime, zone_name: str) -> None:
    try:
        cron = check_cron(text)
    except Refused:
        return
    zone = ZoneInfo(zone_name)
    runs = [run for run, _ in zip(runs_after(cron, start, zone), range(5), strict=False)]
    assert runs == sorted(set(runs))
    assert all(run > start and run.second == 0 for run in runs)
    if runs:
        assert last_run(cron, start, runs[-1], zone) == runs[-1]
