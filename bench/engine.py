"""The agents' command, and finding sections."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from measure import Job, Row, medians, program

from orange_tui.domain.text.sections import outline

ORANGE = os.path.join(os.path.dirname(sys.executable), "orange")
PLAN = "\n## Plan\n\nAPPROACH: keep it simple\nTOUCHING: one file\n"


@contextmanager
def home(tasks: int) -> Iterator[tuple[dict[str, str], list[str]]]:
    """A throw-away ORANGE_HOME with a project and some tasks; gives its environment and the tasks' ids."""
    with tempfile.TemporaryDirectory() as root:
        environment = {**os.environ, "ORANGE_HOME": os.path.join(root, "home")}
        repository = os.path.join(root, "shop")
        subprocess.run(["git", "init", "-q", "-b", "main", repository], check=True)
        subprocess.run([ORANGE, "project", "add", repository], env=environment, check=True, stdout=subprocess.DEVNULL)
        yield environment, make_tasks(environment["ORANGE_HOME"], tasks)


def make_tasks(root: str, count: int) -> list[str]:
    """Many tasks, made the way `orange task create` makes them, without a process for each."""
    from orange_tui.home.paths import Home
    from orange_tui.orange import assemble

    orange = assemble(Home(root))
    values = {"workflow": "default", "status": "planning", "summary": "Make the coffee strong"}
    with orange.store.project_lock("shop"):
        return [orange.store.add("shop", {**values, "branch": f"task-{n}"}, PLAN).id for n in range(count)]


def walk(environment: dict[str, str], task: str, states: list[str]) -> Job:
    """A job that moves a task on by one state each time, round and round."""
    steps = itertools.cycle(
        program([ORANGE, "task", "update", task, "--status", state], environment) for state in states
    )

    def step() -> None:
        next(steps)()

    return step


def commands() -> Iterator[Row]:
    """`task update` and `task list` against a Python that does nothing."""
    with home(10) as (environment, tasks), home(1000) as (many, _), home(2000) as (more, _):
        gated = walk(environment, tasks[1], ["clarification", "working"])
        jobs = {
            "floor": program([sys.executable, "-c", "pass"], environment),
            "update": walk(environment, tasks[0], ["clarification", "planning"]),
            "list": program([ORANGE, "task", "list", "--json"], many),
            "list twice": program([ORANGE, "task", "list", "--json"], more),
        }
        program([ORANGE, "task", "update", tasks[1], "--status", "working"], environment)()
        found = medians(jobs, rounds=21)
        with_gate = medians({"floor": jobs["floor"], "free": gated, "gated": gated}, rounds=21)
    floor = found["floor"]
    yield Row("task update --status, no hooks", found["update"] / floor, "x floor", 3.5, f"floor {floor:.1f} ms")
    yield Row("task update --status, a gate read", with_gate["gated"] / with_gate["floor"], "x floor", 6.5)
    yield Row("task list --json, 1,000 tasks", found["list"] / floor, "x floor", 25)
    start = found["update"]
    growth = (found["list twice"] - start) / (found["list"] - start)
    yield Row("task list, 2,000 tasks against 1,000", growth, "x", 2.4)


def sections() -> Iterator[Row]:
    """Finding sections against mistune's own block pass."""
    from mistune.block_parser import BlockParser
    from mistune.core import BlockState

    def bare(text: str) -> None:
        state = BlockState()
        state.process(text)
        BlockParser().parse(state)

    large, small = sample(100_000), sample(2_000)
    found = medians(
        {"bare": lambda: bare(large), "ours": lambda: _outline(large), "small": lambda: _outline(small)},
        rounds=15,
    )
    yield Row("sections of 100 KB", found["ours"] / found["bare"], "x mistune", 1.3, f"{found['ours']:.1f} ms")
    yield Row("sections of 2 KB", found["small"], "ms", 1.0)


def _outline(text: str) -> None:
    outline(text)


def sample(size: int) -> str:
    """A TASK.md body as agents write them."""
    part = """## Plan

APPROACH: keep the return address in the signed state, because the cookie is gone after the redirect
TOUCHING: auth/login.py, auth/state.py, tests/test_login.py

The loop happens only on mobile, where the browser drops third-party cookies. Signing the address
into the state costs nothing and needs no storage.

- read the state before the session
  - fall back to `/` when it is missing
- keep the old cookie for a release

```python
def return_address(state: str) -> str:
    return signer.unsign(state)
```

> The reviewer asked for a test of an expired signature.

"""
    return (part * (size // len(part) + 1))[:size]
