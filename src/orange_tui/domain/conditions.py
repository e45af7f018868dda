"""The `when` of a workflow: one comparison of a numeric field with an integer, and how conditions relate.

A condition is the set of integers it admits, as at most two intervals. So whether two conditions exclude each other,
and whether several cover every integer, is decided by arithmetic and not by trying values.
"""

from __future__ import annotations

import re

from orange_tui.domain.errors import Unreadable
from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Interval = tuple[int | None, int | None]  # both ends included; None is without end

_COMPARISON = r"([a-z_][a-z0-9_]*)\s*(<=|>=|==|!=|<|>)\s*(-?[0-9]{1,15})"


@record
class Condition:
    """`<field> <op> <integer>`."""

    field: str
    operator: str
    value: int

    def __str__(self) -> str:
        return f"{self.field} {self.operator} {self.value}"

    def holds(self, number: int) -> bool:
        """Whether the condition is true for this value of the field."""
        return any(
            (low is None or low <= number) and (high is None or number <= high) for low, high in self.intervals()
        )

    def intervals(self) -> tuple[Interval, ...]:
        """The integers it admits, ascending."""
        n = self.value
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
    """Whether no task can satisfy both. Different fields are independent, and no condition admits every integer."""
    if one is None or other is None or one.field != other.field:
        return False
    return not any(_overlap(a, b) for a in one.intervals() for b in other.intervals())


def coverage_problem(conditions: Sequence[Condition]) -> str | None:
    """Why these conditions do not cover every integer exactly once; None when they do."""
    fields = {condition.field for condition in conditions}
    if len(fields) != 1:
        return "every case must compare the same field"
    pieces = sorted(
        (piece for condition in conditions for piece in condition.intervals()),
        key=lambda piece: (piece[0] is not None, piece[0] or 0),
    )
    field = fields.pop()
    reached: int | None = None  # the highest integer covered so far; None before the first piece
    for index, (low, high) in enumerate(pieces):
        if index == 0 and low is not None:
            return f"no case covers {field} < {low}"
        if index > 0:
            problem = _gap_or_overlap(field, reached, low)
            if problem:
                return problem
        reached = high
    return None if reached is None else f"no case covers {field} > {reached}"


def _gap_or_overlap(field: str, reached: int | None, low: int | None) -> str | None:
    if reached is None or low is None or low <= reached:
        return f"two cases cover {field} == {reached if low is None else low}"
    if low > reached + 1:
        return f"no case covers {field} == {reached + 1}"
    return None


def _overlap(one: Interval, other: Interval) -> bool:
    return _starts_before_end(one, other) and _starts_before_end(other, one)


def _starts_before_end(one: Interval, other: Interval) -> bool:
    low, high = one[0], other[1]
    return low is None or high is None or low <= high
