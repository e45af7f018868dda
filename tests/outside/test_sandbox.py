"""Entering a sandbox: it is made also while git is at work beside it, and a command in it ends as it would outside."""

from __future__ import annotations

import os
import subprocess
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING

import pytest

from support.sandboxed_home import SandboxedHome, need_sandbox

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def sandboxed(tmp_path: Path) -> SandboxedHome:
    need_sandbox()
    return SandboxedHome(tmp_path)


@contextmanager
def moving(branch: Path) -> Iterator[None]:
    """A git outside that moves a branch all the time, as git does: by a rename."""
    commit, ended = branch.read_bytes(), Event()

    def move() -> None:
        lock = branch.with_name(f"{branch.name}.lock")
        while not ended.is_set():
            lock.write_bytes(commit)
            os.rename(lock, branch)
            ended.wait(0.0005)

    thread = Thread(target=move)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def test_sandbox_is_made_while_git_moves_the_branch_of_another_task(sandboxed: SandboxedHome) -> None:
    words = sandboxed.words("/bin/sh", "-c", "echo in")
    with moving(sandboxed.git_directory / "refs/heads/orange-tasks/bbb"):
        for _ in range(20):
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            assert (done.returncode, done.stdout) == (0, "in\n"), done.stderr


@pytest.mark.parametrize(("script", "code"), [("exit 0", 0), ("exit 1", 1), ("exit 7", 7), ("kill -9 $$", 128 + 9)])
def test_command_in_a_sandbox_runs_once_and_ends_with_its_own_code(
    sandboxed: SandboxedHome, script: str, code: int
) -> None:
    done = sandboxed.run(f"echo once; {script}")
    assert (done.returncode, done.stdout) == (code, "once\n")


def test_command_in_a_sandbox_ends_at_a_closed_pipe_as_it_does_outside(sandboxed: SandboxedHome) -> None:
    assert sandboxed.run("yes | head -n 1").stderr == ""


@pytest.mark.parametrize("starter", [(), ("/bin/sh", "-c", '"$@"; exit', "sh")], ids=["itself", "a shell"])
def test_command_ends_with_what_started_its_sandbox(sandboxed: SandboxedHome, starter: tuple[str, ...]) -> None:
    words = (*starter, *sandboxed.words("/bin/sh", "-c", "echo ready; exec sleep 600"))
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.kill()
        assert process.stdout.read() == ""  # nobody has the pipe any more


def test_command_in_a_sandbox_is_given_no_files_but_its_own(sandboxed: SandboxedHome) -> None:
    assert sandboxed.must("ls /proc/self/fd").split() == ["0", "1", "2", "3"]  # the last one is the list's
