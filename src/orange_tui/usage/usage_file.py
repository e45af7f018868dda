"""usage.json of one task: what its agents have used, kept when the agents' own files are gone.

Its rows are the truth; `windows` are their sums, for whoever reads the file. What a reader has to remember of an
agent's own files (`sources`) is in the same file: a position and the tokens counted up to it are never apart.
"""

from __future__ import annotations

import os
from contextlib import contextmanager

from orange_tui.domain.errors import OrangeError
from orange_tui.domain.records import record
from orange_tui.domain.usage.totals import COUNTS, TaskUsage, Totals, UsageRow
from orange_tui.home.files import make_directory
from orange_tui.home.json_file import JsonFile, to_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_VERSION = 1
_WORDS = ("window", "agent", "model", "day")


@record
class StoredUsage:
    """What is in the file: the usage, and what its readers remember."""

    usage: TaskUsage
    sources: dict[str, Any]


@record
class UsageFile:
    """The usage.json in one directory of the engine's own (`Home.task_state`)."""

    directory: str

    @property
    def path(self) -> str:
        """Where it is."""
        return os.path.join(self.directory, "usage.json")

    def read(self) -> TaskUsage | None:
        """What is stored; None where nothing is, or where it cannot be read: then it is unknown."""
        try:
            found = self._file.read_object()
        except OrangeError:
            return None
        return _usage(found) if found else None

    @contextmanager
    def changing(self) -> Iterator[Change]:
        """What is stored, to be replaced under the lock by what `put` is called with; a damaged file raises."""
        make_directory(self.directory)
        with self._file.changing_object() as content:
            yield Change(content)

    @property
    def _file(self) -> JsonFile:
        lock = os.path.join(self.directory, ".usage.lock")
        return JsonFile(self.path, lock, title="usage", repair="delete it; it is read again from the agents' files")


class Change:
    """The content of a usage.json that is being changed."""

    def __init__(self, content: dict[str, Any]) -> None:
        self._content = content
        sources = content.get("sources")
        self.stored = StoredUsage(_usage(content), dict(sources) if isinstance(sources, dict) else {})

    def put(self, stored: StoredUsage) -> None:
        """Replace all that is stored; keys of a newer Orange stay."""
        usage = stored.usage
        windows = {
            window: {model: totals.as_json() for model, totals in models.items()}
            for window, models in usage.by_window().items()
        }
        rows = [_row_as_json(row) for row in usage.rows]
        self._content.update(version=_VERSION, windows=windows, context_percent=usage.context_percent, rows=rows)
        self._content["sources"] = stored.sources


def _row_as_json(row: UsageRow) -> dict[str, object]:
    totals = row.totals
    counts = {name: getattr(totals, name) for name in COUNTS}
    words = {name: getattr(row, name) for name in _WORDS}
    return {**words, "start": row.start, **counts, "cost": totals.cost, "unpriced": list(totals.unpriced)}


def _usage(content: dict[str, Any]) -> TaskUsage:
    rows = content.get("rows")
    found = tuple(row for each in rows if (row := _row(each)) is not None) if isinstance(rows, list) else ()
    context = content.get("context_percent")
    return TaskUsage(found, to_number(context))


def _row(entry: object) -> UsageRow | None:
    """One row; one that is not as we write it counts for nothing."""
    if (
        not isinstance(entry, dict)
        or not isinstance(entry.get("unpriced"), list)
        or to_number(entry.get("cost")) is None
    ):
        return None
    counts = [entry.get(name) for name in (*COUNTS, "start")]
    words = [entry.get(name) for name in _WORDS]
    if not all(type(number) is int and number >= 0 for number in counts):
        return None
    if not all(isinstance(word, str) for word in words):
        return None
    window, agent, model, day = map(str, words)
    sums = {name: int(entry[name]) for name in COUNTS}
    totals = Totals(**sums, cost=float(entry["cost"]), unpriced=tuple(map(str, entry["unpriced"])))
    return UsageRow(window, int(entry["start"]), agent, model, day, totals)
