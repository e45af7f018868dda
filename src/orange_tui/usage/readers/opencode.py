"""opencode: the table `message` of its database, a row for each answer, and again whenever it grows.

The agents below a conversation have conversations of their own, with its id as `parent_id`. The database is opened for
reading only, is never taken for one that nobody writes to, and may be locked: then it is read the next time.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from urllib.parse import quote

from orange_tui.domain.usage.prices import Tokens
from orange_tui.usage.readers import values
from orange_tui.usage.readers.items import Message, NotUnderstood

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from orange_tui.usage.readers.items import Memory

MOST_ROWS = 1_000  # in one go
_LOCK_SECONDS = 0.1
_MOST_STEPS = 5_000_000  # of sqlite's machine: the file is the agent's, and may be anything
_MOST_CHARACTERS = 100_000  # of one message
_ROWS = """
WITH RECURSIVE family(id) AS (
    SELECT id FROM session WHERE id = :session
    UNION SELECT session.id FROM session JOIN family ON session.parent_id = family.id
)
SELECT message.id, message.time_updated, message.data FROM message JOIN family ON message.session_id = family.id
WHERE message.time_updated >= :since AND length(message.data) <= :most AND message.data LIKE '%"assistant"%'
ORDER BY message.time_updated, message.id LIMIT :rows
"""


class NotNow(Exception):
    """The database cannot be read at the moment: somebody writes to it."""


def read(path: str, session: str, memory: Memory) -> Iterator[Message]:
    """What a conversation and those below it have used since the last time (`memory`), from at most `MOST_ROWS` rows.

    `memory` says at the end whether there may be more (`has_more`).
    """
    before, number = memory.get("updated"), 0
    for message_id, updated, data in _rows(path, session, int(memory.get("updated", 0))):
        if type(updated) is not int or not isinstance(message_id, str) or not isinstance(data, str):
            raise NotUnderstood("its messages have no time, no id or no text")
        found = _message(message_id, data.encode(errors="replace"))
        memory["updated"], number = updated, number + 1
        if found is not None:
            yield found
    memory["has_more"] = number >= MOST_ROWS and memory.get("updated") != before


def _rows(path: str, session: str, since: int) -> list[tuple[object, object, object]]:
    try:
        with closing(sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True, timeout=_LOCK_SECONDS)) as database:
            database.execute("PRAGMA trusted_schema = OFF")
            database.set_progress_handler(lambda: 1, _MOST_STEPS)
            words = {"session": session, "since": since, "most": _MOST_CHARACTERS, "rows": MOST_ROWS}
            return database.execute(_ROWS, words).fetchall()
    except sqlite3.OperationalError as problem:
        if getattr(problem, "sqlite_errorcode", None) in {sqlite3.SQLITE_ERROR, None}:  # no such table or column
            raise NotUnderstood(str(problem)) from None
        raise NotNow(str(problem)) from None
    except sqlite3.Error as problem:
        raise NotUnderstood(str(problem)) from None


def _message(message_id: str, data: bytes) -> Message | None:
    entry = values.parse(data)
    if entry.get("role") != "assistant":
        return None
    used, model = entry.get("tokens"), values.text(entry, "modelID")
    if not isinstance(used, dict) or not model:
        raise NotUnderstood("an answer has no `tokens` or `modelID`")
    cache = values.mapping(used, "cache")
    tokens = Tokens(
        input=values.count(used, "input", required=True),
        output=values.count(used, "output", required=True) + values.count(used, "reasoning"),
        cache_read=values.count(cache, "read"),
        cache_write=values.count(cache, "write"),
    )
    if tokens == Tokens():
        return None  # it has only begun
    created = values.mapping(entry, "time").get("created")
    stamp = values.stamp(created // 1000) if type(created) is int else None
    return Message(message_id, "", model, stamp or "", tokens, values.dollars(entry, "cost"))
