"""Notices really arrive, within a time limit, and no address is ever said whole."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from orange_tui.notices import sending
from orange_tui.notices.words import TEST, Notice

if TYPE_CHECKING:
    from pathlib import Path

    from notices.conftest import Inbox

HELLO = Notice("coffee/fix/login needs you", "working: the agent asks for permission (t1)")


def test_notice_arrives_with_title_and_text(inbox: Inbox) -> None:
    assert sending.send([inbox.address()], [(HELLO, [0])]) == {(0, 0): None}
    (arrived,) = inbox.arrived
    assert (arrived["title"], arrived["message"]) == (HELLO.title, HELLO.body)


def test_each_notice_goes_to_its_own_addresses(inbox: Inbox) -> None:
    addresses = [inbox.address("one"), inbox.address("two")]
    outcomes = sending.send(addresses, [(HELLO, [1]), (TEST, [0, 1])])
    assert outcomes == {(1, 0): None, (0, 1): None, (1, 1): None}
    assert sorted(inbox.paths) == ["/one", "/two", "/two"]


def test_address_that_is_wrong_one_that_refuses_and_one_that_is_gone_keep_no_other_from_its_notice(
    inbox: Inbox,
) -> None:
    inbox.codes["/no"] = 403
    addresses = ["nonsense://x/secret", inbox.address("no"), "json://127.0.0.1:1/secret", inbox.address("yes")]
    outcomes = sending.send(addresses, [(HELLO, [0, 1, 2, 3])])
    assert outcomes[3, 0] is None
    assert "no service of Apprise's" in str(outcomes[0, 0])
    assert outcomes[1, 0] == "it answered 403"
    assert outcomes[2, 0] == "it could not be reached, or refused the notice"
    assert "secret" not in str(outcomes)


def test_service_that_hangs_is_given_up_after_a_while_and_the_others_are_not(
    inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "_SEND_SECONDS", 3.0)  # Apprise itself waits longer
    monkeypatch.setattr(sending, "_NO_ANSWER", "no answer")
    inbox.hangs.clear()
    outcomes = sending.send([inbox.address(), "json://127.0.0.1:1/"], [(HELLO, [0, 1])])
    assert outcomes[0, 0] == "no answer"
    assert "could not be reached" in str(outcomes[1, 0])


def test_addresses_are_checked_without_anything_being_sent(inbox: Inbox) -> None:
    problems = sending.check_addresses([inbox.address(), "nonsense://x"])
    assert problems[0] is None
    assert problems[1] is not None
    assert inbox.paths == []


def test_apprise_in_the_current_directory_is_not_run(
    inbox: Inbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "apprise.py").write_text("import sys\nsys.exit(3)")
    monkeypatch.chdir(tmp_path)
    assert sending.send([inbox.address()], [(HELLO, [0])]) == {(0, 0): None}


def test_installation_without_apprise_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "apprise.py").write_text("raise ImportError('token-1234')")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    assert sending.send(["json://127.0.0.1:1/"], [(HELLO, [0])]) == {(0, 0): "Apprise cannot be loaded (ImportError)"}


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnl", "slack://… (number 1 in notify)"),
        ("mailto://me:password@example.org", "mailto://… (number 1 in notify)"),
        ("ntfy://my-secret-topic", "ntfy://… (number 1 in notify)"),
        ("no address, but a secret", "://… (number 1 in notify)"),
    ],
)
def test_only_the_service_of_an_address_is_shown(address: str, shown: str) -> None:
    assert sending.masked([address], 0) == shown
