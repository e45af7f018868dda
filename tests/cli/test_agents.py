"""The `task` commands about agents; `attach` at a real terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.autopilot import attempts
from orange_tui.store.store import TaskRef
from support.person import ORANGE, Terminal

if TYPE_CHECKING:
    import pytest

    from support.driver import Cli, World
    from support.office import Office


def test_attach_shows_the_agent_and_detaching_returns_to_the_shell(office: Office, terminal: Terminal) -> None:
    office.harness(orders='echo "hello from the agent"; exec cat')
    ref = office.create("fix/attach", harness="recorder")
    terminal.type(f"{ORANGE} task attach {ref.id}; echo code-$?")
    terminal.shows("hello from the agent")
    terminal.shows("C-b d leads back")
    terminal.type("typed by a person")
    terminal.shows("typed by a person\ntyped by a person")  # the terminal's echo, and what the agent says to it
    terminal.press("C-b", "d")
    terminal.shows("code-0")
    assert "hello from the agent" not in terminal.screen().partition("code-0")[2]
    assert office.windows(ref) == ["worker"]


def test_attach_inside_the_agents_own_server_switches_to_the_session(office: Office, terminal: Terminal) -> None:
    office.harness(orders='echo "hello from the agent"; exec cat')
    ref = office.create("fix/attach", harness="recorder")
    terminal.type(f"TMUX= tmux -L {office.socket} new-session -s person 'PS1=inside- exec /bin/sh'; echo code-$?")
    terminal.shows("inside-")
    terminal.type(f"{ORANGE} task attach {ref.id}")
    terminal.shows("hello from the agent")
    terminal.press("C-b", "L")  # the last session: where the person came from
    terminal.shows("inside-")
    terminal.type("exit")
    terminal.shows("code-0")
    assert office.windows(ref) == ["worker"]


def test_attach_without_a_session_says_where_the_logs_are(office: Office, terminal: Terminal) -> None:
    office.harness()
    ref = office.create("fix/attach", harness="recorder", spawn=False)
    terminal.type(f"{ORANGE} task attach {ref.id}; echo code-$?")
    terminal.shows("code-1")
    assert f"{ref.id} has no running session" in terminal.screen()


def test_unblock_all_reports_each_task_and_fails_if_one_failed(
    world: World, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = [(TaskRef("coffee", "aaaa"), None), (TaskRef("coffee", "bbbb"), "its agent is busy")]
    monkeypatch.setattr(attempts, "unblock_all", lambda *_: results)
    result = cli("task", "unblock", "--all")
    assert (result.code, result.out) == (1, "aaaa  unblocked\n")
    assert "bbbb is still blocked: its agent is busy" in result.err
    data = cli("task", "unblock", "--all", "--json").json()
    assert data == {"unblocked": ["aaaa"], "failed": {"bbbb": "its agent is busy"}}


def test_unblock_all_and_respawn_lost_without_such_tasks_say_so(world: World, cli: Cli) -> None:
    world.task()
    assert cli.ok("task", "unblock", "--all").out == "No task is blocked\n"
    assert cli.ok("task", "respawn", "--lost").out == "No session was lost\n"
    assert cli.ok("task", "respawn", "--lost", "--json").json() == {"respawned": [], "failed": {}}
