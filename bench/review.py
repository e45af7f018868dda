"""A review of 1,000 files and 5 MB with 500 comments: against reading, taking apart and laying out the same diff.

That is what the plain diff viewer did. All of it goes on in a thread; what is measured is processor time, for the event
loop waits for nobody here.
"""

from __future__ import annotations

import resource
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from measure import Row, medians

from orange_tui.domain.review.diff import DiffFile, parse_diff
from orange_tui.domain.review.thread import Thread
from orange_tui.home.files import read_bytes
from orange_tui.home.paths import Home
from orange_tui.review.relocate import relocated
from orange_tui.review.viewed_file import ViewedFile
from orange_tui.review.what_is_new import Review
from orange_tui.tui.drawing.diff_view import DiffLines
from orange_tui.tui.drawing.palette import NO_COLOUR

FILES, BLOCKS, THREADS, ROUNDS = 1_000, 8, 500, 7
DIFF = ("git", "diff", "--full-index", "-M", "HEAD")
SETTINGS = ("-c", "user.name=bench", "-c", "user.email=bench@example.org")


def opening() -> Iterator[Row]:
    """Nothing new since the last look, and every file changed since."""
    with tempfile.TemporaryDirectory() as folder:
        repository = Path(folder, "repository")
        _build(repository)
        file = ViewedFile(Home(folder), "shop", "ab12")
        text = _diff(repository)
        files = parse_diff(text)
        file.looked(files)
        threads = [_thread(number, files) for number in range(THREADS)]
        changed = text.replace("\n+new 3 ", "\n+newer 3 ")

        def view() -> None:
            DiffLines(parse_diff(_diff(repository)), NO_COLOUR)

        def review(text: str | None = None) -> None:
            files = parse_diff(text or _diff(repository))
            Review.of(files, file.read())
            relocated(threads, files, lambda path: read_bytes(str(repository / path)).decode())
            DiffLines(files, NO_COLOUR)

        jobs = {"view": view, "review": review, "changed": lambda: review(changed)}
        found = medians({name: _processor_time(job) for name, job in jobs.items()}, ROUNDS)
    note = f"the diff of {len(text) / 1e6:.1f} MB alone {found['view']:.0f} ms"
    yield Row("review of 1,000 files, 500 comments", found["review"] / found["view"], "x the diff", 1.5, note)
    yield Row("the same, every file changed since", found["changed"] / found["view"], "x the diff", 5.0, note)


def _processor_time(job: Callable[[], None]) -> Callable[[], float]:
    """Milliseconds that a job keeps the processor busy, git's included."""

    def used() -> float:
        found = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return 1000 * sum(each.ru_utime + each.ru_stime for each in found)  # os.times() counts in steps of 10 ms

    def run() -> float:
        before = used()
        job()
        return used() - before

    return run


def _diff(repository: Path) -> str:
    return subprocess.run(DIFF, cwd=repository, capture_output=True, check=True).stdout.decode()


def _build(repository: Path) -> None:
    repository.mkdir()
    for number in range(FILES):
        _write(repository, number, "old")
    for words in (("init", "-q"), ("add", "."), (*SETTINGS, "commit", "-qm", "Open the shop")):
        subprocess.run(["git", *words], cwd=repository, check=True)
    time.sleep(0.01)  # so that git sees that they are other files than those it has read
    for number in range(FILES):
        _write(repository, number, "new")


def _write(repository: Path, number: int, word: str) -> None:
    same = [
        f"line {line} of file {number}, as it is on main and stays for ever and ever" for line in range(BLOCKS * 12)
    ]
    for block in range(BLOCKS):
        same[block * 12] = "\n".join(
            f"{word} {line} {block} in file {number}, with some more words" for line in range(4)
        )
    (repository / f"file-{number}.txt").write_text("\n".join((*same, "")))


def _thread(number: int, files: list[DiffFile]) -> Thread:
    file = files[number * len(files) // THREADS]
    line = next(line for line in file.hunks[3].lines if line.startswith("+"))
    return Thread(f"t{number}", file.path, 1, None, line[1:], None, "person", "why?", "open")
