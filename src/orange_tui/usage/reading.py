"""Reading on: what is new in the session files of one task's agents, added to its usage.json.

The position in each file, what its reader remembers and the sums are written in one step, so that a kill at any moment
loses nothing and counts nothing twice. An agent's file is only ever opened for reading, and only a regular one.
"""

from __future__ import annotations

import os
from zlib import crc32

from orange_tui import __version__
from orange_tui.domain.errors import NotFound, OrangeError
from orange_tui.domain.records import record
from orange_tui.domain.usage.totals import TaskUsage
from orange_tui.home.files import check_database, open_regular, read_end
from orange_tui.usage._counting import UsageCount
from orange_tui.usage._lines import LineSlice
from orange_tui.usage._seen import SeenMessages
from orange_tui.usage.readers import claude, opencode
from orange_tui.usage.readers.items import ContextSeen, CostReport, LimitSeen, Message, NotUnderstood
from orange_tui.usage.readers.table import LINE_READERS
from orange_tui.usage.usage_file import StoredUsage, UsageFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import tzinfo
    from typing import Any

    from orange_tui.domain.usage.limit import UsedWindow
    from orange_tui.domain.usage.prices import PriceTable
    from orange_tui.usage._counting import Owner
    from orange_tui.usage.readers.items import Item

DATABASE = "opencode"  # the format that is a database
STATUS = "claude-status"  # the one that is replaced as a whole; the others are lines
_CHECKED_BYTES = 4096  # before the position: what tells that it is still the same file
_MOST_FILES = 2_000  # of one task
_MOST_STATUS_BYTES = 100_000


@record
class SessionFile:
    """A file in which an agent of a window keeps what it has used; a conversation in it, where it is a database."""

    owner: Owner
    format: str
    session_id: str
    path: str

    @property
    def name(self) -> str:
        """What it is called in usage.json."""
        return f"{self.path}#{self.session_id}" if self.format == DATABASE else self.path


@record
class Outcome:
    """What a reading has found besides numbers."""

    windows: tuple[str, ...]  # those of which something is known now that was not
    has_more: bool  # it has stopped early, so that others have their turn
    problems: tuple[str, ...]  # a sentence for each
    limits: dict[str, tuple[UsedWindow, ...]]  # what an agent was last told of its limits
    contexts: dict[str, float]  # how full the memory of a window's agent is, in percent
    unread: frozenset[str] = frozenset()  # the names of files that could not be read now


class TaskReading:
    """Reads on for one task."""

    def __init__(self, directory: str) -> None:
        self._file = UsageFile(directory)
        self._seen = SeenMessages(directory)

    def read_on(self, files: Sequence[SessionFile], prices: PriceTable, zone: tzinfo) -> Outcome:
        """Add what is new in these files, a bounded piece of it."""
        with self._file.changing() as change:
            stored = change.stored
            sources = stored.sources
            self._seen.load(sources.get("seen"))
            count = UsageCount(stored.usage.rows, sources.get("sessions"), self._seen, prices, zone)
            reading = _Reading(count, dict(sources.get("files") or {}))
            for file in files:
                reading.read(file)
            context = next(reversed(reading.contexts.values()), stored.usage.context_percent)
            length = self._seen.append()
            after = {**sources, "seen": length, "files": reading.positions, "sessions": count.sessions}
            change.put(StoredUsage(TaskUsage(count.rows(), context), after))
        self._seen.commit(length)
        changed = tuple(dict.fromkeys((*count.changed, *reading.contexts)))
        said = reading.limits, reading.contexts, frozenset(reading.unread)
        return Outcome(changed, reading.has_more, tuple(reading.problems), *said)


class _Reading:
    """One reading of several files."""

    def __init__(self, count: UsageCount, positions: dict[str, Any]) -> None:
        self._count = count
        self.positions = positions
        self.problems: list[str] = []
        self.limits: dict[str, tuple[UsedWindow, ...]] = {}
        self.contexts: dict[str, float] = {}
        self.has_more = False
        self.unread: set[str] = set()

    def read(self, file: SessionFile) -> None:
        """Read on in one file. One that is gone, or cannot be read, keeps what was counted."""
        if file.format == STATUS:
            self._take(file, claude.read_status(read_end(file.path, _MOST_STATUS_BYTES)))
            return
        known = self.positions.get(file.name)
        place = dict(known) if isinstance(known, dict) else {}
        if not place and len(self.positions) >= _MOST_FILES:
            return
        if place.get("problem") and place.get("problem_of") == __version__:
            return
        place.pop("problem", None)
        place["memory"] = dict(place.get("memory") or {})
        try:
            self._read_rows(file, place) if file.format == DATABASE else self._read_lines(file, place)
        except NotFound:
            return
        except opencode.NotNow:
            self.unread.add(file.name)
            return
        except OrangeError as problem:
            self.problems.append(f"what an agent has used is not counted: {problem}")
            return
        except NotUnderstood as problem:
            place |= {"problem": str(problem)[:300], "problem_of": __version__}
            self.problems.append(f"{file.path} is not counted any further, it is not understood: {place['problem']}")
        self.positions[file.name] = place

    def _read_rows(self, file: SessionFile, place: dict[str, Any]) -> None:
        check_database(file.path)
        self._take(file, opencode.read(file.path, file.session_id, place["memory"]))
        self.has_more |= bool(place["memory"].pop("has_more", False))

    def _read_lines(self, file: SessionFile, place: dict[str, Any]) -> None:
        reader = LINE_READERS[file.format]
        descriptor = open_regular(file.path, follow=False)
        try:
            _start_anew_if_replaced(descriptor, place)
            piece = LineSlice(descriptor, int(place.get("position", 0)), inside=bool(place.get("inside")))
            try:
                for line in piece.lines():
                    if reader.concerns(line):
                        self._take(file, reader.read(line, place["memory"]))
            finally:
                place |= {"position": piece.position, "inside": piece.inside}
                place["check"] = _check(descriptor, piece.position)
            self.has_more |= piece.has_more
        finally:
            os.close(descriptor)

    def _take(self, file: SessionFile, items: Iterable[Item]) -> None:
        for item in items:
            if isinstance(item, Message):
                self._count.add(file.owner, item)
            elif isinstance(item, CostReport):
                self._count.report(file.owner, item)
            elif isinstance(item, LimitSeen):
                self.limits[file.owner.agent] = item.windows
            elif isinstance(item, ContextSeen):
                self.contexts[file.owner.window] = item.percent


def _start_anew_if_replaced(descriptor: int, place: dict[str, Any]) -> None:
    """A file that is another one, or shorter, or that was written anew, is read from its beginning."""
    status = os.fstat(descriptor)
    same = place.get("file") == [status.st_dev, status.st_ino]
    position = place.get("position", 0)
    if not same or position > status.st_size or place.get("check") != _check(descriptor, position):
        place |= {"position": 0, "inside": False, "memory": {}}
    place["file"] = [status.st_dev, status.st_ino]


def _check(descriptor: int, position: int) -> int:
    begin = max(0, position - _CHECKED_BYTES)
    return crc32(os.pread(descriptor, position - begin, begin))
