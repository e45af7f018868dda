"""Finds tasks by the text of their TASK.md: read while somebody searches, and not kept.

Ten thousand of them are read within a moment. Who types on is not kept waiting: a search that nobody wants any more
ends, and one for more letters looks only where the fewer were found. A text that is as it was is not read again.
"""

from __future__ import annotations

import asyncio
import os
from threading import Event
from typing import TYPE_CHECKING

from orange_tui.domain.errors import OrangeError, Unreadable
from orange_tui.domain.text.frontmatter import split
from orange_tui.home.files import read_bytes, read_signature
from orange_tui.tui.listing.filters import missing_words, search_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orange_tui.board.rows import TaskRow
    from orange_tui.home.files import Signature
    from orange_tui.home.paths import Home
    from orange_tui.store.index import Key
    from orange_tui.tui.listing.model import ListModel

    Looked = dict[Key, tuple[Signature | None, bool]]  # at the text as it was then, and whether it had the words

_MAX_BYTES = 1_000_000  # of a text; nobody looks for what is further down
_FEWEST_LETTERS = 2  # one is in every text


class TextSearch:
    """The searches of one list, one after the other. `find` reads files: not in the event loop."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._last: tuple[tuple[str, ...], Looked] = ((), {})
        self._wanted = Event()

    def cancel(self) -> None:
        """End the search that goes on."""
        self._wanted.set()
        self._wanted = Event()

    async def find_for(self, model: ListModel, rows: Sequence[TaskRow]) -> bool:
        """Have a list show what its words find in texts; says whether that is something else than before."""
        search = model.choices.search
        found = await asyncio.to_thread(self.find, rows, search, self._wanted)
        if found is None or search != model.choices.search or found == model.in_text:
            return False
        model.in_text = found
        return True

    def find(self, rows: Sequence[TaskRow], search: str, cancelled: Event | None = None) -> frozenset[Key] | None:
        """The tasks whose text has the words that are nowhere else; None where it was cancelled."""
        words, cancelled = tuple(search_words(search)), cancelled or self._wanted
        if len("".join(words)) < _FEWEST_LETTERS:
            return frozenset()
        before = self._before(words)
        looked: Looked = {}
        for row in rows:
            if cancelled.is_set():
                return None
            left = missing_words(row, words)
            if left:
                key = (row.ref.project, row.ref.id)
                looked[key] = self._look(key, left, before.get(key))
        self._last = words, looked
        return frozenset(key for key, (_, has) in looked.items() if has)

    def _before(self, words: tuple[str, ...]) -> Looked:
        """What was looked at and still tells: for the same words all of it, for more letters what had not the fewer."""
        old, looked = self._last
        if old == words:
            return looked
        is_part = len(old) == len(words) and all(new.startswith(each) for each, new in zip(old, words, strict=True))
        return {key: found for key, found in looked.items() if not found[1]} if is_part else {}

    def _look(
        self, key: Key, words: Sequence[str], before: tuple[Signature | None, bool] | None
    ) -> tuple[Signature | None, bool]:
        path = os.path.join(self._home.tasks, *key, "TASK.md")
        signature = read_signature(path)  # before the text: what is written meanwhile is read the next time
        return before if before is not None and before[0] == signature else (signature, _has(path, words))


def _has(path: str, words: Sequence[str]) -> bool:
    try:
        text = read_bytes(path, max_bytes=_MAX_BYTES, follow=False).decode(errors="replace")
    except OrangeError:
        return False  # gone, or its row says what is wrong
    folded = _without_frontmatter(text).casefold()
    return all(word in folded for word in words)


def _without_frontmatter(text: str) -> str:
    """The text itself: every task has the names of the fields above it, and what is in them is found without it."""
    try:
        return split(text).body
    except Unreadable:
        return text
