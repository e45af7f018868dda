"""Timing, fairly: what is compared is run turn by turn in one go, and medians are compared."""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

Job = Callable[[], float | None]  # a job that measures a part of itself says how many milliseconds that took


@dataclass(frozen=True)
class Row:
    """One line of the table: what was measured, against what, and what it may be at most."""

    what: str
    value: float
    unit: str
    limit: float
    note: str = ""

    @property
    def is_good(self) -> bool:
        return self.value <= self.limit

    def __str__(self) -> str:
        mark = "ok  " if self.is_good else "OVER"
        return f"{mark}  {self.what:58} {self.value:8.2f} {self.unit:10} (at most {self.limit:g})  {self.note}"


def milliseconds(job: Job) -> float:
    """How long one run takes, or the part of it that the job measured itself."""
    start = time.perf_counter()
    own = job()
    return (time.perf_counter() - start) * 1000 if own is None else own


def medians(jobs: Mapping[str, Job], rounds: int) -> dict[str, float]:
    """The median of each job, all of them taking turns so that a busy machine is busy for all."""
    times: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(rounds):
        for name, job in jobs.items():
            times[name].append(milliseconds(job))
    return {name: statistics.median(taken) for name, taken in times.items()}


def program(words: Sequence[str], environment: Mapping[str, str]) -> Job:
    """A job that runs a program to its end; one that fails ends the benchmark."""

    def run() -> None:
        silent = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
        child = os.posix_spawn(words[0], list(words), dict(environment), file_actions=silent)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code != 0:
            sys.exit(f"{' '.join(words)} ended with {code}")

    return run
