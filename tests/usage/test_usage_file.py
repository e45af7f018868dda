"""usage.json: what is written is read again, and what cannot be read is unknown."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orange_tui.domain.usage.totals import TaskUsage, Totals, UsageRow, usage_as_json
from orange_tui.usage.usage_file import StoredUsage, UsageFile

if TYPE_CHECKING:
    from pathlib import Path


_COUNT = st.integers(0, 10**12)
_TOTALS = st.builds(
    Totals,
    input=_COUNT,
    output=_COUNT,
    cache_read=_COUNT,
    cache_write=_COUNT,
    turns=_COUNT,
    cost=st.floats(0, 1e6),
    unpriced=st.lists(st.text(max_size=9), max_size=2).map(tuple),
)
_WORD = st.text(max_size=12)
_ROWS = st.builds(UsageRow, window=_WORD, start=_COUNT, agent=_WORD, model=_WORD, day=_WORD, totals=_TOTALS)


@given(st.lists(_ROWS, max_size=4), st.none() | st.floats(0, 100))
def test_what_is_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, rows: list[UsageRow], context: float | None
) -> None:
    file = UsageFile(str(tmp_path_factory.mktemp("state")))
    usage = TaskUsage(tuple(rows), context)
    with file.changing() as change:
        change.put(StoredUsage(usage, {"a file": {"offset": 7}}))
    assert file.read() == usage
    with file.changing() as change:
        assert change.stored == StoredUsage(usage, {"a file": {"offset": 7}})


def test_what_nobody_has_told_is_unknown_and_not_zero(tmp_path: Path) -> None:
    assert UsageFile(str(tmp_path)).read() is None
    assert set(usage_as_json(None).values()) == {None}
    assert set(usage_as_json(TaskUsage()).values()) == {None}


def test_one_model_without_a_price_makes_the_cost_of_the_task_unknown_but_not_its_tokens() -> None:
    known = UsageRow("worker", 1, "claude", "sonnet", "2026-11-16", Totals(input=5, cost=1.5))
    unknown = UsageRow("worker", 1, "claude", "new", "2026-11-16", Totals(input=7, unpriced=("new",)))
    assert usage_as_json(TaskUsage((known,), 40.0)) == {
        "input": 5, "output": 0, "cache_read": 0, "cache_write": 0, "cost": 1.5, "context_percent": 40.0
    }  # fmt: skip
    both = usage_as_json(TaskUsage((known, unknown)))
    assert (both["input"], both["cost"]) == (12, None)


def test_a_damaged_file_is_unknown_and_a_damaged_row_counts_for_nothing(tmp_path: Path) -> None:
    file = UsageFile(str(tmp_path))
    (tmp_path / "usage.json").write_text("{")
    assert file.read() is None
    (tmp_path / "usage.json").write_text(json.dumps({"rows": [{"window": 7}, 3, None], "context_percent": "much"}))
    assert file.read() == TaskUsage()


def test_sums_are_there_by_window_and_model_for_whoever_reads_the_file(tmp_path: Path) -> None:
    row = UsageRow("worker", 1, "claude", "sonnet", "2026-11-16", Totals(input=5, turns=1, cost=0.5))
    again = UsageRow("worker", 2, "claude", "sonnet", "2026-11-17", Totals(input=6, turns=2, cost=0.25))
    with UsageFile(str(tmp_path)).changing() as change:
        change.put(StoredUsage(TaskUsage((row, again)), {}))
    found = json.loads((tmp_path / "usage.json").read_text())["windows"]
    assert found == {
        "worker": {
            "sonnet": {"input": 11, "output": 0, "cache_read": 0, "cache_write": 0, "turns": 3, "cost": 0.75},
        }
    }


@pytest.mark.parametrize("number", ["1" + "0" * 400, "NaN", "Infinity", "true", '"1"'])
def test_numbers_that_cannot_be_are_unknown(tmp_path: Path, number: str) -> None:
    row = (
        '{"window": "worker", "start": 1, "agent": "a", "model": "m", "day": "2026-11-16", "unpriced": [], "input": 1,'
    )
    row += f' "output": 1, "cache_read": 0, "cache_write": 0, "turns": 1, "cost": {number}}}'
    (tmp_path / "usage.json").write_text(f'{{"rows": [{row}], "context_percent": {number}}}')
    assert UsageFile(str(tmp_path)).read() == TaskUsage()
