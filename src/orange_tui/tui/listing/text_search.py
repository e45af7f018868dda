"""Finds tasks by the text of their TASK.md: read while somebody searches, and not kept.

Ten thousand of them are read within a moment. Who types on is not kept waiting: a search that nobody wants any more
ends, and one for more letters looks only where the fewer were found.
"""

from __future__ import annotations

import asyncio
import os
from threading import Event
from typing import TYPE_CHECKING

from orange_tui.domain.errors import OrangeError
from orange_tui.home.files import read_bytes
from orange_tui.tui.listing.filters import missing_words, search_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orange_tui.board.rows import TaskRow
    from orange_tui.home.paths import Home
    from orange_tui.store.index import Key
    from orange_tui.tui.listing.model import ListModel

_MAX_BYTES = 1_000_000  # of a text; nobody looks for what is further down
_FEWEST_LETTERS = 2  # one is in every text


class TextSearch:
    """The searches of one list, one after the other. `find` reads files: not in the event loop."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._last: tuple[tuple[str, ...], int, set[Key]] | None = (
            None  # words, revision, tasks that have them anywhere
        )
        self._wanted = Event()

    def cancel(self) -> None:
        """End the search that goes on."""
        self._wanted.set()
        self._wanted = Event()

    async def find_for(self, model: ListModel, rows: Sequence[TaskRow], revision: int) -> bool:
        """Have a list show what its words find in texts; says whether that is something else than before."""
        search = model.choices.search
        found = await asyncio.to_thread(self.find, rows, search, revision)
        if found is None or search != model.choices.search or found == model.in_text:
            return False
        model.in_text = found
        return True

    def find(self, rows: Sequence[TaskRow], search: str, revision: int) -> frozenset[Key] | None:
        """The tasks whose text has the words that are nowhere else; None where it was cancelled.

        `revision` is another one when a text has changed since.
        """
        words, cancelled = tuple(search_words(search)), self._wanted
        if len("".join(words)) < _FEWEST_LETTERS:
            return frozenset()
        before = self._before(words, revision)
        found: set[Key] = set()
        others: set[Key] = set()
        for row in rows:
            if cancelled.is_set():
                return None
            key = (row.ref.project, row.ref.id)
            left = missing_words(row, words)
            if not left:
                others.add(key)
            elif (before is None or key in before) and self._has(key, left):
                found.add(key)
        self._last = words, revision, found | others
        return frozenset(found)

    def _before(self, words: Sequence[str], revision: int) -> set[Key] | None:
        """Where alone these words can be: where others were found that are parts of them. None: anywhere."""
        if self._last is None or self._last[1] != revision or len(self._last[0]) != len(words):
            return None
        is_part = all(new.startswith(old) for old, new in zip(self._last[0], words, strict=True))
        return None if not is_part else self._last[2] if self._last[0] != tuple(words) else None

    def _has(self, key: Key, words: Sequence[str]) -> bool:
        path = os.path.join(self._home.tasks, *key, "TASK.md")
        try:
            text = read_bytes(path, max_bytes=_MAX_BYTES, follow=False).decode(errors="replace").casefold()
        except OrangeError:
            return False  # gone, or its row says what is wrong
        return all(word in text for word in words)
