"""After a reboot: agents that were lost with tmux come back by themselves where the person wants it, each once."""

from __future__ import annotations

import os
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest

from orange_tui.orange import assemble
from orange_tui.sessions.runtime import Runtime
from orange_tui.supervisor import _missing_agent
from support.serving import Servers
from support.usage import used, write_usage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from orange_tui.store.store import TaskRef
    from support.office import Office


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_LOOK_SECONDS", "_CONFIG_SECONDS", "_START_SECONDS"):
        monkeypatch.setattr(_missing_agent, name, 0.05)


@pytest.fixture
def servers(office: Office) -> Iterator[Servers]:
    servers = Servers(office)
    yield servers
    servers.end()


@pytest.fixture
def seen(office: Office) -> Path:
    """An agent that can resume a conversation, and writes down with which words it was started."""
    folder = office.harness(orders='echo "$*" | head -n 1 >>"$here/words"')
    with (office.root / "home" / "harnesses.yml").open("a") as file:
        file.write('  resume: ["{binary}", "--resume", "{session_id}"]\n')
    office.orange = assemble(office.orange.home)
    configure(office, "resume: true")
    return folder


def configure(office: Office, text: str) -> None:
    (office.root / "home" / "config.yml").write_text(f"{text}\n")


def at_work(office: Office, branch: str, conversation: str | None = None) -> TaskRef:
    begun = office.root / "recorder" / "starts"
    before = begun.read_text() if begun.exists() else ""
    ref = office.create(branch, harness="recorder")
    office.wait(lambda: begun.exists() and begun.read_text() != before and office.windows(ref) == ["worker"])
    if conversation is not None:
        Runtime(office.orange.store.state_directory(ref)).update("worker", session_id=conversation)
    return ref


def end_tmux(office: Office) -> None:
    os.kill(int(office.tmux.cmd("display-message", "-p", "#{pid}").stdout[0]), signal.SIGKILL)


def is_back(office: Office, ref: TaskRef, times: int = 1) -> bool:
    return len(office.events(ref, "agent.respawned")) == times and office.windows(ref) == ["worker"]


def starts(seen: Path) -> list[str]:
    return (seen / "words").read_text().splitlines() if (seen / "words").exists() else []


def test_serve_brings_lost_agents_back_with_their_conversations_once_with_two_of_them(
    office: Office, seen: Path, servers: Servers
) -> None:
    one, other = at_work(office, "fix/one", "talk-1"), at_work(office, "fix/other", "talk-2")
    office.wait(lambda: len(starts(seen)) == 2)
    (seen / "words").unlink()
    end_tmux(office)
    servers.start()
    servers.start()
    office.wait(lambda: is_back(office, one) and is_back(office, other))
    office.wait(lambda: sorted(starts(seen)) == ["--resume talk-1", "--resume talk-2"])
    for ref in (one, other):
        (event,) = office.events(ref, "agent.respawned")
        assert event["by"] == "engine"
        assert len(office.events(ref, "session.lost")) == 1
        assert (office.task(ref).attention, office.task(ref).crash_count) == (None, 0)


def test_without_the_setting_a_lost_agent_waits_for_the_person(office: Office, seen: Path) -> None:
    configure(office, "resume: false")
    ref = at_work(office, "fix/one")
    end_tmux(office)
    office.supervised(lambda: bool(office.events(ref, "session.lost")))
    assert office.events(ref, "agent.respawned") == []


def test_loss_leads_to_one_try_and_the_next_loss_to_another(office: Office, seen: Path) -> None:
    ref = at_work(office, "fix/one")
    (seen / "agent").rename(seen / "elsewhere")
    end_tmux(office)
    office.supervised(lambda: bool(office.events(ref, "agent.not_restarted")))
    assert "was not brought back" in str(office.task(ref).attention)
    (seen / "elsewhere").rename(seen / "agent")
    other = at_work(office, "fix/other")
    end_tmux(office)
    office.supervised(lambda: is_back(office, other))
    assert (len(office.events(ref, "agent.not_restarted")), office.events(ref, "agent.respawned")) == (1, [])


def test_agent_that_is_lost_again_and_again_is_left_to_the_person(
    office: Office, seen: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_missing_agent, "_MOST_LOSSES", 1)
    ref = at_work(office, "fix/one")
    end_tmux(office)
    office.supervised(lambda: is_back(office, ref))
    end_tmux(office)
    office.supervised(lambda: bool(office.events(ref, "agent.not_restarted")))
    assert "it was lost 2 times within an hour" in str(office.task(ref).attention)
    assert len(office.events(ref, "agent.respawned")) == 1


def test_lost_agent_whose_budget_is_used_up_comes_back_when_there_is_more(office: Office, seen: Path) -> None:
    ref = at_work(office, "fix/one")
    office.orange.tasks.update(ref, options={"budget": 1.0})
    write_usage(office.orange.home, ref.project, ref.id, used(cost=2.0))
    end_tmux(office)
    office.supervised(lambda: "budget" in str(office.task(ref).attention))
    assert office.events(ref, "agent.respawned") == []
    office.orange.tasks.update(ref, options={"budget": 5.0})
    office.supervised(lambda: is_back(office, ref))


def test_agent_whose_window_the_person_closed_is_not_taken_for_lost(office: Office, seen: Path) -> None:
    ref = at_work(office, "fix/one")
    office.tmux.cmd("kill-session", "-t", f"={office.task(ref).tmux_session}")
    office.supervised(lambda: bool(office.events(ref, "agent.crashed")))
    assert office.events(ref, "session.lost") == []


@pytest.mark.parametrize("booted", [False, True])
def test_only_session_of_a_persons_own_server_comes_back_only_after_a_reboot(
    office: Office, seen: Path, monkeypatch: pytest.MonkeyPatch, booted: bool
) -> None:
    ref = at_work(office, "fix/one")
    monkeypatch.setattr(_missing_agent, "_booted_at", lambda: 9e9 if booted else 0.0)
    monkeypatch.setattr(_missing_agent.LostAgents, "_is_our_server", lambda _self: False)
    subprocess.run(["tmux", "-L", office.socket, "kill-server"], check=True)
    if booted:
        office.supervised(lambda: is_back(office, ref))
    else:
        office.supervised(lambda: bool(office.events(ref, "session.lost")))
        assert office.events(ref, "agent.respawned") == []


def test_all_that_were_lost_with_a_persons_own_server_come_back_and_not_all_but_the_last(
    office: Office, seen: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refs = [at_work(office, "fix/one"), at_work(office, "fix/other")]
    monkeypatch.setattr(_missing_agent, "_booted_at", lambda: 0.0)
    monkeypatch.setattr(_missing_agent.LostAgents, "_is_our_server", lambda _self: False)
    end_tmux(office)
    office.supervised(lambda: all(is_back(office, ref) for ref in refs))


def test_agent_that_was_only_started_in_the_same_server_was_not_lost_with_it() -> None:
    spawned = {"type": "agent.spawned", "window": "worker", "server": "7.1", "timestamp": "2026-01-01T00:00:02Z"}
    other = {**spawned, "timestamp": "2026-01-01T00:00:01Z"}
    lost = {"type": "session.lost", "timestamp": "2026-01-01T00:00:03Z"}
    again = {**spawned, "server": "8.2", "timestamp": "2026-01-01T00:00:04Z"}
    crashed = {**lost, "type": "agent.crashed"}
    assert _missing_agent._was_lost_with([again, lost, other], spawned)
    assert not _missing_agent._was_lost_with([crashed, other], spawned)
    assert not _missing_agent._was_lost_with([lost, {**other, "server": "6.0"}], spawned)
