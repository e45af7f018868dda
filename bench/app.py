"""The app: how soon it is there, and what it costs."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from measure import Row, medians
from shops import NEWEST, shop
from terminal import opened, settled, showing

from agents import cpu_seconds, office, orange
from engine import ORANGE, make_tasks
from orange_tui.home.paths import Home
from orange_tui.orange import assemble

MANY, ROUNDS = 10_000, 3
MARKER = "bare-table"
BARE = f"""
from textual.app import App
from textual.widgets import DataTable

class Bare(App):
    def compose(self):
        yield DataTable()

    def on_mount(self):
        self.query_one(DataTable).add_column("{MARKER}")

Bare().run()
"""


def first_paint() -> Iterator[Row]:
    """From the start of the process to the newest task's branch on the screen, and the memory it takes."""
    with shop(10) as few, shop(10_000) as many:
        jobs = {
            "bare": showing([sys.executable, "-c", BARE], few, MARKER),
            "few": showing([ORANGE], few, NEWEST),
            "many": showing([ORANGE], many, NEWEST),
        }
        medians(jobs, rounds=1)  # so that nothing has to be read from a disk or compiled
        found = medians(jobs, rounds=11)
        with settled(many, NEWEST) as pid:
            memory = resident(pid)
    bare, note = found["bare"], f"bare {found['bare']:.0f} ms, load {os.getloadavg()[0]:.1f}"
    yield Row("first paint, 10 tasks", found["few"] / bare, "x bare", 1.3, f"{found['few']:.0f} ms; {note}")
    yield Row("first paint, 10,000 tasks", found["many"] / bare, "x bare", 2.0, f"{found['many']:.0f} ms")
    yield Row("memory, 10,000 tasks", memory, "MB", 250)


def many_tasks() -> Iterator[Row]:
    """A list of 10,000: when it is complete and the app idle again, and the longest that a step held its event loop."""
    with shop(MANY) as environment:
        reading = reading_seconds(environment)
        runs = [complete_and_quiet(environment) for _ in range(ROUNDS)]
        step, where = longest_step(environment)
    seconds, used = (median(values) for values in zip(*runs, strict=True))
    note = f"{used:.2f} s of processor time; load {os.getloadavg()[0]:.1f}"
    yield Row("10,000 tasks complete and quiet", seconds, "s", 3.0, note)
    yield Row("the same in processor time", used / reading, "x reading", 4.0, f"reading each once {reading:.2f} s")
    yield Row("longest step of the loop meanwhile, processor time", step, "ms", 16, where)


def reading_seconds(environment: dict[str, str]) -> float:
    """The processor time to read every task once, and no more, in a process that does nothing else."""
    store = assemble(Home(environment["ORANGE_HOME"])).store
    start = time.process_time()
    if len(store.read_all()) != MANY:
        sys.exit("not every task was read")
    return time.process_time() - start


def complete_and_quiet(environment: dict[str, str]) -> tuple[float, float]:
    """Seconds from the start of the process until all tasks are counted and nothing goes on, and what that cost."""
    with opened([ORANGE], environment, NEWEST) as terminal:
        terminal.until_match(f"{MANY}|{MANY:,}")
        terminal.keep_reading()
        return terminal.quiet_at(), cpu_seconds(terminal.pid)


def longest_step(environment: dict[str, str]) -> tuple[float, str]:
    """Milliseconds that one step of the event loop took at most, once the first frame was there; and whose it was."""
    path = Path(environment["ORANGE_HOME"]).parent / "steps.json"
    metered = str(Path(__file__).with_name("metered.py"))
    with opened([sys.executable, metered, str(path)], environment, NEWEST) as terminal:
        terminal.keep_reading()
        terminal.quiet_at()
        found = json.loads(path.read_text())
    return found["longest_ms"], found["where"]


def resident(pid: int) -> float:
    """Megabytes of a process that are in memory."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1024


def idle() -> Iterator[Row]:
    """What the app costs while nothing happens, the programs that it runs included."""
    with office(pool=60) as environment:
        make_tasks(environment["ORANGE_HOME"], 950)
        for number in range(50):
            orange(environment, "task", "create", f"live-{number}", "x", "--project", "shop", "--harness", "pi")
        with settled(environment, "live-49") as pid:
            start, own, others = time.perf_counter(), cpu_seconds(pid), children_seconds(pid)
            time.sleep(15)
            taken = time.perf_counter() - start
            own, others = cpu_seconds(pid) - own, children_seconds(pid) - others
    note = f"of which programs it runs {others / taken * 100:.2f}"
    yield Row("app idle, 1,000 tasks and 50 sessions", (own + others) / taken * 100, "% of core", 1.0, note)


def children_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")
