"""The project's own command in a task's session: it serves, is replaced, ends, and is never taken for an agent."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from orange_tui.outside.tmux.server import Tmux
from orange_tui.sessions.liveness import Sessions
from support.live_home import kill_agent, started

if TYPE_CHECKING:
    import pytest

    from orange_tui.outside.tmux.server import Pane
    from orange_tui.store.store import TaskRef
    from support.driver import Cli
    from support.live_home import LiveHome

SERVE = 'echo "started $ORANGE_PORT"; exec python3 -m http.server "$ORANGE_PORT" --bind 127.0.0.1'


def every_window(live_home: LiveHome, ref: TaskRef) -> list[str]:
    return sorted(pane.window for pane in live_home.orange.sessions.every_window(ref.id))


def serving(live_home: LiveHome, cli: Cli) -> TaskRef:
    """A task whose agent waits, and whose project's server answers."""
    cli.ok("project", "update", "coffee", "--ports", "2", "--run", SERVE)
    ref = started(live_home, "fix/login")
    state = cli.ok("task", "run", ref.id, "--json").json()
    assert (state["running"], len(state["ports"])) == (True, 2)
    live_home.wait(lambda: answers(state["address"]))
    return ref


def answers(address: str) -> bool:
    import urllib.request

    try:
        with urllib.request.urlopen(address, timeout=5) as response:
            return b"TASK.md" in response.read()
    except OSError:
        return False


def test_the_command_serves_on_the_ports_that_the_agent_knows_as_well(live_home: LiveHome, cli: Cli) -> None:
    ref = serving(live_home, cli)
    ports = cli.ok("workspace", "list", "--json", "--all").json()[0]["ports"]
    environment = (live_home.root / "recorder/environment").read_text().splitlines()
    assert f"ORANGE_PORT={ports[0]}" in environment
    assert f"ORANGE_PORTS={ports[0]},{ports[1]}" in environment
    assert every_window(live_home, ref) == ["run", "worker"]
    live_home.wait(lambda: f"started {ports[0]}" in cli.ok("task", "logs", ref.id, "--window", "run").out)


def test_started_again_it_is_replaced_and_stopped_it_is_gone(live_home: LiveHome, cli: Cli) -> None:
    ref = serving(live_home, cli)
    before = [pane.pid for pane in live_home.orange.sessions.every_window(ref.id) if pane.window == "run"]
    address = cli.ok("task", "run", ref.id, "--json").json()["address"]
    live_home.wait(lambda: answers(address))
    after = [pane.pid for pane in live_home.orange.sessions.every_window(ref.id) if pane.window == "run"]
    assert len(after) == 1
    assert before != after
    cli.ok("task", "run", ref.id, "--stop")
    assert not answers(address)
    assert every_window(live_home, ref) == ["worker"]
    assert "was not running" in cli.ok("task", "run", ref.id, "--stop").out


def test_its_end_is_no_crash_and_its_life_is_no_agents(live_home: LiveHome, cli: Cli) -> None:
    ref = serving(live_home, cli)
    cli.ok("task", "run", ref.id, "--stop")
    live_home.supervised(lambda: True)
    assert live_home.events(ref, "agent.crashed") == []
    cli.ok("task", "run", ref.id)
    kill_agent(live_home, ref)
    live_home.supervised(lambda: bool(live_home.events(ref, "agent.crashed")))
    assert live_home.windows(ref) in ([], ["worker"])
    assert "run" in every_window(live_home, ref)


def test_an_agent_that_is_restarted_joins_the_session_of_the_command(live_home: LiveHome, cli: Cli) -> None:
    ref = serving(live_home, cli)
    kill_agent(live_home, ref)
    live_home.wait(lambda: every_window(live_home, ref) == ["run"])
    assert cli.ok("task", "show", ref.id, "--json").json()["session"] == "dead"
    cli.ok("task", "respawn", ref.id)
    sessions = {pane.session_id for pane in live_home.orange.sessions.every_window(ref.id)}
    assert (every_window(live_home, ref), len(sessions)) == (["run", "worker"], 1)


def test_a_cancelled_task_leaves_neither_window_nor_process_nor_port(live_home: LiveHome, cli: Cli) -> None:
    ref = serving(live_home, cli)
    worktree = live_home.worktree(ref)
    cli.ok("task", "cancel", ref.id, "--yes")
    assert every_window(live_home, ref) == []
    slot = cli.ok("workspace", "list", "--json", "--all").json()[0]
    assert (slot["state"], slot["reason"], slot["ports"]) == ("free", None, [])
    assert subprocess.run(["fuser", str(worktree)], check=False, capture_output=True).stdout == b""


def test_without_a_command_or_a_workspace_it_is_said_what_is_missing(live_home: LiveHome, cli: Cli) -> None:
    ref = started(live_home, "fix/login")
    assert "`orange project update coffee --run CMD` sets one" in cli.no("task", "run", ref.id)
    cli.ok("project", "update", "coffee", "--run", "sleep 100")
    waiting = live_home.create("fix/tea", spawn=False)
    assert "no workspace to run anything in" in cli.no("task", "run", waiting.id)


def test_a_command_of_the_repository_counts_once_it_is_trusted(live_home: LiveHome, cli: Cli) -> None:
    ref = started(live_home, "fix/login")
    (live_home.repository / ".orange.yml").write_text("run: exec sleep 100\n")
    live_home.git("add", ".orange.yml")
    live_home.git("commit", "-q", "-m", "share")
    live_home.git("push", "-q", "origin", "main")
    assert "no command to run" in cli.no("task", "run", ref.id)
    cli.ok("project", "trust", "coffee", "--yes")
    assert "runs `exec sleep 100`" in cli.ok("task", "run", ref.id).out


def test_an_agent_may_not_start_it(live_home: LiveHome, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    ref = started(live_home, "fix/login")
    monkeypatch.setenv("ORANGE_TASK", ref.id)
    assert "is for a person" in cli.no("task", "run", ref.id)
    assert "is for a person" in cli.no("project", "trust", "coffee", "--yes")


def test_an_agent_is_restarted_in_a_session_of_its_own_where_the_command_ends_at_that_moment(
    live_home: LiveHome, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = serving(live_home, cli)
    kill_agent(live_home, ref)
    live_home.wait(lambda: every_window(live_home, ref) == ["run"])
    asked, listed = Sessions.every_window, []

    def ask_and_end(sessions: Sessions, task: str) -> list[Pane]:
        found = asked(sessions, task)
        listed.append([pane.window for pane in found])
        if len(listed) == 1:
            subprocess.run(["tmux", "-L", live_home.socket, "kill-window", "-t", found[0].window_id], check=True)
        return found

    monkeypatch.setattr(Sessions, "every_window", ask_and_end)

    cli.ok("task", "restart", ref.id)

    assert listed == [["run"], []]
    assert live_home.windows(ref) == ["worker"]


def test_tmux_is_asked_once_who_is_there_before_an_agent_is_started(
    live_home: LiveHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    live_home.harness()
    ref = live_home.create("fix/login", harness="recorder", spawn=False)
    asked, real = [], Tmux.panes

    def panes(tmux: Tmux) -> list[Pane]:
        asked.append(tmux)
        return real(tmux)

    monkeypatch.setattr(Tmux, "panes", panes)

    live_home.orange.tasks.spawn(ref)

    assert len(asked) == 1
