"""Writing down what agents have used, as whoever reads their files does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.domain.usage.totals import TaskUsage, Totals, UsageRow
from orange_tui.usage.usage_file import StoredUsage, UsageFile

if TYPE_CHECKING:
    from typing import Any

    from orange_tui.home.paths import Home

DAY = "2026-11-16"  # the day on which most tests take place


def used(
    cost: float | None = 0.0,
    *,
    window: str = "worker",
    start: int = 1,
    agent: str = "claude",
    model: str = "claude-sonnet-4-5",
    day: str = DAY,
    **counts: Any,
) -> UsageRow:
    """What one agent has used with one model on one day; a cost of None is that of a model of unknown price."""
    unpriced = (model,) if cost is None else ()
    told = {"input": 1_000, "output": 200, "turns": 3, "cost": cost or 0.0, "unpriced": unpriced, **counts}
    totals = Totals(**told)
    return UsageRow(window, start, agent, model, day, totals)


def write_usage(home: Home, project: str, task: str, *rows: UsageRow, context: float | None = None) -> None:
    """Replace what is stored of a task's use."""
    with UsageFile(home.task_state(project, task)).changing() as change:
        change.put(StoredUsage(TaskUsage(rows, context), {}))
