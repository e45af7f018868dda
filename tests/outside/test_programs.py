"""Programs that are run are ended with us."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from support.office import wait_for

if TYPE_CHECKING:
    from pathlib import Path

LEAVES = """
import sys, threading
from orange_tui.outside.programs import run

words = ["sh", "-c", 'echo $$ >"$0.new" && mv "$0.new" "$0" && exec sleep 600', sys.argv[1]]
threading.Thread(target=run, args=(words,), daemon=True).start()
input()
"""


def test_a_program_that_only_a_daemon_thread_waits_for_does_not_outlive_us(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    us = subprocess.Popen([sys.executable, "-c", LEAVES, str(note)], stdin=subprocess.PIPE)
    wait_for(note.exists)
    us.communicate(b"\n")
    assert us.returncode == 0
    wait_for(lambda: not _is_alive(int(note.read_text())))


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return b") Z " not in _status(pid)


def _status(pid: int) -> bytes:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read()
    except OSError:
        return b""
