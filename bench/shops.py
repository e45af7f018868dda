"""Homes with very many tasks, for whatever must not mind how many there are."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from engine import home

NEWEST = "newest-of-all"


@contextmanager
def shop(tasks: int) -> Iterator[dict[str, str]]:
    """A home with many tasks: one is made as `orange task create` does it, the others are copies of its files."""
    with home(1) as (environment, ids):
        root = Path(environment["ORANGE_HOME"])
        files = ("tasks", "TASK.md"), ("state", "history.jsonl")
        texts = {each: (root / each[0] / "shop" / ids[0] / each[1]).read_text() for each in files}
        created = texts[files[0]].partition('created_at: "')[2].partition('"')[0]
        for tree, _ in files:
            shutil.rmtree(root / tree / "shop" / ids[0])
        for number in range(tasks):
            stamp = datetime.now(UTC).replace(tzinfo=None) - timedelta(seconds=tasks - number)
            words = {
                ids[0]: task_id(number),
                "task-0": NEWEST if number == tasks - 1 else f"task-{number}",
                "Make the coffee strong": summary(number),
                created: stamp.isoformat(timespec="microseconds") + "Z",
            }
            for (tree, name), text in texts.items():
                folder = root / tree / "shop" / words[ids[0]]
                folder.mkdir()
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
