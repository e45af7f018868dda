"""A task without an agent: none could be started, or nobody has worked on it for long; and how failures are counted."""

from __future__ import annotations

from itertools import takewhile

from orange_tui.home import clock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import ExitRule, Workflow
    from orange_tui.engine.engine import Engine
    from orange_tui.store.open_task import OpenTask


def missing_agent_rule(engine: Engine, task: Task, workflow: Workflow, *, was_started: bool) -> ExitRule | None:
    """The first rule that applies now to a task without an agent, if there is one."""
    for rule in workflow.rules:
        if rule.status != task.status or rule.is_about_death or not engine.holds(rule.when, task):
            continue
        if rule.no_agent and not was_started:
            return rule
        if rule.stale_after is not None and clock.seconds_since(task.updated_at) >= _seconds(engine, task, rule):
            return rule
    return None


def _seconds(engine: Engine, task: Task, rule: ExitRule) -> int:
    after = rule.stale_after
    return engine.parts.projects.setting(after, task.project) if isinstance(after, str) else after or 0


def record_failed_start(opened: OpenTask) -> str:
    """Count the start that failed as an error, once, and say in a sentence why there is no agent."""
    since = takewhile(lambda event: event["type"] != "transition.started", opened.journal.backwards())
    events = list(since)
    failed = [
        f"{event.get('action')} failed: {event.get('reason')}" for event in events if event["type"] == "hook.failed"
    ]
    error = "; ".join(reversed(failed)) or "nobody has started one"
    if not any(event["type"] == "agent.failed" for event in events):
        count_failure(opened, error)
    return f"No agent could be started: {error}"


def count_failure(opened: OpenTask, error: str, **details: object) -> None:
    """Record that an agent failed: the error, and how often in a row it was the same."""
    is_same = opened.task.extra.get("last_error") == error
    repeats = opened.task.number("error_repeats") + 1 if is_same else 1
    changes = {"last_error": error, "error_repeats": repeats}
    opened.change("agent.failed", changes, reason=error, repeats=repeats, **details)
