"""The result of a task, for its issue: the agent's last report, how long it took, and what it delegated."""

from __future__ import annotations

from orange_tui.domain.workflow import CANCELLED
from orange_tui.issues._comment_text import TaskResult
from orange_tui.outside.forge.registry import find_issue, find_pull_request
from orange_tui.sessions.liveness import NONE
from orange_tui.store.store import StoredTask, TaskRef

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from orange_tui.domain.task import Task
    from orange_tui.engine.tasks import Tasks
    from orange_tui.home.workflows import Workflows
    from orange_tui.outside.forge.interface import Address, Forge
    from orange_tui.store.journal import Event, Journal

_MINUTE_SECONDS = 60


def is_at_rest(workflows: Workflows, task: Task) -> bool:
    """Whether a task has a result now: not before it starts, nor while an agent works on it."""
    workflow = workflows.load(task.workflow)
    state = workflow.states.get(task.status)
    if state is None or state.end == CANCELLED or task.status == workflow.first_state:
        return False
    return state.terminal or (state.auto is None and state.agent == NONE)


def result_of(task: Task, journal: Journal) -> TaskResult:
    """What came of a task, for its issue."""
    event = _last_report(journal)
    report: dict[str, Any] = event["report"] if event else {}
    why = _text(report.get("why")) or _text(report.get("reason"))
    return TaskResult(
        task=task.id,
        status=task.status,
        reported=_text(report.get("status")),
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
    """The report of the last run; the report of an earlier run does not count."""
    for event in journal.backwards():
        if event["type"] == "agent.reported" and isinstance(event.get("report"), dict):
            return event
        if event["type"] == "agent.spawned":
            return None
    return None


def _delegated(journal: Journal) -> tuple[tuple[str, str], ...]:
    """The subtasks that the last run created."""
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
    """How long the agent took: as it reports, else from its start to its report."""
    took = event.get("milliseconds")
    seconds = took // 1000 if isinstance(took, int) else _between(journal.last("agent.spawned"), event)
    if seconds is None:
        return ""
    return (
        f"{seconds // _MINUTE_SECONDS} min {seconds % _MINUTE_SECONDS} s"
        if seconds >= _MINUTE_SECONDS
        else f"{seconds} s"
    )


def _between(start: Event | None, end: Event) -> int | None:
    from datetime import datetime

    try:
        times = [datetime.fromisoformat(str(each["timestamp"])) for each in (start or {}, end)]
        return max(0, int((times[1] - times[0]).total_seconds()))
    except (KeyError, ValueError, TypeError):
        return None


def links_for(tasks: Tasks, task: Task, result: TaskResult, forge: Forge, issue: Address) -> dict[str, str]:
    """URLs for what the comment names: the branch, once it is on the remote; subtasks that are on the forge."""
    from orange_tui.outside.git import Repository, remote

    found = {}
    project = tasks.projects.get(task.project)
    if result.branch and Repository(project.path).refs(remote(result.branch)):
        found[result.branch] = forge.branch_url(issue.repository, result.branch)
    for _, subtask in result.delegated:
        url = _url_of(tasks, TaskRef(task.project, subtask))
        if url is not None:
            found[subtask] = url
    return found


def _url_of(tasks: Tasks, ref: TaskRef) -> str | None:
    store = tasks.engine.store
    stored = store.read(ref) if ref.id.isalnum() and store.has(ref) else None  # an agent may have named it
    if not isinstance(stored, StoredTask):
        return None
    url, issue = stored.task.pr_url, stored.task.extra.get("issue_url")
    if url is not None and find_pull_request(url) is not None:
        return url
    return str(issue) if find_issue(issue) is not None else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: object) -> tuple[str, ...]:
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list | tuple) else ()
