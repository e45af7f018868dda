"""The project's own files and its set-up command."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from support.git import branch_of

if TYPE_CHECKING:
    from support.pool_world import Cafe


def test_files_are_copied_where_the_workspace_lacks_them(cafe: Cafe) -> None:
    (cafe.main / ".env").write_text("KEY=1\n")
    (cafe.main / "ignored/deep").mkdir(parents=True)
    (cafe.main / "ignored/deep/file").write_text("deep\n")
    cafe.register(copy=[".env", "ignored/deep", "not/there"])
    first = cafe.task("a")
    workspace = cafe.spawn(first)
    assert (workspace / ".env").read_text() == "KEY=1\n"
    assert (workspace / "ignored/deep/file").read_text() == "deep\n"
    (workspace / ".env").write_text("KEY=2\n")
    assert cafe.release(first, workspace).saved is None
    assert not (workspace / ".env").exists()
    cafe.spawn(cafe.task("b"))
    assert (workspace / ".env").read_text() == "KEY=1\n"


@pytest.mark.parametrize("path", ["../secret", "/etc/passwd", "a/../../secret", ".", ".git/config", "out/secret"])
def test_a_path_that_leaves_the_root_is_refused(cafe: Cafe, path: str) -> None:
    (cafe.root / "secret").write_text("s")
    (cafe.main / "out").symlink_to(cafe.root)
    cafe.register(copy=[path])
    assert "fix it in projects.json" in cafe.refusal(cafe.task())


@pytest.mark.parametrize(
    "settings",
    [
        {"copy": ".env"},
        {"copy": [3]},
        {"keep": "venv"},
        {"keep": [3]},
        {"setup": 3},
        {"setup_timeout": 0, "setup": ":"},
    ],
)
def test_settings_of_the_wrong_kind_are_refused(cafe: Cafe, settings: dict[str, object]) -> None:
    cafe.register(**settings)
    assert "fix it in projects.json" in cafe.refusal(cafe.task())


def test_setup_runs_in_the_worktree_with_the_task_in_its_environment(cafe: Cafe) -> None:
    cafe.register(setup='echo "$ORANGE_TASK $(git branch --show-current)" >ignored-by-nobody; cat TASK.md >/dev/null')
    task = cafe.task()
    assert (cafe.spawn(task) / "ignored-by-nobody").read_text() == f"{task.id} feat/x\n"


def test_setup_runs_once_for_a_task(cafe: Cafe) -> None:
    cafe.register(setup="echo ran >> ../setups")
    task = cafe.task()
    workspace = cafe.spawn(task)
    cafe.spawn(task)
    assert (workspace.parent / "setups").read_text() == "ran\n"


def test_failing_setup_shows_its_last_output(cafe: Cafe) -> None:
    cafe.register(setup="seq 1000; echo no such package >&2; exit 3")
    task = cafe.task()
    said = cafe.refusal(task)
    assert "failed with exit code 3" in said
    assert "no such package" in said
    assert "\n100\n" not in said
    assert "\n100\n" in (cafe.state_directory(task) / "logs/setup.log").read_text()


def test_what_a_setup_prints_is_the_persons_alone(cafe: Cafe) -> None:
    cafe.register(setup="umask; echo token; exit 3")
    task = cafe.task()
    assert "token" in cafe.refusal(task)
    log = cafe.state_directory(task) / "logs/setup.log"
    assert (log.stat().st_mode & 0o777, log.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert log.read_text().splitlines()[0] != "0077"  # what it writes into the worktree has its usual mode


def test_hanging_setup_is_killed_with_its_children(cafe: Cafe) -> None:
    cafe.register(setup="echo about to hang; sleep 1000 & sleep 1000", setup_timeout=3)
    task = cafe.task()
    said = cafe.refusal(task)
    assert "took longer than 3 s" in said
    assert "about to hang" in said
    assert cafe.pool.release(cafe.project, task.id, "coffee--1").quarantined is None


def test_background_process_of_setup_does_not_delay_the_task(cafe: Cafe) -> None:
    ready, go = cafe.root / "ready", cafe.root / "go"
    os.mkfifo(go)
    cafe.register(setup=f"(cd /; read line <{go}) & touch {ready}", setup_timeout=60)
    cafe.spawn(cafe.task())
    assert ready.exists()
    go.write_text("go\n")


def test_second_setup_is_refused_while_an_orphaned_one_runs(cafe: Cafe) -> None:
    cafe.register(setup="exit 1")
    task = cafe.task()
    cafe.refusal(task)
    cafe.register(setup="true")
    workspace = cafe.root / "home/workspaces/coffee--1"
    environment = {**os.environ, "ORANGE_TASK": task.id}
    with subprocess.Popen(["cat"], cwd=workspace, env=environment, stdin=subprocess.PIPE) as running:
        assert f"An earlier set-up still runs in {workspace} (cat, process {running.pid})" in cafe.refusal(task)
        running.communicate()
    assert branch_of(cafe.spawn(task)) == "feat/x"
