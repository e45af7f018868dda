"""Tasks as text: a list with one line each, or everything about one."""

from __future__ import annotations

import unicodedata

from orange_tui.cli.reply import Reply, printable_text
from orange_tui.domain.errors import OrangeError
from orange_tui.domain.task import FIELDS, printable
from orange_tui.presentation.tasks import SESSION_ICONS, age
from orange_tui.store.store import BrokenTask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from orange_tui.domain.task import Task
    from orange_tui.orange import Orange
    from orange_tui.store.journal import Event
    from orange_tui.store.store import StoredTask, TaskRef
    from orange_tui.usage.limits import Limits

_RECENT_EVENTS = 10


class _DefaultBudgets:
    """What each project has for its tasks: none where its settings cannot be read, which hides no task, but is told."""

    def __init__(self, orange: Orange) -> None:
        self._projects = orange.projects
        self._read: dict[str, float] = {}
        self.problem: str | None = None

    def get(self, project: str) -> float:
        if project not in self._read:
            try:
                self._read[project] = self._projects.budget(project)
            except OrangeError as problem:
                self._read[project], self.problem = 0.0, str(problem)
        return self._read[project]

    def reply(self, text: str) -> Reply:
        """The text, and what could not be read."""
        return Reply(text, notes=() if self.problem is None else (self.problem,))


def task_list(tasks: Sequence[StoredTask | BrokenTask], orange: Orange) -> Reply:
    """One line for each task; below it, why it cannot be read or needs attention."""
    budgets = _DefaultBudgets(orange)
    return budgets.reply(_list(tasks, orange, budgets))


def _list(tasks: Sequence[StoredTask | BrokenTask], orange: Orange, default: _DefaultBudgets) -> str:
    if not tasks:
        return "No tasks. `orange task create BRANCH SUMMARY` creates one."
    reasons = [task.error if isinstance(task, BrokenTask) else task.task.attention for task in tasks]
    limits = orange.engine.parts.limits
    waiting = [
        None if isinstance(task, BrokenTask) else _at_limit(task, orange, limits) or _waits(task, orange, limits)
        for task in tasks
    ]
    budgets = _budget_notes(tasks, orange, default)
    whys = [" · ".join(filter(None, notes)) for notes in zip(reasons, waiting, budgets, strict=True)]
    return aligned_rows([_row(task, orange) for task in tasks], whys)


def _budget_notes(
    tasks: Sequence[StoredTask | BrokenTask], orange: Orange, default: _DefaultBudgets
) -> list[str | None]:
    """What is to be said of each task's budget; the attention says it already where something waits for it."""
    from orange_tui.usage.budget import budget_use

    def note(found: StoredTask | BrokenTask) -> str | None:
        if isinstance(found, BrokenTask) or orange.engine.is_finished(found.task):
            return None
        used = budget_use(orange.projects, found.task, default.get)
        sentence = used.sentence() if used is not None else None
        return None if sentence and sentence in (found.task.attention or "") else sentence

    return [note(found) for found in tasks]


def _at_limit(found: StoredTask, orange: Orange, limits: Limits) -> str | None:
    """The limit that a task's agent has reached, as its row in the app says."""
    task = found.task
    if (task.tmux_session is None and task.workspace is None) or orange.engine.is_finished(task):
        return None
    mark = next(iter(orange.store.journal(found.ref).at_limit().values()), None)
    return limits.sentence(mark.harness, mark.account) if mark is not None else None


def _waits(found: StoredTask, orange: Orange, limits: Limits) -> str | None:
    """That a task waits for a limit or a workspace, or could start by now, as its row in the app says."""
    from orange_tui.engine.starting import is_ready

    if not is_ready(orange.engine, found.task) or found.task.tmux_session is not None:
        return None
    start = orange.store.journal(found.ref).start()
    if start.limit_of is not None:
        return f"It waits for {limits.why_wait(start.limit_of) or limits.sentence(start.limit_of)}"
    if start.needs_trust is not None:
        return start.needs_trust
    if start.full_at is None:
        return None
    from orange_tui.board.projects_and_pool import ProjectsAndPool
    from orange_tui.board.rows import waits_for_workspace

    now = ProjectsAndPool(orange.home, orange.projects)
    now.refresh()
    sentence = waits_for_workspace(start, now.pool.get(found.ref.project))
    return f"It {sentence}" if sentence else None


def aligned_rows(rows: Sequence[Sequence[str]], reasons: Sequence[str | None]) -> str:
    """Rows in aligned columns; below a row, what is wrong with it, if anything."""
    lines = []
    for line, why in zip(aligned_columns(rows), reasons, strict=True):
        lines.append(line)
        if why:
            lines.append(f"     ! {printable(why)}")
    return "\n".join(lines)


def aligned_columns(rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> list[str]:
    """A line for each row, with the columns below each other; those of numbers (`right`) end below each other."""
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(_padded(cell, widths[at], at_end=at not in right) for at, cell in enumerate(row)).rstrip()
        for row in rows
    ]


def _row(found: StoredTask | BrokenTask, orange: Orange) -> tuple[str, str, str, str, str]:
    if isinstance(found, BrokenTask):
        return (f"! {printable(found.ref.id)}", printable(found.ref.project), "unreadable", "", "")
    task = found.task
    icon = SESSION_ICONS[orange.tasks.session_state(task)]
    name, summary = printable(f"{task.project}/{task.branch}"), printable(task.summary)
    return (
        f"{icon} {printable(task.id)}",
        name,
        printable(task.status),
        age(task.updated_at, with_seconds=True),
        summary,
    )


def task_details(found: StoredTask, history: Sequence[Event], orange: Orange) -> Reply:
    """Fields, body and the last events of one task."""
    budgets = _DefaultBudgets(orange)
    return budgets.reply(_details(found, history, orange, budgets))


def _details(found: StoredTask, history: Sequence[Event], orange: Orange, budgets: _DefaultBudgets) -> str:
    task = found.task
    values = {name: getattr(task, name) for name in FIELDS} | dict(task.extra)
    shown = {name: value for name, value in values.items() if value not in (None, "", (), [])}
    shown["session"] = orange.tasks.session_state(task)
    shown |= _agent(task, orange) | _used(task, orange, budgets)
    if task.pr_url is not None:
        from orange_tui.delivery.pr_status import read_status

        shown["pull_request"] = str(read_status(orange.store.state_directory(found.ref), task.pr_url))
    width = max(map(len, shown))
    lines = [f"{printable(name):{width}}  {_value(value)}" for name, value in shown.items()]
    lines += [f"allowed: {line}" for line in _allowed(found.ref, orange)]
    body = printable_text(found.body.strip("\r\n"))
    events = [_event(event) for event in history[-_RECENT_EVENTS:]]
    return "\n".join([*lines, "", *([body, ""] if body else []), "History", *events])


def _allowed(ref: TaskRef, orange: Orange) -> list[str]:
    """What a person has allowed for the task, each in a line: its own text is what the rule is about."""
    from orange_tui.domain.approvals.question import visible

    return [visible(rule.text.replace("\n", " ⏎ ")) for rule in orange.approvals.rules(ref)]


def _used(task: Task, orange: Orange, budgets: _DefaultBudgets) -> dict[str, object]:
    """What its agents have used, in a line, and what that is of its budget."""
    from orange_tui.presentation.usage import cost_text, count_text
    from orange_tui.usage.budget import budget_use
    from orange_tui.usage.usage_file import UsageFile

    usage = UsageFile(orange.home.task_state(task.project, task.id)).read()
    if usage is None or not usage.rows:
        return {}
    total = usage.total()
    counts = [
        f"{count_text(number)} {name}"
        for name, number in (("input", total.input), ("output", total.output), ("cache read", total.cache_read))
    ]
    context = f"{usage.context_percent:.0f} % context" if usage.context_percent is not None else None
    used = budget_use(orange.projects, task, budgets.get)
    note = used.sentence() if used is not None else None
    return {"usage": ", ".join(filter(None, [cost_text(total), *counts, f"{total.turns} turns", context, note]))}


def _agent(task: Task, orange: Orange) -> dict[str, str]:
    """What its live agent does, and what it asks for."""
    from orange_tui.cli.task_json import agent_status

    agent = agent_status(task, orange)
    if agent is None:
        return {}
    return {"agent": agent.state} | ({"asks": agent.asks} if agent.asks else {})


def _value(value: object) -> str:
    return printable(", ".join(map(str, value)) if isinstance(value, tuple | list) else str(value))


def _event(event: Event) -> str:
    details = {k: v for k, v in event.items() if k not in {"type", "timestamp", "engine", "hooks", "changes"}}
    words = " ".join(f"{key}={value}" for key, value in details.items())
    return printable(f"  {str(event.get('timestamp'))[:19]}  {event['type']}  {words}".rstrip())


def _width(text: str) -> int:
    """Columns a terminal needs; wide characters take two."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text if not unicodedata.combining(c))


def _padded(text: str, width: int, *, at_end: bool) -> str:
    padding = " " * (width - _width(text))
    return text + padding if at_end else padding + text
