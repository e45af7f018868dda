"""What it costs to know which of fifty active tasks would conflict, against one merge that git makes by itself."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from measure import Row, medians, milliseconds, program

from orange_tui.branches.conflicts import Collisions
from orange_tui.branches.distance import GitStats
from orange_tui.home.projects import Project

TASKS, FILES, ROUNDS = 50, 500, 7
GIT = "/usr/bin/git"


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
        self._stats, self._collisions = GitStats(), Collisions()
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

    def look(self) -> int:
        """What the app does when something has changed; says how many tasks collide."""
        project = Project("shop", str(self.path), "main", 2, "default", {})
        tasks = {name: name for name in self.names}
        self._stats.refresh(project, tasks)
        return len(self._collisions.refresh(project, self._stats.seen(project), tasks))


def conflicts() -> Iterator[Row]:
    """Nothing moved, and one moved: each look at all branches as a multiple of one merge of two of them."""
    with tempfile.TemporaryDirectory() as folder:
        shop = Shop(Path(folder))
        assert shop.look() == TASKS // 10
        words = (GIT, "-C", folder, "merge-tree", "--write-tree", "task-1", "task-2")

        def after_a_commit() -> float:
            shop.move_one()
            return milliseconds(lambda: shop.look() and None)

        jobs = {
            "merge": program(words, shop.environment),
            "still": lambda: shop.look() and None,
            "moved": after_a_commit,
        }
        taken = medians(jobs, ROUNDS)
    note = f"a merge {taken['merge']:.1f} ms"
    yield Row(f"{TASKS} tasks, nothing moved", taken["still"] / taken["merge"], "× a merge", 4, note)
    yield Row(f"{TASKS} tasks, one moved", taken["moved"] / taken["merge"], "× a merge", 15, note)
