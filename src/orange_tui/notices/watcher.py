"""Tells the person who is away what needs them, for as long as a supervisor acts and config.yml has addresses.

What needs the person is judged by a board of its own, as the app's is; what was told stands in the ledger.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from hashlib import sha256

from orange_tui.domain.errors import OrangeError
from orange_tui.domain.records import record
from orange_tui.home import clock
from orange_tui.home.files import make_directory
from orange_tui.home.settings.config_file import read_settings
from orange_tui.home.time_zone import today
from orange_tui.notices.ledger import DAILY, LedgerFile, Sight
from orange_tui.notices.presence import last_seen_at_app
from orange_tui.notices.sending import fingerprint, masked, send
from orange_tui.notices.words import daily_notice, need_notice
from orange_tui.outside.backoff import in_background, pause
from orange_tui.usage.summary import first_day, read_usage, summarize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from orange_tui.board.board import Boards
    from orange_tui.board.rows import Snapshot, TaskRow
    from orange_tui.domain.usage.totals import Totals
    from orange_tui.home.log import Log
    from orange_tui.home.paths import Home
    from orange_tui.home.settings.config_file import Settings
    from orange_tui.notices.ledger import Entry, Ledger
    from orange_tui.notices.words import Notice
    from orange_tui.sessions.liveness import Sessions
    from orange_tui.store.feed import Change, TaskFeed

_CONFIG_SECONDS = 10.0  # between two looks at config.yml while nobody wants notices
_LOOK_SECONDS = 1.0  # between two looks at the board, however much changes
_WAITING_SECONDS = 2.0  # the same while something waits for its time
_IDLE_SECONDS = 30.0  # the same while nothing does
_DAY_SECONDS = 86_400
MOST_SINGLE = 3  # of more needs at once than that, one message tells
_TOLD_APART = frozenset({"permission", "attention"})  # two needs of such a kind are two where they say other things


@record
class WatcherParts:
    """What notices are made from."""

    home: Home
    log: Log
    feed: TaskFeed
    sessions: Sessions
    new_boards: Callable[[], Boards]


@record
class _Wanted:
    """What config.yml says of notices."""

    addresses: tuple[str, ...]
    daily: str
    settings: Settings


@record
class _Batch:
    """Notices that are due: each with the entries it tells of, and whom it is for."""

    wanted: _Wanted
    notices: tuple[tuple[Notice, tuple[Entry, ...]], ...]


class NoticeWatcher:
    """Watches what needs the person, and sends."""

    def __init__(self, parts: WatcherParts) -> None:
        self._parts, self._home = parts, parts.home
        self._file = LedgerFile(parts.home)
        self._changed: Change = None
        self._wake = asyncio.Event()

    async def run(self) -> None:
        """Watch while somebody wants notices, and look now and then whether somebody does."""
        while True:
            if await asyncio.to_thread(self._read_wanted) is not None:
                await self._watch()
            await asyncio.sleep(_CONFIG_SECONDS)

    def _read_wanted(self) -> _Wanted | None:
        """What is wanted; nothing where config.yml cannot be read, which everybody else says."""
        with suppress(OrangeError):
            settings = read_settings(self._home)
            addresses = tuple(dict.fromkeys(settings.names("notify")))
            return _Wanted(addresses, settings.text("notify_daily"), settings) if addresses else None
        return None

    async def _watch(self) -> None:
        boards = await asyncio.to_thread(self._parts.new_boards)
        ledger = await asyncio.to_thread(self._file.read)
        collecting = asyncio.create_task(self._collect())
        try:
            while (wanted := await asyncio.to_thread(self._read_wanted)) is not None:
                changed, self._changed = self._changed, set()
                self._wake.clear()
                snapshot = await asyncio.to_thread(boards.refresh, changed)
                if snapshot.complete:
                    await self._tell(ledger, snapshot, wanted)
                await asyncio.sleep(_LOOK_SECONDS)
                await pause(_WAITING_SECONDS if ledger.waits or not snapshot.complete else _IDLE_SECONDS, self._wake)
                if collecting.done():
                    collecting.result()
        finally:
            collecting.cancel()
            await asyncio.gather(collecting, return_exceptions=True)

    async def _collect(self) -> None:
        """Note what changes, for the next look."""
        self._changed = None
        async for changed in self._parts.feed.changes():
            known = self._changed
            self._changed = None if changed is None or known is None else known | changed
            self._wake.set()

    async def _tell(self, ledger: Ledger, snapshot: Snapshot, wanted: _Wanted) -> None:
        batch = await asyncio.to_thread(self._take_due, ledger, snapshot, wanted)
        if batch.notices:
            # In a thread that nobody waits for: who leaves the app does not wait for a service that hangs.
            failed = await in_background(lambda: self._send(batch))
            await asyncio.to_thread(self._record, ledger, batch, failed)

    def _take_due(self, ledger: Ledger, snapshot: Snapshot, wanted: _Wanted) -> _Batch:
        """Note what there is, and count a try for all that is due, before anything is sent."""
        now, seen_at = time.time(), self._last_seen()
        rows = {f"{row.ref.project}/{row.ref.id}": row for row in snapshot.rows if row.needs}
        ledger.observe([*_sights(rows.items()), *self._daily_sight(wanted)], now, seen_at)
        due = ledger.due(now, seen_at)
        tried = ledger.begin_try(due, map(fingerprint, wanted.addresses), now)
        make_directory(self._home.state)
        self._file.write(ledger)
        return _Batch(wanted, tuple(self._notices(tried, rows, snapshot, wanted)))

    def _notices(
        self, entries: Sequence[Entry], rows: dict[str, TaskRow], snapshot: Snapshot, wanted: _Wanted
    ) -> Iterable[tuple[Notice, tuple[Entry, ...]]]:
        """The messages for what is due: one for each need, or one for many."""
        needs = [entry for entry in entries if entry.kind != DAILY]
        for addresses in dict.fromkeys(entry.left for entry in needs):
            alike = [entry for entry in needs if entry.left == addresses]
            groups = [[entry] for entry in alike] if len(alike) <= MOST_SINGLE else [alike]
            for group in groups:
                yield need_notice([rows[entry.task] for entry in group]), tuple(group)
        for entry in entries:
            if entry.kind == DAILY:
                since = clock.at(int((time.time() - _DAY_SECONDS) * 1_000_000_000))
                yield daily_notice(snapshot, since, self._costs(wanted)), (entry,)

    def _costs(self, wanted: _Wanted) -> list[tuple[str, Totals]]:
        """What yesterday and today have cost."""
        days = summarize(read_usage(self._home).since(first_day(self._home, 2)).rows, "day")
        this_day = str(today(wanted.settings.time_zone()))
        return [("today" if group.name == this_day else "yesterday", group.totals) for group in days.groups]

    def _daily_sight(self, wanted: _Wanted) -> list[Sight]:
        """The summary of today, once its time has come."""
        from datetime import datetime

        now = datetime.fromisoformat(clock.now()).astimezone(wanted.settings.time_zone())
        is_time = bool(wanted.daily) and now.strftime("%H:%M") >= wanted.daily
        return [Sight("", DAILY, str(now.date()))] if is_time else []

    def _last_seen(self) -> float:
        """When the person was last seen at an app, or at the session of an agent."""
        return max(last_seen_at_app(self._home), self._parts.sessions.last_key())

    def _send(self, batch: _Batch) -> dict[tuple[int, int], str]:
        """Send what is due; returns what failed, by address and notice."""
        addresses = batch.wanted.addresses
        names = [fingerprint(each) for each in addresses]
        orders = [(notice, [names.index(each) for each in entries[0].left or ()]) for notice, entries in batch.notices]
        outcomes = send(addresses, orders)
        return {key: problem for key, problem in outcomes.items() if problem is not None}

    def _record(self, ledger: Ledger, batch: _Batch, failed: dict[tuple[int, int], str]) -> None:
        """Write down what has arrived, and say of what has not, once."""
        addresses = batch.wanted.addresses
        for number, (_, entries) in enumerate(batch.notices):
            left = [fingerprint(addresses[index]) for index, at in failed if at == number]
            after = [ledger.end_try(entry, left) for entry in entries]
            if after[0].is_given_up:
                told = ", ".join(entry.task.rpartition("/")[2] or DAILY for entry in after)
                self._parts.log.write("warning", f"a notice about {told} was given up after {after[0].tries} tries")
        self._file.write(ledger)
        self._log_problems(addresses, {index: problem for (index, _), problem in failed.items()}, _asked(batch))

    def _log_problems(self, addresses: Sequence[str], failed: dict[int, str], asked: set[str]) -> None:
        """Log what is newly wrong with an address; that it works again is only written down."""
        before = self._file.problems()
        known = {fingerprint(each) for each in addresses}
        problems = {key: text for key, text in before.items() if key in known and key not in asked}
        for index, problem in failed.items():
            problems[fingerprint(addresses[index])] = problem
            if before.get(fingerprint(addresses[index])) != problem:
                self._parts.log.write("warning", f"a notice was not sent to {masked(addresses, index)}: {problem}")
        if problems != before:
            self._file.write_problems(problems)


def _asked(batch: _Batch) -> set[str]:
    return {address for _, entries in batch.notices for address in entries[0].left or ()}


def _sights(rows: Iterable[tuple[str, TaskRow]]) -> list[Sight]:
    found = []
    for task, row in rows:
        if row.needs is not None:
            words = _words(row) if row.needs.kind in _TOLD_APART else ""
            found.append(Sight(task, row.needs.kind, words))
    return found


def _words(row: TaskRow) -> str:
    """A fingerprint of what is asked; of a permission whose question nobody knows, none."""
    text = row.asks if row.needs is not None and row.needs.kind == "permission" else row.needs
    return sha256(text.encode(errors="surrogateescape")).hexdigest()[:16] if text else ""
