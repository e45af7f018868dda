"""Commands about a task's life: start or attach, answer, send back, hand over, start over; `_endings` has its end.

Each has its rule beside it: `why_no_…` says why the key can't be used on a task now, in a sentence for the person.
What takes long to import is imported when a key is pressed: the table of keys is loaded before the first frame.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from orange_tui.domain.workflow import send_back_target, starts_agent
from orange_tui.presentation.tasks import state_words
from orange_tui.tui.commands.context import branch_of, hook_errors_text
from orange_tui.tui.theme import palette_for
from orange_tui.tui.workers import begin_work

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.strip import Strip

    from orange_tui.board.rows import TaskRow
    from orange_tui.domain.workflow import State, Workflow
    from orange_tui.tui.commands.context import CommandContext

_NO_AGENT = frozenset({None, "none"})
_UNREADABLE = "Its TASK.md can't be read"
_ENTER_TITLES = {"spawn": "start", "respawn": "restart"}


def impossible(what: str, row: TaskRow) -> str:
    """Why a task can't be merged, cancelled or sent back: its workflow has no such move from where it is."""
    return f'Can\'t be {what} from "{state_words(row.task.status)}"' if row.task is not None else _UNREADABLE


def why_not_readable(_workflow: Workflow | None, row: TaskRow) -> str | None:
    """The rule of commands that only need a readable task."""
    return None if row.task is not None else _UNREADABLE


# ── start, attach, restart ──


def enter_action(workflow: Workflow | None, row: TaskRow) -> str:
    """`attach`, `spawn` or `respawn`, as fits; empty where none does."""
    if row.task is None or workflow is None or row.finished:
        return ""
    if row.session == "active":
        return "attach"
    state = workflow.states.get(row.task.status)
    if row.task.workspace is not None and state is not None and state.respawn_prompt is not None:
        return "respawn"
    if row.task.status != workflow.first_state:
        return "spawn" if _never_started(row, state) else ""
    starts = [move.hooks for move in workflow.moves(row.task.status, "person")] + list(workflow.initial.values())
    return "spawn" if workflow.starts_by_itself or any(starts_agent(hooks) for hooks in starts) else ""


def enter_title(workflow: Workflow | None, row: TaskRow) -> str:
    """What the footer calls Enter for a task; empty where it does nothing."""
    action = enter_action(workflow, row)
    return _ENTER_TITLES.get(action, action)


def _never_started(row: TaskRow, state: State | None) -> bool:
    """Whether a task is where an agent should be, and never got one: no workspace, no session."""
    has_nothing = row.task is not None and row.task.workspace is None and row.task.tmux_session is None
    asks_for_one = state is not None and (state.agent not in _NO_AGENT or state.respawn_prompt is not None)
    return has_nothing and asks_for_one


def why_no_enter(workflow: Workflow | None, row: TaskRow) -> str | None:
    """Enter attaches to a live agent, starts one, or restarts one that has ended."""
    return None if enter_action(workflow, row) else "No agent to start or attach to"


def enter(context: CommandContext) -> None:
    """Attach to the agent, start it or restart it."""
    row, orange = context.row, context.orange
    action = enter_action(context.workflow_of(row), row)
    if action == "attach":
        from orange_tui.tui.commands._attach import attach, start_in_terminal

        start_in_terminal(context, partial(attach, context, row), "attach")
    elif action == "spawn":
        context.start("Starting", lambda _report: hook_errors_text(orange.tasks.spawn(row.ref).hook_errors))
    else:
        for each in _lost_together(context, row):
            _restart(context, each)


def _lost_together(context: CommandContext, row: TaskRow) -> list[TaskRow]:
    """Who is restarted with a task: nobody else, or where tmux itself was lost, all who were lost with it."""
    if row.session != "lost" or context.snapshot is None:
        return [row]
    lost = (each for each in context.snapshot.rows if each.session == "lost")
    return [each for each in lost if enter_action(context.workflow_of(each), each) == "respawn"]


def _restart(context: CommandContext, row: TaskRow) -> None:
    def work(_report: object) -> None:
        context.orange.agents.respawn(row.ref)

    context.shared.work.start(row.ref, "Restarting", work)


# ── messages to the agent ──


def why_no_answer(_workflow: Workflow | None, row: TaskRow) -> str | None:
    """Only a live agent can be sent a message."""
    return None if row.session == "active" else "No agent is running to read it"


def answer(context: CommandContext) -> None:
    """Send the agent a message."""
    from orange_tui.tui.session.answer import AnswerDialog
    from orange_tui.tui.tabs.session import SessionView
    from orange_tui.tui.tabs.task_page import questions_of

    row, orange, view = context.row, context.orange, SessionView()

    def send(text: str | None) -> None:
        if text:
            context.start("Sending", lambda _report: _delivery_text(at_once=orange.agents.answer(row.ref, text)))

    def read_screen(width: int) -> Sequence[Strip]:
        view.use_size(width)
        return view.lines(orange, row, width, palette_for(context.app))

    dialog = AnswerDialog(
        branch_of(row),
        drafts=context.shared.drafts,
        read_questions=lambda: questions_of(orange, row.ref),
        read_screen=read_screen,
    )
    context.show(dialog, send)


def _delivery_text(*, at_once: bool) -> str:
    return "Your message was delivered." if at_once else "Queued until the agent can take it."


def can_go_back(workflow: Workflow | None, row: TaskRow) -> bool:
    """Whether the workflow has a way back to the worker from where a task is."""
    return workflow is not None and row.task is not None and send_back_target(workflow, row.task.status) is not None


def why_no_send_back(workflow: Workflow | None, row: TaskRow) -> str | None:
    """Changes are requested where the workflow has a way back; a live worker hears of a conflict anywhere."""
    if can_go_back(workflow, row) or (row.session == "active" and row.conflicts is not None and row.conflicts.files):
        return None
    return impossible("sent back", row)


def why_no_way_back(workflow: Workflow | None, row: TaskRow) -> str | None:
    """Comments go out where the workflow has a way back."""
    return None if can_go_back(workflow, row) else impossible("sent back", row)


def send_back(context: CommandContext) -> None:
    """Request changes; where the branch conflicts, the request is written already."""
    from orange_tui.delivery.feedback import request_changes, request_to_resolve
    from orange_tui.tui.screens.dialogs import MessageDialog

    row, orange = context.row, context.orange
    goes_back = can_go_back(context.workflow_of(row), row)
    found = row.conflicts if row.conflicts is not None and row.conflicts.files else None
    prepared = request_to_resolve(found.base, found.files, hand_in=goes_back) if found is not None else ""

    def send(text: str | None) -> None:
        if text and goes_back:
            context.start(
                "Sending back",
                lambda _report: hook_errors_text(request_changes(orange.engine, row.ref, text).hook_errors),
            )
        elif text:
            context.start(
                "Notifying the worker",
                lambda _report: _delivery_text(at_once=orange.agents.answer(row.ref, text, to_worker=True)),
            )

    hint = "Your text goes to ## Feedback in TASK.md, the task goes back to work, and the worker is notified."
    if not goes_back:
        where = f"in {state_words(row.task.status)}" if row.task else "as it is"
        hint = f"The task stays {where}: the worker gets this as a message."
    name = branch_of(row)
    title = f"Request changes on {name}" if found is None else f"{name} conflicts: ask the worker to resolve it"
    button = "Send back" if goes_back else "Send"
    context.show(MessageDialog(title, hint, button, drafts=context.shared.drafts, prepared=prepared), send)


# ── another agent ──


def why_no_hand_over(_workflow: Workflow | None, row: TaskRow) -> str | None:
    """Work can be handed over where an agent has left some."""
    if row.task is None:
        return _UNREADABLE
    if row.finished:
        return "It is finished"
    return None if row.task.workspace is not None else "No agent has worked on it: there is nothing to hand over"


def hand_over(context: CommandContext) -> None:
    """Have another agent go on with a task."""
    from orange_tui.tui.forms.hand_over_form import HandOverForm

    row, workflow = context.row, context.workflow_of(context.row)
    assert row.task is not None  # noqa: S101 - `why_no_hand_over` has seen to it
    state = workflow.states.get(row.task.status) if workflow is not None else None
    is_reviewers = state is not None and state.agent == "reviewer"
    agent = (row.task.review_harness if is_reviewers else None) or row.task.harness
    others = [name for name in context.shared.choices.harnesses if name != agent]
    if others:
        context.show(HandOverForm(context.shared, row.ref, row.task, agent, others))
    else:
        context.notify("No other agent is installed; H says how to get one.")


def is_at_limit(row: TaskRow) -> bool:
    """Whether handing over is what a person may want to do next."""
    return row.limit is not None


# ── starting over ──


def why_no_retry(workflow: Workflow | None, row: TaskRow) -> str | None:
    """Starting over needs a way back to where the workflow begins."""
    from orange_tui.autopilot import attempts

    if row.task is None or workflow is None:
        return _UNREADABLE if row.task is None else "Its workflow can't be read"
    return attempts.why_no_retry(workflow, row.task)


def is_under_way(workflow: Workflow | None, row: TaskRow) -> bool:
    """Whether an agent is at work on a task, or should be."""
    state = workflow.states.get(row.task.status) if workflow is not None and row.task is not None else None
    return row.session == "active" or (state is not None and state.agent not in _NO_AGENT)


def retry(context: CommandContext) -> None:
    """Start a task over; asked first where an agent is at work on it."""
    from orange_tui.autopilot import attempts
    from orange_tui.tui.screens.dialogs import ConfirmDialog

    row, orange = context.row, context.orange

    def start_over(yes: bool | None) -> None:
        if yes:
            context.start(
                "Starting over", lambda _report: hook_errors_text(attempts.retry(orange.engine, row.ref).hook_errors)
            )

    if not is_under_way(context.workflow_of(row), row):
        start_over(yes=True)
        return
    what = "Its agent is stopped, and it starts again when there is room. Commits stay."
    context.show(ConfirmDialog(f"Start {branch_of(row)} over?", what, "Start over"), start_over)


def unblock_all(context: CommandContext) -> None:
    """Start every blocked task over, and say which stay blocked."""
    from orange_tui.autopilot import attempts

    async def work() -> None:
        results = await asyncio.to_thread(attempts.unblock_all, context.orange.engine, context.shared.project)
        done = sum(problem is None for _, problem in results)
        context.notify(f"{done} unblocked." if done or results else "Nothing is blocked.")
        for ref, problem in results:
            if problem is not None:
                context.notify_error(f"{ref.id} stays blocked: {problem}")

    begin_work(context.app, work, group="unblock")
