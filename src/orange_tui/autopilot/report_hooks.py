"""The hooks for agents that work alone: their report is kept, their work committed, and what they delegate is done."""

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

_IN_WORDS = {BLOCKED: "is blocked", NEEDS_REVIEW: "asks for you", IN_PROGRESS: "has not finished"}
_LONGEST_SENTENCE = 300
_DEEPEST = 5  # generations; an agent that delegates what was delegated to it may do so for ever
SIGN = "delegated_as"  # the field by which a child is known again to the hook that made it


def take_report(run: HookRun) -> None:
    """Keep what the agent has reported: in the history, under ## Report, and as the reason why a person should look."""
    try:
        report = reports.current_report(run.opened)
    except Unreadable:
        return  # the engine moved the task on its own; there is nothing to take
    if not _is_noted(run, "agent.reported"):
        run.opened.edit_body(
            "agent.reported",
            lambda body: reports.with_report(body, report),
            report=report.as_json(),
            attempt=run.task.number("attempts"),
            hook=run.token,
            **reports.printed_usage(run.opened, WORKER),
        )
    sentence = _one_line(report.sentence)
    words = _IN_WORDS.get(report.judged)
    run.change("last_error", sentence if words else None)
    workflow = run.services.workflows.load(run.task.workflow)
    if words and workflow.states[run.task.status].auto is None:
        run.change("attention", f"The agent {words}: {sentence or 'it does not say why'}")


def _one_line(text: str) -> str:
    line = printable(" ".join(text.split()))
    return line if len(line) <= _LONGEST_SENTENCE else f"{line[:_LONGEST_SENTENCE]}…"


def _is_noted(run: HookRun, kind: str) -> bool:
    return any(event["type"] == kind and event.get("hook") == run.token for event in run.opened.journal.backwards())


def commit_work(run: HookRun) -> None:
    """Commit what the agent left uncommitted on the task's branch: an agent with few permissions cannot."""
    from orange_tui.outside.git_worktree import commit_all

    if run.task.workspace is None:
        return
    worktree = run.services.pool.worktree(run.task.workspace)
    commit_all(worktree, run.task.branch, run.task.summary or f"Work of task {run.task.id}")


def must_have_children(run: HookRun) -> None:
    """Before the task is moved: somebody to wait for, and no circle in it."""
    report = _delegating_report(run)
    children = subtasks.subtasks_of(run.services.store, run.task.id)
    if not children and not report and run.params.get("subtasks") == "required":
        raise Refused(
            f"{run.task.id} has no subtasks to wait for;"
            f" `orange task create … --parent {run.task.id}` makes one, then try again"
        )
    if report and len(subtasks.ancestors(run.services.store, run.task)) >= _DEEPEST:
        raise Refused(f"{run.task.id} was delegated {_DEEPEST} times over already; do it, or ask for a person")
    circle = subtasks.waiting_cycle(run.services.store, run.task.id, [child.ref.id for child in children])
    if circle:
        raise Refused(f"{run.task.id} would wait for itself: {' waits for '.join(circle)}; change their blocked_by")


def delegate(run: HookRun) -> None:
    """Make a task of each piece of work in the report, and wait for all of this task's unfinished children."""
    from orange_tui.engine.tasks import Tasks

    tasks = Tasks(run.engine)
    report = _delegating_report(run)
    made = {str(child.task.extra.get(SIGN)) for child in subtasks.subtasks_of(run.services.store, run.task.id)}
    for number, each in enumerate(report.delegations if report else ()):
        sign = f"{run.token} {number}"
        if sign not in made:
            _make_child(run, tasks, each, sign)
    if report or run.params.get("subtasks") == "required":
        found = subtasks.subtasks_of(run.services.store, run.task.id)
        # Those that are done already count too: with nobody to wait for, it would wait for ever.
        wanted = [child for child in found if child.task.status == "done" or not tasks.is_finished(child.task)]
        run.change("blocked_by", [child.ref.id for child in wanted])


def _delegating_report(run: HookRun) -> Report | None:
    try:
        report = reports.current_report(run.opened)
    except Unreadable:
        return None
    return report if report.judged == DELEGATED else None


def _make_child(run: HookRun, tasks: Tasks, wanted: Delegation, sign: str) -> None:
    from orange_tui.engine.tasks import NewTask

    new = NewTask(
        project=run.task.project,
        summary=wanted.title,
        context=wanted.body,
        workflow=run.task.workflow,
        harness=_suggested(run, wanted.harness),
        labels=wanted.labels,
        parent=run.task.id,
        fields={SIGN: sign, **_worktree(run)},
    )
    created = tasks.create(new)
    run.opened.record("task.delegated", child=created.ref.id, summary=wanted.title)


def _worktree(run: HookRun) -> dict[str, bool]:
    """A part of what belongs to an issue belongs to it too: it is done in a worktree, as the whole would be."""
    extra = run.task.extra
    return {"worktree": True} if extra.get("issue") or extra.get("worktree") is True else {}


def _suggested(run: HookRun, name: str | None) -> str | None:
    """An agent's suggestion counts if there is such an agent here; otherwise it is chosen as for any task."""
    try:
        return name if name and run.services.harnesses.installed(name) else None
    except OrangeError:
        return None


TAKE_REPORT = Action(take_report)
COMMIT_WORK = Action(commit_work)
DELEGATE = Action(run=delegate, reserve=must_have_children)
