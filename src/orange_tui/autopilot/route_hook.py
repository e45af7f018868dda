"""The hook that decides who does a task. What a person has chosen stays; what goes wrong is noted and fails nothing."""

from __future__ import annotations

from orange_tui.autopilot.routing import ask_for_route
from orange_tui.domain.actions import PROMPT_VARIABLES
from orange_tui.domain.prompts import render_prompt
from orange_tui.domain.records import replace
from orange_tui.domain.route import route_in
from orange_tui.engine.hooks import Action
from orange_tui.store.subtasks import subtasks_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.autopilot.routing import Routed
    from orange_tui.domain.route import Route
    from orange_tui.domain.task import Task
    from orange_tui.engine.hooks import HookRun


def route(run: HookRun) -> None:
    """Ask the router, or remember what it said before this hook was interrupted; then set what follows from it."""
    found = _noted(run) or _asked(run)
    run.change("route", found.as_json())
    run.change("lane", found.lane(in_worktree=wants_worktree(run.task)))
    run.change("harness", found.executor)
    run.change("model", found.model)


def wants_worktree(task: Task) -> bool:
    """Whether a task is worked on in a worktree: an issue is linked to it, or a person asked for one."""
    issue = task.extra.get("issue")
    return (type(issue) is int and issue > 0) or task.extra.get("worktree") is True


def _noted(run: HookRun) -> Route | None:
    events = (e for e in run.opened.journal.backwards() if e["type"] == "task.routed" and e.get("hook") == run.token)
    return next((route_in(event) for event in events), None)


def _asked(run: HookRun) -> Route:
    template = run.services.workflows.load(run.task.workflow).prompts[run.text("prompt")]
    question = render_prompt(template, {name: getattr(run.task, name) for name in PROMPT_VARIABLES})
    seconds = run.params.get("timeout")
    timeout = float(seconds) if isinstance(seconds, int | float) else None
    routed = ask_for_route(run.services, run.task, run.opened.body, question, timeout=timeout)
    found = _split_once(run, routed.route)
    _note(run, routed, found)
    return found


def _split_once(run: HookRun, found: Route) -> Route:
    """A task is split once: neither a part of another one, nor one that has parts, is split again."""
    if not found.decompose or (run.task.parent is None and not subtasks_of(run.services.store, run.task.id)):
        return found
    why = "it is a part already" if run.task.parent is not None else "it has parts already"
    return replace(found, decompose=False, reason=f"{found.reason} Not split: {why}.".strip())


def _note(run: HookRun, routed: Routed, found: Route) -> None:
    log, details = run.services.log, {"fallback": routed.fallback} if routed.fallback else {}
    if routed.fallback:
        log.write("warning", f"routed to the fallback: {routed.fallback}", task=run.task.id, executor=found.executor)
    for fault in routed.faults:
        log.write("warning", f"the router's answer was not all right: {fault}", task=run.task.id)
    run.opened.record("task.routed", route=found.as_json(), hook=run.token, **details)


ROUTE = Action(route)
