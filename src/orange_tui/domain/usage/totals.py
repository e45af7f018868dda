"""What an agent has used: tokens, dollars and turns, told apart by window, start, agent, model and day."""

from __future__ import annotations

from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

COUNTS = ("input", "output", "cache_read", "cache_write", "turns")


@record
class Totals:
    """Sums. `cost` is what is known in dollars; it is all there is only where no model's price is unknown."""

    input: int = 0  # without what came from the cache
    output: int = 0  # with what was only thought
    cache_read: int = 0
    cache_write: int = 0
    turns: int = 0
    cost: float = 0.0
    unpriced: tuple[str, ...] = ()  # the models whose price nobody knows

    @property
    def tokens(self) -> int:
        """Every token that went in or came out."""
        return self.input + self.output + self.cache_read + self.cache_write

    def __add__(self, other: Totals) -> Totals:
        unpriced = tuple(sorted({*self.unpriced, *other.unpriced}))
        counts = {name: getattr(self, name) + getattr(other, name) for name in COUNTS}
        return Totals(**counts, cost=self.cost + other.cost, unpriced=unpriced)

    def as_json(self) -> dict[str, object]:
        """The sums for a program; a cost that is not all known is null."""
        counts = {name: getattr(self, name) for name in COUNTS}
        return {**counts, "cost": None if self.unpriced else round(self.cost, 6)}


@record
class UsageRow:
    """What one agent used with one model on one day: the worker's second start is another row than its first."""

    window: str  # worker, review-1, router, chat
    start: int  # the how manieth start of that window, from 1
    agent: str
    model: str
    day: str  # in the person's time zone, as 2026-11-16
    totals: Totals


@record
class TaskUsage:
    """Everything that is known of one task's use."""

    rows: tuple[UsageRow, ...] = ()
    context_percent: float | None = None  # how full the memory of the agent is that was read last

    def total(self) -> Totals:
        """All of it."""
        return sum_rows(self.rows)

    def by_window(self) -> dict[str, dict[str, Totals]]:
        """The sums for each window and model."""
        found: dict[str, dict[str, Totals]] = {}
        for row in self.rows:
            models = found.setdefault(row.window, {})
            models[row.model] = models.get(row.model, Totals()) + row.totals
        return found


def sum_rows(rows: Iterable[UsageRow]) -> Totals:
    """The sum of several rows."""
    return sum((row.totals for row in rows), Totals())


def usage_as_json(usage: TaskUsage | None) -> Mapping[str, object]:
    """`usage` of a task's JSON: what is not known is null, and never 0."""
    names = ("input", "output", "cache_read", "cache_write", "cost")
    known = usage.total().as_json() if usage is not None and usage.rows else {}
    context = usage.context_percent if usage is not None else None
    return {**{name: known.get(name) for name in names}, "context_percent": context}
