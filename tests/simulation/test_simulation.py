"""A few hundred faults in fixed worlds; `make simulate` has ten thousand."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from simulation.bugs import BUGS, put_back

TESTS = Path(__file__).parent.parent


def simulate(*words: str, module: str = "run") -> subprocess.CompletedProcess[str]:
    """In a process of its own, in which sets have the same order every time."""
    environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": str(TESTS)}
    command = [sys.executable, "-m", f"simulation.{module}", *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_nothing_is_lost_in_any_of_these_worlds() -> None:
    done = simulate("--first", "1", "--faults", "200", "--jobs", "1")

    assert done.returncode == 0, done.stdout + done.stderr


def test_the_same_seed_is_the_same_world_to_the_last_call(tmp_path: Path) -> None:
    logs = [tmp_path / "first", tmp_path / "second"]
    for log in logs:
        simulate("--seed", "7", "--log", str(log))

    # How much is written is left out: the journal has an inode's number, of as many digits as the machine gave it.
    first, second = (re.sub(r"write \d+ bytes", "write", log.read_text()) for log in logs)
    assert first == second
    assert "***" in first


def test_old_bug_that_is_put_back_is_found() -> None:
    done = simulate("journal", "--worlds", "20", module="bugs")

    assert done.returncode == 0, done.stdout + done.stderr


def test_every_old_bug_can_still_be_put_back() -> None:
    for name in BUGS:
        with put_back(name):
            pass
