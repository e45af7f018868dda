"""limits.json: what is known of an account is read again, and a damaged file stops nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.domain.usage.limit import Limit
from orange_tui.home.paths import Home
from orange_tui.usage.limits_file import LimitsFile

if TYPE_CHECKING:
    from pathlib import Path

NOW, LATER = "2026-11-16T20:00:00Z", "2026-11-16T21:00:00Z"


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
