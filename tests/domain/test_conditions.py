"""Conditions are judged by arithmetic; here brute force agrees with it."""

from __future__ import annotations

import operator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orange_tui.domain.conditions import Condition, coverage_problem, exclude_each_other, parse_condition
from orange_tui.domain.errors import Unreadable

COMPARE = {
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
RANGE = range(-8, 9)  # beyond every value below, so that both ends are seen
HALVES = [n / 2 for n in range(-16, 17)]  # dollars have fractions, and one between two integers stands for all

conditions = st.builds(Condition, st.just("round"), st.sampled_from(sorted(COMPARE)), st.integers(-4, 4))
costs = st.builds(Condition, st.just("cost"), st.sampled_from(sorted(COMPARE)), st.integers(-4, 4))


@pytest.mark.parametrize("text", ["review_round < 2", "crash_count>=0", "  a_1 != -3 ", "x == 12"])
def test_one_comparison_is_read_and_written_back(text: str) -> None:
    condition = parse_condition(text)
    assert parse_condition(str(condition)) == condition


@pytest.mark.parametrize(
    "text",
    [
        "",
        "review_round",
        "review_round <",
        "< 2",
        "a = 2",
        "a < b",
        "a < 2 and b > 1",
        "a < 2.5",
        "a < ٢",
        "A < 2",
        "a < 2; import os",
        "a < 9999999999999999",
        "a\n< 2\n b",
    ],
)
def test_text_that_is_not_one_comparison_is_refused(text: str) -> None:
    with pytest.raises(Unreadable, match="such as"):
        parse_condition(text)


@settings(deadline=None, database=None)
@given(condition=conditions | costs, number=st.integers(-8, 8) | st.floats(-8, 8))
def test_a_condition_holds_when_its_operator_says_so(condition: Condition, number: float) -> None:
    assert condition.holds(number) == COMPARE[condition.operator](number, condition.value)


@settings(deadline=None, database=None)
@given(condition=costs, number=st.sampled_from(HALVES))
def test_a_condition_holds_from_a_number_on_when_it_does_for_it_and_all_above(
    condition: Condition, number: float
) -> None:
    assert condition.holds_from(number) == all(condition.holds(n) for n in [*HALVES, 99] if n >= number)


@settings(deadline=None, database=None)
@given(one=conditions, other=conditions)
def test_two_exclude_each_other_when_no_number_satisfies_both(one: Condition, other: Condition) -> None:
    both = any(one.holds(n) and other.holds(n) for n in RANGE)
    assert exclude_each_other(one, other) is not both
    assert exclude_each_other(one, other) == exclude_each_other(other, one)


@settings(deadline=None, database=None)
@given(arms=st.lists(costs, min_size=1, max_size=4))
def test_of_what_has_fractions_those_between_two_integers_count_as_well(arms: list[Condition]) -> None:
    exactly_once = all(sum(arm.holds(n) for arm in arms) == 1 for n in HALVES)
    assert (coverage_problem(arms) is None) is exactly_once
    both = any(arms[0].holds(n) and arms[-1].holds(n) for n in HALVES)
    assert exclude_each_other(arms[0], arms[-1]) is not both


def test_no_condition_and_another_field_exclude_nothing() -> None:
    small, other = Condition("round", "<", 2), Condition("crashes", ">=", 2)
    assert not exclude_each_other(small, None)
    assert not exclude_each_other(None, None)
    assert not exclude_each_other(small, other)


@settings(deadline=None, database=None)
@given(arms=st.lists(conditions, min_size=1, max_size=4))
def test_cases_cover_everything_when_each_number_has_exactly_one(arms: list[Condition]) -> None:
    exactly_once = all(sum(arm.holds(n) for arm in arms) == 1 for n in RANGE)
    assert (coverage_problem(arms) is None) is exactly_once


@pytest.mark.parametrize(
    ("arms", "reason"),
    [
        (["r < 2", "r > 2"], "no case covers r == 2"),
        (["r < 2", "r >= 1"], "two cases cover r == 1"),
        (["r < 2"], "no case covers r > 1"),
        (["r > 2"], "no case covers r < 3"),
        (["cost < 3", "cost > 2"], "two cases cover 2 < cost < 3"),
        (["cost <= 2", "cost >= 3"], "no case covers 2 < cost < 3"),
        (["cost < 2", "cost > 2"], "no case covers cost == 2"),
        (["cost < 2"], "no case covers cost >= 2"),
        (["cost <= 2"], "no case covers cost > 2"),
        (["cost > 2"], "no case covers cost <= 2"),
        (["cost >= 2"], "no case covers cost < 2"),
        (["r < 2", "s >= 2"], "every case must compare the same field"),
    ],
)
def test_the_reason_names_the_number_that_is_missing_or_taken_twice(arms: list[str], reason: str) -> None:
    assert coverage_problem([parse_condition(arm) for arm in arms]) == reason
