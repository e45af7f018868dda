"""`orange doctor` checks the addresses, and sends a test notice only where it is asked to."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from orange_tui.home.paths import Home
from orange_tui.notices.ledger import LedgerFile
from orange_tui.notices.sending import fingerprint

if TYPE_CHECKING:
    from notices.conftest import Inbox
    from support.driver import Cli, World


@pytest.fixture
def settings(world: World) -> World:
    (world.root / "state").mkdir()
    return world


def configure(world: World, *addresses: str, mode: int = 0o600) -> None:
    path = world.root / "config.yml"
    path.write_text(json.dumps({"notify": addresses}))
    path.chmod(mode)


def test_plain_doctor_checks_the_addresses_and_sends_nothing(settings: World, cli: Cli, inbox: Inbox) -> None:
    configure(settings, inbox.address(), "nonsense://token-1234")
    out = cli("doctor").out
    assert "✓ notices to json://… (number 1 in notify); `orange doctor --notify` sends one to try it" in out
    assert "✗ notices to nonsense://… (number 2 in notify): no service of Apprise's has such an address" in out
    assert "token-1234" not in out
    assert inbox.paths == []


def test_doctor_that_is_asked_to_sends_a_test_notice(settings: World, cli: Cli, inbox: Inbox) -> None:
    inbox.codes["/bad"] = 401
    configure(settings, inbox.address(), inbox.address("bad"))
    result = cli("doctor", "--notify")
    assert "✓ a test notice was sent to json://… (number 1 in notify)" in result.out
    assert "✗ notices to json://… (number 2 in notify): it answered 401" in result.out
    assert inbox.titles == ["Orange: a test notice"]
    assert result.code == 1


def test_doctor_says_what_the_last_notice_failed_with(settings: World, cli: Cli, inbox: Inbox) -> None:
    configure(settings, inbox.address())
    LedgerFile(Home(str(settings.root))).write_problems({fingerprint(inbox.address()): "it answered 500"})
    assert "✗ the last notice to json://… (number 1 in notify) failed: it answered 500" in cli("doctor").out


def test_file_with_addresses_is_closed_to_others(settings: World, cli: Cli, inbox: Inbox) -> None:
    settings.root.chmod(0o700)
    configure(settings, inbox.address(), mode=0o644)
    assert "config.yml holds addresses with tokens, and is now closed to other users" in cli("doctor").out
    assert (settings.root / "config.yml").stat().st_mode & 0o777 == 0o600


def test_doctor_without_addresses_has_nothing_to_try(settings: World, cli: Cli) -> None:
    assert "notices to" not in cli("doctor").out
    assert "✗ no test notice was sent: there is no address in notify" in cli("doctor", "--notify").out


@pytest.mark.parametrize("value", ["my-topic", "://x", "tgram://", "my ntfy", "ntfy://a\u0007b", "ëntfy://x"])
def test_address_that_is_none_is_refused_with_its_line_and_not_repeated(world: World, cli: Cli, value: str) -> None:
    (world.root / "config.yml").write_text(f"bell: true\nnotify: {json.dumps([value])}\n")
    out = cli("doctor").out
    assert "config.yml:2: notify: one of the addresses is not an address" in out
    assert value not in out


@pytest.mark.parametrize("value", ["25:00", "8", "8:00", "08:60", "noon", "-1:00", "08:00:00"])
def test_time_of_day_that_is_none_is_refused(world: World, cli: Cli, value: str) -> None:
    (world.root / "config.yml").write_text(f"notify_daily: '{value}'\n")
    assert "config.yml:1: notify_daily: this is not a time of day" in cli("doctor").out


@pytest.mark.parametrize("line", ["08:00", "18:30", "'00:00'", '"23:59"', "''"])
def test_time_of_day_needs_no_quotes(world: World, cli: Cli, line: str) -> None:
    (world.root / "config.yml").write_text(f"notify_daily: {line}\n")
    assert "notify_daily" not in cli("doctor").out
