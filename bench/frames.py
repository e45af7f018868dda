"""How quickly the app shows what has changed, at a real terminal: from a key, or a file, to the text on the screen."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from measure import Row
from shops import NEWEST, shop, summary, task_id
from terminal import Terminal, opened

from agents import office, orange, tmux
from engine import ORANGE

MANY = 10_000
STEPS = 100
LIVE, DEATHS = 50, 15
BARE = f"""
from textual.app import App
from textual.widgets import DataTable

class Bare(App):
    def compose(self):
        yield DataTable(cursor_type="row")

    def on_mount(self):
        table = self.query_one(DataTable)
        table.add_columns("branch", "status", "changes", "age")
        table.add_rows((f"<{{n}}>", "planning", "+12 -3", "5m") for n in range({MANY}))
        table.focus()

Bare().run()
"""
_DOWN = "\x1b[B"


def p95(times: Sequence[float]) -> float:
    return sorted(times)[int(len(times) * 0.95) - 1]


def median(times: Sequence[float]) -> float:
    return sorted(times)[len(times) // 2]


def cursor() -> Iterator[Row]:
    """From a key to the cursor on the next task, in a list of ten thousand; a bare table is walked through in turn."""
    bare_words = [sys.executable, "-c", BARE]
    with (
        shop(MANY) as environment,
        opened([ORANGE], environment, NEWEST) as ours,
        opened(bare_words, environment, "<0>") as bare,
    ):
        ours.settle()  # everything has been read, the watch has begun, and branches are measured
        bare.settle()
        found: dict[str, list[float]] = {"ours": [], "bare": []}
        for step in range(1, STEPS + 1):
            found["ours"].append(stepped(ours, f" {summary(MANY - 1 - step)}"))
            found["bare"].append(stepped(bare, f"<{step}>"))
    note = f"median {median(found['ours']):.1f} ms; load {os.getloadavg()[0]:.1f}"
    yield Row("cursor to the next of 10,000 rows, p95", p95(found["ours"]), "ms", 33, note)
    note = f"bare p95 {p95(found['bare']):.1f}, median {median(found['bare']):.1f} ms"
    yield Row(
        "the same against a bare table, medians", median(found["ours"]) / median(found["bare"]), "x bare", 1.3, note
    )


def stepped(terminal: Terminal, text: str) -> float:
    """Press the key for down once, and wait for what shows that the cursor is there."""
    terminal.press(_DOWN)
    taken = terminal.until(text)
    terminal.quiet()
    return taken


def change() -> Iterator[Row]:
    """From a TASK.md written by somebody else to the frame that shows it."""
    count, times = 1000, []
    with shop(count) as environment, opened([ORANGE], environment, NEWEST) as terminal:
        terminal.settle()
        path = Path(environment["ORANGE_HOME"]) / "tasks" / "shop" / task_id(count - 1) / "TASK.md"
        old = summary(count - 1)
        for number in range(40):
            new = f"Tea for table {number}."
            text = path.read_text().replace(old, new)
            terminal.quiet()
            terminal.begin()
            path.write_text(text)
            times.append(terminal.until(new))
            old = new
    note = f"median {median(times):.1f} ms; load {os.getloadavg()[0]:.1f}"
    yield Row("change on disk to screen, 1,000 tasks, p95", p95(times), "ms", 200, note)


def deaths() -> Iterator[Row]:
    """From a killed agent to its ✗ on the screen, with fifty live sessions, the app being the one that acts."""
    with office(pool=LIVE + 1) as environment:
        for number in range(LIVE):
            orange(environment, "task", "create", f"live-{number}-", "x", "--project", "shop", "--harness", "pi")
        with opened([ORANGE], environment, f"live-{LIVE - 1}-") as terminal:
            terminal.settle()
            times = [one_death(environment, terminal, LIVE - 1 - number) for number in range(DEATHS)]
    note = f"median {median(times):.0f} ms, worst {max(times):.0f}, {DEATHS} deaths; load {os.getloadavg()[0]:.1f}"
    yield Row("agent killed to ✗ on the screen, p95, 50 live", p95(times), "ms", 700, note)


def one_death(environment: dict[str, str], terminal: Terminal, number: int) -> float:
    """Kill one agent; milliseconds until its row has the mark."""
    lines = tmux(environment, "list-panes", "-a", "-F", "#{pane_pid} #{session_name}").splitlines()
    pid = next(line.split()[0] for line in lines if line.endswith(f"/live-{number}-"))
    child = subprocess.run(["pgrep", "-P", pid], check=True, capture_output=True, text=True).stdout.split()[0]
    terminal.quiet()
    terminal.begin()
    os.kill(int(child), signal.SIGKILL)
    return terminal.until_match(f"✗[^✗●○⚡]*live-{number}-")
