"""Adding up: what readers find becomes rows, each message once, with its cost.

A message that comes again adds only what is new in it, so that neither the order nor the number of repetitions matters.
What an agent says that a conversation has cost wins over prices: for the tokens that it names, its cost counts, and
for those that came later, prices do. A forked conversation is told to have cost what the one before it has, too; there
only prices count.
"""

from __future__ import annotations

from bisect import bisect_right
from datetime import UTC, datetime, timedelta
from operator import attrgetter

from orange_tui.domain.records import record
from orange_tui.domain.task import printable
from orange_tui.domain.usage.prices import Tokens
from orange_tui.domain.usage.totals import COUNTS, Totals, UsageRow
from orange_tui.usage._seen import Counted, session_mark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import tzinfo
    from typing import Any

    from orange_tui.domain.usage.prices import PriceTable
    from orange_tui.usage._seen import SeenMessages
    from orange_tui.usage.readers.items import CostReport, Message

    RowKey = tuple[str, int, str, str, str]
    Numbers = Sequence[int]  # of tokens, in the order of `Tokens`

OTHER_MODELS = "other models"
_MOST_MODELS = 40  # of one task; a file of an agent's may say anything
_MOST_SESSIONS = 100
_MOST_ROWS = 2_000  # days can be made up, too
_MOST_NAME_CHARACTERS = 80
_EARLIEST = datetime(2025, 1, 1, tzinfo=UTC)
_CLOCKS_DIFFER = timedelta(days=1)
_TOKENS = attrgetter("input", "output", "cache_read", "cache_write", "hour_write")
_SUMS = attrgetter(*COUNTS)
_NONE = (0, 0, 0, 0, 0)


@record
class Owner:
    """Whose use it is: the window, its agent, and when agents were started in it, oldest first."""

    window: str
    agent: str
    starts: tuple[str, ...]
    since: str | None = None  # what is older is not its own: a conversation that the agent has gone on with


class _Sums:
    """The sums of one row while something is added to them."""

    __slots__ = ("cost", "numbers", "unpriced")

    def __init__(self, totals: Totals) -> None:
        self.numbers = list(_SUMS(totals))
        self.cost = totals.cost
        self.unpriced = set(totals.unpriced)

    def totals(self) -> Totals:
        """The same as it is stored."""
        counts = dict(zip(COUNTS, self.numbers, strict=True))
        return Totals(**counts, cost=self.cost, unpriced=tuple(sorted(self.unpriced)))


class UsageCount:
    """The rows of one task while something is added to them."""

    def __init__(
        self,
        rows: Iterable[UsageRow],
        sessions: object,
        seen: SeenMessages,
        prices: PriceTable,
        zone: tzinfo,
    ) -> None:
        self._rows: dict[RowKey, _Sums] = {
            (row.window, row.start, row.agent, row.model, row.day): _Sums(row.totals) for row in rows
        }
        self._models = {key[3] for key in self._rows}
        self.sessions: dict[str, Any] = dict(sessions) if isinstance(sessions, dict) else {}
        self._seen = seen
        self._prices = prices
        self._zone = zone
        self._now = datetime.now(UTC)
        self.changed: set[str] = set()  # the windows of which something was added
        self._price_anew()

    def rows(self) -> tuple[UsageRow, ...]:
        """The rows as they are now."""
        return tuple(UsageRow(*key, sums.totals()) for key, sums in self._rows.items())

    def add(self, owner: Owner, message: Message) -> None:
        """Count what is new in a message."""
        if owner.since is not None and self._stamp(self._moment(message.at)) < owner.since:
            self._session(message.session, is_copy=True)
            return
        before = self._seen.get(message.key)
        known = before or Counted(session_mark(message.session))
        tokens = message.tokens if before is None else _highest(known.tokens, message.tokens)
        turns = max(known.turns, message.turns)
        cost = message.cost if message.cost is not None else self._prices.cost(message.model, tokens)
        after = Counted(known.session, turns, tokens, max(known.cost, cost or 0.0))
        is_copy = before is not None and known.session != session_mark(message.session)
        session = self._session(message.session, is_copy=is_copy)
        if after == before:
            return
        self._seen.put(message.key, after)
        paid = known.cost
        if before is not None and not paid and message.cost is None:  # counted without a price, see `_price_anew`
            paid = self._prices.cost(message.model, known.tokens) or 0.0
        added, more = _rest(_TOKENS(tokens), _TOKENS(known.tokens)), max(0.0, after.cost - paid)
        key = self._row_key(owner, message.model, message.at)
        if session is None:
            self._put(key, added, more, turns - known.turns, is_unpriced=cost is None)
            return
        self._put(key, _NONE, 0.0, turns - known.turns, is_unpriced=cost is None)
        entry = _entry(session, key[3])
        unnamed = _unnamed(entry)
        entry["counted"] = _sum(_tokens(entry, "counted"), added)
        later = _rest(_unnamed(entry), unnamed)
        entry["spent"] += more if later == added else self._prices.cost(key[3], Tokens(*later)) or 0.0
        self._settle(key, entry)

    def report(self, owner: Owner, report: CostReport) -> None:
        """An agent says what a conversation has cost up to now."""
        session = self._session(report.session, is_copy=False)
        if session is None or session.get("copy"):
            return
        key = self._row_key(owner, report.model, report.at)
        entry = _entry(session, key[3])
        if report.cost <= (entry.get("cost") or 0.0):
            return
        before = sum(_unnamed(entry))
        entry["named"], entry["cost"] = _most(_tokens(entry, "named"), _TOKENS(report.tokens)), report.cost
        entry["spent"] *= sum(_unnamed(entry)) / before if before else 0.0
        self._settle(key, entry)
        self._clear_unpriced(key)

    def _settle(self, key: RowKey, entry: dict[str, Any]) -> None:
        """Put what has changed in the sums of a conversation with one model into a row."""
        cost = entry.get("cost", 0.0) + entry["spent"]
        whole = _most(_tokens(entry, "counted"), _tokens(entry, "named"))
        self._put(key, _rest(whole, _tokens(entry, "given")), cost - entry["paid"])
        entry["given"], entry["paid"] = whole, cost

    def _clear_unpriced(self, key: RowKey) -> None:
        """A model whose price nobody knows is paid for where the agent has said the cost of all its conversations."""
        _, _, agent, model, _ = key
        entries = [each["models"][model] for each in self.sessions.values() if model in each["models"]]
        if any(any(_unnamed(entry)) for entry in entries):
            return
        for each, sums in self._rows.items():
            if each[2:4] == (agent, model):
                sums.unpriced.clear()

    def _price_anew(self) -> None:
        """What was counted before its price was known costs what its sums do, now that it is."""
        priced: set[str] = set()
        for key, sums in self._rows.items():
            cost = self._prices.cost_of_sums(key[3], Tokens(*sums.numbers[:4])) if sums.unpriced == {key[3]} else None
            if cost is not None:
                sums.cost = max(sums.cost, cost)
                sums.unpriced.clear()
                self.changed.add(key[0])
                priced.add(key[3])
        for session in self.sessions.values() if priced else ():
            for model in priced & session["models"].keys():
                entry = session["models"][model]
                entry["spent"] = max(entry["spent"], self._prices.cost_of_sums(model, Tokens(*_unnamed(entry))) or 0.0)
                entry["paid"] = entry.get("cost", 0.0) + entry["spent"]

    def _session(self, name: str, *, is_copy: bool) -> dict[str, Any] | None:
        """The sums of a conversation; None where there are none to be kept."""
        if not name or (name not in self.sessions and len(self.sessions) >= _MOST_SESSIONS):
            return None
        session: dict[str, Any] = self.sessions.setdefault(name, {"models": {}})
        if is_copy:
            session["copy"] = True
        return session

    def _put(self, key: RowKey, tokens: Numbers, cost: float, turns: int = 0, *, is_unpriced: bool = False) -> None:
        if cost < 0:
            self._take_back(key, -cost)
            self.changed.add(key[0])
            cost = 0.0
        if any(tokens) or cost or turns or is_unpriced:
            self.changed.add(key[0])
            sums = self._rows.setdefault(key, _Sums(Totals()))
            sums.numbers = _sum(sums.numbers, (*tokens[:-1], turns))  # what is kept for an hour is in no row
            sums.cost += cost
            if is_unpriced:
                sums.unpriced.add(key[3])

    def _take_back(self, key: RowKey, cost: float) -> None:
        """It cost less than the prices said: take that from where most was paid, and from no row more than it has."""
        same = [sums for each, sums in self._rows.items() if (each[0], *each[2:4]) == (key[0], *key[2:4])]
        for sums in sorted(same, key=lambda each: -each.cost):
            less = min(cost, max(0.0, sums.cost))
            sums.cost -= less
            cost -= less

    def _row_key(self, owner: Owner, model: str, at: str) -> RowKey:
        name = printable(model)[:_MOST_NAME_CHARACTERS]
        if name not in self._models and len(self._models) >= _MOST_MODELS:
            name = OTHER_MODELS
        self._models.add(name)
        moment = self._moment(at)
        start = max(1, bisect_right(owner.starts, self._stamp(moment)))
        key = owner.window, start, owner.agent, name, moment.astimezone(self._zone).date().isoformat()
        if key in self._rows or len(self._rows) < _MOST_ROWS:
            return key
        return owner.window, 1, owner.agent, OTHER_MODELS, self._now.astimezone(self._zone).date().isoformat()

    @staticmethod
    def _stamp(moment: datetime) -> str:
        """A time as those of the starts are written."""
        return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")

    def _moment(self, at: str) -> datetime:
        """When it was; now, where the agent says nothing that could be true."""
        try:
            moment = datetime.fromisoformat(at)
        except ValueError:
            return self._now
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return moment if _EARLIEST <= moment <= self._now + _CLOCKS_DIFFER else self._now


def _entry(session: dict[str, Any], model: str) -> dict[str, Any]:
    entry: dict[str, Any] = session["models"].setdefault(model, {"spent": 0.0, "paid": 0.0})
    return entry


def _tokens(entry: dict[str, Any], name: str) -> Numbers:
    return entry.get(name) or _NONE


def _unnamed(entry: dict[str, Any]) -> list[int]:
    """Those whose cost the agent has not reported: what they cost by prices is `spent`."""
    return _rest(_tokens(entry, "counted"), _tokens(entry, "named"))


def _highest(one: Tokens, other: Tokens) -> Tokens:
    return Tokens(*_most(_TOKENS(one), _TOKENS(other)))


def _most(one: Numbers, other: Numbers) -> list[int]:
    return list(map(max, one, other))


def _rest(one: Numbers, other: Numbers) -> list[int]:
    return [a - b if a > b else 0 for a, b in zip(one, other, strict=True)]


def _sum(one: Numbers, other: Numbers) -> list[int]:
    return [a + b for a, b in zip(one, other, strict=True)]
