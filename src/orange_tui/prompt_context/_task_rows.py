"""The rows of the context about the task itself: what it asks for, its parent and subtasks, earlier attempts."""

from __future__ import annotations

from orange_tui.domain.errors import OrangeError
from orange_tui.store.subtasks import parent_of, subtasks_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from orange_tui.prompt_context._sources import ContextSources
    from orange_tui.store.journal import Event
    from orange_tui.store.store import StoredTask

_MAX_ATTEMPTS = 5
_MAX_ENTRY_CHARACTERS = 700
_MAX_LINE_CHARACTERS = 300
_MAX_LINES = 20
_MAX_SUBTASKS = 30


def task_text(sources: ContextSources) -> str:
    """What the task asks for: summary, labels, and the body of TASK.md."""
    labels = f"Labels: {', '.join(sources.task.labels)}" if sources.task.labels else ""
    return "\n\n".join(part for part in (sources.task.summary, labels, sources.body.strip()) if part)


def subtasks_text(sources: ContextSources) -> str:
    """The parent task and the subtasks, each with what its agent reported last."""
    parent = parent_of(sources.store, sources.task)
    lines = []
    if parent is not None:
        lines += [f"This is a subtask of {_name(parent)}.", *_last_report(sources, parent)]
    for subtask in subtasks_of(sources.store, sources.task.id)[:_MAX_SUBTASKS]:
        lines += [f"The subtask {_name(subtask)} {_how_far(sources, subtask)}.", *_last_report(sources, subtask)]
    return "\n".join(lines)


def _name(found: StoredTask) -> str:
    return f"{found.ref.id}, “{_line(found.task.summary) or found.task.branch}”"


def _how_far(sources: ContextSources, found: StoredTask) -> str:
    still = f"is still {found.task.status}"
    try:
        workflow = sources.workflows.load(found.task.workflow)
    except OrangeError:
        return still
    if workflow.is_cancelled(found.task.status):
        return "was cancelled: its work was given up"
    return "is finished" if workflow.is_terminal(found.task.status) else still


def _last_report(sources: ContextSources, found: StoredTask) -> list[str]:
    """The lines of a task's last report, as a list."""
    event = sources.store.journal(found.ref).last("agent.reported")
    report = _report_of(event) if event is not None else {}
    return [f"- {line}" for line in (_line(report.get("summary")), *_lines(report.get("accomplished"))) if line]


def attempts_text(sources: ContextSources) -> str:
    """The last events of the history that tell how earlier attempts went, newest first."""
    entries: list[str] = []
    for event in sources.journal.backwards():
        text = _DESCRIPTIONS[event["type"]](event) if event["type"] in _DESCRIPTIONS else ""
        if text:
            entries.append(f"{_line(event.get('timestamp'))}  {text}"[:_MAX_ENTRY_CHARACTERS])
        if len(entries) == _MAX_ATTEMPTS:
            break
    return "\n".join(entries)


def error_text(sources: ContextSources) -> str:
    """What the last attempt ended with, and how often it did."""
    error, repeats = sources.task.extra.get("last_error"), sources.task.extra.get("error_repeats")
    if not isinstance(error, str) or not error.strip():
        return ""
    again = f"\n(the same {repeats} times in a row)" if isinstance(repeats, int) and repeats > 1 else ""
    return f"{error}{again}"


def _report_of(event: Event) -> Mapping[str, object]:
    found = event.get("report")
    return found if isinstance(found, dict) else {}


def _describe_report(event: Event) -> str:
    report, attempt = _report_of(event), event.get("attempt")
    sentences = [_line(report.get("summary")), _line(report.get("reason"))]
    lists = [
        f"{name}: {'; '.join(lines)}"
        for name in ("accomplished", "remaining", "blockers")
        if (lines := _lines(report.get(name)))
    ]
    number = f"attempt {attempt} " if isinstance(attempt, int) else ""
    return f"{number}reported {_line(report.get('status')) or 'nothing'}: " + ". ".join(
        filter(None, [*sentences, *lists])
    )


def _describe_check(event: Event) -> str:
    return f"check failed: {_line(event.get('command'))}" if event.get("exit_code") != 0 else ""


_DESCRIPTIONS: Mapping[str, Callable[[Event], str]] = {
    "agent.reported": _describe_report,
    "agent.failed": lambda event: f"the attempt failed: {_line(event.get('reason'))}",
    "agent.crashed": lambda event: f"the agent crashed: {_line(event.get('reason'))}",
    "agent.died": lambda _: "the agent ended without a report",
    "session.lost": lambda _: "the agent was lost with its tmux server",
    "hook.failed": lambda event: f"{_line(event.get('action'))} failed: {_line(event.get('reason'))}",
    "gate.command": _describe_check,
}


def _line(value: object) -> str:
    return " ".join(value.split())[:_MAX_LINE_CHARACTERS] if isinstance(value, str) else ""


def _lines(value: object) -> list[str]:
    return [line for line in map(_line, value[:_MAX_LINES]) if line] if isinstance(value, list) else []
