"""`orange project`, `orange workflow`, `orange log`, gates that run a command, and what a shell completes."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING

import pytest

from orange_tui.home import log as log_module
from orange_tui.home.log import Log
from support.driver import Cli, World, transition
from support.git import git, make_repository

if TYPE_CHECKING:
    from pathlib import Path

    from support.driver import Cli, World


def test_the_repository_one_is_in_is_registered_with_its_usual_settings(
    world: World, cli: Cli, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository / "src").mkdir()
    monkeypatch.chdir(repository / "src")
    made = cli.ok("project", "add", "--name", "beans", "--json").json()
    assert made == {
        "name": "beans",
        "path": str(repository),
        "default_branch": "main",
        "pool_size": 2,
        "workflow": "default",
    }
    assert [p["name"] for p in cli.ok("project", "list", "--json").json()] == ["coffee", "beans"]
    assert git(repository, "status", "--porcelain") == ""


def test_the_default_branch_is_what_the_remote_says(world: World, cli: Cli, repository: Path, tmp_path: Path) -> None:
    git(repository, "branch", "--move", "trunk")
    git(tmp_path, "clone", "--quiet", str(repository), "copy")
    git(tmp_path / "copy", "switch", "--quiet", "--create", "else")
    assert cli.ok("project", "add", str(tmp_path / "copy"), "--json").json()["default_branch"] == "trunk"


def test_a_project_is_registered_once_by_name_and_by_directory(
    world: World, cli: Cli, repository: Path, tmp_path: Path
) -> None:
    assert "There is a project coffee already, at /nowhere; use --name" in cli.no("project", "add", str(repository))
    cli.ok("project", "add", str(repository), "--name", "beans")
    assert "registered already, as beans" in cli.no("project", "add", str(repository), "--name", "other")
    (tmp_path / "link").symlink_to(repository)
    assert "registered already, as beans" in cli.no("project", "add", str(tmp_path / "link"), "--name", "other")


@pytest.mark.parametrize("name", ["a/b", ".hidden", "-dash", "..", "", "a\nb", "\x1b[2J", "x" * 300])
def test_a_name_that_would_not_do_as_a_directory_is_refused(
    world: World, cli: Cli, repository: Path, name: str
) -> None:
    before = (world.root / "projects.json").read_bytes()
    result = cli("project", "add", str(repository), f"--name={name}")
    assert result.code == (0 if name == "x" else 1) or name == ""
    assert name == "" or (world.root / "projects.json").read_bytes() == before


def test_what_is_no_repository_is_no_project(world: World, cli: Cli, tmp_path: Path) -> None:
    assert "There is no directory" in cli.no("project", "add", str(tmp_path / "nowhere"))
    assert "is not in a git repository" in cli.no("project", "add", str(tmp_path))
    assert "There is no workflow named 'nope'" in cli.no("project", "update", "coffee", "--workflow", "nope")


def test_settings_change_one_by_one_and_unknown_ones_survive(world: World, cli: Cli) -> None:
    path = world.root / "projects.json"
    entries = json.loads(path.read_text())
    entries[0] |= {"pr_template": "x", "setup": ["make"]}
    path.write_text(json.dumps(entries))
    changed = cli.ok("project", "update", "coffee", "--pool-size", "4", "--workflow", "solo", "--json").json()
    assert (changed["pool_size"], changed["workflow"], changed["setup"]) == (4, "solo", ["make"])
    cli.ok("project", "update", "coffee", "--default-branch", "trunk")
    assert json.loads(path.read_text())[0] == entries[0] | {
        "pool_size": 4,
        "workflow": "solo",
        "default_branch": "trunk",
    }
    assert "What should change?" in cli.no("project", "update", "coffee", code=2)
    assert "There is no project tea" in cli.no("project", "update", "tea", "--pool-size", "3")
    assert "between 1 and" in cli.no("project", "update", "coffee", "--pool-size", "0")


def test_a_project_whose_directory_is_gone_is_listed_as_such_and_can_be_removed(
    world: World, cli: Cli, repository: Path
) -> None:
    cli.ok("project", "add", str(repository), "--name", "beans")
    shutil.rmtree(repository)
    assert "beans" in cli.ok("project", "list").out
    assert "(this directory no longer exists)" in cli.ok("project", "list").out
    assert "add --yes" in cli.no("project", "remove", "beans")
    assert cli.ok("project", "remove", "beans", "--yes", "--json").json() == {"name": "beans", "removed": True}
    assert "There is no project beans" in cli.no("project", "remove", "beans", "--yes")


def test_a_project_with_unfinished_tasks_is_not_forgotten(world: World, cli: Cli) -> None:
    ref = world.task()
    assert f"unfinished tasks: {ref.id}" in cli.no("project", "remove", "coffee", "--yes")
    transition(world.orange, ref, "done", "force")
    cli.ok("project", "remove", "coffee", "--yes")
    assert [row["id"] for row in cli.ok("task", "list", "--all", "--json").json()] == [ref.id]


def test_a_current_directory_that_is_gone_is_said_so(
    world: World, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert "The current directory no longer exists" in cli.no("task", "create", "a", "b")
    assert "The current directory no longer exists" in cli.no("project", "add")
    monkeypatch.chdir(tmp_path)


def test_workflows_are_checked_one_by_one_or_all_together(world: World, cli: Cli, tmp_path: Path) -> None:
    result = cli.ok("workflow", "check")
    assert {"autopilot: good", "classic: good", "default: good"} <= set(result.out.splitlines())
    (tmp_path / "mine.yml").write_text("name: mine\nstates: {a: {}}\ntransitions:\n  - {from: a, to: b}\n")
    broken = cli("workflow", "check", str(tmp_path / "mine.yml"))
    assert broken.code == 1
    assert "mine.yml:4" in broken.out
    assert "There is no workflow" in cli.no("workflow", "check", "nope")
    shown = cli.ok("workflow", "show", "steps").out
    assert all(state in shown for state in ("todo", "doing", "checked", "stuck"))
    assert "There is no workflow" in cli.no("workflow", "show", "nope")


def test_the_log_tells_what_was_done_and_what_failed(world: World, cli: Cli) -> None:
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


def test_a_full_log_is_moved_aside_and_still_read(world: World, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
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
def test_a_log_that_cannot_be_written_stops_nothing(
    world: World, cli: Cli, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = world.task()
    monkeypatch.setattr(log_module, "ROTATE_AT_BYTES", 1)
    world.orange.log.write("info", "there is a log")
    (world.root / name).unlink(missing_ok=True)
    (world.root / name).mkdir()
    cli.ok("task", "update", ref.id, "--status", "doing")
    cli.ok("task", "update", ref.id, "--status", "todo")


def test_a_scribbled_log_is_read_as_far_as_it_can_be(tmp_path: Path, world: World, cli: Cli) -> None:
    lines = ['{"level": ["info"]}', "[]", "nonsense", '{"level": "info", "message": {"a": 1}}', "\x00\x00"]
    (world.root / "orange.log").write_bytes("\n".join(lines).encode() + b"\n\xff\xfe\n")
    assert "{'a': 1}" in cli.ok("log").out
    assert list(Log(str(tmp_path / "nowhere")).entries()) == []


def test_a_command_gate_runs_in_the_worktree_and_its_result_stands_until_head_moves(
    world: World, cli: Cli, repository: Path
) -> None:
    world.workflow(
        "checked",
        "name: checked\nstates: {a: {}, b: {}, z: {terminal: true}}\ntransitions:\n"
        '  - {from: a, to: b, gate: {command: "echo run >> ../runs; test -f GOOD || { echo no GOOD; exit 3; }"}}\n'
        "  - {from: b, to: z}\n",
    )
    make_repository(world.root / "workspaces/coffee--1")
    worktree, runs = world.root / "workspaces/coffee--1", world.root / "workspaces/runs"
    ref = world.task(workflow="checked", status="a", workspace="coffee--1")
    for _ in range(3):
        why = cli.no("task", "update", ref.id, "--status", "b")
        assert "ended with 3" in why
        assert "no GOOD" in why
    assert runs.read_text() == "run\n"
    assert world.read(ref).status == "a"
    (worktree / "GOOD").touch()
    git(worktree, "add", "GOOD")
    git(worktree, "commit", "--quiet", "--message=good")
    cli.ok("task", "update", ref.id, "--status", "b")
    assert runs.read_text() == "run\nrun\n"
    none = world.task(workflow="checked", status="a")
    assert "it has none" in cli.no("task", "update", none.id, "--status", "b")


def test_a_shell_is_offered_ids_states_projects_and_workflows(world: World, cli: Cli) -> None:
    ref = world.task(summary="Brew it")
    assert f"{ref.id}\tBrew it" in cli.ok("__complete", "task", "show", "").out
    assert cli.ok("__complete", "task", "update", ref.id, "--status", "do").out.split() == ["doing", "done"]
    assert cli.ok("__complete", "task", "list", "--project", "co").out.split() == ["coffee"]
    assert "steps" in cli.ok("__complete", "workflow", "show", "s").out.split()
    (world.root / "projects.json").write_text("[")
    assert cli.ok("__complete", "task", "list", "--project", "co").out == "\n"
    assert cli.ok("completion", "bash").out.startswith("#")


def test_statuses_are_offered_even_while_one_workflow_is_broken(world: World, cli: Cli) -> None:
    world.workflow("broken", "name: [")
    assert "doing" in cli.ok("__complete", "task", "update", "--status", "do").out.split()


def test_orange_alone_lists_the_tasks_where_no_home_is_yet(cli: Cli, tmp_path: Path) -> None:
    os.environ["ORANGE_HOME"] = str(tmp_path / "not" / "there")
    assert "No tasks" in cli.ok("task", "list").out
    assert cli.ok("project", "list", "--json").json() == []
    assert cli.ok("log").out == ""
    assert not (tmp_path / "not").exists()


def test_a_default_branch_that_is_not_there_is_refused(world: World, cli: Cli, repository: Path) -> None:
    said = cli.no("project", "add", str(repository), "--name", "beans", "--default-branch", "trunk")
    assert f"{repository} has no branch trunk, here or at its remote" in said
    cli.ok("project", "add", str(repository), "--name", "beans")
    assert "has no branch trunk" in cli.no("project", "update", "beans", "--default-branch", "trunk")
    git(repository, "branch", "trunk")
    assert (
        cli.ok("project", "update", "beans", "--default-branch", "trunk", "--json").json()["default_branch"] == "trunk"
    )


def test_a_repository_without_a_commit_has_the_branch_that_its_first_one_will_be_on(
    world: World, cli: Cli, tmp_path: Path
) -> None:
    git(tmp_path, "init", "--quiet", "--initial-branch", "trunk", "fresh")
    made = cli.ok("project", "add", str(tmp_path / "fresh"), "--default-branch", "trunk", "--json").json()
    assert made["default_branch"] == "trunk"
