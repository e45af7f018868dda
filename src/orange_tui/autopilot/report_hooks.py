"""The hooks for unattended agents: record a report, commit the work, and delegate what it asks for to subtasks."""

from __future__ import annotations

from orange_tui.agents import reports
from orange_tui.domain.errors import OrangeError, Refused, Unreadable
from orange_tui.domain.report import BLOCKED, DELEGATED, IN_PROGRESS, NEEDS_REVIEW
from orange_tui.domain.task import printable
from orange_tui.engine.hooks import Action
from orange_tui.sessions.liveness import WORKER
from orange_tui.store import subtasks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.report import Delegation, Report
    from orange_tui.engine.hooks import HookRun
    from orange_tui.engine.tasks import Tasks

_NEEDS_PERSON = {BLOCKED: "is blocked", NEEDS_REVIEW: "asks for you", IN_PROGRESS: "has not finished"}
_MAX_SENTENCE_CHARACTERS = 300
_MAX_DEPTH = 5  # of subtasks of subtasks; an agent that delegates what was delegated to it may do so for ever
DELEGATION_FIELD = "delegated_as"  # which delegation a subtask was created for, so that it is created once


def record_report(run: HookRun) -> None:
    """Record the agent's report: in the history, under ## Report, and as the reason why a person should look."""
    try:
        report = reports.current_report(run.opened)
    except Unreadable:
        return  # the engine moved the task on its own; there is no report
    if run.recorded("agent.reported") is None:
        run.opened.edit_body(
            "agent.reported",
            lambda body: reports.with_report(body, report),
            report=report.as_json(),
            attempt=run.task.number("attempts"),
            hook=run.token,
            **reports.printed_usage(run.opened, WORKER),
        )
    sentence = _one_line(report.sentence)
    words = _NEEDS_PERSON.get(report.judged)
    run.change("last_error", sentence if words else None)
    workflow = run.parts.workflows.load(run.task.workflow)
    if words and workflow.states[run.task.status].auto is None:
        run.change("attention", f"The agent {words}: {sentence or 'it does not say why'}")


def _one_line(text: str) -> str:
    line = printable(" ".join(text.split()))
    return line if len(line) <= _MAX_SENTENCE_CHARACTERS else f"{line[:_MAX_SENTENCE_CHARACTERS]}…"


def commit_work(run: HookRun) -> None:
    """Commit what the agent left uncommitted on the task's branch: an agent with few permissions cannot."""
    from orange_tui.outside.git_worktree import commit_all

    if run.task.workspace is None:
        return
    worktree = run.parts.pool.worktree(run.task.workspace)
    commit_all(worktree, run.task.branch, run.task.summary or f"Work of task {run.task.id}")


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
    cycle = subtasks.waiting_cycle(run.parts.store, run.task.id, [each.ref.id for each in found])
    if cycle:
        raise Refused(f"{run.task.id} would wait for itself: {' waits for '.join(cycle)}; change their blocked_by")


def delegate(run: HookRun) -> None:
    """Create a subtask for each delegation in the report, and wait for all unfinished subtasks."""
    from orange_tui.engine.tasks import Tasks

    tasks = Tasks(run.engine)
    report = _delegating_report(run)
    present = subtasks.subtasks_of(run.parts.store, run.task.id)
    created = {str(each.task.extra.get(DELEGATION_FIELD)) for each in present}
    for number, each in enumerate(report.delegations if report else ()):
        delegation_id = f"{run.token} {number}"
        if delegation_id not in created:
            _create_subtask(run, tasks, each, delegation_id)
    if report or run.params.get("subtasks") == "required":
        found = subtasks.subtasks_of(run.parts.store, run.task.id)
        # Those that are done already count too: with nothing to wait for, it would wait for ever.
        wanted = [each for each in found if each.task.status == "done" or not tasks.is_finished(each.task)]
        run.change("blocked_by", [each.ref.id for each in wanted])


def _delegating_report(run: HookRun) -> Report | None:
    try:
        report = reports.current_report(run.opened)
    except Unreadable:
        return None
    return report if report.judged == DELEGATED else None


def _create_subtask(run: HookRun, tasks: Tasks, delegation: Delegation, delegation_id: str) -> None:
    from orange_tui.engine.creation import NewTask

    new = NewTask(
        project=run.task.project,
        summary=delegation.title,
        context=delegation.body,
        workflow=run.task.workflow,
        harness=_installed_or_none(run, delegation.harness),
        labels=delegation.labels,
        parent=run.task.id,
        fields={DELEGATION_FIELD: delegation_id, **_worktree_field(run)},
    )
    created = tasks.create(new)
    run.opened.record("task.delegated", child=created.ref.id, summary=delegation.title)


def _worktree_field(run: HookRun) -> dict[str, bool]:
    """The subtasks of a task that works in a worktree for an issue, or by request, do so too."""
    extra = run.task.extra
    return {"worktree": True} if extra.get("issue") or extra.get("worktree") is True else {}


def _installed_or_none(run: HookRun, name: str | None) -> str | None:
    """The agent that a report suggests, if it is installed here; otherwise it is chosen as for any task."""
    try:
        return name if name and run.parts.harnesses.installed(name) else None
    except OrangeError:
        return None


TAKE_REPORT = Action(record_report)
COMMIT_WORK = Action(commit_work)
DELEGATE = Action(run=delegate, reserve=check_subtasks)
