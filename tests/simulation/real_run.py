"""`make simulate-real`: one world after the other, with real git and real tmux, until there were so many faults."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from simulation.real_world import RealWorld

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulation.real_world import Result

_FAULTS = 200
_STEPS = 25


def run_world(seed: int, steps: int) -> Result:
    """One world; it stays on disk where something was wrong with it, to be looked at."""
    base = Path(
        tempfile.mkdtemp(prefix=f"orange-real-{seed}-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    )
    with RealWorld(base, seed, steps) as world:
        result = world.run()
    if result.violations:
        result.violations.append(f"(it is in {base})")
    else:
        shutil.rmtree(base, ignore_errors=True)
    return result


def describe(result: Result, steps: int) -> str:
    again = f"make simulate-real SEED={result.seed} ARGS='--steps {steps}'"
    lines = [f"seed {result.seed}, {result.faults.total()} faults; again: {again}"]
    return "\n".join(
        [*lines, *(f"    {each}" for each in result.violations), *(f"        {each}" for each in result.story)]
    )


def main(words: Sequence[str] | None = None) -> int:
    """Run worlds; the exit code says whether all was well."""
    parser = argparse.ArgumentParser(prog="make simulate-real", description=__doc__)
    parser.add_argument("--seed", type=int, help="one world only")
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--faults", type=int, default=_FAULTS, help="how many faults there are to be")
    parser.add_argument("--steps", type=int, default=_STEPS, help="how long a world is")
    given = parser.parse_args(words)
    began, seed, worlds, losses = time.monotonic(), given.seed or given.first, 0, 0
    faults: Counter[str] = Counter()
    while worlds == 0 or (given.seed is None and faults.total() < given.faults):
        result = run_world(seed, given.steps)
        worlds, losses, faults, seed = worlds + 1, losses + bool(result.violations), faults + result.faults, seed + 1
        if result.violations or given.seed is not None:
            print(describe(result, given.steps), flush=True)
    kinds = ", ".join(f"{kind} {count}" for kind, count in faults.most_common())
    print(
        f"{worlds} real worlds, {faults.total()} faults ({kinds}), {losses} with a loss or a contradiction,"
        f" {time.monotonic() - began:.0f} s"
    )
    return 1 if losses else 0


if __name__ == "__main__":
    sys.exit(main())
