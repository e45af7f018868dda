"""The hooks that start agents, end them, and talk to them."""

from __future__ import annotations

from orange_tui.agents import messages, reports
from orange_tui.domain.errors import Refused
from orange_tui.engine.actions._agent_prompts import message_text, prompt_text
from orange_tui.engine.actions._agent_start import (
    check_installed,
    reserve_workspace,
    resume_start,
    start_agent,
)
from orange_tui.engine.hooks import Action
from orange_tui.sessions.liveness import (
    WORKER,
    agents_among,
    find_window,
    find_worker,
    is_worker,
    new_window,
    review_window,
)
from orange_tui.usage import budget

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.engine.hooks import HookRun
    from orange_tui.outside.tmux.server import Pane


def spawn_agent(run: HookRun) -> None:
    """Start the worker; one that is alive is given the prompt as a message instead."""
    role = "review" if run.params.get("harness") == "review" else "task"
    workflow = run.parts.workflows.load(run.task.workflow)
    window = str(run.params.get("window") or new_window(run.task, workflow, role))
    windows = run.parts.sessions.every_window(run.task.id)
    agents = agents_among(windows)
    alive = find_worker(agents) if is_worker(window) else find_window(agents, window)
    if alive is not None:
        if not resume_start(run, alive):
            _send(run, alive.window, prompt_text(run, run.text("prompt")), alive)
        return
    start_agent(run, window, role, windows)


def spawn_reviewer(run: HookRun) -> None:
    """Start a reviewer in a window of its own, beside the worker."""
    window, windows = review_window(run.task), run.parts.sessions.every_window(run.task.id)
    alive = find_window(agents_among(windows), window)
    if alive is None:
        start_agent(run, window, "review", windows)
    else:
        resume_start(run, alive)


def kill_session(run: HookRun) -> None:
    """End the task's session with everything in it."""
    run.parts.sessions.end_sessions(run.parts.sessions.every_window(run.task.id))
    if run.task.tmux_session is not None:
        run.change("tmux_session", None)


def kill_reviewer(run: HookRun) -> None:
    """End the window of this review round; the worker stays."""
    pane = run.parts.sessions.window(run.task.id, review_window(run.task))
    if pane is not None:
        run.parts.sessions.end_window(pane)


def clear_outcome(run: HookRun) -> None:
    """Move what `.orange-outcome` says to the logs: the task went back, so it must not take it on again."""
    reports.archive_report(run.opened, WORKER)


def notify_worker(run: HookRun) -> None:
    """Tell the worker something; where none is alive, one is started to read it for itself."""
    windows = run.parts.sessions.every_window(run.task.id)
    alive = find_worker(agents_among(windows))
    if alive is not None:
        if not resume_start(run, alive):
            _send(run, alive.window, message_text(run, run.text("message")), alive)
        return
    workflow = run.parts.workflows.load(run.task.workflow)
    prompt = workflow.states[run.task.status].respawn_prompt
    if prompt is None:
        raise Refused(f"no worker is alive, and none can be restarted in {run.task.status}")
    run.params = {**run.params, "prompt": prompt, "permissions": "reduced"}
    start_agent(run, new_window(run.task, workflow, "task"), "task", windows)


def _send(run: HookRun, window: str, text: str, pane: Pane) -> None:
    if messages.was_delivered(run.opened.journal, run.token):
        return
    is_asked_for = budget.is_persons(run.by)
    by = messages.ASKED_FOR if is_asked_for else messages.ENGINE
    message = messages.queue(run.opened, run.token, window, text, by=by)
    reason = None if is_asked_for else budget.why_not(run.parts.projects, run.task)
    if reason is not None:  # it waits in the journal
        budget.record_reached(run.parts.projects, run.opened, budget.MESSAGE)
        run.change("attention", run.task.attention_and(f"{reason}; a message for the agent waits until then"))
        return
    harness = messages.harness_of_window(run.parts.harnesses, run.opened.journal, window)
    messages.deliver(run.opened, message, pane, run.parts.tmux, harness)


SPAWN_AGENT = Action(spawn_agent, reserve=reserve_workspace, check=check_installed)
SPAWN_REVIEWER = Action(spawn_reviewer, reserve=reserve_workspace)
KILL_SESSION = Action(kill_session)
KILL_REVIEWER = Action(kill_reviewer)
CLEAR_OUTCOME = Action(clear_outcome)
NOTIFY_WORKER = Action(notify_worker, reserve=reserve_workspace)
