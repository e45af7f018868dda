"""Stories of a person who is away: what needs them is told once, and nothing of what they work on is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from orange_tui.home import clock
from orange_tui.notices import ledger
from orange_tui.notices.presence import Presence
from orange_tui.sessions.runtime import Runtime
from support.driver import orange
from support.live_home import started

if TYPE_CHECKING:
    from notices.conftest import Inbox
    from orange_tui.store.store import TaskRef
    from support.live_home import LiveHome

SECRET = "xyzzy-plugh"
pytestmark = pytest.mark.usefixtures("quick")


@pytest.fixture
def away(live_home: LiveHome, inbox: Inbox) -> LiveHome:
    """A home whose person wants notices."""
    configure(live_home, [inbox.address()])
    return live_home


def configure(live_home: LiveHome, addresses: list[str], **more: str) -> None:
    (live_home.root / "home" / "config.yml").write_text(json.dumps({"notify": addresses, **more}))


def asks(live_home: LiveHome, ref: TaskRef, what: str | None) -> None:
    """The agent asks for a permission, or goes on."""
    runtime = Runtime(live_home.orange.store.state_directory(ref))
    if what is None:
        runtime.update("worker", state="busy", event_at=clock.now(), asks=None)
    else:
        runtime.update("worker", state="permission", event_at=clock.now(), asks=what)


def log(live_home: LiveHome) -> str:
    path = live_home.root / "home" / "orange.log"
    return path.read_text() if path.exists() else ""


def entries(live_home: LiveHome) -> list[dict[str, object]]:
    path = live_home.root / "home" / "state" / ".notices.json"
    return json.loads(path.read_text()).get("entries", []) if path.exists() else []


def is_told(live_home: LiveHome) -> bool:
    """Whether all that needs the person was told, and the ledger says so."""
    found = entries(live_home)
    return bool(found) and all(each["left"] == [] for each in found)


def test_need_becomes_one_notice_also_for_the_next_supervisor(away: LiveHome, inbox: Inbox) -> None:
    ref = started(away, "fix/login")
    asks(away, ref, f"Run {SECRET}?")
    away.supervised(lambda: is_told(away))
    asks(away, ref, f"Run {SECRET}?")
    other = started(away, "fix/other")
    asks(away, other, "Something else")
    away.supervised(lambda: len(inbox.arrived) == 2 and is_told(away))
    assert inbox.titles == ["coffee/fix/login needs you", "coffee/fix/other needs you"]
    assert inbox.arrived[0]["message"] == f"planning: the agent asks for permission ({ref.id})"
    assert SECRET not in json.dumps(inbox.arrived) + log(away)


def test_answered_and_asked_again_is_told_again(away: LiveHome, inbox: Inbox) -> None:
    ref = started(away, "fix/login")
    asks(away, ref, "Run make?")
    away.supervised(lambda: is_told(away))
    asks(away, ref, None)
    away.supervised(lambda: entries(away) == [])
    asks(away, ref, "Run make?")
    away.supervised(lambda: is_told(away))
    assert inbox.titles == ["coffee/fix/login needs you"] * 2


def test_reason_that_an_agent_gives_stays_in_its_task(away: LiveHome, inbox: Inbox) -> None:
    ref = started(away, "fix/login")
    assert orange("task", "stuck", ref.id, "--reason", f"I do not like {SECRET}").code == 0
    away.supervised(lambda: is_told(away))
    assert SECRET in str(away.task(ref).attention)
    assert SECRET not in json.dumps(inbox.arrived)
    assert "needs a decision of yours" in inbox.arrived[0]["message"]


def test_nothing_is_told_while_the_person_is_at_the_app_and_what_still_stands_after_a_while_is(
    away: LiveHome, inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "AWAY_SECONDS", 1.0)
    presence = Presence(away.orange.home)
    presence.note(is_there=True)
    ref = started(away, "fix/login")
    asks(away, ref, "Run make?")
    away.supervised(lambda: any(each["was_seen"] and each["tries"] == 0 for each in entries(away)))
    assert inbox.arrived == []
    presence.end()
    away.supervised(lambda: is_told(away))
    assert inbox.titles == ["coffee/fix/login needs you"]


def test_many_needs_at_once_are_one_notice(away: LiveHome, inbox: Inbox) -> None:
    refs = []
    for number in range(5):
        folder = away.root / "home" / "tasks" / "coffee" / f"task{number}"
        folder.mkdir(parents=True)
        (folder / "TASK.md").write_text("not a task")
        refs.append(folder.name)
    away.supervised(lambda: is_told(away) and len(entries(away)) == 5)
    assert inbox.titles == ["5 tasks need you"]
    assert [line.partition(":")[0] for line in inbox.arrived[0]["message"].split("\n")] == [
        f"coffee/{name}" for name in sorted(refs, reverse=True)
    ]


def test_address_that_fails_is_logged_once_without_its_token_and_the_other_gets_each_notice_once(
    live_home: LiveHome, inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "_FIRST_PAUSE_SECONDS", 0.1)
    monkeypatch.setattr(ledger, "MOST_TRIES", 3)
    configure(live_home, [inbox.address("good-token"), inbox.address("bad-token")])
    inbox.codes["/bad-token"] = 500
    ref = started(live_home, "fix/login")
    asks(live_home, ref, "Run make?")
    live_home.supervised(lambda: inbox.paths.count("/bad-token") == 3 and "given up" in log(live_home))
    assert inbox.paths.count("/good-token") == 1
    assert log(live_home).count("was not sent to json://… (number 2 in notify): it answered 500") == 1
    assert "given up after 3 tries" in log(live_home)
    assert "token" not in log(live_home)


def test_notice_that_could_not_be_sent_arrives_once_the_service_is_back(
    away: LiveHome, inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "_FIRST_PAUSE_SECONDS", 0.1)
    inbox.codes["/token-1234"] = 503
    ref = started(away, "fix/login")
    asks(away, ref, "Run make?")

    def is_told_once_the_service_is_back() -> bool:
        if inbox.paths:
            inbox.codes.clear()
        return is_told(away)

    away.supervised(is_told_once_the_service_is_back)  # one supervisor: what it is sending when it ends is sent again
    assert inbox.titles == ["coffee/fix/login needs you"]


def test_summary_of_the_day_is_sent_once(live_home: LiveHome, inbox: Inbox) -> None:
    configure(live_home, [inbox.address()], notify_daily="00:00", timezone="UTC")
    live_home.supervised(lambda: is_told(live_home))
    started(live_home, "fix/login")
    live_home.supervised(lambda: is_told(live_home))
    assert inbox.titles == ["Orange: 0 need you"]
    assert inbox.arrived[0]["message"] == "0 done since yesterday, 0 need you, 0 at work. Cost: none known."


def test_without_addresses_nothing_is_written(live_home: LiveHome) -> None:
    ref = started(live_home, "fix/login")
    asks(live_home, ref, "Run make?")
    live_home.supervised(lambda: live_home.orange.tasks.session_state(live_home.task(ref)) == "active")
    assert not (Path(live_home.orange.home.state) / ".notices.json").exists()
