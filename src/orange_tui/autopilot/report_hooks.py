"""The hooks for unattended agents that record their report and commit their work."""

from __future__ import annotations

from orange_tui.agents import reports
from orange_tui.domain.errors import Unreadable
from orange_tui.domain.report import BLOCKED, DELEGATED, IN_PROGRESS, NEEDS_REVIEW
from orange_tui.domain.task import one_line
from orange_tui.engine.hooks import Action
from orange_tui.sessions.liveness import WORKER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.engine.hooks import HookRun

_NEEDS_PERSON = {BLOCKED: "is blocked", NEEDS_REVIEW: "asks for you", IN_PROGRESS: "has not finished"}


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
    sentence = one_line(report.sentence)
    state = run.parts.workflows.load(run.task.workflow).states[run.task.status]
    words = _NEEDS_PERSON.get(report.judged)
    if report.judged == DELEGATED and not state.rejoin:  # its subtasks were refused: it waits for none
        words = "wants to delegate, but may delegate no further"
    run.change("last_error", sentence if words else None)
    if words and state.auto is None:
        run.change("attention", f"The agent {words}: {sentence or 'it does not say why'}")


def commit_work(run: HookRun) -> None:
    """Commit what the agent left uncommitted on the task's branch: an agent with few permissions cannot."""
    from orange_tui.outside.git_worktree import commit_all, worktree_of

    if run.task.workspace is None:
        return
    project = run.parts.projects.get(run.task.project)
    worktree = worktree_of(project.path, run.parts.pool.worktree(run.task.workspace))
    commit_all(worktree, run.task.branch, run.task.summary or f"Work of task {run.task.id}")


TAKE_REPORT = Action(record_report)
COMMIT_WORK = Action(commit_work)
