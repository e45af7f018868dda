"""history.jsonl: what happened to a task, one JSON object a line, and the true values of the engine's fields.

An event that changes engine fields carries all of them as `engine`, and is on disk before TASK.md is touched.
So the last such event that can be believed (`_engine_history`) is the truth, whatever TASK.md says.
Only the holder of the task's lock appends. The file is the engine's alone; but an agent with full permission can write
whatever the person can, so what it says is held against the workflow.
"""

from __future__ import annotations

import json
import os

from orange_tui.domain.errors import NotFound, Unreadable
from orange_tui.domain.records import record
from orange_tui.domain.task import ENGINE_FIELDS
from orange_tui.domain.workflow import UNDO
from orange_tui.home.files import not_saved, open_regular, write_all
from orange_tui.store._engine_history import TOO_LONG, EngineHistory, parse_event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any, TypeGuard

    from orange_tui.domain.engine_values import Judge

    Event = dict[str, Any]

_BLOCK = 8192
_MAX_LINE_BYTES = 5_000_000  # an event is far shorter; whoever wrote a longer line, the engine did not
_MAX_BYTES = 200_000_000
_BEFORE_AND_AFTER = 2
_OURS = frozenset({*ENGINE_FIELDS, "updated_at"})
_ABOUT_LIMITS = frozenset({"limit.reached", "limit.ended", "agent.spawned"})
_ENDS_OF_A_MOVE = frozenset({"status.changed", "task.created", "task.adopted"})
_ENTRIES = _ENDS_OF_A_MOVE | {"transition.started"}  # into a state
_MERGED, _MOVED = "task.merged", "transition.started"


@record
class Unfinished:
    """A transition that was started and not ended: its event, and the hooks that have had their turn."""

    started: Event
    hooks_run: frozenset[tuple[int, str]]  # by position and action


@record
class Start:
    """What the journal tells of a task's start."""

    has_begun: bool  # it has entered a state since it was created
    is_wanted: bool = False  # somebody asked for its start, which has not come about yet, or not gone beyond that state
    is_held: bool = False  # it was created not to start but when a person says so
    waits: bool = False  # it was tried, and has to wait
    full_at: int | None = None  # how many workspaces there were when it found none of them free
    limit_of: str | None = None  # the agent whose limit it waits for
    needs_trust: str | None = None  # what the person has to trust first, as a sentence
    state: str | None = None  # the initial state that it was created for


@record
class LimitMark:
    """A window whose agent waits for the end of its limit."""

    window: str
    harness: str
    account: str
    since: str


@record
class Journal:
    """One task's history. Who has no `judge` asks nothing of it that concerns the engine's fields."""

    path: str
    judge: Judge | None = None

    def append(self, event: Mapping[str, object]) -> None:
        """Add an event so that it survives a power cut; a line torn by an earlier crash is repaired first."""
        line = json.dumps(event, ensure_ascii=False).encode(errors="backslashreplace") + b"\n"
        descriptor = open_regular(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, follow=False)
        try:
            end = _repair_end(descriptor)
            self._write(descriptor, end, line)
        finally:
            os.close(descriptor)

    def _write(self, descriptor: int, end: int, line: bytes) -> None:
        try:
            write_all(descriptor, line)
            os.fsync(descriptor)
        except OSError as problem:
            os.ftruncate(descriptor, end)
            raise not_saved(self.path, problem) from None

    def backwards(self) -> Iterator[Event]:
        """Events from the newest to the oldest, reading no more of the file than is asked for."""
        return filter(None, map(parse_event, _lines_backwards(self.path)))

    def events(self) -> list[Event]:
        """The whole history, oldest first."""
        return list(self.backwards())[::-1]

    def lines(self) -> list[bytes]:
        """The whole file, last line first; one that is too long is only a mark."""
        return list(_lines_backwards(self.path, at_once=_MAX_LINE_BYTES))

    def engine_history(self) -> EngineHistory:
        """The engine's values from the beginning on: what was believed of them, and what was not."""
        if self.judge is None:
            raise TypeError(f"nobody can judge {self.path}")
        return EngineHistory(self.lines()[::-1], self.judge)

    def engine_event(self) -> Event | None:
        """The last event that set engine fields and can be believed: the truth about them."""
        return self.engine_history().truth()

    def changes_after(self, stamp: str) -> list[Event]:
        """Events that changed other fields after the one of that time, oldest first; without one, by the clock."""
        later: list[Event] = []
        older: int | None = None
        for event in self.backwards():
            when = str(event.get("timestamp"))
            if when == stamp:
                break
            if older is None and when < stamp:
                older = len(later)
            later.append(event)
        else:
            del later[older:]
        return [event for event in later if _is_change(event)][::-1]

    def last(self, kind: str) -> Event | None:
        """The last event of a kind."""
        return next((event for event in self.backwards() if event["type"] == kind), None)

    def start(self) -> Start:
        """Whether the task has begun, and if not, what is known of its start: from its creation, and that it waits."""
        waiting: Event | None = None
        undone = 0  # cancels that do not count: the task is as it was before them
        for event in self.backwards():
            kind = event["type"]
            if kind == "transition.started" and (undone or event.get("start") == UNDO):
                undone += 1 if event.get("start") == UNDO else -1
            elif kind == "transition.started":
                is_wanted = waiting is not None or _only_begins(event)
                return Start(has_begun=True, is_wanted=is_wanted, **_waiting(waiting))
            if kind == "task.waiting":
                waiting = waiting or event
            if kind == "task.created":
                start, state = event.get("start"), event.get("initial")
                wanted, held = start is True or waiting is not None, start is False and waiting is None
                return Start(False, wanted, held, **_waiting(waiting), state=state if type(state) is str else None)
        return Start(has_begun=False)

    def at_limit(self) -> dict[str, LimitMark]:
        """The windows whose agents have reached their limit and have not gone on since; or were not started for it."""
        found: dict[str, LimitMark] = {}
        decided: set[str] = set()
        for event in self.backwards():
            window = event.get("window")
            if event["type"] not in _ABOUT_LIMITS or not isinstance(window, str) or window in decided:
                continue
            decided.add(window)
            if event["type"] == "limit.reached":
                words = (event.get(key) for key in ("harness", "account", "timestamp"))
                found[window] = LimitMark(window, *map(str, words))
        return found

    def entered_at(self) -> str:
        """When the task came to the state it is in; empty where nothing tells."""
        entries = (event for event in self.backwards() if event["type"] in _ENTRIES)
        found = next((event for event in entries if event.get("from") is None or event["from"] != event.get("to")), {})
        return str(found.get("timestamp", ""))

    def asked_at(self) -> str:
        """Since when a person is asked to look at the task, whatever was said later; empty where nothing tells."""
        found = ""
        for event in self.backwards():
            if _is_change(event) and "attention" in event["changes"]:
                found = str(event.get("timestamp", ""))
                if not event["changes"]["attention"][0]:
                    break
        return found

    def merged_lines(self) -> tuple[int, int, int] | None:
        """Commits, and lines added and removed, that the merge brought with which the task ended."""
        events = iter(self.backwards())
        if next((event for event in events if event["type"] == _MOVED), None) is None:
            return None
        merged = next(events, {})
        commits, added, removed = (merged.get(name) for name in ("commits", "added", "removed"))
        if merged.get("type") != _MERGED or not (_is_count(commits) and _is_count(added) and _is_count(removed)):
            return None
        return int(commits), int(added), int(removed)

    def last_move(self) -> Event | None:
        """The start of the last move, or of an agent where the task was."""
        return next(filter(self._move_test(), self.backwards()), None)

    def failed_move(self) -> Event | None:
        """How the task came to where it is, if some of what goes with that has failed."""
        failed = False
        is_move = self._move_test()
        for event in self.backwards():
            failed = failed or event["type"] == "hook.failed"
            if is_move(event):
                return event if failed else None
        return None

    def unfinished(self) -> Unfinished | None:
        """The transition that a crash interrupted, if there is one."""
        hooks_run: set[tuple[int, str]] = set()
        is_move = self._move_test()
        for event in self.backwards():
            if event["type"] in _ENDS_OF_A_MOVE:
                return None
            if event["type"] in {"hook.done", "hook.failed"} and isinstance(event.get("index"), int):
                hooks_run.add((event["index"], str(event.get("action"))))
            if is_move(event):
                return Unfinished(event, frozenset(hooks_run))
        return None

    def _move_test(self) -> Callable[[Event], bool]:
        """What tells whether an event is the start of a move, and can be believed; the history is read once for it."""
        known: list[EngineHistory] = []

        def is_move(event: Event) -> bool:
            if event["type"] != "transition.started":
                return False
            if not known:
                known.append(self.engine_history())
            return known[0].has_move(event)

        return is_move


def _is_count(value: object) -> TypeGuard[int]:
    return type(value) is int and value >= 0


def _only_begins(event: Event) -> bool:
    """Whether what goes with the first state ran: the move that starts an agent may be still to come."""
    return bool(event.get("start") == "initial" and event.get("from") == event.get("to"))


def _waiting(event: Event | None) -> dict[str, Any]:
    event_or_none = event or {}
    size, harness, is_untrusted, reason = map(event_or_none.get, ("pool_size", "harness", "untrusted", "reason"))
    return {
        "waits": event is not None,
        "full_at": size if type(size) is int else None,
        "limit_of": harness if type(harness) is str else None,
        "needs_trust": reason if is_untrusted is True and type(reason) is str else None,
    }


def _is_change(event: Event) -> bool:
    """Whether an event tells of fields that are not the engine's, each with what it was and what it is."""
    changes = event.get("changes")
    return (
        isinstance(changes, dict)
        and not _OURS & changes.keys()
        and all(isinstance(pair, list) and len(pair) == _BEFORE_AND_AFTER for pair in changes.values())
    )


def _repair_end(descriptor: int) -> int:
    """Make the file end with a whole line; returns its length."""
    end = os.lseek(descriptor, 0, os.SEEK_END)
    last = next(_lines_before(descriptor, end), b"")
    if not last:
        return end
    if last is TOO_LONG or parse_event(last) is not None:
        os.write(descriptor, b"\n")  # whole but for its end, or not ours to take away
        return end + 1
    os.ftruncate(descriptor, end - len(last))
    return end - len(last)


def _lines_backwards(path: str, at_once: int = _BLOCK) -> Iterator[bytes]:
    try:
        descriptor = open_regular(path, follow=False)
    except NotFound:
        return
    try:
        size = os.lseek(descriptor, 0, os.SEEK_END)
        if size > _MAX_BYTES:
            raise Unreadable(f"{path} is over {_MAX_BYTES // 1_000_000} MB; move its oldest lines elsewhere")
        yield from _lines_before(descriptor, size, at_once)
    except OSError as problem:
        raise Unreadable(f"{path} cannot be read: {problem.strerror}") from None
    finally:
        os.close(descriptor)


def _lines_before(descriptor: int, position: int, at_once: int = _BLOCK) -> Iterator[bytes]:
    """The lines that end before a position, last one first; of one that is too long only `TOO_LONG` is kept."""
    pieces: list[bytes] = []  # of the line that goes on before the position, last one first
    length = 0
    while position > 0:
        size = min(at_once, position)
        position -= size
        first, *lines = os.pread(descriptor, size, position).split(b"\n")
        if lines:
            yield _joined([*pieces, lines[-1]], length + len(lines[-1]))
            yield from reversed(lines[:-1])
            pieces, length = [], 0
        length += len(first)
        pieces.append(first)
        if length > _MAX_LINE_BYTES:
            pieces.clear()
    yield _joined(pieces, length)


def _joined(pieces: list[bytes], length: int) -> bytes:
    return b"".join(reversed(pieces)) if length <= _MAX_LINE_BYTES else TOO_LONG
