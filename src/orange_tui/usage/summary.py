"""What the agents of a home have used, grouped: for `orange usage`, the usage screen and today's total.

It reads the usage.json of every task, deleted ones and the chats included, and no TASK.md. `read_usage` once,
`summarize` as often as one likes.
"""

from __future__ import annotations

import os

from orange_tui.domain.records import record
from orange_tui.domain.usage.totals import Totals
from orange_tui.home.settings.config_file import read_settings
from orange_tui.home.time_zone import today
from orange_tui.usage.usage_file import UsageFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Literal

    from orange_tui.domain.usage.totals import UsageRow
    from orange_tui.home.paths import Home

    By = Literal["task", "project", "agent", "model", "day"]


@record
class UsedBy:
    """A row of one usage.json, and whose it is."""

    project: str
    task: str  # its id, of a task that may be gone by now, or CHAT
    row: UsageRow


@record
class HomeUsage:
    """Every row there is, and the files that cannot be read: what is in those is unknown."""

    rows: tuple[UsedBy, ...]
    unreadable: tuple[str, ...] = ()

    def since(self, day: str) -> HomeUsage:
        """What was used on that day (as 2026-11-16, in the person's time zone) and later."""
        return HomeUsage(tuple(each for each in self.rows if each.row.day >= day), self.unreadable)


@record
class UsageGroup:
    """One line of a summary. `name` is what it is grouped by; a task has its project besides, the others None."""

    name: str
    project: str | None
    totals: Totals


@record
class UsageSummary:
    """The lines, and what they sum up to. Days are in their order, everything else the dearest first."""

    by: By
    groups: tuple[UsageGroup, ...]
    total: Totals


def first_day(home: Home, days: int) -> str:
    """The first of the last so many days, today included, in the person's time zone."""
    from datetime import timedelta

    return str(today(read_settings(home).time_zone()) - timedelta(days=days - 1))


def read_usage(home: Home) -> HomeUsage:
    """Everything that agents have used. Takes a moment with thousands of tasks: not in an event loop."""
    rows: list[UsedBy] = []
    unreadable: list[str] = []
    for project, task, directory in usage_directories(home):
        file = UsageFile(directory)
        found = file.read()
        if found is not None:
            rows.extend(UsedBy(project, task, row) for row in found.rows)
        elif os.path.lexists(file.path):
            unreadable.append(file.path)
    return HomeUsage(tuple(rows), tuple(unreadable))


def summarize(rows: Iterable[UsedBy], by: By) -> UsageSummary:
    """The sums of rows that are of the same task, project, agent, model or day."""
    groups: dict[tuple[str, str | None], Totals] = {}
    total = Totals()
    for each in rows:
        key = _key(each, by)
        groups[key] = groups.get(key, Totals()) + each.row.totals
        total += each.row.totals
    found = [UsageGroup(name, project, totals) for (name, project), totals in groups.items()]
    found.sort(key=lambda group: group.name if by == "day" else (*_dearest_first(group.totals), group.name))
    return UsageSummary(by, tuple(found), total)


def usage_directories(home: Home) -> Iterator[tuple[str, str, str]]:
    """The engine's directory of each task that there is or was, with its project and id."""
    for project in _subdirectories(home.state):
        for task in _subdirectories(os.path.join(home.state, project)):
            yield project, task, home.task_state(project, task)


def _subdirectories(path: str) -> list[str]:
    try:
        with os.scandir(path) as found:
            return sorted(entry.name for entry in found if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []


def _key(used: UsedBy, by: By) -> tuple[str, str | None]:
    if by == "task":
        return used.task, used.project
    return (used.project if by == "project" else str(getattr(used.row, by))), None


def _dearest_first(totals: Totals) -> tuple[float, int]:
    return -totals.cost, -totals.tokens
