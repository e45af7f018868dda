"""What a task's agents have used, in a line of the Task tab; workers and reviewers apart where both have some."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.domain.usage.totals import sum_rows
from orange_tui.presentation.usage import UNKNOWN_COST, cost_text, count_text, unpriced_sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orange_tui.domain.usage.totals import TaskUsage, Totals, UsageRow

_ROLES = {"worker": "Worker", "review": "Reviewers", "router": "Router"}  # by how their windows' names begin


def usage_sentences(usage: TaskUsage | None) -> list[str]:
    """`claude-sonnet-4-5 · 1.2M in · 45k out · $3.21 · context 43 %`, and what nobody knows the price of."""
    if usage is None:
        return []
    rows = usage.rows
    context = f"context {usage.context_percent:.0f} %" if usage.context_percent is not None else ""
    groups = {
        title: found
        for start, title in _ROLES.items()
        if (found := [row for row in rows if row.window.startswith(start)])
    }
    unpriced = unpriced_sentence(usage.total())
    if len(groups) < 2:  # noqa: PLR2004 - then there is nothing to tell apart
        lines = [_line([*_models(rows), *_amounts(sum_rows(rows)), context])]
    else:
        lines = [f"{title}: {_line([*_models(own), *_amounts(sum_rows(own))])}" for title, own in groups.items()]
        lines.append(f"Together: {_line([_cost(usage.total()), context])}")
    return [*lines, *([unpriced] if unpriced else [])]


def _line(parts: Sequence[str]) -> str:
    return " · ".join(part for part in parts if part)


def _models(rows: Sequence[UsageRow]) -> list[str]:
    return list(dict.fromkeys(row.model or row.agent for row in rows))


def _amounts(totals: Totals) -> list[str]:
    taken_in = totals.input + totals.cache_read + totals.cache_write
    return [f"{count_text(taken_in)} in", f"{count_text(totals.output)} out", _cost(totals)]


def _cost(totals: Totals) -> str:
    text = cost_text(totals)
    return f"cost {text}" if text == UNKNOWN_COST else text
