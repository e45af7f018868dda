"""The hook that routes a task to an agent. A person's own choice stays; an error is logged and the fallback is used."""

from __future__ import annotations

from orange_tui.autopilot._routing import ask_for_route
from orange_tui.domain.prompts import render_prompt, task_values
from orange_tui.domain.records import replace
from orange_tui.domain.route import WORKTREE_FIELD, route_in
from orange_tui.engine.hooks import Action
from orange_tui.store.subtasks import subtasks_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.autopilot._routing import RoutingResult
    from orange_tui.domain.route import Route
    from orange_tui.domain.task import Task
    from orange_tui.engine.hooks import HookRun


def route(run: HookRun) -> None:
    """Ask the router, unless this hook did so before it was interrupted; then set the fields that follow."""
    found = _recorded_route(run) or _new_route(run)
    run.change("route", found.as_json())
    run.change("lane", found.lane(worktree=_asked_worktree(run.task)))
    run.change("harness", found.executor)
    run.change("model", found.model)


def _asked_worktree(task: Task) -> bool | None:
    """What a person has said about a worktree for a task: that it has one, or none; None where nothing was said."""
    asked = task.extra.get(WORKTREE_FIELD)
    return asked if isinstance(asked, bool) else None


def _recorded_route(run: HookRun) -> Route | None:
    event = run.recorded("task.routed")
    return route_in(event) if event is not None else None


def _new_route(run: HookRun) -> Route:
    template = run.parts.workflows.load(run.task.workflow).prompts[run.text("prompt")]
    instructions = render_prompt(template, task_values(run.task))
    seconds = run.params.get("timeout")
    timeout = float(seconds) if isinstance(seconds, int | float) else None
    result = ask_for_route(run, instructions, timeout=timeout)
    found = _decompose_once(run, result.route)
    _record(run, result, found)
    return found


def _decompose_once(run: HookRun, found: Route) -> Route:
    """Neither a subtask nor a task that has subtasks is split again."""
    if not found.decompose or (run.task.parent is None and not subtasks_of(run.parts.store, run.task.id)):
        return found
    why = "it is a subtask" if run.task.parent is not None else "it has subtasks already"
    return replace(found, decompose=False, reason=f"{found.reason} Not split: {why}.".strip())


def _record(run: HookRun, result: RoutingResult, found: Route) -> None:
    log, details = run.parts.log, {"fallback": result.fallback} if result.fallback else {}
    if result.fallback:
        log.write("warning", f"routed to the fallback: {result.fallback}", task=run.task.id, executor=found.executor)
    for fault in result.faults:
        log.write("warning", f"the router's answer had a fault: {fault}", task=run.task.id)
    run.opened.record("task.routed", route=found.as_json(), hook=run.token, **details)


ROUTE = Action(route)
