"""What there is to tell on an issue about its task: the agent's last report, what it took, and what it delegated."""

from __future__ import annotations

from orange_tui.engine.engine import CANCELLED
from orange_tui.issues.issue import place_of
from orange_tui.issues.issue_comment import Result
from orange_tui.sessions.liveness import NONE
from orange_tui.store.store import StoredTask, TaskRef

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from orange_tui.domain.task import Task
    from orange_tui.issues.issue import Repository
    from orange_tui.orange import Orange
    from orange_tui.store.journal import Event, Journal

_MINUTE = 60


def is_at_rest(orange: Orange, task: Task) -> bool:
    """Whether a task stands where there is something to tell: not before it starts, nor while anybody works on it."""
    workflow = orange.workflows.load(task.workflow)
    state = workflow.states.get(task.status)
    if state is None or task.status in {CANCELLED, workflow.first_state}:
        return False
    return state.terminal or (state.auto is None and state.agent == NONE)


def result_of(task: Task, journal: Journal) -> Result:
    """How a task stands, for its issue."""
    event = _last_report(journal)
    report: dict[str, Any] = event["report"] if event else {}
    why = _text(report.get("why")) or _text(report.get("reason"))
    return Result(
        task=task.id,
        status=task.status,
        judged=_text(report.get("status")),
        harness=task.harness or "",
        model=_text(report.get("model")) or task.model or "",
        summary=_text(report.get("summary")),
        reason=why or ("" if event else task.attention or ""),
        accomplished=_texts(report.get("accomplished")),
        remaining=_texts(report.get("remaining")),
        blockers=_texts(report.get("blockers")),
        delegated=_delegated(journal),
        branch=task.branch if task.extra.get("lane") in {None, 1} else "",
        details=_details(task, journal, event),
    )


def _last_report(journal: Journal) -> Event | None:
    """The report of the last run; what an earlier one said is no news about this one."""
    for event in journal.backwards():
        if event["type"] == "agent.reported" and isinstance(event.get("report"), dict):
            return event
        if event["type"] == "agent.spawned":
            return None
    return None


def _delegated(journal: Journal) -> tuple[tuple[str, str], ...]:
    """What the last run gave to others."""
    found = []
    for event in journal.backwards():
        if event["type"] == "task.delegated":
            found.append((_text(event.get("summary")), _text(event.get("child"))))
        if event["type"] == "agent.spawned":
            break
    return tuple(found[::-1])


def _details(task: Task, journal: Journal, event: Event | None) -> tuple[str, ...]:
    if event is None:
        return ()
    attempt, tokens = event.get("attempt"), event.get("tokens")
    return tuple(
        part
        for part in (
            f"attempt {attempt}" if isinstance(attempt, int) and attempt else "",
            _duration(journal, event),
            f"{tokens} tokens" if isinstance(tokens, int) else "",
            f"effort {task.effort}" if task.effort else "",
        )
        if part
    )


def _duration(journal: Journal, event: Event) -> str:
    """How long the agent took: as it says, else from its start to its report."""
    took = event.get("milliseconds")
    seconds = took // 1000 if isinstance(took, int) else _between(journal.last("agent.spawned"), event)
    if seconds is None:
        return ""
    return f"{seconds // _MINUTE} min {seconds % _MINUTE} s" if seconds >= _MINUTE else f"{seconds} s"


def _between(start: Event | None, end: Event) -> int | None:
    from datetime import datetime

    try:
        times = [datetime.fromisoformat(str(each["timestamp"])) for each in (start or {}, end)]
        return max(0, int((times[1] - times[0]).total_seconds()))
    except (KeyError, ValueError, TypeError):
        return None


def links_for(orange: Orange, task: Task, result: Result, where: Repository) -> dict[str, str]:
    """Addresses for what the comment names: the branch, once it is on the remote; children that are on GitHub."""
    from urllib.parse import quote

    from orange_tui.outside.git import Repository as Git
    from orange_tui.outside.git import remote

    found = {}
    project = orange.projects.get(task.project)
    if result.branch and remote(result.branch) in Git(project.path).refs(remote(result.branch)):
        found[result.branch] = f"https://{where}/tree/{quote(result.branch)}"
    for _, child in result.delegated:
        address = _address(orange, TaskRef(task.project, child))
        if address is not None:
            found[child] = address
    return found


def _address(orange: Orange, ref: TaskRef) -> str | None:
    from orange_tui.domain.pull_request import address_of

    stored = orange.store.read(ref) if orange.store.has(ref) else None
    if not isinstance(stored, StoredTask):
        return None
    url, issue = stored.task.pr_url, stored.task.extra.get("issue_url")
    if url is not None and address_of(url) is not None:
        return url
    return str(issue) if place_of(issue) is not None else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: object) -> tuple[str, ...]:
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list | tuple) else ()
