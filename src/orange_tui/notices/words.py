"""The words of a notice: which task, its status, and what it needs. All but the names is ours, and names are cleaned.

A branch or a project may have any name, and agents name branches. A chat service would take `@everyone` or
`<!channel>` in one for a call: only letters, digits and a few signs are left of them.
"""

from __future__ import annotations

import re

from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from orange_tui.board.rows import Snapshot, TaskRow
    from orange_tui.domain.usage.totals import Totals

MOST_LINES = 10
_MOST_NAME_CHARACTERS = 80
_NOT_IN_NAMES = re.compile(r"[^\w ./:+()-]")
_BY_KIND: Mapping[str, str] = {
    "permission": "the agent asks for permission",
    "error": "the agent reports an error",
    "stopped": "the agent stopped without handing in",
    "crashed": "the agent crashed",
    "ended": "the agent has ended",
    "lost": "its tmux server is gone, and the agent with it",
    "budget": "its budget is used up",
    "review": "it waits for your review",
    "answer": "the agent waits for your answer",
    "waits": "it waits for you",
    "pull request": "its pull request needs a look",
    "message": "a message waits until the agent can take it",
    "cycle": "it waits for a task that waits for it",
    "trust": "its repository brings along something that you have not seen",
    "workflow": "its workflow cannot be used",
    "broken": "its TASK.md cannot be read",
}
_OTHERWISE = "it needs a decision of yours"  # a reason may be an agent's own words, and those stay here


@record
class Notice:
    """One message, as every service takes it."""

    title: str
    body: str


TEST = Notice("Orange: a test notice", "This address works. Orange will tell you here when a task needs you.")


def need_notice(rows: Sequence[TaskRow]) -> Notice:
    """The message about one task, or about several at once."""
    if len(rows) == 1:
        return Notice(f"{_name(rows[0])} needs you", _need(rows[0]))
    lines = [f"{_name(row)}: {_need(row)}" for row in rows[:MOST_LINES]]
    more = [f"and {len(rows) - MOST_LINES} more"] if len(rows) > MOST_LINES else []
    return Notice(f"{len(rows)} tasks need you", "\n".join([*lines, *more]))


def daily_notice(snapshot: Snapshot, since: str, costs: Sequence[tuple[str, Totals]]) -> Notice:
    """The summary of a day: what was done since then, what needs the person, and what it cost, by day."""
    done = sum(_is_done(row, snapshot) and str(row.task and row.task.updated_at) >= since for row in snapshot.rows)
    active = sum(not row.finished and row.session == "active" and not row.needs for row in snapshot.rows)
    counts = f"{done} done since yesterday, {snapshot.needing} need you, {active} at work."
    spent = ", ".join(f"{_cost(totals)} {when}" for when, totals in costs)
    return Notice(f"Orange: {snapshot.needing} need you", f"{counts} Cost: {spent or 'none known'}.")


def _is_done(row: TaskRow, snapshot: Snapshot) -> bool:
    workflow = snapshot.workflows.get(row.task.workflow) if row.task is not None else None
    return row.finished and workflow is not None and not isinstance(workflow, str) and workflow.is_done(_status(row))


def _cost(totals: Totals) -> str:
    return f"{'over ' if totals.unpriced else ''}${totals.cost:,.2f}"


def _name(row: TaskRow) -> str:
    name = f"{row.ref.project}/{row.task.branch if row.task is not None else row.ref.id}"
    clean = _NOT_IN_NAMES.sub("_", name)
    return clean if len(clean) <= _MOST_NAME_CHARACTERS else f"{clean[:_MOST_NAME_CHARACTERS]}…"


def _need(row: TaskRow) -> str:
    need = _BY_KIND.get(row.needs.kind, _OTHERWISE) if row.needs is not None else _OTHERWISE
    return f"{_NOT_IN_NAMES.sub('_', _status(row))[:_MOST_NAME_CHARACTERS]}: {need} ({row.ref.id})"


def _status(row: TaskRow) -> str:
    return row.task.status if row.task is not None else "unreadable"
