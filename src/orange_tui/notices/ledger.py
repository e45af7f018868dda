"""Which needs there are, since when, and which were told: what a supervisor knows of notices, and the next one too.

Pure but for its file: given what is seen and the time, it says what is due. An entry is written before its notice is
sent (with the try counted) and after it (with the addresses that are left). Whoever is killed in between repeats it
after a pause: each need is told at least once, and tried a bounded number of times.
"""

from __future__ import annotations

import os

from orange_tui.domain.records import record, replace
from orange_tui.home.json_file import JsonFile, to_number
from orange_tui.notices.presence import AT_THE_APP_SECONDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from orange_tui.home.paths import Home

DAILY = "daily"
SETTLE_SECONDS = 5.0  # a need that is over by then was none
SETTLE_LOST_SECONDS = 60.0  # agents that were lost may be brought back, one by one
GONE_SECONDS = 3.0  # a need that is back by then was never over
AWAY_SECONDS = 600.0  # after the person's last key, until what began before their eyes is told
_FIRST_PAUSE_SECONDS = 30.0  # between two tries, and longer than one can take
_LONGEST_PAUSE_SECONDS = 1800.0
MOST_TRIES = 10  # over about two hours


@record
class Sight:
    """A need as it is now: whose, of which kind, and a fingerprint of what it says where that tells two apart."""

    task: str
    kind: str
    words: str = ""


@record
class Entry:
    """A need that was seen. `left`: the addresses that do not have it yet; None while nothing was tried."""

    task: str
    kind: str
    words: str
    since: float
    gone: float | None = None
    was_seen: bool = False  # the person was at the app while it stood
    left: tuple[str, ...] | None = None
    tries: int = 0
    due: float = 0.0

    @property
    def is_told(self) -> bool:
        """Whether nothing is left to be done about it."""
        return self.left == ()

    @property
    def is_given_up(self) -> bool:
        """Whether it was tried too often."""
        return not self.is_told and self.tries >= MOST_TRIES

    def is_same(self, sight: Sight) -> bool:
        """Whether that is this need; where nobody knows what is asked, it is what was asked before."""
        fits = self.words == sight.words or not self.words or not sight.words
        return (self.task, self.kind) == (sight.task, sight.kind) and fits


class Ledger:
    """All entries, and when the person was last seen."""

    def __init__(self, entries: Iterable[Entry] = (), seen_at: float = 0.0) -> None:
        self.entries = list(entries)
        self.seen_at = seen_at

    def observe(self, sights: Iterable[Sight], now: float, seen_at: float) -> None:
        """Take in what needs the person now, and when they were last there."""
        self.seen_at = max(self.seen_at, seen_at) if self.seen_at <= now else seen_at
        is_there = now - seen_at < AT_THE_APP_SECONDS
        standing = list(sights)
        kept = [self._update(entry, standing, now) for entry in self.entries]
        known = [entry for entry in kept if entry.gone is None or 0 <= now - entry.gone < GONE_SECONDS]
        new = [each for each in standing if not any(entry.is_same(each) for entry in known)]
        known += [Entry(each.task, each.kind, each.words, now) for each in new]
        self.entries = [replace(e, was_seen=True) if is_there and e.kind != DAILY else e for e in known]

    def _update(self, entry: Entry, standing: Sequence[Sight], now: float) -> Entry:
        sight = next((each for each in standing if entry.is_same(each)), None)
        if sight is None:
            return entry if entry.gone is not None else replace(entry, gone=now)
        return replace(entry, gone=None, words=sight.words or entry.words)

    def due(self, now: float, seen_at: float) -> list[Entry]:
        """What is to be told now, the oldest first."""
        return [entry for entry in self.entries if self._is_due(entry, now, seen_at)]

    def _is_due(self, entry: Entry, now: float, seen_at: float) -> bool:
        if entry.is_told or entry.is_given_up or entry.gone is not None:
            return False
        if abs(entry.due - now) <= _LONGEST_PAUSE_SECONDS and entry.due > now:  # else the clock was set back
            return False
        if entry.kind == DAILY:
            return True
        settled = SETTLE_LOST_SECONDS if entry.kind == "lost" else SETTLE_SECONDS
        if 0 <= now - entry.since < settled or now - seen_at < AT_THE_APP_SECONDS:
            return False
        return not entry.was_seen or not 0 <= now - self.seen_at < AWAY_SECONDS

    @property
    def waits(self) -> bool:
        """Whether time alone can make something due, or over."""
        return any(e.gone is not None or not (e.is_told or e.is_given_up) for e in self.entries)

    def begin_try(self, entries: Iterable[Entry], addresses: Iterable[str], now: float) -> list[Entry]:
        """Count a try to send these to whoever has not got them; returns them as they are now."""
        known = tuple(addresses)
        tried = [_tried(entry, known, now) for entry in entries]
        self._put(tried)
        return tried

    def end_try(self, entry: Entry, failed: Iterable[str]) -> Entry:
        """What came of it: these have not got it; returns it as it is now."""
        after = replace(entry, left=tuple(failed))
        self._put([after])
        return after

    def _put(self, entries: Sequence[Entry]) -> None:
        for entry in entries:
            self.entries = [entry if _key(each) == _key(entry) else each for each in self.entries]


def _key(entry: Entry) -> tuple[str, str, str, float]:
    return entry.task, entry.kind, entry.words, entry.since


def _tried(entry: Entry, addresses: Sequence[str], now: float) -> Entry:
    left = addresses if entry.left is None else tuple(each for each in entry.left if each in addresses)
    pause = min(_FIRST_PAUSE_SECONDS * 2**entry.tries, _LONGEST_PAUSE_SECONDS)
    return replace(entry, left=left, tries=entry.tries + 1, due=now + pause)


class LedgerFile:
    """state/.notices.json: the ledger, and what was last wrong with each address."""

    def __init__(self, home: Home) -> None:
        path = os.path.join(home.state, ".notices.json")
        self._file = JsonFile(path, f"{path}.lock", "notices", disposable=True)
        self._written: tuple[tuple[Entry, ...], float] | None = None

    def read(self) -> Ledger:
        """The ledger as it was written last; an empty one where it was not, or is damaged."""
        found = self._file.read_object()
        entries = found.get("entries")
        made = [_from_json(each) for each in entries if isinstance(each, dict)] if isinstance(entries, list) else []
        return Ledger([each for each in made if each is not None], to_number(found.get("seen_at")) or 0.0)

    def write(self, ledger: Ledger) -> None:
        """Write it, if it is another than we wrote last."""
        content_now = (tuple(ledger.entries), ledger.seen_at)
        if content_now == self._written:
            return
        with self._file.changing_object() as content:
            content["entries"] = [_to_json(entry) for entry in ledger.entries]
            content["seen_at"] = ledger.seen_at
        self._written = content_now

    def problems(self) -> dict[str, str]:
        """What was last wrong, by the fingerprint of the address."""
        found = self._file.read_object().get("problems")
        return {str(key): str(value) for key, value in found.items()} if isinstance(found, dict) else {}

    def write_problems(self, problems: Mapping[str, str]) -> None:
        """Remember what is wrong, for `orange doctor` and the next supervisor."""
        with self._file.changing_object() as content:
            content["problems"] = dict(problems)


def _to_json(entry: Entry) -> dict[str, Any]:
    names = ("task", "kind", "words", "since", "gone", "was_seen", "left", "tries", "due")
    return {name: list(value) if isinstance(value := getattr(entry, name), tuple) else value for name in names}


def _from_json(content: Mapping[str, Any]) -> Entry | None:
    task, kind, words = (content.get(name) for name in ("task", "kind", "words"))
    since, left = to_number(content.get("since")), content.get("left")
    if since is None or not (isinstance(task, str) and isinstance(kind, str) and isinstance(words, str)):
        return None
    return Entry(
        task,
        kind,
        words,
        since,
        gone=to_number(content.get("gone")),
        was_seen=content.get("was_seen") is True,
        left=tuple(str(each) for each in left) if isinstance(left, list) else None,
        tries=int(to_number(content.get("tries")) or 0),
        due=to_number(content.get("due")) or 0.0,
    )
