"""Summaries: the same sum however it is grouped."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from orange_tui.domain.usage.totals import sum_rows
from orange_tui.usage.summary import HomeUsage, UsedBy, summarize
from support.usage import used

_DAYS = st.sampled_from(["2026-11-14", "2026-11-15", "2026-11-16"])
_ROWS = st.builds(
    used,
    st.none() | st.integers(0, 100).map(float),
    agent=st.sampled_from(["claude", "codex"]),
    model=st.sampled_from(["a", "b", "c"]),
    day=_DAYS,
    input=st.integers(0, 1000),
)
_USED = st.builds(UsedBy, st.sampled_from(["coffee", "tea"]), st.sampled_from(["t1", "t2", ".chat"]), _ROWS)


@given(st.lists(_USED, max_size=8), st.sampled_from(["task", "project", "agent", "model", "day"]))
def test_groups_sum_up_to_the_total_and_each_is_there_once(rows: list[UsedBy], by: str) -> None:
    found = summarize(rows, by)  # type: ignore[arg-type]
    assert found.total == sum_rows(each.row for each in rows)
    assert sum(group.totals.input for group in found.groups) == found.total.input
    names = [(group.name, group.project) for group in found.groups]
    assert len(set(names)) == len(names)


@given(st.lists(_USED, max_size=8), _DAYS)
def test_since_a_day_is_that_day_and_later(rows: list[UsedBy], day: str) -> None:
    later = HomeUsage(tuple(rows)).since(day).rows
    assert [each for each in rows if each.row.day >= day] == list(later)
