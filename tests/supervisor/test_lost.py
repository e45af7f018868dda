"""After a reboot: agents that were lost with tmux come back by themselves where the person wants it, each once."""

from __future__ import annotations

import os
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest

from orange_tui.orange import assemble
from orange_tui.sessions.runtime import Runtime
from orange_tui.supervisor.exits import lost_agents
from support.serving import Servers
from support.usage import used, write_usage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from orange_tui.store.store import TaskRef
    from support.live_home import LiveHome


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_LOOK_SECONDS", "_CONFIG_SECONDS", "_START_SECONDS"):
        monkeypatch.setattr(lost_agents, name, 0.05)


@pytest.fixture
def servers(live_home: LiveHome) -> Iterator[Servers]:
    servers = Servers(live_home)
    yield servers
    servers.end()


@pytest.fixture
def seen(live_home: LiveHome) -> Path:
    """An agent that can resume a conversation, and writes down with which words it was started."""
    folder = live_home.harness(orders='echo "$*" | head -n 1 >>"$here/words"')
    with (live_home.root / "home" / "harnesses.yml").open("a") as file:
        file.write('  resume: ["{binary}", "--resume", "{session_id}"]\n')
    live_home.orange = assemble(live_home.orange.home)
    configure(live_home, "resume: true")
    return folder


def configure(live_home: LiveHome, text: str) -> None:
    (live_home.root / "home" / "config.yml").write_text(f"{text}\n")


def at_work(live_home: LiveHome, branch: str, conversation: str | None = None) -> TaskRef:
    begun = live_home.root / "recorder" / "starts"
    before = begun.read_text() if begun.exists() else ""
    ref = live_home.create(branch, harness="recorder")
    live_home.wait(lambda: begun.exists() and begun.read_text() != before and live_home.windows(ref) == ["worker"])
    if conversation is not None:
        Runtime(live_home.orange.store.state_directory(ref)).update("worker", session_id=conversation)
    return ref


def end_tmux(live_home: LiveHome) -> None:
    os.kill(int(live_home.tmux.cmd("display-message", "-p", "#{pid}").stdout[0]), signal.SIGKILL)


def is_back(live_home: LiveHome, ref: TaskRef, times: int = 1) -> bool:
    return len(live_home.events(ref, "agent.respawned")) == times and live_home.windows(ref) == ["worker"]


def starts(seen: Path) -> list[str]:
    return (seen / "words").read_text().splitlines() if (seen / "words").exists() else []


def test_serve_brings_lost_agents_back_with_their_conversations_once_with_two_of_them(
    live_home: LiveHome, seen: Path, servers: Servers
) -> None:
    one, other = at_work(live_home, "fix/one", "talk-1"), at_work(live_home, "fix/other", "talk-2")
    live_home.wait(lambda: len(starts(seen)) == 2)
    (seen / "words").unlink()
    end_tmux(live_home)
    servers.start()
    servers.start()
    live_home.wait(lambda: is_back(live_home, one) and is_back(live_home, other))
    live_home.wait(lambda: sorted(starts(seen)) == ["--resume talk-1", "--resume talk-2"])
    for ref in (one, other):
        (event,) = live_home.events(ref, "agent.respawned")
        assert event["by"] == "engine"
        assert len(live_home.events(ref, "session.lost")) == 1
        assert (live_home.task(ref).attention, live_home.task(ref).crash_count) == (None, 0)


def test_without_the_setting_a_lost_agent_waits_for_the_person(live_home: LiveHome, seen: Path) -> None:
    configure(live_home, "resume: false")
    ref = at_work(live_home, "fix/one")
    end_tmux(live_home)
    live_home.supervised(lambda: bool(live_home.events(ref, "session.lost")))
    assert live_home.events(ref, "agent.respawned") == []


def test_loss_leads_to_one_try_and_the_next_loss_to_another(live_home: LiveHome, seen: Path) -> None:
    ref = at_work(live_home, "fix/one")
    (seen / "agent").rename(seen / "elsewhere")
    end_tmux(live_home)
    live_home.supervised(lambda: bool(live_home.events(ref, "agent.not_restarted")))
    assert "was not brought back" in str(live_home.task(ref).attention)
    (seen / "elsewhere").rename(seen / "agent")
    other = at_work(live_home, "fix/other")
    end_tmux(live_home)
    live_home.supervised(lambda: is_back(live_home, other))
    assert (len(live_home.events(ref, "agent.not_restarted")), live_home.events(ref, "agent.respawned")) == (1, [])


def test_agent_that_is_lost_again_and_again_is_left_to_the_person(
    live_home: LiveHome, seen: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lost_agents, "_MOST_LOSSES", 1)
    ref = at_work(live_home, "fix/one")
    end_tmux(live_home)
    live_home.supervised(lambda: is_back(live_home, ref))
    end_tmux(live_home)
    live_home.supervised(lambda: bool(live_home.events(ref, "agent.not_restarted")))
    assert "it was lost 2 times within an hour" in str(live_home.task(ref).attention)
    assert len(live_home.events(ref, "agent.respawned")) == 1


def test_lost_agent_whose_budget_is_used_up_comes_back_when_there_is_more(live_home: LiveHome, seen: Path) -> None:
    ref = at_work(live_home, "fix/one")
    live_home.orange.tasks.update(ref, options={"budget": 1.0})
    write_usage(live_home.orange.home, ref.project, ref.id, used(cost=2.0))
    end_tmux(live_home)
    live_home.supervised(lambda: "budget" in str(live_home.task(ref).attention))
    assert live_home.events(ref, "agent.respawned") == []
    live_home.orange.tasks.update(ref, options={"budget": 5.0})
    live_home.supervised(lambda: is_back(live_home, ref))


def test_agent_whose_window_the_person_closed_is_not_taken_for_lost(live_home: LiveHome, seen: Path) -> None:
    ref = at_work(live_home, "fix/one")
    live_home.tmux.cmd("kill-session", "-t", f"={live_home.task(ref).tmux_session}")
    live_home.supervised(lambda: bool(live_home.events(ref, "agent.crashed")))
    assert live_home.events(ref, "session.lost") == []


@pytest.mark.parametrize("booted", [False, True])
def test_only_session_of_a_persons_own_server_comes_back_only_after_a_reboot(
    live_home: LiveHome, seen: Path, monkeypatch: pytest.MonkeyPatch, booted: bool
) -> None:
    ref = at_work(live_home, "fix/one")
    monkeypatch.setattr(lost_agents, "_booted_at", lambda: 9e9 if booted else 0.0)
    monkeypatch.setattr(lost_agents.LostAgents, "_is_our_server", lambda _self: False)
    subprocess.run(["tmux", "-L", live_home.socket, "kill-server"], check=True)
    if booted:
        live_home.supervised(lambda: is_back(live_home, ref))
    else:
        live_home.supervised(lambda: bool(live_home.events(ref, "session.lost")))
        assert live_home.events(ref, "agent.respawned") == []


def test_all_that_were_lost_with_a_persons_own_server_come_back_and_not_all_but_the_last(
    live_home: LiveHome, seen: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refs = [at_work(live_home, "fix/one"), at_work(live_home, "fix/other")]
    monkeypatch.setattr(lost_agents, "_booted_at", lambda: 0.0)
    monkeypatch.setattr(lost_agents.LostAgents, "_is_our_server", lambda _self: False)
    end_tmux(live_home)
    live_home.supervised(lambda: all(is_back(live_home, ref) for ref in refs))


def test_agent_that_was_only_started_in_the_same_server_was_not_lost_with_it() -> None:
    spawned = {"type": "agent.spawned", "window": "worker", "server": "7.1", "timestamp": "2026-01-01T00:00:02Z"}
    other = {**spawned, "timestamp": "2026-01-01T00:00:01Z"}
    lost = {"type": "session.lost", "timestamp": "2026-01-01T00:00:03Z"}
    again = {**spawned, "server": "8.2", "timestamp": "2026-01-01T00:00:04Z"}
    crashed = {**lost, "type": "agent.crashed"}
    assert lost_agents._was_lost_with([again, lost, other], spawned)
    assert not lost_agents._was_lost_with([crashed, other], spawned)
    assert not lost_agents._was_lost_with([lost, {**other, "server": "6.0"}], spawned)
