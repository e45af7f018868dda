"""The app: how soon it is there, what it costs, and how quickly it shows what has changed."""

from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import shutil
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from agents import cpu_seconds, idle_until_settled, office, orange
from engine import ORANGE, home, make_tasks
from measure import Job, Row, medians
from textual._compositor import CompositorUpdate

from orange_tui.services.orange import assemble
from orange_tui.services.paths import Home
from orange_tui.tui.app import OrangeApp

if TYPE_CHECKING:
    from textual.screen import Screen

    Story = Callable[["Watched", Path], Awaitable[list[float]]]

LINES, COLUMNS = 36, 120
NEWEST = "newest-of-all"
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
PATIENCE = 30.0  # seconds


@contextmanager
def shop(tasks: int) -> Iterator[dict[str, str]]:
    """A home with many tasks: one is made as `orange task create` does it, the others are copies of its files."""
    with home(1) as (environment, ids):
        pattern = Path(environment["ORANGE_HOME"]) / "tasks" / "shop" / ids[0]
        texts = {path.name: path.read_text() for path in pattern.iterdir() if path.name[0] != "."}
        created = texts["TASK.md"].partition('created_at: "')[2].partition('"')[0]
        shutil.rmtree(pattern)
        for number in range(tasks):
            stamp = datetime.now(UTC).replace(tzinfo=None) - timedelta(seconds=tasks - number)
            words = {
                ids[0]: task_id(number),
                "task-0": NEWEST if number == tasks - 1 else f"task-{number}",
                "Make the coffee strong": summary(number),
                created: stamp.isoformat(timespec="microseconds") + "Z",
            }
            folder = pattern.with_name(words[ids[0]])
            folder.mkdir()
            for name, text in texts.items():
                (folder / name).write_text(replaced(text, words))
        yield environment


def task_id(number: int) -> str:
    return f"bench{number:05}".translate(str.maketrans("01", "yz"))


def summary(number: int) -> str:
    return f"Coffee for table {number}."


def replaced(text: str, words: dict[str, str]) -> str:
    for old, new in words.items():
        text = text.replace(old, new)
    return text


class Terminal:
    """A program in a terminal of its own, whose output is read all the time, as a real terminal does."""

    def __init__(self, words: Sequence[str], environment: dict[str, str]) -> None:
        self._screen, inside = pty.openpty()
        fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        kept = {name: value for name, value in environment.items() if name not in {"LINES", "COLUMNS", "NO_COLOR"}}
        self._start = time.perf_counter()
        self._program = subprocess.Popen(
            words,
            stdin=inside,
            stdout=inside,
            stderr=inside,
            cwd=Path(environment["ORANGE_HOME"]).parent / "shop",
            env={**kept, "TERM": "xterm-256color", "COLORTERM": "truecolor"},
            start_new_session=True,
        )
        os.close(inside)
        self.pid = self._program.pid

    def until(self, text: str) -> float:
        """Milliseconds from the start until the terminal was given this text."""
        seen, wanted = b"", text.encode()
        while wanted not in seen:
            try:
                seen += os.read(self._screen, 65536)
            except OSError:
                sys.exit(f"the program has ended before it showed {text!r}: {seen[-2000:]!r}")
            if time.perf_counter() - self._start > PATIENCE:
                sys.exit(f"waited in vain for {text!r}")
        return (time.perf_counter() - self._start) * 1000

    def keep_reading(self) -> None:
        """Take whatever comes from now on, in the background."""

        def read() -> None:
            try:
                while os.read(self._screen, 65536):
                    pass
            except OSError:
                return  # it has ended

        threading.Thread(target=read, daemon=True).start()

    def end(self) -> None:
        self._program.kill()
        self._program.wait()
        os.close(self._screen)


def showing(words: Sequence[str], environment: dict[str, str], text: str) -> Job:
    """A job that starts a program and ends it as soon as it shows a text."""

    def run() -> float:
        terminal = Terminal(words, environment)
        try:
            return terminal.until(text)
        finally:
            terminal.end()

    return run


@contextmanager
def settled(environment: dict[str, str], text: str) -> Iterator[int]:
    """The app in a terminal, once it has nothing more to do; gives its process."""
    terminal = Terminal([ORANGE], environment)
    try:
        terminal.until(text)
        terminal.keep_reading()
        idle_until_settled(terminal.pid)
        yield terminal.pid
    finally:
        terminal.end()


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


class Watched(OrangeApp):
    """The app without a terminal; every frame is made as for one, and looked at."""

    frames: asyncio.Queue[str]

    def _display(self, screen: Screen[object], renderable: object) -> None:
        if isinstance(renderable, CompositorUpdate) and not self._batch_count:
            self.frames.put_nowait(renderable.render_segments(self.console))
        super()._display(screen, renderable)  # type: ignore[arg-type]

    async def until(self, text: str) -> None:
        """Wait for a frame that shows a text."""
        async with asyncio.timeout(PATIENCE):
            while text not in await self.frames.get():
                pass

    async def milliseconds_until(self, text: str, act: Callable[[], object]) -> float:
        start = time.perf_counter()
        act()
        await self.until(text)
        return (time.perf_counter() - start) * 1000


def in_process(tasks: int, story: Story) -> list[float]:
    """Play a story in an app with many tasks; gives its times in order."""

    async def play(environment: dict[str, str]) -> list[float]:
        app = Watched(assemble(Home(environment["ORANGE_HOME"])), "shop", acts=False)
        app.frames = asyncio.Queue()
        async with app.run_test(size=(COLUMNS, LINES)) as pilot:
            await app.until(f"{tasks} planning")
            await pilot.pause(1.0)  # the watch begins, and branches are measured once
            return sorted(await story(app, Path(environment["ORANGE_HOME"]) / "tasks" / "shop"))

    with shop(tasks) as environment:
        return asyncio.run(play(environment))


def p95(times: Sequence[float]) -> float:
    return times[int(len(times) * 0.95) - 1]


def cursor() -> Iterator[Row]:
    """From a key to the frame with the cursor on the next task, in a list of ten thousand."""
    count = 10_000

    async def walk(app: Watched, _folder: Path) -> list[float]:
        steps = range(1, 101)
        return [
            await app.milliseconds_until(f" {summary(count - 1 - step)}", lambda: app.simulate_key("j"))
            for step in steps
        ]

    times = in_process(count, walk)
    note = f"median {times[len(times) // 2]:.1f} ms, load {os.getloadavg()[0]:.1f}"
    yield Row("cursor to the next of 10,000 rows, p95", p95(times), "ms", 33, note)


def change() -> Iterator[Row]:
    """From a TASK.md written by somebody else to the frame that shows it."""
    count = 1000

    async def edit(app: Watched, folder: Path) -> list[float]:
        path = folder / task_id(count - 1) / "TASK.md"
        times, old = [], summary(count - 1)
        for number in range(40):
            new = f"Tea for table {number}."
            text = path.read_text().replace(old, new)
            times.append(await app.milliseconds_until(new, lambda text=text: path.write_text(text)))  # type: ignore[misc]
            old = new
            await asyncio.sleep(0.1)
        return times

    times = in_process(count, edit)
    note = f"median {times[len(times) // 2]:.1f} ms"
    yield Row("change on disk to screen, 1,000 tasks, p95", p95(times), "ms", 200, note)
