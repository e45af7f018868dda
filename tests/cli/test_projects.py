"""`orange project`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.driver import transition
from support.git import git

if TYPE_CHECKING:
    from support.driver import Cli, World


def test_project_add_registers_the_current_repository_with_default_settings(
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


def test_project_add_takes_the_default_branch_from_the_remote(
    world: World, cli: Cli, repository: Path, tmp_path: Path
) -> None:
    git(repository, "branch", "--move", "trunk")
    git(tmp_path, "clone", "--quiet", str(repository), "copy")
    git(tmp_path / "copy", "switch", "--quiet", "--create", "else")
    assert cli.ok("project", "add", str(tmp_path / "copy"), "--json").json()["default_branch"] == "trunk"


def test_project_is_registered_once_by_name_and_by_directory(
    world: World, cli: Cli, repository: Path, tmp_path: Path
) -> None:
    assert "There is already a project coffee, at /nowhere; give it another --name" in cli.no(
        "project", "add", str(repository)
    )
    cli.ok("project", "add", str(repository), "--name", "beans")
    assert "already registered as beans" in cli.no("project", "add", str(repository), "--name", "other")
    (tmp_path / "link").symlink_to(repository)
    assert "already registered as beans" in cli.no("project", "add", str(tmp_path / "link"), "--name", "other")


@pytest.mark.parametrize("name", ["a/b", ".hidden", "-dash", "..", "", "a\nb", "\x1b[2J", "x" * 300])
def test_project_name_that_cannot_be_a_directory_is_refused(
    world: World, cli: Cli, repository: Path, name: str
) -> None:
    before = (world.root / "projects.json").read_bytes()
    result = cli("project", "add", str(repository), f"--name={name}")
    assert result.code == (0 if name == "x" else 1) or name == ""
    assert name == "" or (world.root / "projects.json").read_bytes() == before


def test_directory_without_a_repository_is_refused_as_a_project(world: World, cli: Cli, tmp_path: Path) -> None:
    assert "There is no directory" in cli.no("project", "add", str(tmp_path / "nowhere"))
    assert "is not in a git repository" in cli.no("project", "add", str(tmp_path))
    assert "There is no workflow named 'nope'" in cli.no("project", "update", "coffee", "--workflow", "nope")


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("pool_size", 5000, "pool_size is 5000; it must be between 1 and 1000"),
        ("name", "../beans", "'../beans' is not a project name"),
        ("default_branch", "-main", "'-main' is not a branch name"),
        ("max_attempts", 0, "max_attempts is 0; it must be 1 or more"),
    ],
)
def test_project_that_was_edited_by_hand_and_cannot_be_is_told_with_its_file(
    world: World, cli: Cli, key: str, value: object, reason: str
) -> None:
    path = world.root / "projects.json"
    entries = json.loads(path.read_text())
    entries[0][key] = value
    path.write_text(json.dumps(entries))
    told = cli.no("project", "list")
    assert f"{path}, project 1: " in told
    assert reason in told
    assert told.strip().endswith("fix it by hand")


def test_project_settings_change_one_by_one_and_unknown_ones_stay(world: World, cli: Cli) -> None:
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
    question = cli.no("project", "update", "coffee", code=2)
    assert all(word in question for word in ("What should change?", "--parallel", "--max-attempts", "--stuck-timeout"))
    assert "There is no project tea" in cli.no("project", "update", "tea", "--pool-size", "3")
    assert "between 1 and" in cli.no("project", "update", "coffee", "--pool-size", "0")


def test_project_whose_directory_is_gone_is_listed_so_and_can_be_removed(
    world: World, cli: Cli, repository: Path
) -> None:
    cli.ok("project", "add", str(repository), "--name", "beans")
    shutil.rmtree(repository)
    assert "beans" in cli.ok("project", "list").out
    assert "(this directory no longer exists)" in cli.ok("project", "list").out
    assert "add --yes" in cli.no("project", "remove", "beans")
    assert cli.ok("project", "remove", "beans", "--yes", "--json").json() == {"name": "beans", "removed": True}
    assert "There is no project beans" in cli.no("project", "remove", "beans", "--yes")


def test_project_with_unfinished_tasks_is_not_removed(world: World, cli: Cli) -> None:
    ref = world.task()
    assert f"unfinished tasks: {ref.id}" in cli.no("project", "remove", "coffee", "--yes")
    transition(world.orange, ref, "done", "force")
    cli.ok("project", "remove", "coffee", "--yes")
    assert [row["id"] for row in cli.ok("task", "list", "--all", "--json").json()] == [ref.id]


def test_default_branch_that_does_not_exist_is_refused(world: World, cli: Cli, repository: Path) -> None:
    said = cli.no("project", "add", str(repository), "--name", "beans", "--default-branch", "trunk")
    assert f"{repository} has no branch trunk, neither local nor remote" in said
    cli.ok("project", "add", str(repository), "--name", "beans")
    assert "has no branch trunk" in cli.no("project", "update", "beans", "--default-branch", "trunk")
    git(repository, "branch", "trunk")
    assert (
        cli.ok("project", "update", "beans", "--default-branch", "trunk", "--json").json()["default_branch"] == "trunk"
    )


def test_repository_without_commits_can_be_registered_with_its_unborn_branch(
    world: World, cli: Cli, tmp_path: Path
) -> None:
    git(tmp_path, "init", "--quiet", "--initial-branch", "trunk", "fresh")
    made = cli.ok("project", "add", str(tmp_path / "fresh"), "--default-branch", "trunk", "--json").json()
    assert made["default_branch"] == "trunk"


def test_project_sets_how_often_and_how_long_its_unattended_tasks_are_tried(world: World, cli: Cli) -> None:
    words = ("project", "update", "coffee", "--max-attempts")
    changed = cli.ok(*words, "3", "--stuck-timeout", "60", "--json").json()
    assert (changed["max_attempts"], changed["stuck_timeout"]) == (3, 60)
    assert "max_attempts is 0; it must be 1 or more" in cli.no(*words, "0")
    assert world.orange.projects.setting("max_attempts", "coffee") == 3


def test_auto_fix_is_off_until_config_or_project_says_so_and_the_project_wins(world: World, cli: Cli) -> None:
    assert world.orange.projects.auto_fix("coffee") is False
    config = Path(world.orange.home.root) / "config.yml"
    config.write_text("auto_fix: on\n")
    assert world.orange.projects.auto_fix("coffee") is True
    assert cli.ok("project", "update", "coffee", "--auto-fix", "off", "--json").json()["auto_fix"] is False
    assert world.orange.projects.auto_fix("coffee") is False
    config.write_text("auto_fix: false\n")
    cli.ok("project", "update", "coffee", "--auto-fix", "on")
    assert world.orange.projects.auto_fix("coffee") is True
    assert "on" in cli.no("project", "update", "coffee", "--auto-fix", "perhaps", code=2)
    file = Path(world.orange.home.projects_file)
    file.write_text(file.read_text().replace('"auto_fix": true', '"auto_fix": "sometimes"'))
    assert "`auto_fix` must be true or false" in cli.no("project", "list")
