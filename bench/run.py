"""`make bench`: every figure as a ratio within one run, against a limit. Exit code 1 when one is over."""

from __future__ import annotations

import compileall
import os
import sys

import app
import blocks
import doors
import frames
import review_screen

import agents
import branches
import engine
import review

PARTS = {
    "engine": (engine.commands, engine.sections),
    "agents": (agents.spawn, agents.deaths),
    "doors": (doors.commands, doors.memory),
    "branches": (branches.conflicts,),
    "review": (review.opening, review_screen.review),
    "app": (app.first_paint, app.many_tasks, app.idle, frames.cursor, frames.change, frames.deaths, blocks.longest),
}


def main(names: list[str]) -> int:
    """Run the parts that are named, or all."""
    source = os.path.join(os.path.dirname(__file__), os.pardir, "src")
    compileall.compile_dir(source, quiet=1)  # an installed Orange has its bytecode; so does this one
    rows = []
    for name in names or list(PARTS):
        for measure in PARTS[name]:
            for row in measure():
                print(row, flush=True)
                rows.append(row)
    return 0 if all(row.is_good for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
