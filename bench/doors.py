"""The door of a confined agent: what it adds to a command, and what its launchers weigh."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from measure import Row, medians, program

from engine import home, walk
from orange_tui.agents.door.starting import behind_door, make_door

AGENTS = 50


@contextmanager
def door(environment: dict[str, str], name: str, task: str) -> Iterator[subprocess.Popen[bytes]]:
    """A launcher with an agent that does nothing until it is told to end; `ORANGE_DOOR` leads there."""
    directory = make_door(environment["ORANGE_HOME"], name)
    own = {**environment, "ORANGE_TASK": task, "ORANGE_WINDOW": "worker"}
    words = behind_door(("sh", "-c", "echo; exec cat"), directory, environment["ORANGE_HOME"])
    launcher = subprocess.Popen(words, env=own, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert launcher.stdout is not None
    launcher.stdout.readline()
    try:
        yield launcher
    finally:
        launcher.communicate()


def commands() -> Iterator[Row]:
    """`task update` through the door against a Python that does nothing."""
    with home(10) as (environment, tasks), door(environment, "worker", tasks[0]) as launcher:
        place = os.path.join(environment["ORANGE_HOME"], "door", "worker", "socket")
        inside = {**environment, "ORANGE_DOOR": place, "ORANGE_HOME": "/nowhere"}
        jobs = {
            "floor": program([sys.executable, "-c", "pass"], environment),
            "update": walk(inside, tasks[0], ["clarification", "planning"]),
        }
        found = medians(jobs, rounds=21)
        weight = memory_kilobytes(launcher.pid, "Rss")
    floor = found["floor"]
    yield Row("task update --status through the door", found["update"] / floor, "x floor", 6.0, f"floor {floor:.1f} ms")
    yield Row("a launcher with a door, all it maps", weight / 1024, "MB", 11.0)


def memory() -> Iterator[Row]:
    """Fifty launchers: what they take together, what they share counted once."""
    with home(1) as (environment, [task]), ExitStack() as stack:
        pids = [stack.enter_context(door(environment, f"w{n}", task)).pid for n in range(AGENTS)]
        weight = sum(memory_kilobytes(pid, "Pss") for pid in pids)
    yield Row(f"the launchers of {AGENTS} confined agents, together", weight / 1024, "MB", 600)


def memory_kilobytes(pid: int, kind: str) -> int:
    """What a process takes of memory: `Rss` with all that it shares, `Pss` with its part of that."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{kind}:"))
