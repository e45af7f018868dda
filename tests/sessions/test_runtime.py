"""runtime.json holds what is true now; it may vanish, and any number of hooks may write it at once."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from orange_tui.domain.errors import NotFound, NotSaved, Refused
from orange_tui.home import files
from orange_tui.sessions import runtime as module
from orange_tui.sessions.runtime import Runtime

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def runtime(tmp_path: Path) -> Runtime:
    return Runtime(str(tmp_path))


def test_update_changes_one_window_and_keeps_the_others(runtime: Runtime) -> None:
    assert runtime.read() == {}
    runtime.update("worker", state="busy", pid=7)
    runtime.update("review-1", state="idle")
    runtime.update("worker", state="idle")
    assert runtime.read() == {"worker": {"state": "idle", "pid": 7}, "review-1": {"state": "idle"}}
    assert runtime.window("worker")["pid"] == 7
    assert runtime.window("nobody") == {}


def test_none_removes_a_value_and_replace_removes_all_of_a_window(runtime: Runtime) -> None:
    runtime.update("worker", state="busy", session_id="x")
    runtime.update("worker", session_id=None)
    assert runtime.window("worker") == {"state": "busy"}
    runtime.replace("worker", agent="pi")
    assert runtime.window("worker") == {"agent": "pi"}


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"7", b'{"worker": 7}', b"\xff", b"[" * 100_000],
    ids=["empty", "torn", "a list", "a number", "a window that is a number", "not text", "very deep"],
)
def test_damaged_file_reads_as_empty_and_is_replaced_by_the_next_update(
    runtime: Runtime, tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "runtime.json").write_bytes(content)
    assert runtime.read() == {}
    runtime.update("worker", state="busy")
    assert runtime.read() == {"worker": {"state": "busy"}}


def test_file_deleted_at_any_time_is_made_again(runtime: Runtime, tmp_path: Path) -> None:
    runtime.update("worker", state="busy")
    for name in os.listdir(tmp_path):
        (tmp_path / name).unlink()
    assert runtime.read() == {}
    runtime.update("worker", state="idle")
    assert runtime.window("worker") == {"state": "idle"}


def test_a_task_that_is_gone_is_a_refusal_and_makes_no_directory(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        Runtime(str(tmp_path / "gone")).update("worker", state="busy")
    assert not (tmp_path / "gone").exists()


def test_update_that_changes_nothing_writes_nothing(runtime: Runtime, tmp_path: Path) -> None:
    runtime.update("worker", state="busy")
    before = os.stat(tmp_path / "runtime.json").st_ino
    runtime.update("worker", state="busy")
    assert os.stat(tmp_path / "runtime.json").st_ino == before


def test_a_write_that_fails_leaves_the_file_as_it_was(
    runtime: Runtime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime.update("worker", state="busy")

    def full(_descriptor: int, _data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "write_all", full)
    with pytest.raises(NotSaved, match="free some space"):
        runtime.update("worker", state="idle")
    assert runtime.read() == {"worker": {"state": "busy"}}
    assert not (tmp_path / "runtime.json.new").exists()


def test_a_lock_that_is_held_for_ever_is_not_waited_for_for_ever(
    runtime: Runtime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_LOCK_TIMEOUT_SECONDS", 0.02)
    with open(tmp_path / ".runtime.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(Refused, match="held by another command"):
            runtime.update("worker", state="busy")
    runtime.update("worker", state="busy")
    assert runtime.window("worker") == {"state": "busy"}


def test_many_writers_lose_none_of_each_others_values(runtime: Runtime, tmp_path: Path) -> None:
    script = (
        "import sys; from orange_tui.sessions.runtime import Runtime\n"
        "for n in range(20): Runtime(sys.argv[1]).update(sys.argv[2], **{f'k{n}': n})\n"
    )
    writers = [subprocess.Popen([sys.executable, "-c", script, str(tmp_path), f"w{n}"]) for n in range(6)]
    assert [writer.wait(timeout=60) for writer in writers] == [0] * 6
    expected = {f"k{n}": n for n in range(20)}
    assert runtime.read() == {f"w{n}": expected for n in range(6)}
