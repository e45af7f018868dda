"""The engine's own values through a task's history, each event held against those before it.

One line that cannot be believed spoils none of the others: it is passed over, and whoever opens the task next tells the
person, once.
"""

from __future__ import annotations

import json
import zlib

from orange_tui.domain.engine_values import why_impossible, with_added_fields, without_impossible_values
from orange_tui.domain.records import record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from orange_tui.domain.engine_values import Judge
    from orange_tui.domain.task import Task

    Event = dict[str, Any]

_decode = json.JSONDecoder().decode  # what `json.loads` does, without looking for other encodings first
TOO_LONG = b"(a line that is too long)"
REFUSED = "refused"  # what an event says of the lines that the person was told of


@record
class RefusedLine:
    """A line that was not believed: its checksum, and why."""

    checksum: int
    reason: str


class EngineHistory:
    """The events that are believed, oldest first, and the lines that are not and of which nobody was told yet."""

    def __init__(self, lines: Iterable[bytes], judge: Judge) -> None:
        self._judge = judge
        self._lines: list[bytes] = []
        self._believed: list[Event] = []
        self._positions: list[int] = []  # of these, among the lines
        self._moves: dict[str, list[Event]] = {}  # the starts of moves among them, by their time
        self._last_move: Event | None = None
        self._latest = ""
        self._told: set[object] = set()
        refused = [found for line in lines if (found := self._read(line)) is not None]
        self.refused: Sequence[RefusedLine] = [each for each in refused if each.checksum not in self._told]

    def _read(self, line: bytes) -> RefusedLine | None:
        """Take in a line. Only those that tell of engine fields are parsed; what hides that it does is not believed."""
        self._lines.append(line)
        if line is TOO_LONG:
            return RefusedLine(zlib.crc32(line), "it is too long")
        event = parse_event(line) if b'"engine":' in line or b'"refused":' in line else None
        if event is None:
            return None
        if isinstance(told := event.get(REFUSED), list):
            self._told.update(each for each in told if isinstance(each, int))
        return self._judge_event(event, line) if "engine" in event else None

    def _judge_event(self, event: Event, line: bytes) -> RefusedLine | None:
        known = self._believed[-1]["engine"] if self._believed else None
        latest = max(self._latest, str(event.get("timestamp")))
        engine = with_added_fields(event["engine"], known)
        told = event if engine is event["engine"] else {**event, "engine": engine}
        reason = why_impossible(told, known, self._judge, latest, self._last_move)
        if reason is not None:
            return RefusedLine(zlib.crc32(line), reason)
        self._latest = latest
        self._believed.append(told)
        self._positions.append(len(self._lines))
        if event["type"] == "transition.started":
            self._moves.setdefault(event["timestamp"], []).append(event)
            self._last_move = event
        return None

    def truth(self) -> Event | None:
        """The last event; of a workspace that is another task's, the pool knows better: it was given up, or forged."""
        if not self._believed:
            return None
        event = self._believed[-1]
        workspace = event["engine"]["workspace"]
        confirmed = self._confirmed(workspace)
        return event if confirmed == workspace else {**event, "engine": {**event["engine"], "workspace": confirmed}}

    def possible(self, task: Task) -> Task:
        """A task without history as its TASK.md has it, but for what no engine can have written there."""
        task = without_impossible_values(task, self._judge.project)
        return replace(task, workspace=self._confirmed(task.workspace)) if task.workspace else task

    def _confirmed(self, workspace: str | None) -> str | None:
        return self._judge.confirm_workspace(self._judge.id, workspace) if workspace else None

    def at(self, stamp: str) -> Event | None:
        """The last event by a time; before the first one, that one counts: it records what was found then.

        Where there is an event of just that time, it is what was written up to there: clocks are set back.
        """
        mark = f'"timestamp": "{stamp}"'.encode()
        count = next((n for n in range(len(self._lines), 0, -1) if mark in self._lines[n - 1]), None)
        for event, position in zip(reversed(self._believed), reversed(self._positions), strict=True):
            if event["timestamp"] <= stamp if count is None else position <= count:
                return event
        return self._believed[0] if self._believed else None

    def has_move(self, event: Event) -> bool:
        """Whether the start of a move is believed."""
        return event in self._moves.get(str(event.get("timestamp")), ())


def parse_event(line: bytes) -> Event | None:
    """An event, or None for what is not one: a torn line, or text added by hand."""
    if not line:
        return None
    try:
        event = _decode(line.decode())
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) and isinstance(event.get("type"), str) else None
