"""The longest the event loop is held up while things take their time: a slow fetch, a merge, a set-up, a big refresh.

A thread asks the loop for a sign of life every few milliseconds, and looks where the loop is when none comes.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Self

from measure import Row
from metered import Meter

from agents import new_task, office, orange
from engine import make_tasks
from orange_tui.delivery.merging.merge import Merger
from orange_tui.home.paths import Home
from orange_tui.orange import assemble
from orange_tui.tui.app import OrangeApp

if TYPE_CHECKING:
    from orange_tui.store.store import TaskRef

_BEAT, _HELD = 0.002, 0.016  # seconds
_MANY = 1000
_SLOW = '#!/bin/sh\nsleep 1\nexec git-upload-pack "$@"\n'


class Watchdog:
    """How long the loop let others wait, longest first in `times`; `where` it was then."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop, self._thread = loop, threading.get_ident()
        self._over = threading.Event()
        self.times: list[float] = []
        self.where = ""
        self._watching = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._watching.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._watching.join()

    def _watch(self) -> None:
        while not self._over.wait(_BEAT):
            alive = threading.Event()
            start = time.perf_counter()
            self._loop.call_soon_threadsafe(alive.set)
            where = "" if alive.wait(_HELD) else _place(sys._current_frames().get(self._thread))  # noqa: SLF001 - the only way to know
            alive.wait()
            taken = (time.perf_counter() - start) * 1000
            if where and taken >= max(self.times, default=0.0):
                self.where = where
            self.times.append(taken)


def _place(frame: FrameType | None) -> str:
    """The innermost function that is ours or Textual's."""
    while frame is not None and not any(name in frame.f_code.co_filename for name in ("orange_tui", "textual")):
        frame = frame.f_back
    return f"{Path(frame.f_code.co_filename).name} {frame.f_code.co_name}" if frame is not None else "elsewhere"


def longest() -> Iterator[Row]:
    """Play it all in an app of a thousand tasks; then the same with nothing going on, for what the machine adds."""
    with office(pool=3) as environment:
        os.environ.update({name: value for name, value in environment.items() if os.environ.get(name) != value})
        make_slow_remote(Path(environment["ORANGE_HOME"]).parent)
        orange(environment, "project", "trust", "shop", "--yes")
        make_tasks(environment["ORANGE_HOME"], _MANY)
        refs = [
            assemble(Home(environment["ORANGE_HOME"])).store.find(new_task(environment, f"b-{n}")) for n in range(2)
        ]
        busy, quiet, meter = asyncio.run(play(Home(environment["ORANGE_HOME"]), refs))
    note = f"{busy.where or 'nowhere'}; doing nothing {max(quiet.times):.1f} ms; load {os.getloadavg()[0]:.1f}"
    yield Row("longest hold: fetch, merge, set-up, 1,000 changes", max(busy.times), "ms", 16, note)
    yield Row("longest step of the loop, processor time", meter.longest_ms, "ms", 16)
    over = sum(taken > _HELD * 1000 for taken in busy.times) / len(busy.times) * 100
    yield Row("signs of life later than 16 ms", over, "%", 1.0, f"of {len(busy.times)}")


def make_slow_remote(root: Path) -> None:
    """A remote whose every fetch takes a second longer."""
    script = root / "slow-upload-pack"
    script.write_text(_SLOW)
    script.chmod(0o755)
    subprocess.run(["git", "clone", "-q", "--bare", root / "shop", root / "remote.git"], check=True)
    for words in (f"remote add origin {root}/remote.git", f"config remote.origin.uploadpack {script}"):
        subprocess.run(["git", "-C", str(root / "shop"), *words.split()], check=True)


async def play(home: Home, refs: list[TaskRef]) -> tuple[Watchdog, Watchdog, Meter]:
    app = OrangeApp(assemble(home), "shop")
    async with app.run_test(size=(120, 36)) as pilot:
        await until(lambda: app.snapshot is not None and app.snapshot.complete)
        await pilot.pause(3.0)
        with Watchdog(asyncio.get_running_loop()) as quiet:
            await asyncio.sleep(3)
        with Watchdog(asyncio.get_running_loop()) as busy, Meter() as meter:
            for ref in refs:
                app.work.start(ref, "Starting", partial(spawn, app, ref))
            await until(lambda: not app.work.running)
            app.work.start(refs[0], "Merging", partial(merge, app, refs[0]))
            await asyncio.sleep(0.1)
            await asyncio.to_thread(change_everything, home)
            await until(lambda: not app.work.running)
            await asyncio.sleep(1)
        found = {row.ref: row for row in app.snapshot.rows} if app.snapshot else {}
        if not found[refs[0]].finished:
            sys.exit("the merge did not come about")
    return busy, quiet, meter


def spawn(app: OrangeApp, ref: TaskRef, _say: Callable[[str], None]) -> None:
    app.orange.tasks.spawn(ref)


def merge(app: OrangeApp, ref: TaskRef, say: Callable[[str], None]) -> str:
    return Merger(app.orange.tasks).merge(ref, strategy=None, local=False, force=True, report=say).commit


def change_everything(home: Home) -> None:
    for path in Path(home.tasks).glob("shop/*/TASK.md"):
        path.write_text(path.read_text().replace("strong", "stronger"))


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        await asyncio.sleep(0.05)
        while not condition():  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0.02)
