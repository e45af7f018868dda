"""The records that agents keep of their conversations, a class for each format: found by id, or by place and time.

Only regular files below the agent's own directory are opened, and only their beginning is read: an agent can put
anything there. Nothing is ever written to them.
"""

from __future__ import annotations

import json
import os
import re
import stat
from datetime import UTC, datetime, timedelta

from orange_tui.domain.errors import OrangeError, Unreadable
from orange_tui.domain.records import record
from orange_tui.home.files import check_database, open_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, Protocol

    class RecordFormat(Protocol):
        """How one kind of agent keeps its conversations below a root of its own."""

        def find(self, root: str, session_id: str, directory: str) -> SessionRecord | None:
            """The record of a conversation that was held in that directory."""

        def search(self, root: str, directory: str, since: float, until: float) -> Iterator[SessionRecord]:
            """The conversations that began in that directory between two times."""

        def prompts(self, found: SessionRecord) -> Iterator[str]:
            """What the conversation was begun with; some agents put words of their own before ours."""


_HEAD_BYTES = 600_000  # codex begins with all of its instructions
_SHORTENED_AT = 200  # characters of a directory's name that Claude Code keeps
_MOST_DAYS = 31
_DATABASE_WAIT_SECONDS = 0.5


@record
class SessionRecord:
    """One conversation: its id, where its record is, and when it began (seconds since 1970)."""

    session_id: str
    path: str
    created: float


class ClaudeRecords:
    """`<root>/<directory, non-alphanumerics as ->/<id>.jsonl`. We choose the ids, so nothing needs to be searched."""

    def find(self, root: str, session_id: str, directory: str) -> SessionRecord | None:
        """The record of a conversation that was held in that directory."""
        for place in _spellings(directory):
            name = re.sub(r"[^A-Za-z0-9]", "-", place)
            shortened = [each for each in _names(root) if each.startswith(f"{name[:_SHORTENED_AT]}-")]
            for folder in [name] if len(name) <= _SHORTENED_AT else shortened:
                path = os.path.join(root, folder, f"{session_id}.jsonl")
                if is_record(root, path):
                    return SessionRecord(session_id, path, 0.0)
        return None

    def search(self, root: str, directory: str, since: float, until: float) -> Iterator[SessionRecord]:
        """None: a conversation whose id is not known is not ours."""
        del root, directory, since, until
        return iter(())

    def prompts(self, found: SessionRecord) -> Iterator[str]:
        """None: see above."""
        del found
        return iter(())


class CodexRecords:
    """`<root>/<year>/<month>/<day>/rollout-<time>-<id>.jsonl`, by the person's clock; the first line has the place."""

    def find(self, root: str, session_id: str, directory: str) -> SessionRecord | None:
        """The record of a conversation that was held in that directory."""
        for day in days_backwards(root):
            for name in _names(day):
                if name.startswith("rollout-") and name.endswith(f"-{session_id}.jsonl"):
                    return self._read(root, os.path.join(day, name), directory)
        return None

    def search(self, root: str, directory: str, since: float, until: float) -> Iterator[SessionRecord]:
        """The conversations that began in that directory between two times."""
        first = datetime.fromtimestamp(since).astimezone() - timedelta(days=1)
        last = min(until, since + _MOST_DAYS * 86400) + 86400
        for number in range(_MOST_DAYS + 3):
            day = first + timedelta(days=number)
            if day.timestamp() > last:
                return
            folder = os.path.join(root, day.strftime("%Y"), day.strftime("%m"), day.strftime("%d"))
            for name in sorted(_names(folder)):
                found = self._read(root, os.path.join(folder, name), directory) if name.startswith("rollout-") else None
                if found is not None and since <= found.created < until:
                    yield found

    def prompts(self, found: SessionRecord) -> Iterator[str]:
        """What the conversation was begun with; some agents put words of their own before ours."""
        for line in head_lines(found.path):
            payload = line.get("payload")
            if isinstance(payload, dict) and payload.get("type") == "message" and payload.get("role") == "user":
                yield _text_of(payload.get("content"))

    def _read(self, root: str, path: str, directory: str) -> SessionRecord | None:
        first = next(head_lines(path), {}) if is_record(root, path) else {}
        meta = first.get("payload")
        if first.get("type") != "session_meta" or not isinstance(meta, dict):
            return None
        session_id, created = meta.get("id"), to_seconds(meta.get("timestamp"))
        # What an agent of the agent's own does has a source that says whose it is, instead of a word.
        is_own = isinstance(meta.get("source", ""), str) and _is_same_place(meta.get("cwd"), directory)
        return SessionRecord(session_id, path, created) if is_own and isinstance(session_id, str) and created else None


class PiRecords:
    """`<root>/--<directory, with - for />--/<time>_<id>.jsonl`; the first line has id, place and time."""

    def find(self, root: str, session_id: str, directory: str) -> SessionRecord | None:
        """The record of a conversation that was held in that directory."""
        records = self.search(root, directory, 0, float("inf"))
        return next((found for found in records if found.session_id == session_id), None)

    def search(self, root: str, directory: str, since: float, until: float) -> Iterator[SessionRecord]:
        """The conversations that began in that directory between two times."""
        for place in _spellings(directory):
            folder = os.path.join(root, f"--{re.sub('[/:]', '-', place.lstrip('/'))}--")
            for name in sorted(_names(folder)):
                path = os.path.join(folder, name)
                head = next(head_lines(path), {}) if name.endswith(".jsonl") and is_record(root, path) else {}
                session_id, created = head.get("id"), to_seconds(head.get("timestamp"))
                if head.get("type") == "session" and isinstance(session_id, str) and since <= created < until:
                    yield SessionRecord(session_id, path, created)

    def prompts(self, found: SessionRecord) -> Iterator[str]:
        """What the conversation was begun with; some agents put words of their own before ours."""
        for line in head_lines(found.path):
            message = line.get("message")
            if isinstance(message, dict) and message.get("role") == "user":
                yield _text_of(message.get("content"))


class OpencodeRecords:
    """Rows of one SQLite database, which opencode has open for writing; `root` is the database."""

    _SESSIONS = "SELECT id, time_created FROM session WHERE directory IN (?, ?) AND parent_id IS NULL"
    _TEXTS = "SELECT p.data FROM part p JOIN message m ON m.id = p.message_id WHERE m.session_id = ?"

    def find(self, root: str, session_id: str, directory: str) -> SessionRecord | None:
        """The record of a conversation that was held in that directory."""
        rows = _query(root, f"{self._SESSIONS} AND id = ?", (*_spellings(directory), session_id))
        return next(self._records(root, rows), None)

    def search(self, root: str, directory: str, since: float, until: float) -> Iterator[SessionRecord]:
        """The conversations that began in that directory between two times."""
        times = (since * 1000, min(until, 1e12) * 1000)
        statement = f"{self._SESSIONS} AND time_created >= ? AND time_created < ? ORDER BY time_created"
        return self._records(root, _query(root, statement, (*_spellings(directory), *times)))

    def prompts(self, found: SessionRecord) -> Iterator[str]:
        """What the conversation was begun with; some agents put words of their own before ours."""
        for (data,) in _query(found.path, f"{self._TEXTS} ORDER BY m.time_created, p.id LIMIT 5", (found.session_id,)):
            part = _object(data) if isinstance(data, str) else {}
            if isinstance(part.get("text"), str):
                yield part["text"]

    def _records(self, root: str, rows: list[tuple[Any, ...]]) -> Iterator[SessionRecord]:
        for session_id, created in rows:
            if isinstance(session_id, str) and isinstance(created, int | float):
                yield SessionRecord(session_id, root, created / 1000)


FORMATS: Mapping[str, RecordFormat] = {
    "claude": ClaudeRecords(),
    "codex": CodexRecords(),
    "opencode": OpencodeRecords(),
    "pi": PiRecords(),
}


def to_seconds(stamp: object) -> float:
    """A time like 2026-11-16T20:00:34.446Z in seconds since 1970; 0 for anything else."""
    try:
        found = datetime.fromisoformat(stamp) if isinstance(stamp, str) else None
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp() if found is not None else 0.0
    except (ValueError, OverflowError):
        return 0.0


def _query(database: str, statement: str, values: tuple[object, ...]) -> list[tuple[Any, ...]]:
    """Rows of a database that another program writes; one that is locked or of another version is `Unreadable`."""
    import sqlite3
    from contextlib import closing
    from urllib.parse import quote

    if not is_record(os.path.dirname(database), database):
        return []
    check_database(database)
    try:
        address = f"file:{quote(database)}?mode=ro"
        with closing(sqlite3.connect(address, uri=True, timeout=_DATABASE_WAIT_SECONDS)) as connection:
            return connection.execute(statement, values).fetchmany(1000)
    except sqlite3.Error as problem:
        raise Unreadable(f"{database} cannot be read: {problem}") from None


def is_record(root: str, path: str) -> bool:
    """Whether it is a regular file that really is below the agent's own directory."""
    try:
        is_file = stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False
    return is_file and os.path.realpath(path).startswith(os.path.join(os.path.realpath(root), ""))


def head_lines(path: str) -> Iterator[dict[str, Any]]:
    """The first lines of a file of JSON lines, as far as they are whole."""
    try:
        descriptor = open_regular(path, follow=False)
    except OrangeError:
        return
    with open(descriptor, "rb") as file:
        left = _HEAD_BYTES
        while (line := file.readline(left)).endswith(b"\n"):
            yield _object(line)
            left -= len(line)


def _object(data: bytes | str) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _text_of(content: object) -> str:
    """The text of a message, which may be a list of parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str))


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def days_backwards(root: str) -> Iterator[str]:
    for year in sorted(_names(root), reverse=True):
        for month in sorted(_names(os.path.join(root, year)), reverse=True):
            for day in sorted(_names(os.path.join(root, year, month)), reverse=True):
                yield os.path.join(root, year, month, day)


def _spellings(directory: str) -> tuple[str, str]:
    """A directory as it is called, and as it is called without links."""
    return directory, os.path.realpath(directory)


def _is_same_place(place: object, directory: str) -> bool:
    return isinstance(place, str) and bool(set(_spellings(directory)) & {place, os.path.normpath(place)})
