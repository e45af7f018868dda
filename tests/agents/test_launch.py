"""The launcher writes where Orange has opened its files, whatever the agent puts in their place."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import termios
import uuid
from typing import TYPE_CHECKING

import pytest

from orange_tui.agents import launch
from orange_tui.agents.launch import LaunchSpec, write_launcher
from orange_tui.domain.errors import NotSaved
from orange_tui.domain.harnesses.harness import PROMPT
from support.live_home import wait_for

if TYPE_CHECKING:
    from pathlib import Path


def test_logs_directory_that_is_a_link_is_not_written_through(tmp_path: Path) -> None:
    elsewhere, task = tmp_path / "elsewhere", tmp_path / "task"
    elsewhere.mkdir()
    task.mkdir()
    (task / "logs").symlink_to(elsewhere)
    with pytest.raises(NotSaved, match="logs is a link"):
        write_launcher(str(task), "worker", LaunchSpec(["true"], "Brew", str(tmp_path), str(tmp_path), {}))
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("keep_output", [False, True])
def test_agent_that_replaces_the_logs_by_a_link_has_nothing_written_there(tmp_path: Path, keep_output: bool) -> None:
    elsewhere, task = tmp_path / "elsewhere", tmp_path / "task"
    elsewhere.mkdir()
    task.mkdir()
    logs = task / "logs"
    swap = f"mv {logs} {task}/old && ln -s {elsewhere} {logs} && echo brewed; exit 3"
    spec = LaunchSpec(["sh", "-c", swap], "Brew", str(tmp_path), str(tmp_path), {}, keep_output=keep_output)
    made = write_launcher(str(task), "worker", spec)
    subprocess.run(made.command, capture_output=True, timeout=60, check=False)
    log = made.log_command.replace("%%", "%")
    subprocess.run(log, shell=True, cwd=elsewhere, input=b"brewing", timeout=60, check=True)
    assert list(elsewhere.iterdir()) == []
    assert (task / "old" / "worker.exit").read_text() == "3\n"
    if keep_output:
        assert (task / "old" / "worker.answer").read_text() == "brewed\n"


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: os.symlink("/dev/null", path), os.mkdir])
def test_window_is_logged_into_nothing_but_a_file(tmp_path: Path, make: object) -> None:
    task = tmp_path / "task"
    task.mkdir()
    made = write_launcher(str(task), "worker", LaunchSpec(["true"], "Brew", str(tmp_path), str(tmp_path), {}))
    assert callable(make)
    make(task / "logs" / "worker.log")
    before = os.lstat(task / "logs" / "worker.log")
    subprocess.run(made.log_command.replace("%%", "%"), shell=True, input=b"brewing", timeout=60, check=True)
    assert os.path.samestat(before, os.lstat(task / "logs" / "worker.log"))


def _waiting_bytes(pipe: int) -> int:
    """How many bytes of a pipe nobody has read yet."""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


@pytest.mark.parametrize("limit", [1_000_000, 1000])
def test_all_that_a_window_prints_bit_by_bit_is_logged_and_an_old_log_is_put_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    monkeypatch.setattr(launch, "_LOG_BYTES", limit)
    made = write_launcher(str(tmp_path), "worker", LaunchSpec(["true"], "Brew", str(tmp_path), str(tmp_path), {}))
    log = tmp_path / "logs" / "worker.log"
    pieces = [f"{number:04d} is brewed\n" for number in range(60)]
    with subprocess.Popen(made.log_command.replace("%%", "%"), shell=True, stdin=subprocess.PIPE) as logging:
        assert logging.stdin is not None
        pipe = logging.stdin.fileno()
        for piece in pieces:  # in as many reads: the system hands over what is there
            os.write(pipe, piece.encode())
            wait_for(lambda: _waiting_bytes(pipe) == 0)
    kept = (log.with_suffix(".log.1").read_text() if log.with_suffix(".log.1").exists() else "") + log.read_text()
    assert "".join(pieces).endswith(kept)
    assert len(kept) >= min(limit, len("".join(pieces)))
    assert log.stat().st_size <= limit


@pytest.mark.parametrize("name", ["logs/worker.exit", "logs/worker.answer", ".orange-status/worker.json"])
def test_directory_in_the_place_of_a_file_is_said_in_a_sentence(tmp_path: Path, name: str) -> None:
    (tmp_path / name / "deep").mkdir(parents=True)
    with pytest.raises(NotSaved, match=name):
        write_launcher(str(tmp_path), "worker", LaunchSpec(["true"], "Brew", str(tmp_path), str(tmp_path), {}))


@pytest.mark.parametrize("keep_output", [False, True])
def test_confined_agent_has_a_door_and_its_exit_code_and_answer_are_noted_as_ever(
    tmp_path: Path, keep_output: bool
) -> None:
    words = ["sh", "-c", 'test -S "$ORANGE_DOOR" && echo "$1 by door"; exit 3', "agent", PROMPT]
    spec = LaunchSpec(words, "Brew", str(tmp_path), str(tmp_path), {}, str(tmp_path), keep_output=keep_output)
    made = write_launcher(str(tmp_path / "state"), "worker", spec)
    done = subprocess.run(made.command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr, done.returncode) == ("Brew by door\n", "", 3)
    logs = tmp_path / "state" / "logs"
    assert (logs / "worker.exit").read_text() == "3\n"
    assert not keep_output or (logs / "worker.answer").read_text() == "Brew by door\n"


def test_agent_with_full_permission_has_no_door_even_if_tmux_was_started_by_one_that_has(tmp_path: Path) -> None:
    words = ["sh", "-c", 'echo "${ORANGE_DOOR-none} ${ORANGE_CONFINED-none}"']
    made = write_launcher(str(tmp_path), "worker", LaunchSpec(words, "Brew", str(tmp_path), str(tmp_path), {}))
    leaked = {**os.environ, "ORANGE_DOOR": "/other/socket", "ORANGE_CONFINED": "1"}
    done = subprocess.run(made.command, env=leaked, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "none none\n"


def test_a_new_conversation_has_an_id_of_its_own_as_agents_know_them() -> None:
    ids = [launch._new_session_id() for _ in range(20)]
    assert len(set(ids)) == 20
    assert all((found := uuid.UUID(each)).version == 4 and str(found) == each for each in ids)
    assert {uuid.UUID(each).variant for each in ids} == {uuid.RFC_4122}
