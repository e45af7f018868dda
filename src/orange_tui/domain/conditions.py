"""The `when` of a workflow: one comparison of a numeric field with an integer, and how conditions relate.

A condition is the set of numbers it admits, as at most two intervals. So whether two conditions exclude each other, and
whether several cover every number, is decided by arithmetic and not by trying values. Dollars and percentages have
fractions: $2.50 is more than 2 and less than 3. For these there is one place between each integer and the next, and the
same arithmetic holds for all places.
"""

from __future__ import annotations

import re

from orange_tui.domain.errors import Unreadable
from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Interval = tuple[int | None, int | None]  # places, both ends included; None is without end

_WITH_FRACTIONS = frozenset({"cost", "context"})
_COMPARISON = r"([a-z_][a-z0-9_]*)\s*(<=|>=|==|!=|<|>)\s*(-?[0-9]{1,15})"


@record
class Condition:
    """`<field> <op> <integer>`."""

    field: str
    operator: str
    value: int

    def __str__(self) -> str:
        return f"{self.field} {self.operator} {self.value}"

    def holds(self, number: float) -> bool:
        """Whether the condition is true for this value of the field."""
        less, equal = number < self.value, number == self.value
        return {
            "<": less,
            "<=": less or equal,
            ">": not less and not equal,
            ">=": not less,
            "==": equal,
            "!=": not equal,
        }[self.operator]

    def holds_from(self, number: float) -> bool:
        """Whether it is true for this value and for every greater one: more may come to what is known."""
        return self.operator in {">", ">=", "!="} and (
            number > self.value or (self.operator == ">=" and self.holds(number))
        )

    @property
    def places(self) -> int:
        """How many places there are for each integer: itself, and what lies between it and the next."""
        return 2 if self.field in _WITH_FRACTIONS else 1

    def intervals(self) -> tuple[Interval, ...]:
        """The places it admits, ascending: integers, or with fractions twice as many."""
        n = self.value * self.places
        return {
            "<": ((None, n - 1),),
            "<=": ((None, n),),
            ">": ((n + 1, None),),
            ">=": ((n, None),),
            "==": ((n, n),),
            "!=": ((None, n - 1), (n + 1, None)),
        }[self.operator]


def parse_condition(text: str) -> Condition:
    """Parse a `when`; anything but one comparison is refused."""
    match = re.fullmatch(_COMPARISON, text.strip(), re.ASCII)
    if match is None:
        raise Unreadable(f"'{text}' is not `<field> <op> <integer>`, such as `review_round < 2`")
    field, operator, value = match.groups()
    return Condition(field, operator, int(value))


def exclude_each_other(one: Condition | None, other: Condition | None) -> bool:
    """Whether no task can satisfy both. Different fields are independent, and no condition admits every number."""
    if one is None or other is None or one.field != other.field:
        return False
    return not any(_overlap(a, b) for a in one.intervals() for b in other.intervals())


def coverage_problem(conditions: Sequence[Condition]) -> str | None:
    """Why these conditions do not cover every number exactly once; None when they do."""
    fields = {condition.field for condition in conditions}
    if len(fields) != 1:
        return "every case must compare the same field"
    pieces = sorted(
        (piece for condition in conditions for piece in condition.intervals()),
        key=lambda piece: (piece[0] is not None, piece[0] or 0),
    )
    some = conditions[0]
    reached: int | None = None  # the highest place covered so far; None before the first piece
    for index, (low, high) in enumerate(pieces):
        if index == 0 and low is not None:
            return f"no case covers {_end(some, low - 1, '<')}"
        if index > 0:
            problem = _gap_or_overlap(some, reached, low)
            if problem:
                return problem
        reached = high
    return None if reached is None else f"no case covers {_end(some, reached + 1, '>')}"


def _gap_or_overlap(some: Condition, reached: int | None, low: int | None) -> str | None:
    if reached is None or low is None or low <= reached:
        place = reached if low is None else low
        return f"two cases cover {_place(some, place or 0)}"
    if low > reached + 1:
        return f"no case covers {_place(some, reached + 1)}"
    return None


def _place(some: Condition, place: int) -> str:
    """A place, for a person."""
    n, is_between = divmod(place, some.places)
    return f"{n} < {some.field} < {n + 1}" if is_between else f"{some.field} == {n}"


def _end(some: Condition, place: int, sign: str) -> str:
    """Everything from a place on, in one direction."""
    n, is_between = divmod(place, some.places)
    if some.places == 1:
        return f"{some.field} {sign} {n + 1 if sign == '<' else n - 1}"
    if is_between:
        return f"{some.field} {sign} {n + 1 if sign == '<' else n}"
    return f"{some.field} {sign}= {n}"


def _overlap(one: Interval, other: Interval) -> bool:
    return _starts_before_end(one, other) and _starts_before_end(other, one)


def _starts_before_end(one: Interval, other: Interval) -> bool:
    low, high = one[0], other[1]
    return low is None or high is None or low <= high
