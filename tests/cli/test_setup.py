"""`orange log`, what a shell completes, and a home that does not exist yet."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from orange_tui.home import log as log_module
from orange_tui.home.log import Log

if TYPE_CHECKING:
    from pathlib import Path

    from support.driver import Cli, World


def test_command_in_a_deleted_directory_says_so(
    world: World, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert "The current directory no longer exists" in cli.no("task", "create", "a", "b")
    assert "The current directory no longer exists" in cli.no("project", "add")
    assert "The current directory no longer exists" in cli.no("project", "add", ".")
    monkeypatch.chdir(tmp_path)


def test_log_shows_moves_and_failures(world: World, cli: Cli) -> None:
    ref = world.task()
    world.effects.failing.add("create_pr")
    cli.ok("task", "update", ref.id, "--status", "doing")
    assert "todo → doing" in cli.ok("log").out
    errors = cli.ok("log", "--level", "error").out
    assert "create_pr failed" in errors
    assert "todo → doing" not in errors
    assert len(cli.ok("log", "-n", "1").out.splitlines()) == 1
    assert cli.ok("log", "--grep", "no such thing").out == ""
    assert cli.ok("log", "-n", "0").out == ""


def test_full_log_is_rotated_and_both_files_are_read(world: World, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    path = world.root / "orange.log"
    world.orange.log.write("info", "the oldest entry")
    with path.open("r+b") as file:
        file.seek(log_module.ROTATE_AT_BYTES)
        file.write(b"\n")
    world.orange.log.write("info", "the newest entry")
    assert path.stat().st_size < 1000
    assert (world.root / "orange.log.1").stat().st_size > log_module.ROTATE_AT_BYTES
    assert "the oldest entry" in cli.ok("log").out.splitlines()[0]
    assert "the newest entry" in cli.ok("log", "-n", "1").out


@pytest.mark.parametrize("name", ["orange.log", "orange.log.lock"])
def test_unwritable_log_stops_no_command(world: World, cli: Cli, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ref = world.task()
    monkeypatch.setattr(log_module, "ROTATE_AT_BYTES", 1)
    world.orange.log.write("info", "there is a log")
    (world.root / name).unlink(missing_ok=True)
    (world.root / name).mkdir()
    cli.ok("task", "update", ref.id, "--status", "doing")
    cli.ok("task", "update", ref.id, "--status", "todo")


def test_damaged_log_is_read_as_far_as_possible(tmp_path: Path, world: World, cli: Cli) -> None:
    lines = ['{"level": ["info"]}', "[]", "nonsense", '{"level": "info", "message": {"a": 1}}', "\x00\x00"]
    (world.root / "orange.log").write_bytes("\n".join(lines).encode() + b"\n\xff\xfe\n")
    assert "{'a': 1}" in cli.ok("log").out
    assert list(Log(str(tmp_path / "nowhere")).entries()) == []


def test_completion_offers_ids_states_projects_and_workflows(world: World, cli: Cli) -> None:
    ref = world.task(summary="Brew it")
    assert f"{ref.id}\tBrew it" in cli.ok("__complete", "task", "show", "").out
    assert cli.ok("__complete", "task", "update", ref.id, "--status", "do").out.split() == ["doing", "done"]
    assert cli.ok("__complete", "task", "list", "--project", "co").out.split() == ["coffee"]
    assert "steps" in cli.ok("__complete", "workflow", "show", "s").out.split()
    (world.root / "projects.json").write_text("[")
    assert cli.ok("__complete", "task", "list", "--project", "co").out == "\n"
    assert cli.ok("completion", "bash").out.startswith("#")


def test_completion_offers_statuses_even_if_one_workflow_is_broken(world: World, cli: Cli) -> None:
    world.workflow("broken", "name: [")
    assert "doing" in cli.ok("__complete", "task", "update", "--status", "do").out.split()


def test_reading_commands_work_without_a_home_and_create_none(cli: Cli, tmp_path: Path) -> None:
    os.environ["ORANGE_HOME"] = str(tmp_path / "not" / "there")
    assert "No tasks" in cli.ok("task", "list").out
    assert cli.ok("project", "list", "--json").json() == []
    assert cli.ok("log").out == ""
    assert not (tmp_path / "not").exists()
