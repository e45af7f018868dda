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
