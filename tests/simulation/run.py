"""`make simulate`: one world after the other, until so many faults have befallen them.

The same seed is the same world, to the last system call; `make simulate SEED=7` shows one with its last steps.
"""

from __future__ import annotations

import argparse
import faulthandler
import gc
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from typing import TYPE_CHECKING

from orange_tui.outside.git_guard import hooks
from simulation.bugs import put_back
from simulation.world import World

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from concurrent.futures import Future

    from simulation.world import Result

_PATIENCE_SECONDS = 1800  # for one world, which takes less than one second, and minutes on a machine that is busy
_FAULTS = 10_000
_SHOWN_STEPS = 25


def run_world(seed: int, log: str | None = None, bug: str | None = None) -> Result:
    """One world, from the first commit of its repositories to the last look at what is left; perhaps with a bug."""
    faulthandler.dump_traceback_later(_PATIENCE_SECONDS, exit=True)
    hooks._hooks_paths.clear()  # a world knows nothing of the one before it in this process
    gc.collect()
    gc.disable()  # it would tidy up after one process while another one runs
    try:
        with _folder() as root, put_back(bug):
            world = World(root, seed)
            if log is not None:
                with open(log, "w", encoding="utf-8") as file:
                    world.system.log = file
                    return world.run()
            return world.run()
    finally:
        gc.enable()
        faulthandler.cancel_dump_traceback_later()


@contextmanager
def _folder() -> Iterator[str]:
    """A folder for a world, in memory if there is such a place; kept where ORANGE_SIMULATION_KEEP says."""
    base = tempfile.mkdtemp(prefix="orange-simulation-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    root = os.path.join(base, "world")
    os.mkdir(root)
    try:
        yield root
    finally:
        kept = os.environ.get("ORANGE_SIMULATION_KEEP")
        if kept:
            shutil.copytree(root, kept, symlinks=True, dirs_exist_ok=True)
        shutil.rmtree(base, ignore_errors=True)


def run_worlds(first: int, faults: int, jobs: int) -> Iterator[Result]:
    """Worlds with the seeds from `first` on, until there were so many faults, several at a time."""
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        seen, seed = 0, first
        running: list[Future[Result]] = []
        while running or seen < faults:
            while seen < faults and len(running) < 2 * jobs:
                running.append(pool.submit(run_world, seed))
                seed += 1
            result = running.pop(0).result()  # in the order of the seeds, so that a run is the same each time
            seen += sum(result.faults.values())
            yield result


def describe(result: Result, steps: int) -> str:
    """A world in which something was not as it must be."""
    lines = [f"seed {result.seed}, {sum(result.faults.values())} faults; again: make simulate SEED={result.seed}"]
    lines += [f"    {violation}" for violation in result.violations]
    lines += [f"        {step}" for step in (result.trace[-steps:] if steps else ())]
    return "\n".join(lines)


def summary(results: Sequence[Result], seconds: float) -> str:
    faults = sum((result.faults for result in results), Counter[str]())
    kinds = ", ".join(f"{kind} {count}" for kind, count in faults.most_common())
    losses = sum(bool(result.violations) for result in results)
    totals = {
        name: sum(getattr(result, name) for result in results) for name in ("tasks", "starts", "commands", "calls")
    }
    counts = ", ".join(f"{total:,} {name}" for name, total in totals.items())
    return (
        f"{len(results)} worlds, {counts}, {faults.total():,} faults ({kinds}),"
        f" {losses} worlds with a loss or a contradiction, {seconds:.0f} s"
    )


def main(words: Sequence[str] | None = None) -> int:
    """Run worlds; the exit code says whether all was well."""
    if os.environ.get("PYTHONHASHSEED") != "0":
        os.environ["PYTHONHASHSEED"] = "0"  # else the order of a set would differ from run to run
        os.execv(sys.executable, [sys.executable, "-m", "simulation.run", *(words or sys.argv[1:])])
    parser = argparse.ArgumentParser(prog="make simulate", description=__doc__)
    parser.add_argument("--seed", type=int, help="one world, with its story")
    parser.add_argument("--log", help="with --seed: a file for every step of that world")
    parser.add_argument("--bug", help="with --seed: an old bug to put back, see bugs.py")
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--faults", type=int, default=_FAULTS, help="how many faults there are to be")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many worlds at a time")
    given = parser.parse_args(words)
    began, results = time.monotonic(), []
    for result in run_worlds(given.first, given.faults, given.jobs) if given.seed is None else _one(given):
        results.append(result)
        if result.violations:
            print(describe(result, _SHOWN_STEPS if given.seed is not None else 0), flush=True)
    print(summary(results, time.monotonic() - began))
    return 1 if any(result.violations for result in results) else 0


def _one(given: argparse.Namespace) -> list[Result]:
    result = run_world(given.seed, given.log, given.bug)
    print("\n".join(result.story))
    return [result]


if __name__ == "__main__":
    sys.exit(main())
