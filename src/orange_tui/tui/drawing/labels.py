"""How a task's facts look: icons, counts. Never by colour alone."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.keys import format_key

from orange_tui.domain.pull_request import APPROVED, CHANGES_REQUESTED, FAILED, OPEN, PASSED, RUNNING
from orange_tui.domain.workflow import STOPPED
from orange_tui.presentation.tasks import SESSION_ICONS, state_words
from orange_tui.presentation.usage import dollars
from orange_tui.tui.drawing.palette import state_facts, status_style

if TYPE_CHECKING:
    from rich.style import Style

    from orange_tui.board.rows import TaskRow
    from orange_tui.domain.task import Task
    from orange_tui.domain.usage.totals import Totals
    from orange_tui.domain.workflow import Workflow
    from orange_tui.tui.drawing.palette import Palette

_THOUSAND = 1_000
_WITH_CENTS = 9.995  # dollars, below which cents are shown
CONFLICT_MARK, COLLISION_MARK = "≠", "⇄"
STOPPED_MARK, LIMIT_MARK = "◐", "◷"
MARK = "✓"  # of a task that is marked
LEGEND = (
    ("●", "The agent is running"),
    ("?", "The agent asks for permission"),
    (STOPPED_MARK, "The agent stopped without handing in"),
    (LIMIT_MARK, "Its agent has reached its limit; it goes on by itself, or hand it over"),
    ("✗", "The agent has ended"),
    ("⚡", "Its tmux server is gone; opening the task restarts the agent"),
    ("○", "No agent"),
    ("!", "TASK.md can't be read"),
    (CONFLICT_MARK, "Conflicts with the default branch; send it back"),
    (COLLISION_MARK, "Will conflict with another task, whichever is merged second"),
    (MARK, "Marked: open, answer, hand over, cancel and delete work on all that are"),
)
_SHOWN_KEYS = {
    "enter": "⏎",
    "slash": "/",
    "question_mark": "?",
    "tab": "⇥",
    "space": "␣",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
}
_DOING = {"permission": "asks", "unknown": "runs"}
_ENDED = {"dead": "ended", "lost": "lost"}
_TYPED_KEYS = {shown: key for key, shown in _SHOWN_KEYS.items()} | {
    "esc": "escape",
    "␣": "space",
    "←": "left",
    "→": "right",
    "↑": "up",
    "↓": "down",
}
_CHECKS = {PASSED: "✓", FAILED: "✗", RUNNING: "…"}
_REVIEWS = {APPROVED: "+", CHANGES_REQUESTED: "↩"}


def task_icon(row: TaskRow, palette: Palette) -> tuple[str, Style]:
    """Whether the agent is alive, or what it waits for."""
    if row.error is not None:
        return "!", palette.bad
    if row.agent == "permission":
        return "?", palette.accent
    if row.limit is not None:
        return LIMIT_MARK, palette.warning
    if row.needs == STOPPED:
        return STOPPED_MARK, palette.accent
    return session_icon(row.session, palette)


def budget_note(row: TaskRow) -> str | None:
    """How much of its budget a task has used, once that is most of it; not where that is why it needs the person."""
    if row.budget is None or not row.budget.is_nearly_used_up:
        return None
    note = row.budget.sentence()
    return None if note is None or note in (row.needs or "") else note


def session_icon(session: str, palette: Palette) -> tuple[str, Style]:
    """Whether an agent is alive."""
    styles = {"active": palette.good, "dead": palette.bad, "lost": palette.warning, "none": palette.dim}
    return SESSION_ICONS[session], styles[session]


def task_name(task: Task) -> str:
    """What a task is called in a list: its branch, unless nobody chose one; then what it is about tells more."""
    return task.summary if task.summary and task.branch.endswith(f"/{task.id}") else task.branch


def shown_name(task: Task, *, shows_project: bool) -> str:
    """What the list calls a task; with its project in a list of all."""
    return f"{task.project}/{task_name(task)}" if shows_project else task_name(task)


def summary_label(row: TaskRow) -> str:
    """What a task is about."""
    return row.task.summary if row.task is not None else ""


def status_label(row: TaskRow) -> str:
    """The status; with how many of its parts are done where it waits for them."""
    if row.task is None:
        return ""
    if row.subtask_counts is None or row.waits is None:
        return state_words(row.task.status)
    return f"{state_words(row.task.status)} {row.subtask_counts[0]}/{row.subtask_counts[1]}"


def row_status_style(row: TaskRow, workflow: Workflow | None, palette: Palette) -> Style:
    """The style of a task's status in the list."""
    if row.subtask_counts is not None and row.waits is not None:
        return palette.dim  # it is blocked, in autopilot's words, and all is well
    return status_style(state_facts(workflow, row.task.status if row.task else ""), palette).style


def doing_label(row: TaskRow, palette: Palette) -> tuple[str, Style]:
    """What a task's agent does, in a word; nothing where there is no agent."""
    if row.agent is not None:
        style = palette.accent if row.agent in {"permission", "error"} else palette.dim
        return _DOING.get(row.agent, row.agent), style
    return (_ENDED[row.session], palette.warning) if row.session in _ENDED and not row.finished else ("", palette.dim)


def agent_label(row: TaskRow) -> str:
    """Who works on a task, and with which model: as it was asked for, or as it was last used."""
    if row.task is None:
        return ""
    used = row.usage.rows[-1].model if row.usage is not None and row.usage.rows else ""
    return " ".join(part for part in (row.task.harness, row.task.model or used) if part)


def conflict_marks(row: TaskRow) -> str:
    """What stands against a task's branch, in a cell each."""
    if row.conflicts is None:
        return ""
    return (CONFLICT_MARK if row.conflicts.files else "") + (COLLISION_MARK if row.conflicts.others else "")


def shorten_home(text: str) -> str:
    """A text in which the person's own directory is `~`: paths are long enough."""
    home = os.path.expanduser("~")
    return text.replace(f"{home}/", "~/") if len(home) > 1 else text


def format_count(number: int) -> str:
    """A count in at most four cells: 987, 1.2k, 45k, 3M."""
    if number < _THOUSAND:
        return str(number)
    if number < 10 * _THOUSAND:
        return f"{number // 100 / 10:g}k"
    thousands = number // _THOUSAND
    return f"{thousands}k" if thousands < _THOUSAND else f"{thousands // _THOUSAND}M"


def cost_label(totals: Totals) -> str:
    """What something has cost, in at most eight cells: $0.42, $12, ? where no price is known, $12+? where some are."""
    if not totals.unpriced:
        return _dollars(totals.cost)
    return f"{_dollars(totals.cost)}+?" if totals.cost else "?"


def _dollars(amount: float) -> str:
    return dollars(amount) if amount < _WITH_CENTS else f"${format_count(round(amount))}"


def pull_request_label(row: TaskRow, palette: Palette) -> tuple[str, Style]:
    """The pull request's number, its checks and its review; a question mark where they are not known."""
    note = row.pull_request
    if note is None:
        return "", palette.dim
    if row.finished or (note.state != OPEN and not note.problem):
        return f"{note.name}   ", palette.dim
    if note.problem:
        return f"{note.name} ? ", palette.warning
    style = palette.bad if note.needs() else palette.good if note.checks == PASSED else palette.dim
    return f"{note.name} {_CHECKS.get(note.checks, ' ')}{_REVIEWS.get(note.review, ' ')}", style


@lru_cache
def typed_key(shown: str) -> str:
    """A key as Textual calls it, of one that is shown; where several are, the first of them."""
    first = shown.split(maxsplit=1)[0] if shown.strip() else shown
    named = _TYPED_KEYS.get(first, first)
    return next(iter(Binding.make_bindings([Binding(named, "")]))).key


def shown_key(key: str) -> str:
    """A key as people write it: `?` is question_mark to Textual."""
    return _SHOWN_KEYS.get(key) or format_key(key)
