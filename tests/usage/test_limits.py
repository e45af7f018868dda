"""The limits of accounts: seen in an agent's words, told to a person, tried again and over."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orange_tui.domain.usage.limit import Limit, UsedWindow
from orange_tui.domain.usage.reset_time import from_iso
from orange_tui.home import clock
from orange_tui.home.paths import Home
from orange_tui.usage.limits import Limits

if TYPE_CHECKING:
    from pathlib import Path

EVENING = "2026-11-16T20:00:00.000000Z"
SAID = "You've hit your session limit · resets 3:30am"


@pytest.fixture
def limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Limits:
    (tmp_path / "config.yml").write_text("timezone: Europe/Zurich\n")
    it_is(EVENING, monkeypatch)
    return Limits(Home(str(tmp_path)))


def it_is(stamp: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now", lambda: stamp)


def test_limit_is_told_in_the_persons_time_zone_and_blocks_its_account_only(limits: Limits) -> None:
    limits.see_limit("claude", "default", SAID, EVENING, "screen")
    assert limits.sentence("claude") == "claude's limit, until 03:30"
    assert limits.why_wait("claude") == "claude's limit, until 03:30"
    assert limits.blocked("claude") is not None
    assert limits.blocked("claude", "/another/login") is None
    assert limits.why_wait("codex") is None
    assert limits.why_wait(None) is None


def test_the_date_is_told_where_it_is_far_away(limits: Limits) -> None:
    limits.see_limit("claude", "default", "resets Nov 20, 2am", EVENING, "screen")
    assert limits.sentence("claude") == "claude's limit, until Nov 20, 02:00"


def test_account_of_another_login_is_another_one(limits: Limits, monkeypatch: pytest.MonkeyPatch) -> None:
    limits.see_limit("codex", "default", SAID, EVENING, "screen")
    monkeypatch.setenv("CODEX_HOME", "/home/me/other-codex")
    assert limits.why_wait("codex") is None


def test_account_is_the_one_of_the_agents_own_environment_before_ours(
    limits: Limits, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "/home/me/ours")
    assert limits.account_of("claude") == "/home/me/ours"
    limits.see_limit("claude", limits.account_of("claude"), SAID, EVENING, "screen")
    entry = "claude: {{environment: {{CLAUDE_CONFIG_DIR: {}}}}}\n"
    (tmp_path / "harnesses.yml").write_text(entry.format("/home/me/theirs"))
    assert limits.account_of("claude") == "/home/me/theirs"
    assert limits.why_wait("claude") is None  # the person has given it another login
    assert limits.blocked("claude", "/home/me/ours") is not None
    (tmp_path / "harnesses.yml").write_text(entry.format("~/.claude"))
    assert limits.account_of("claude") == "default"  # where it is anyway
    assert limits.account_of("nobody") == "default"


def test_forged_time_blocks_for_eight_days_at_most(limits: Limits) -> None:
    found = limits.see_limit("claude", "default", "resets at 2099-01-01T00:00:00Z", EVENING, "screen")
    assert found.resets_at == "2026-11-24T20:00:00.000000Z"


def test_last_second_of_all_years_is_a_time_as_well(limits: Limits) -> None:
    limit = limits.see_limit("claude", "default", "resets 9999-12-31T23:59:59Z", clock.now(), "screen")
    assert limit.blocked_until is not None
    assert limits.blocked("claude") is not None


def test_limit_that_ended_while_nobody_looked_is_tried_at_once(limits: Limits) -> None:
    found = limits.see_limit("claude", "default", "resets 8pm (UTC)", "2026-11-16T14:00:00Z", "session file")
    assert found.resets_at == EVENING
    assert limits.see_limit("claude", "default", "resets 6pm (UTC)", "2026-11-16T14:00:00Z", "x") == found
    later = Limits(limits.home).see_limit("codex", "default", "resets 6pm (UTC)", "2026-11-16T14:00:00Z", "x")
    assert later.blocked_until is not None
    assert not later.is_blocked(EVENING)


def test_pauses_grow_where_no_end_is_known(limits: Limits, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses, now = [], EVENING
    for _ in range(8):
        found = limits.see_limit("pi", "default", "429: too many requests", now, "screen")
        until = from_iso(found.blocked_until or "")
        assert until is not None
        pauses.append((until - (from_iso(now) or until)).total_seconds() // 60)
        again = limits.see_limit("pi", "default", "429: too many requests", now, "screen")
        assert again == found  # forty tasks see the same one
        now = found.blocked_until or ""
        it_is(now, monkeypatch)
        limits.begin_trial("pi", "default", "k3x9")
    assert pauses == [5, 10, 20, 40, 80, 120, 120, 120]
    assert limits.sentence("pi") == "pi's limit, tried again now"


def test_only_one_tries_and_what_others_said_before_does_not_end_its_turn(
    limits: Limits, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits.see_limit("claude", "default", SAID, EVENING, "screen")
    morning = "2026-11-17T02:31:00.000000Z"
    it_is(morning, monkeypatch)
    assert limits.why_wait("claude") is None
    limits.begin_trial("claude", "default", "k3x9")
    assert limits.why_wait("claude") is not None
    assert limits.why_wait("claude", "k3x9") is None
    tried = limits.see_limit("claude", "default", SAID, EVENING, "screen")
    assert tried.tried_at == morning
    limits.end("claude", "default")
    assert limits.why_wait("claude") is None
    assert limits.find("claude") == Limit("claude")


def test_above_ninety_percent_orange_starts_nothing_until_it_begins_anew(
    limits: Limits, monkeypatch: pytest.MonkeyPatch
) -> None:
    soon = "2026-11-16T22:00:00.000000Z"
    windows = [UsedWindow("five_hour", 93.4, soon), UsedWindow("seven_day", 20.0, "2026-11-20T00:00:00.000000Z")]
    limits.see_use("claude", "default", windows, "status line")
    assert limits.why_wait("claude") == "claude's limit, 93 % used, until 23:00"
    limits.see_use("claude", "default", [UsedWindow("five_hour", 1.0, soon)], "status line")
    assert limits.why_wait("claude") is not None  # what an agent writes takes no wall down
    it_is(soon, monkeypatch)
    assert limits.why_wait("claude") is None


def test_use_that_is_said_later_gives_a_limit_its_end(limits: Limits) -> None:
    limits.see_limit("codex", "default", "You've hit your usage limit.", EVENING, "screen")
    assert limits.sentence("codex") == "codex's limit, to be tried again at 21:05"
    limits.see_use("codex", "default", [UsedWindow("primary", 100.0, "2026-11-17T01:00:00.000000Z")], "session file")
    assert limits.sentence("codex") == "codex's limit, until 02:00"


_STAMPS = st.one_of(st.none(), st.text(max_size=30), st.just("2026-11-17T01:00:00.000000Z"))


@given(
    windows=st.lists(st.builds(UsedWindow, st.text(), st.floats(), _STAMPS), max_size=3),
    said=st.text(max_size=60),
    at=st.text(max_size=30),
)
def test_whatever_an_agent_writes_its_account_is_blocked_for_a_bounded_time(
    windows: list[UsedWindow], said: str, at: str
) -> None:
    now = from_iso(EVENING)
    assert now is not None
    known = Limit("claude").used(now, windows, "x")
    known = known.reached(now, from_iso(at) or now, from_iso(said), "x").used(now, windows, "x")
    assert known.blocked_until is not None
    assert known.blocked_until <= "2026-11-24T20:00:30.000000Z"
