"""Tokens and dollars in a few cells."""

from __future__ import annotations

import pytest

from orange_tui.domain.usage.totals import Totals
from orange_tui.presentation.usage import bar, cost_text, count_text


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0"), (950, "950"), (999, "999"), (1000, "1.0k"), (12_345, "12.3k"), (999_900, "1.0M"), (345_000_000, "345M")],
)
def test_a_count_is_short(number: int, text: str) -> None:
    assert count_text(number) == text


@pytest.mark.parametrize(
    ("cost", "unpriced", "text"),
    [
        (0.0, (), "$0.00"),
        (0.0001, (), "<$0.01"),
        (1234.5, (), "$1,234.50"),
        (0.0, ("new",), "unknown"),
        (2.0, ("new",), "over $2.00"),
    ],
)
def test_a_cost_that_is_not_known_is_never_shown_as_nothing(cost: float, unpriced: tuple[str, ...], text: str) -> None:
    assert cost_text(Totals(cost=cost, unpriced=unpriced)) == text


def test_a_bar_is_as_long_as_its_part_and_never_invisible() -> None:
    assert [bar(part, 8, 2) for part in (0, 0.001, 4, 5, 8, 9)] == ["", "▏", "█", "█▎", "██", "██"]
