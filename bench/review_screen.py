"""What the review of a big diff costs: opening it against the plain diff of the preview, and moving in it."""

from __future__ import annotations

import asyncio
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from frames import p95
from measure import Row, medians

from orange_tui.board.rows import UNFINISHED, TaskRow
from orange_tui.branches.task_diff import TaskDiffs
from orange_tui.domain.review.diff import parse_diff
from orange_tui.domain.review.thread import Thread
from orange_tui.home.paths import Home
from orange_tui.orange import Orange, assemble
from orange_tui.review.threads_file import ThreadsFile
from orange_tui.store.store import StoredTask, TaskRef
from orange_tui.tui.app import OrangeApp
from orange_tui.tui.drawing.diff_view import DiffLines
from orange_tui.tui.drawing.palette import NO_COLOUR
from orange_tui.tui.review.lines import ReviewDrawing
from orange_tui.tui.review.material import ReviewFiles
from orange_tui.tui.review.state import ReviewState
from orange_tui.tui.screens.review import ReviewScreen

FILES, LINES, THREADS, ROUNDS, STEPS = 1_000, 100_000, 500, 7, 60
SIZE = (160, 48)


def review() -> Iterator[Row]:
    """A diff of a thousand files and one of five megabytes, with five hundred comments."""
    with tempfile.TemporaryDirectory() as folder:
        orange, row = _big_task(Path(folder))
        # The comments are not what the plain diff is compared with; but they are there, and are read.
        jobs = {"diff": lambda: _plain(orange, row), "review": lambda: _opened(orange, row)}
        taken = medians(jobs, ROUNDS)
        note = f"plain diff {taken['diff']:.0f} ms, review {taken['review']:.0f} ms"
        ratio = taken["review"] / taken["diff"]
        yield Row("review of 1,001 files and 5 MB opened, 500 comments", ratio, "x diff", 1.6, note)
        steps = asyncio.run(_steps(orange))
    middle = sorted(steps)[len(steps) // 2]
    yield Row("a key and its frame there, processor time", middle, "ms", 33, f"p95 {p95(steps):.1f} ms")


def _plain(orange: Orange, row: TaskRow) -> None:
    """The diff as the preview shows it, and as the whole screen did before there were reviews."""
    assert row.task is not None
    text = TaskDiffs(orange.projects, orange.store, orange.pool).read(row.ref, row.task, finished=False)
    assert len(DiffLines(parse_diff(text), NO_COLOUR)[:48]) == 48


def _opened(orange: Orange, row: TaskRow) -> None:
    files, drawing = ReviewFiles(orange, row), ReviewDrawing(120, NO_COLOUR)
    code, comments = files.read_code(), files.read_comments()
    state = ReviewState(drawing.height)
    state.show(code.whole, comments.threads, code.viewed)
    assert len(drawing.lines(state)[:48]) == 48
    assert len(state.layout.threads) == THREADS


async def _steps(orange: Orange) -> list[float]:
    """Milliseconds of the event loop's processor time for a key and the frame that follows, in the running app."""
    app = OrangeApp(orange, None, supervises=False)
    async with app.run_test(size=SIZE) as pilot:
        while app.snapshot is None or not app.snapshot.complete:
            await pilot.pause(0.01)
        await pilot.press("D")
        while not (isinstance(app.screen, ReviewScreen) and app.screen.review.layout.threads):
            await pilot.pause(0.01)
        await pilot.pause(3)  # the lines of the comments are found again meanwhile
        found = []
        for key in ("j", "pagedown", "n", "t", "right_square_bracket", "shift+down") * (STEPS // 6):
            start = time.thread_time()
            await pilot.press(key)
            found.append((time.thread_time() - start) * 1000)
    return found


def _big_task(folder: Path) -> tuple[Orange, TaskRow]:
    repository = folder / "shop"
    (repository / "many").mkdir(parents=True)
    git = ("git", "-c", "user.name=Bench", "-c", "user.email=bench@example.org", "-C", str(repository))

    def run(*words: str) -> None:
        subprocess.run([*git, *words], check=True, capture_output=True)

    run("init", "-q", "-b", "main")
    run("commit", "-q", "--allow-empty", "-m", "first")
    run("checkout", "-q", "-b", "big")
    for number in range(FILES):
        (repository / "many" / f"f{number:04}.py").write_text(f"value = {number}\n" * 3)
    (repository / "big.txt").write_text(("y" * 49 + "\n") * LINES)
    run("add", ".")
    run("commit", "-q", "-m", "work")
    run("checkout", "-q", "main")
    orange = assemble(Home(str(folder / "home")))
    orange.projects.add({"name": "shop", "path": str(repository), "default_branch": "main", "pool_size": 1})
    with orange.store.project_lock("shop"):
        ref = orange.store.add("shop", {"branch": "big", "status": "reviewing", "workflow": "default"}, "")
    _comment(orange, ref)
    found = orange.store.read(ref)
    assert isinstance(found, StoredTask)
    order = (UNFINISHED, "", "shop", ref.id)
    return orange, TaskRow(ref, found.task, None, "none", None, None, None, False, None, None, order)


def _comment(orange: Orange, ref: TaskRef) -> None:
    def thread(number: int) -> Thread:
        path, line = (f"many/f{number:04}.py", 2) if number % 2 else ("big.txt", number * 100 + 1)
        quote = f"value = {number}" if number % 2 else "y" * 49
        return Thread("", path, line, None, quote, None, "person", f"Comment {number}: why this?\nOr that?", "open")

    ThreadsFile(orange.home, ref.project, ref.id).change(lambda _: [thread(number) for number in range(THREADS)])
