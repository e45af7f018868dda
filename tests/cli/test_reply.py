"""Printing a reply: to closed pipes, full disks and terminals without Unicode."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from support.driver import orange

if TYPE_CHECKING:
    from pathlib import Path

    from support.driver import World


@pytest.mark.parametrize("tasks", [1, 30])
def test_closed_pipe_is_not_an_error(world: World, tasks: int) -> None:
    for _ in range(tasks):
        world.task(summary="x" * 4000)
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "orange_tui", "task", "list", "--all"],
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
        timeout=60,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


def closed_off(words: str, closed: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command line that somebody has closed standard streams for."""
    script = f"exec {sys.executable} -m orange_tui {words} {closed}"
    return subprocess.run(["/bin/sh", "-c", script], capture_output=True, check=False, timeout=60)


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("more", ["", " --json"])
def test_closed_standard_stream_is_not_an_error(world: World, closed: str, more: str) -> None:
    world.task()
    done = closed_off(f"task list --all{more}", closed)
    assert (done.returncode, done.stderr) == (0, b"")


def test_what_is_said_to_closed_standard_errors_does_not_get_into_the_json(world: World) -> None:
    ref = world.task()
    done = closed_off(f"task cancel {ref.id} --yes --json", "2>&-")
    assert (done.returncode, json.loads(done.stdout)["status"]) == (0, "cancelled")


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("more", [(), ("--json",)])
def test_output_that_cannot_be_written_is_an_error(
    world: World, monkeypatch: pytest.MonkeyPatch, more: tuple[str, ...], unbuffered: str
) -> None:
    world.task()
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "orange_tui", "task", "list", "--all", *more],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
        )
    assert done.returncode == 1
    assert done.stderr.count(b"\n") == 1
    assert b"No space left" in done.stderr


def test_program_runs_as_its_own_process_even_in_an_ascii_terminal(world: World, tmp_path: Path) -> None:
    ref = world.task()
    assert orange("task", "list", "--all", "--json").json()[0]["id"] == ref.id
    assert orange("task", "update", ref.id, "--summary", "Ünïcode ☕", cwd=tmp_path).code == 0
    ascii_only = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    shown = orange("task", "show", ref.id, env=ascii_only)
    assert (shown.code, "\\u2615" in shown.out) == (0, True)
    assert orange("task", "show", "nope!", "--json").json()["error"].startswith("'nope!' is not a task id")
