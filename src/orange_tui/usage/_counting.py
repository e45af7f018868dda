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

from orange_tui.domain.records import record, replace
from orange_tui.domain.task import printable
from orange_tui.domain.usage.prices import Tokens
from orange_tui.domain.usage.totals import Totals, UsageRow
from orange_tui.usage._seen import Counted, session_mark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import tzinfo
    from typing import Any

    from orange_tui.domain.usage.prices import PriceTable
    from orange_tui.usage._seen import SeenMessages
    from orange_tui.usage.readers.items import CostReport, Message

    RowKey = tuple[str, int, str, str, str]

OTHER_MODELS = "other models"
_MOST_MODELS = 40  # of one task; a file of an agent's may say anything
_MOST_SESSIONS = 100
_MOST_ROWS = 2_000  # days can be made up, too
_MOST_NAME_CHARACTERS = 80
_EARLIEST = datetime(2025, 1, 1, tzinfo=UTC)
_CLOCKS_DIFFER = timedelta(days=1)
_TOKENS = attrgetter("input", "output", "cache_read", "cache_write", "hour_write")


@record
class Owner:
    """Whose use it is: the window, its agent, and when agents were started in it, oldest first."""

    window: str
    agent: str
    starts: tuple[str, ...]
    since: str | None = None  # what is older is not its own: a conversation that the agent has gone on with


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
        self._rows: dict[RowKey, Totals] = {
            (row.window, row.start, row.agent, row.model, row.day): row.totals for row in rows
        }
        self._models = {key[3] for key in self._rows}
        self.sessions: dict[str, Any] = dict(sessions) if isinstance(sessions, dict) else {}
        self._seen = seen
        self._prices = prices
        self._zone = zone
        self._now = datetime.now(UTC)
        self.changed: set[str] = set()  # the windows of which something was added

    def rows(self) -> tuple[UsageRow, ...]:
        """The rows as they are now."""
        return tuple(UsageRow(*key, totals) for key, totals in self._rows.items())

    def add(self, owner: Owner, message: Message) -> None:
        """Count what is new in a message."""
        if owner.since is not None and self._stamp(self._moment(message.at)) < owner.since:
            self._session(message.session, is_copy=True)
            return
        before = self._seen.get(message.key)
        known = before or Counted(session_mark(message.session))
        tokens = _highest(known.tokens, message.tokens)
        turns = max(known.turns, message.turns)
        price = self._prices.cost(message.model, tokens) if message.cost is None else message.cost
        cost = max(known.cost, price or 0.0)
        after = Counted(known.session, turns, tokens, cost)
        is_copy = before is not None and known.session != session_mark(message.session)
        session = self._session(message.session, is_copy=is_copy)
        if after == before:
            return
        self._seen.put(message.key, after)
        added = _difference(tokens, known.tokens)
        key = self._row_key(owner, message.model, message.at)
        totals = Totals(turns=turns - known.turns, unpriced=(key[3],) if price is None else ())
        if session is None:
            self._put(key, totals, added, cost - known.cost)
            return
        entry = _entry(session, key[3])
        unnamed = _unnamed(entry)
        entry["counted"] = _numbers(_sum(_tokens(entry, "counted"), added))
        later = _difference(_unnamed(entry), unnamed)
        entry["spent"] += cost - known.cost if later == added else self._prices.cost(key[3], later) or 0.0
        self._put(key, totals, Tokens(), 0.0)
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
        before = sum(_numbers(_unnamed(entry)))
        entry["named"], entry["cost"] = _numbers(_highest(_tokens(entry, "named"), report.tokens)), report.cost
        entry["spent"] *= sum(_numbers(_unnamed(entry))) / before if before else 0.0
        self._settle(key, entry)
        self._clear_unpriced(key)

    def _settle(self, key: RowKey, entry: dict[str, Any]) -> None:
        """Put what has changed in the sums of a conversation with one model into a row."""
        cost = entry.get("cost", 0.0) + entry["spent"]
        whole = _highest(_tokens(entry, "counted"), _tokens(entry, "named"))
        self._put(key, Totals(), _difference(whole, _tokens(entry, "given")), cost - entry["paid"])
        entry["given"], entry["paid"] = _numbers(whole), cost

    def _clear_unpriced(self, key: RowKey) -> None:
        """A model whose price nobody knows is paid for where the agent has said the cost of all its conversations."""
        _, _, agent, model, _ = key
        entries = [each["models"][model] for each in self.sessions.values() if model in each["models"]]
        if any(_unnamed(entry) != Tokens() for entry in entries):
            return
        for each, totals in self._rows.items():
            if each[2:4] == (agent, model) and totals.unpriced:
                self._rows[each] = replace(totals, unpriced=())

    def _session(self, name: str, *, is_copy: bool) -> dict[str, Any] | None:
        """The sums of a conversation; None where there are none to be kept."""
        if not name or (name not in self.sessions and len(self.sessions) >= _MOST_SESSIONS):
            return None
        session: dict[str, Any] = self.sessions.setdefault(name, {"models": {}})
        if is_copy:
            session["copy"] = True
        return session

    def _put(self, key: RowKey, totals: Totals, tokens: Tokens, cost: float) -> None:
        if cost < 0:
            self._take_back(key, -cost)
            self.changed.add(key[0])
            cost = 0.0
        added = Totals(tokens.input, tokens.output, tokens.cache_read, tokens.cache_write, cost=cost) + totals
        if added != Totals():
            self.changed.add(key[0])
            self._rows[key] = self._rows.get(key, Totals()) + added

    def _take_back(self, key: RowKey, cost: float) -> None:
        """It cost less than the prices said: take that from where most was paid, and from no row more than it has."""
        same = [each for each in self._rows if (each[0], *each[2:4]) == (key[0], *key[2:4])]
        for each in sorted(same, key=lambda each: -self._rows[each].cost):
            less = min(cost, max(0.0, self._rows[each].cost))
            self._rows[each] += Totals(cost=-less)
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


def _tokens(entry: dict[str, Any], name: str) -> Tokens:
    return Tokens(*entry.get(name, ()))


def _unnamed(entry: dict[str, Any]) -> Tokens:
    """Those whose cost the agent has not reported: what they cost by prices is `spent`."""
    return _difference(_tokens(entry, "counted"), _tokens(entry, "named"))


def _numbers(tokens: Tokens) -> list[int]:
    return list(_TOKENS(tokens))


def _highest(one: Tokens, other: Tokens) -> Tokens:
    return Tokens(*map(max, _numbers(one), _numbers(other)))


def _difference(one: Tokens, other: Tokens) -> Tokens:
    return Tokens(*(max(0, a - b) for a, b in zip(_numbers(one), _numbers(other), strict=True)))


def _sum(one: Tokens, other: Tokens) -> Tokens:
    return Tokens(*(a + b for a, b in zip(_numbers(one), _numbers(other), strict=True)))
