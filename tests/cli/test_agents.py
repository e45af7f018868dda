"""The `task` commands about agents; `attach` at a real terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.autopilot import attempts
from orange_tui.store.store import TaskRef
from support.person import ORANGE, Terminal

if TYPE_CHECKING:
    import pytest

    from support.driver import Cli, World
    from support.live_home import LiveHome


def test_attach_without_a_session_says_where_the_logs_are(live_home: LiveHome, terminal: Terminal) -> None:
    live_home.harness()
    ref = live_home.create("fix/attach", harness="recorder", spawn=False)
    terminal.type(f"{ORANGE} task attach {ref.id}; echo code-$?")
    terminal.shows("code-1")
    assert f"{ref.id} has no running session" in terminal.screen()


def test_attach_without_an_id_lists_what_can_be_attached(live_home: LiveHome, cli: Cli) -> None:
    assert "None has a running session now" in cli.no("task", "attach", code=2)
    live_home.harness()
    live_home.create("fix/later", harness="recorder", spawn=False)
    ref = live_home.create("fix/attach", harness="recorder", summary="Grind finer")
    said = cli.no("task", "attach", code=2)
    assert f"  {ref.id}  coffee/fix/attach  Grind finer" in said.splitlines()
    assert "fix/later" not in said


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
