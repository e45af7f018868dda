"""What it costs to know how far fifty active tasks are and which would conflict: git alone, and with pygit2.

Against one merge that git makes by itself, and against each other; and how long the event loop is held up meanwhile.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from measure import Row, medians, milliseconds, program

from orange_tui.branches.conflicts import ConflictForecast
from orange_tui.branches.distance import BranchDistances
from orange_tui.home.projects import Project
from orange_tui.outside.git_reader.reader import GitReaders

TASKS, FILES, ROUNDS = 50, 500, 7
GIT = "/usr/bin/git"
_BEAT = 0.001  # seconds between two signs of life
_SHARE = 0.001  # seconds that a thread may keep the interpreter, as in the app


class Observer:
    """Somebody who keeps the board true: with pygit2, or with git alone."""

    def __init__(self, *, use_library: bool) -> None:
        readers = GitReaders(use_library=use_library)
        self._distances, self._forecast = BranchDistances(readers), ConflictForecast(readers)

    def read(self, shop: Shop) -> int:
        """What the app does when something has changed; says how many tasks conflict."""
        project = Project("shop", str(shop.path), "main", 2, "default", {})
        tasks = {name: name for name in shop.names}
        self._distances.refresh(project, tasks)
        return len(self._forecast.refresh(project, self._distances.positions(project), tasks))


class Shop:
    """A repository with a branch a task: each has changed a file of its own, and every tenth the menu as well."""

    def __init__(self, folder: Path) -> None:
        self.path = folder
        self.names = [f"task-{number}" for number in range(TASKS)]
        self.environment = {
            **os.environ,
            **{
                f"GIT_{who}_{what}": "bench@example.org"
                for who in ("AUTHOR", "COMMITTER")
                for what in ("NAME", "EMAIL")
            },
        }
        self._moves = 0
        self._build()

    def git(self, *words: str) -> None:
        subprocess.run([GIT, *words], cwd=self.path, env=self.environment, check=True, capture_output=True)

    def _build(self) -> None:
        self.git("init", "-q", "-b", "main")
        for number in range(FILES):
            (self.path / f"file-{number}.txt").write_text("coffee\n" * 20)
        (self.path / "menu").write_text("espresso\n")
        self.git("add", ".")
        self.git("commit", "-qm", "Open the shop")
        for number, name in enumerate(self.names):
            self.git("switch", "-qc", name, "main")
            (self.path / f"file-{number}.txt").write_text(f"{name}\n")
            if number % 10 == 0:
                (self.path / "menu").write_text(f"{name}\n")
            self.git("commit", "-qam", name)

    def move_one(self) -> None:
        """The last task commits once more."""
        self._moves += 1
        (self.path / f"file-{FILES - 1}.txt").write_text(f"{self._moves}\n")
        self.git("commit", "-qam", "more")

    def move_default(self) -> None:
        """The default branch moves on, and all tasks are behind."""
        self._moves += 1
        self.git("switch", "-q", "main")
        (self.path / f"file-{FILES - 2}.txt").write_text(f"{self._moves}\n")
        self.git("commit", "-qam", "main goes on")
        self.git("switch", "-q", self.names[-1])


def conflicts() -> Iterator[Row]:
    """Nothing moved, one moved, the default branch moved: with git alone (before) and with pygit2 (after)."""
    with tempfile.TemporaryDirectory() as folder:
        shop = Shop(Path(folder))
        before, after = Observer(use_library=False), Observer(use_library=True)
        assert before.read(shop) == after.read(shop) == TASKS // 10
        merge = program((GIT, "-C", folder, "merge-tree", "--write-tree", "task-1", "task-2"), shop.environment)
        moves = {"still": lambda: None, "moved": shop.move_one, "main": shop.move_default}
        taken = {name: _compared(shop, move, before, after, merge) for name, move in moves.items()}
        holds = asyncio.run(_longest_holds(shop))
    names = {"still": "nothing moved", "moved": "one moved", "main": "main moved"}
    limits = {"still": (2, 0.5), "moved": (8, 0.8), "main": (12, 0.8)}
    for name, what in names.items():
        times, (against_merge, against_git) = taken[name], limits[name]
        note = f"a merge {times['merge']:.1f} ms, git alone {times['before']:.1f} ms, pygit2 {times['after']:.1f} ms"
        yield Row(f"{TASKS} tasks, {what}", times["after"] / times["merge"], "× a merge", against_merge, note)
        yield Row(f"{TASKS} tasks, {what}, pygit2", times["after"] / times["before"], "× git", against_git, note)
    note = f"git alone {holds['before']:.1f} ms, pygit2 {holds['after']:.1f} ms"
    yield Row(f"{TASKS} tasks, longest hold of the loop, pygit2", holds["after"], "ms", 8, note)


def _compared(
    shop: Shop, move: Callable[[], None], before: Observer, after: Observer, merge: Callable[[], float | None]
) -> dict[str, float]:
    """Milliseconds of one look at all branches after something has moved, each way in turn."""

    def moved() -> float:
        move()
        return 0.0

    def look(observer: Observer) -> Callable[[], float]:
        return lambda: milliseconds(lambda: observer.read(shop) and None)

    return medians({"merge": merge, "move": moved, "before": look(before), "after": look(after)}, ROUNDS)


async def _longest_holds(shop: Shop) -> dict[str, float]:
    """How many milliseconds the loop was held up while a thread read everything afresh; the median of the longest."""
    sys.setswitchinterval(_SHARE)
    holds: dict[str, list[float]] = {"before": [], "after": []}
    for _ in range(ROUNDS):
        for name, use_library in (("before", False), ("after", True)):
            observer = Observer(use_library=use_library)
            reading = asyncio.create_task(asyncio.to_thread(observer.read, shop))
            holds[name].append(await _longest_gap(reading))
    return {name: sorted(times)[ROUNDS // 2] for name, times in holds.items()}


async def _longest_gap(reading: asyncio.Task[int]) -> float:
    longest, last = 0.0, time.perf_counter()
    while not reading.done():
        await asyncio.sleep(_BEAT)
        now = time.perf_counter()
        longest, last = max(longest, now - last - _BEAT), now
    return longest * 1000
