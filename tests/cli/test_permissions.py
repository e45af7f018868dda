"""What an agent may do with `orange` in its window, where ORANGE_TASK is set, and what is left to the person."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from orange_tui.cli import main
from orange_tui.cli.all_commands import COMMANDS

if TYPE_CHECKING:
    from pathlib import Path

    from orange_tui.store.store import TaskRef
    from support.driver import Cli, World

PERSONS = [
    ("task", "merge", "{own}", "--force"),
    ("task", "merge", "{other}", "--force"),
    ("task", "cancel", "{own}", "--yes"),
    ("task", "cancel", "{other}", "--yes"),
    ("task", "undo", "{own}"),
    ("task", "delete", "{own}", "--yes"),
    ("task", "delete", "{other}", "--yes"),
    ("task", "spawn", "{own}"),
    ("task", "spawn", "{other}"),
    ("task", "respawn", "{other}"),
    ("task", "respawn", "--lost"),
    ("task", "retry", "{own}"),
    ("task", "retry", "{other}"),
    ("task", "unblock", "{own}"),
    ("task", "unblock", "--all"),
    ("task", "attach", "{other}"),
    ("task", "answer", "{other}", "hello"),
    ("task", "approve"),
    ("task", "approve", "{own}"),
    ("task", "approve", "{other}", "--always"),
    ("task", "resolve", "{own}", "t1"),
    ("task", "reopen", "{own}", "t1"),
    ("task", "request-changes", "{own}", "More"),
    ("project", "add"),
    ("project", "update", "coffee", "--pool-size", "9"),
    ("project", "remove", "coffee", "--yes"),
    ("workspace", "init", "--project", "coffee"),
    ("workspace", "gc"),
    ("job", "add", "@daily", "Brew"),
    ("job", "enable", "a"),
    ("job", "disable", "a"),
    ("job", "remove", "a", "--yes"),
    ("issue", "sync"),
]
OUTSIDE_JSON = [("serve",), ("doctor",), ("install",), ("chat",), ("--all",)]
ON_ANOTHER_TASK = [
    ("task", "update", "{other}", "--status", "doing"),
    ("task", "update", "{other}", "--summary", "Mine now"),
    ("task", "update", "{other}", "--branch", "mine"),
    ("task", "complete", "{other}"),
    ("task", "stuck", "{other}", "--reason", "because"),
    ("task", "create-pr", "{other}"),
    ("task", "restore", "{other}"),
    ("task", "comment", "{other}", "a.py:1", "Why?"),
]
READING = [
    ("task", "list", "--all"),
    ("task", "show", "{other}"),
    ("task", "context", "{other}"),
    ("task", "threads", "{other}"),
    ("project", "list"),
    ("workspace", "list"),
    ("job", "list"),
]


@pytest.fixture
def own(world: World, monkeypatch: pytest.MonkeyPatch) -> TaskRef:
    """The task whose agent types the commands of this test."""
    ref = world.task(status="doing")
    monkeypatch.setenv("ORANGE_TASK", ref.id)
    return ref


@pytest.fixture
def other(world: World) -> TaskRef:
    return world.task()


def contents(world: World) -> dict[str, bytes]:
    kept = [path for path in world.root.rglob("*") if path.is_file() and path.suffix not in {".lock", ".log"}]
    return {str(path): path.read_bytes() for path in kept}


def filled_in(words: tuple[str, ...], own: TaskRef, other: TaskRef) -> list[str]:
    return [word.format(own=own.id, other=other.id) for word in words]


@pytest.mark.parametrize("words", [*PERSONS, *ON_ANOTHER_TASK], ids=" ".join)
def test_agent_is_refused_the_persons_commands_and_nothing_changes(
    world: World, cli: Cli, own: TaskRef, other: TaskRef, words: tuple[str, ...]
) -> None:
    before, command = contents(world), filled_in(words, own, other)
    assert f"orange {' '.join(words[:2])}" in cli.no(*command)
    refused = cli(*command, "--json")
    assert (refused.code, list(json.loads(refused.out))) == (1, ["error"])
    assert own.id in refused.json()["error"]
    assert contents(world) == before


@pytest.mark.parametrize("words", OUTSIDE_JSON, ids=" ".join)
def test_agent_can_neither_open_the_app_nor_act_for_the_whole_home(
    cli: Cli, own: TaskRef, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(main, "load", lambda _entry: pytest.fail("it was run"))
    assert "is for a person" in cli.no(*words)


@pytest.mark.parametrize("words", READING, ids=" ".join)
def test_agent_can_read_other_tasks(cli: Cli, own: TaskRef, other: TaskRef, words: tuple[str, ...]) -> None:
    cli.ok(*filled_in(words, own, other), "--json")


def test_agent_can_move_its_own_task_named_or_not(world: World, cli: Cli, own: TaskRef, other: TaskRef) -> None:
    cli.ok("task", "update", "--summary", "Left out")
    cli.ok("task", "update", own.id, "--summary", "In full")
    cli.ok("task", "update", own.id, "--project", "coffee", "--summary", "With its project")
    cli.ok("task", "update", own.id, "--status", "todo")
    assert (world.read(own).summary, world.read(own).status) == ("With its project", "todo")
    cli.ok("task", "stuck", "--reason", "No beans")


def test_agent_creates_subtasks_of_its_own_task_only(world: World, cli: Cli, own: TaskRef, other: TaskRef) -> None:
    create = ("task", "create", "b", "Grind", "--no-spawn", "--project", "coffee")
    assert f"--parent {own.id}" in cli.no(*create)
    assert f"--parent {own.id}" in cli.no(*create, "--parent", other.id)
    assert cli.ok(*create, "--parent", own.id, "--json").json()["parent"] == own.id


def test_reviewer_creates_no_task(world: World, cli: Cli, own: TaskRef, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it reads may be a stranger's, and the worker of a subtask may do more than a reviewer."""
    monkeypatch.setenv("ORANGE_WINDOW", "review-1")
    create = ("task", "create", "b", "Grind", "--no-spawn", "--project", "coffee", "--parent", own.id)
    assert "is for a worker, and this is the window of a reviewer" in cli.no(*create)
    assert [ref.id for ref in world.orange.store.refs()] == [own.id]


def test_agents_subtask_is_in_the_project_of_its_own_task(
    world: World, cli: Cli, own: TaskRef, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Another project's agents may be in no sandbox."""
    (tmp_path / "tea").mkdir()
    world.project("tea", str(tmp_path / "tea"))
    create = ("task", "create", "b", "Steep", "--no-spawn", "--parent", own.id)
    assert "only create subtasks in coffee" in cli.no(*create, "--project", "tea")
    monkeypatch.chdir(tmp_path / "tea")
    assert "only create subtasks in coffee" in cli.no(*create)
    assert cli.ok(*create, "--project", "coffee", "--json").json()["project"] == "coffee"


def test_agents_report_about_another_task_is_ignored(world: World, cli: Cli, own: TaskRef, other: TaskRef) -> None:
    words = ("--agent", "claude", "--event", "Stop")
    cli.ok("task", "event", other.id, '{"hook_event_name": "Stop"}', *words)
    assert not (world.state(other) / "runtime.json").exists()
    cli.ok("task", "event", own.id, '{"hook_event_name": "Stop"}', *words)
    assert (world.state(own) / "runtime.json").exists()


def test_agent_without_a_task_creates_and_watches_tasks(world: World, cli: Cli, other: TaskRef) -> None:
    made = cli.ok("task", "create", "b", "Grind", "--no-spawn", "--project", "coffee", "--json").json()
    cli.ok("task", "show", made["id"])
    cli.ok("task", "update", other.id, "--summary", "Better")


def test_commands_of_agents_are_these_and_a_new_one_is_the_persons() -> None:
    allowed = {" ".join(command.path) for command in COMMANDS if command.agents_may != "leave it to a person"}
    on_tasks = {
        "update",
        "complete",
        "stuck",
        "event",
        "ask",
        "create",
        "create-pr",
        "restore",
        "list",
        "show",
        "context",
        "logs",
        "comment",
        "threads",
        "reply",
    }
    lists = {
        "project list",
        "workspace list",
        "job list",
        "workflow check",
        "workflow list",
        "workflow show",
        "log",
        "usage",
        "completion",
        "demo",
    }
    assert allowed == {f"task {word}" for word in on_tasks} | lists
