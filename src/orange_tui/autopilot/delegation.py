"""The hook that delegates: a subtask for each delegation in an agent's report, and the parent waits for them."""

from __future__ import annotations

from orange_tui.agents import reports
from orange_tui.domain.errors import OrangeError, Refused, Unreadable
from orange_tui.domain.report import DELEGATED
from orange_tui.engine.hooks import Action
from orange_tui.store import subtasks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.report import Delegation, Report
    from orange_tui.engine.hooks import HookRun

_MAX_DEPTH = 5  # of subtasks of subtasks; an agent that delegates what was delegated to it may do so for ever
DELEGATION_FIELD = "delegated_as"  # which delegation a subtask was created for, so that it is created once


def check_subtasks(run: HookRun) -> None:
    """Before the task is moved: there must be subtasks to wait for, and no cycle among them."""
    report = _delegating_report(run)
    found = subtasks.subtasks_of(run.parts.store, run.task.id)
    if not found and not report and run.params.get("subtasks") == "required":
        raise Refused(
            f"{run.task.id} has no subtasks to wait for;"
            f" `orange task create … --parent {run.task.id}` creates one, then try again"
        )
    if report and len(subtasks.ancestors_of(run.parts.store, run.task)) >= _MAX_DEPTH:
        raise Refused(f"{run.task.id} is {_MAX_DEPTH} subtasks deep already; do it yourself, or ask for a person")
    store, ids = run.parts.store, [each.ref.id for each in found]
    cycle = subtasks.waiting_cycle(run.task.id, ids, lambda each: subtasks.stored_blockers(store, each))
    if cycle:
        raise Refused(f"{run.task.id} would wait for itself: {' waits for '.join(cycle)}; change their blocked_by")


def delegate(run: HookRun) -> None:
    """Create a subtask for each delegation in the report, and wait for all unfinished subtasks."""
    report = _delegating_report(run)
    present = subtasks.subtasks_of(run.parts.store, run.task.id)
    created = {str(each.task.extra.get(DELEGATION_FIELD)) for each in present}
    for number, each in enumerate(report.delegations if report else ()):
        delegation_id = f"{run.token} {number}"
        if delegation_id not in created:
            _create_subtask(run, each, delegation_id)
    if report or run.params.get("subtasks") == "required":
        found = subtasks.subtasks_of(run.parts.store, run.task.id)
        # Those that are done already count too: with nothing to wait for, it would wait for ever.
        wanted = [each for each in found if run.engine.is_done(each.task) or not run.engine.is_finished(each.task)]
        run.change("blocked_by", [each.ref.id for each in wanted])


def _delegating_report(run: HookRun) -> Report | None:
    try:
        report = reports.current_report(run.opened)
    except Unreadable:
        return None
    return report if report.judged == DELEGATED else None


def _create_subtask(run: HookRun, delegation: Delegation, delegation_id: str) -> None:
    from orange_tui.engine.creation import NewTask, create_task

    new = NewTask(
        project=run.task.project,
        summary=delegation.title,
        context=delegation.body,
        workflow=run.task.workflow,
        harness=_installed_or_none(run, delegation.harness),
        labels=delegation.labels,
        parent=run.task.id,
        fields={DELEGATION_FIELD: delegation_id},
        by="engine",
    )
    created = create_task(run.engine, new)
    run.opened.record("task.delegated", child=created.ref.id, summary=delegation.title)


def _installed_or_none(run: HookRun, name: str | None) -> str | None:
    """The agent that a report suggests, if it is installed here; otherwise it is chosen as for any task."""
    try:
        return name if name and run.parts.harnesses.installed(name) else None
    except OrangeError:
        return None


DELEGATE = Action(run=delegate, reserve=check_subtasks)
