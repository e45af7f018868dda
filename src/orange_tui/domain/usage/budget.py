"""A budget: how many dollars the agents of a task may use before a person is asked."""

from __future__ import annotations

from orange_tui.domain.errors import Refused
from orange_tui.domain.records import record
from orange_tui.domain.task import is_dollars, printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.usage.totals import TaskUsage

_MOST_CHARACTERS = 20
BEGINNING = "Its budget of"  # of every sentence by which a person is asked
_NEARLY = 0.8


@record
class BudgetUse:
    """How much of its budget a task has used. What models of unknown price have cost is not in it."""

    budget: float
    spent: float
    unpriced: tuple[str, ...] = ()

    @property
    def percent(self) -> int:
        """How much of it, rounded down: 100 is never said before it is true."""
        return int(self.spent * 100 / self.budget)

    @property
    def is_reached(self) -> bool:
        """Whether Orange itself starts nothing more for this task."""
        return self.spent >= self.budget

    @property
    def is_nearly_used_up(self) -> bool:
        """Whether the person should see how much is left."""
        return self.spent > self.budget * _NEARLY

    def sentence(self) -> str | None:
        """What a list says of it; None while there is enough, and all that was used has a price."""
        if self.is_reached:
            return f"{BEGINNING} {_dollars(self.budget)} is used up ({_dollars(self.spent)})"
        if self.is_nearly_used_up:
            return f"{self.percent} % of its budget of {_dollars(self.budget)} is used"
        if self.unpriced:
            models = ", ".join(map(printable, self.unpriced))
            return f"{BEGINNING} {_dollars(self.budget)} does not count {models}, whose price is unknown"
        return None


def without_budget(attention: str) -> str:
    """What a person is asked besides more budget; empty where that is nothing."""
    others, _, _ = f"; {attention}".partition(f"; {BEGINNING}")
    return others.removeprefix("; ")


def use_of_budget(budget: float | None, usage: TaskUsage | None) -> BudgetUse | None:
    """How much of a budget was used; None where there is none (0 is none)."""
    if not budget:
        return None
    if usage is None:
        return BudgetUse(budget, 0.0)
    total = usage.total()
    return BudgetUse(budget, total.cost, total.unpriced)


def parse_budget(text: str) -> float:
    """A number of dollars as a person writes it, such as 5 or 2.50; 0 is no budget."""
    whole, point, cents = text.removeprefix("$").partition(".")
    is_number = whole.isascii() and whole.isdigit() and (cents.isascii() and cents.isdigit() if point else True)
    amount = round(float(f"{whole}.{cents or 0}"), 2) if is_number and len(text) <= _MOST_CHARACTERS else -1
    if is_dollars(amount):
        return int(amount) if amount == int(amount) else amount
    raise Refused(
        f"'{printable(text[:_MOST_CHARACTERS])}' is not a budget; write a number of dollars, such as 5 or 2.50"
    )


def _dollars(amount: float) -> str:
    return f"${amount:,.2f}"
