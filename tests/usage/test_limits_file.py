"""limits.json: what is known of an account is read again, and a damaged file stops nobody."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orange_tui.domain.usage.limit import Limit
from orange_tui.home import clock
from orange_tui.home.paths import Home
from orange_tui.usage.limits import Limits
from orange_tui.usage.limits_file import LimitsFile

if TYPE_CHECKING:
    from pathlib import Path

NOW, LATER = "2026-11-16T20:00:00.000000Z", "2026-11-16T21:00:00.000000Z"


@pytest.fixture(autouse=True)
def _evening(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now", lambda: NOW)


def put(file: LimitsFile, limit: Limit) -> None:
    file.change(limit.harness, limit.account, lambda _: limit)


def test_limits_of_two_accounts_are_kept_apart(tmp_path: Path) -> None:
    file = LimitsFile(Home(str(tmp_path)))
    full = Limit("claude", "default", "five_hour", 100.0, LATER, LATER, "session file")
    other = Limit("claude", "work", used_percent=12.0)
    put(file, Limit("claude", used_percent=50.0))
    put(file, full)
    put(file, other)
    assert file.read() == [full, other]


def test_a_damaged_file_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "limits.json").write_text('{"claude": [1], "codex": {"default": 3}')
    assert LimitsFile(Home(str(tmp_path))).read() == []


def test_an_account_is_blocked_until_its_time_and_nearly_used_up_until_it_begins_anew() -> None:
    assert Limit("claude", blocked_until=LATER).is_blocked(NOW)
    assert not Limit("claude", blocked_until=LATER).is_blocked(LATER)
    assert Limit("claude", used_percent=91.0, resets_at=LATER).is_nearly_used_up(NOW)
    assert not Limit("claude", used_percent=91.0, resets_at=LATER).is_nearly_used_up(LATER)
    assert not Limit("claude", used_percent=90.0).is_nearly_used_up(NOW)


@pytest.mark.parametrize("used", ["1" + "0" * 400, "NaN", "Infinity", "-1e999", '"90"', "null"])
def test_share_that_is_no_number_is_unknown(tmp_path: Path, used: str) -> None:
    (tmp_path / "limits.json").write_text(f'{{"claude": {{"default": {{"used_percent": {used}}}}}}}')
    assert LimitsFile(Home(str(tmp_path))).read() == [Limit("claude")]


@pytest.mark.parametrize("until", ["9999-12-31T23:59:59Z", "soon", "2026-11-25T20:00:00Z", "zzz"])
def test_time_that_nobody_can_have_said_blocks_nobody(tmp_path: Path, until: str) -> None:
    written = {"blocked_until": until, "resets_at": until, "used_percent": 95, "tried_at": until}
    (tmp_path / "limits.json").write_text(json.dumps({"claude": {"default": written}}))
    limits = Limits(Home(str(tmp_path)))
    (limit,) = limits.all()
    assert limits.why_wait("claude") is None
    assert limits.is_due(limit), "so one agent tries"
    reached = limits.see_limit("claude", "default", "resets in 1 hour", NOW, "screen")
    assert reached.blocked_until is not None
    assert limits.why_wait("claude") is not None


def test_times_of_other_zones_are_those_of_ours(tmp_path: Path) -> None:
    (tmp_path / "limits.json").write_text('{"claude": {"default": {"blocked_until": "2026-11-16T23:00:00+02:00"}}}')
    assert LimitsFile(Home(str(tmp_path))).read() == [Limit("claude", blocked_until=LATER)]


@given(
    st.dictionaries(st.sampled_from(["resets_at", "blocked_until", "tried_at"]), st.datetimes().map(str) | st.text())
)
def test_nothing_that_is_written_down_blocks_for_longer_than_limits_are(times: dict[str, Any]) -> None:
    now = datetime.fromisoformat(NOW)
    limit = Limit("claude", used_percent=99.0, **times).believed(now)
    later = (now + timedelta(days=9)).isoformat()
    assert not limit.is_blocked(later)
    assert not limit.is_nearly_used_up(later)


def test_use_without_an_end_keeps_nobody_waiting() -> None:
    assert not Limit("claude", used_percent=95.0).is_nearly_used_up(NOW)
