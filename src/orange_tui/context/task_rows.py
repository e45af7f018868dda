"""The rows of the context that are about the task itself: what it says, its relatives, and how it went so far."""

from __future__ import annotations

from orange_tui.domain.errors import OrangeError
from orange_tui.store.subtasks import parent_of, subtasks_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from orange_tui.context.enrichment import Scene
    from orange_tui.engine.services import Services
    from orange_tui.store.journal import Event
    from orange_tui.store.store import StoredTask

_MOST_ATTEMPTS = 5
_LONGEST_ENTRY = 700
_LONGEST_LINE = 300
_MOST_LINES = 20
_MOST_PARTS = 30


def task_text(scene: Scene) -> str:
    """What is wanted: summary, labels, and the body of TASK.md."""
    labels = f"Labels: {', '.join(scene.task.labels)}" if scene.task.labels else ""
    return "\n\n".join(part for part in (scene.task.summary, labels, scene.body.strip()) if part)


def family_text(scene: Scene) -> str:
    """The task this is a part of, and what came of it so far; the parts of this one, and what came of them."""
    parent = parent_of(scene.services.store, scene.task)
    lines = []
    if parent is not None:
        lines += [f"This is a part of {_named(parent)}.", *_came_of(scene.services, parent)]
    for part in subtasks_of(scene.services.store, scene.task.id)[:_MOST_PARTS]:
        state = "is finished" if _is_finished(scene.services, part) else f"is still {part.task.status}"
        lines += [f"The part {_named(part)} {state}.", *_came_of(scene.services, part)]
    return "\n".join(lines)


def _named(found: StoredTask) -> str:
    return f"{found.ref.id}, “{_line(found.task.summary) or found.task.branch}”"


def _is_finished(services: Services, found: StoredTask) -> bool:
    try:
        return services.workflows.load(found.task.workflow).is_terminal(found.task.status)
    except OrangeError:
        return False


def _came_of(services: Services, found: StoredTask) -> list[str]:
    """What its agent reported last, as a list."""
    event = services.store.journal(found.ref).last("agent.reported")
    report = _report(event) if event is not None else {}
    return [f"- {line}" for line in (_line(report.get("summary")), *_lines(report.get("accomplished"))) if line]


def attempts_text(scene: Scene) -> str:
    """The last entries of the history that tell how it went, newest first."""
    entries: list[str] = []
    for event in scene.journal.backwards():
        told = _TELLING[event["type"]](event) if event["type"] in _TELLING else ""
        if told:
            entries.append(f"{_line(event.get('timestamp'))}  {told}"[:_LONGEST_ENTRY])
        if len(entries) == _MOST_ATTEMPTS:
            break
    return "\n".join(entries)


def error_text(scene: Scene) -> str:
    """What the last attempt ended with, and how often it did."""
    error, repeats = scene.task.extra.get("last_error"), scene.task.extra.get("error_repeats")
    if not isinstance(error, str) or not error.strip():
        return ""
    again = f"\n(the same {repeats} times in a row)" if isinstance(repeats, int) and repeats > 1 else ""
    return f"{error}{again}"


def _report(event: Event) -> Mapping[str, object]:
    found = event.get("report")
    return found if isinstance(found, dict) else {}


def _reported(event: Event) -> str:
    report, attempt = _report(event), event.get("attempt")
    said = [_line(report.get("summary")), _line(report.get("reason"))]
    lists = [
        f"{name}: {'; '.join(lines)}"
        for name in ("accomplished", "remaining", "blockers")
        if (lines := _lines(report.get(name)))
    ]
    number = f"attempt {attempt} " if isinstance(attempt, int) else ""
    return f"{number}reported {_line(report.get('status')) or 'nothing'}: " + ". ".join(filter(None, [*said, *lists]))


def _failed_check(event: Event) -> str:
    return f"check failed: {_line(event.get('command'))}" if event.get("exit_code") != 0 else ""


_TELLING: Mapping[str, Callable[[Event], str]] = {
    "agent.reported": _reported,
    "agent.failed": lambda event: f"the attempt failed: {_line(event.get('reason'))}",
    "agent.crashed": lambda event: f"the agent crashed: {_line(event.get('reason'))}",
    "agent.died": lambda _: "the agent ended without a word",
    "session.lost": lambda _: "the agent was lost with its tmux server",
    "hook.failed": lambda event: f"{_line(event.get('action'))} failed: {_line(event.get('reason'))}",
    "gate.command": _failed_check,
}


def _line(value: object) -> str:
    return " ".join(value.split())[:_LONGEST_LINE] if isinstance(value, str) else ""


def _lines(value: object) -> list[str]:
    return [line for line in map(_line, value[:_MOST_LINES]) if line] if isinstance(value, list) else []
