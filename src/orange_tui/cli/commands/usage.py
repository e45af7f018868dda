"""`orange usage`: what the agents have used, as a table or as JSON."""

from __future__ import annotations

from orange_tui.cli.reply import Reply
from orange_tui.cli.task_table import aligned_columns
from orange_tui.domain.errors import UsageError
from orange_tui.domain.task import printable
from orange_tui.home.paths import CHAT
from orange_tui.presentation.usage import bars, cost_text, count_text, unpriced_sentence
from orange_tui.store.store import StoredTask, TaskRef
from orange_tui.usage.summary import first_day, read_usage, summarize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.cli.parsing.grammar import Parsed
    from orange_tui.domain.usage.totals import Totals
    from orange_tui.orange import Orange
    from orange_tui.usage.summary import By, UsageGroup, UsageSummary

_COUNTS = {"input": "input", "output": "output", "cache_read": "cache read", "cache_write": "cache write"}
_BAR_WIDTH = 20
_MAX_DAYS = 100_000


def usage(parsed: Parsed, orange: Orange) -> Reply:
    """`orange usage`."""
    by: By = parsed.text("by") or "task"  # type: ignore[assignment]  # one of the table's choices
    since = _first_day(parsed.text("since"), orange)
    found = read_usage(orange.home)
    summary = summarize((found if since is None else found.since(since)).rows, by)
    notes = tuple(f"{path} cannot be read: what is in it is not counted" for path in found.unreadable)
    text = _table(summary, orange) if summary.groups else _nothing(since)
    return Reply(text, lambda: _as_json(summary, since, orange), notes)


def _first_day(text: str | None, orange: Orange) -> str | None:
    """The day that `--since` means, in the person's time zone: a date, today, or the last so many days."""
    if text is None:
        return None
    from datetime import date

    days = "1" if text == "today" else text.removesuffix("d") if text.endswith("d") else ""
    try:
        if days:
            return first_day(orange.home, _number_of_days(days))
        return str(date.fromisoformat(text))
    except (ValueError, OverflowError):
        pass
    raise UsageError(f"--since needs a date such as 2026-11-01, today, or a number of days such as 7d, not '{text}'")


def _number_of_days(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 0 < int(text[:9]) < _MAX_DAYS:
        raise ValueError(text)
    return int(text)


def _nothing(since: str | None) -> str:
    when = "" if since is None else f" since {since}"
    return f"Nothing was used{when}, as far as the agents' files tell."


def _table(summary: UsageSummary, orange: Orange) -> str:
    header = (summary.by, *_COUNTS.values(), "cost", "turns", "")
    shares = bars([group.totals for group in summary.groups], _BAR_WIDTH)
    found = zip(summary.groups, shares, strict=True)
    rows = [(_name(group, orange), *_cells(group.totals), share) for group, share in found]
    total = ("total", *_cells(summary.total), "")
    lines = aligned_columns([header, *rows, total], right=range(1, len(header) - 1))
    return "\n".join(filter(None, [*lines, unpriced_sentence(summary.total)]))


def _cells(totals: Totals) -> tuple[str, ...]:
    counts = (count_text(getattr(totals, name)) for name in _COUNTS)
    return (*counts, cost_text(totals), str(totals.turns))


def _name(group: UsageGroup, orange: Orange) -> str:
    if group.project is None:
        return printable(group.name)
    if group.name == CHAT:
        return printable(f"chat of {group.project}")
    branch = _branch(group, orange)
    return printable(f"{group.name}  {group.project}/{branch}" if branch else f"{group.name}  {group.project}, deleted")


def _branch(group: UsageGroup, orange: Orange) -> str | None:
    """The branch of a task; None where the task is gone or cannot be read."""
    ref = TaskRef(str(group.project), group.name)
    found = orange.store.read(ref) if orange.store.has(ref) else None
    return found.task.branch if isinstance(found, StoredTask) else None


def _as_json(summary: UsageSummary, since: str | None, orange: Orange) -> dict[str, object]:
    rows = [_row_as_json(group, summary.by, orange) for group in summary.groups]
    return {"by": summary.by, "since": since, "rows": rows, "total": _totals_as_json(summary.total)}


def _row_as_json(group: UsageGroup, by: By, orange: Orange) -> dict[str, object]:
    if by != "task":
        return {by: group.name, **_totals_as_json(group.totals)}
    task = None if group.name == CHAT else group.name
    branch = None if task is None else _branch(group, orange)
    return {"task": task, "project": group.project, "branch": branch, **_totals_as_json(group.totals)}


def _totals_as_json(totals: Totals) -> dict[str, object]:
    return {**totals.as_json(), "unpriced": list(totals.unpriced)}
