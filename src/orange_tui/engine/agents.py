"""The verbs about a task's agent: restart it where it died or was lost, hand its work over, and send it a message."""

from __future__ import annotations

from orange_tui.agents import messages
from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.domain.harnesses.harness import check_effort, check_model, safe_prompt
from orange_tui.domain.records import record, replace
from orange_tui.domain.workflow import STOPPED
from orange_tui.engine._move_hooks import is_reviewers, respawn_hook, restart_hook
from orange_tui.engine.hooks import HookRun
from orange_tui.home import clock
from orange_tui.sessions.liveness import LOST, agent_window, find_window, find_worker, last_start
from orange_tui.store.store import StoredTask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.harnesses.harness import Harness
    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import Actor, Hook
    from orange_tui.engine.tasks import Tasks
    from orange_tui.store.open_task import OpenTask
    from orange_tui.store.store import TaskRef


@record
class Agents:
    """The verbs about agents."""

    tasks: Tasks

    def respawn(self, ref: TaskRef, *, resume: bool | None = None) -> Task:
        """Restart a dead agent where it was. The task does not move.

        It resumes its conversation if it can; with `resume=True` it must, and with `resume=False` it starts afresh.
        """
        with self.tasks.engine.open(ref) as opened:
            self.restart(opened, resume=resume)
            return opened.task

    def respawn_lost(self, *, resume: bool | None = None) -> list[tuple[TaskRef, str | None]]:
        """Restart every agent whose tmux server is gone; returns each with why it failed."""
        found = self.tasks.engine.store.read_all()
        self.tasks.sessions.panes(fresh=True)  # what was seen earlier may be lost by now
        lost = [each for each in found if isinstance(each, StoredTask) and self.tasks.session_state(each.task) == LOST]
        return [(each.ref, self._try_respawn(each.ref, resume=resume)) for each in lost]

    def _try_respawn(self, ref: TaskRef, *, resume: bool | None) -> str | None:
        try:
            self.respawn(ref, resume=resume)
        except OrangeError as problem:
            return str(problem)
        return None

    def restart(self, opened: OpenTask, *, resume: bool | None, by: Actor = "person") -> None:
        """Restart the agent of a task that is open already; `resume` is as in `respawn`."""
        workflow = self.tasks.engine.workflows.load(opened.task.workflow)
        self._start_again(opened, respawn_hook(workflow, opened.task, resume=resume), by)

    def go_on(self, opened: OpenTask, *, after: str | None = None, by: Actor = "person") -> None:
        """Start an agent that has ended through no fault of its own, or another one after it (`after`)."""
        hook = restart_hook(self.tasks.engine, opened, resume=False if after else None)
        if after is not None:
            hook = replace(hook, params={**hook.params, "after": after})
        self._start_again(opened, hook, by)

    def _start_again(self, opened: OpenTask, hook: Hook, by: Actor) -> None:
        task, engine = opened.task, self.tasks.engine
        state = engine.workflows.load(task.workflow).states[task.status]
        if task.workspace is None:
            raise Refused(f"{task.id} has no workspace to restart in; `orange task start {task.id}` starts it")
        alive = self.tasks.sessions.agent(task, state, fresh=True)
        if alive is not None and task.tmux_session is not None:  # else nobody knew, and it is found now
            raise Refused(f"{task.id} has a live agent; `orange task attach {task.id}` shows it")
        run = HookRun(engine, opened, hook, f"respawn {clock.now()}", by)
        engine.actions.find(hook.action).run(run)
        if run.changes:  # else it waits for its limit
            opened.change("agent.respawned", {"attention": None, **run.changes}, status=task.status, by=by)

    def hand_over(self, ref: TaskRef, harness: str, model: str | None = None, reason: str = "") -> Task:
        """End a task's agent and have another one go on in the same worktree, with what the first one left."""
        with self.tasks.engine.open(ref) as opened:
            self.hand_over_opened(opened, harness, model, reason)
            return opened.task

    def hand_over_opened(self, opened: OpenTask, harness: str, model: str | None, reason: str) -> None:
        """The same for a task that is open already. It is in the journal before the first agent is ended.

        So whoever looks at the task next finishes it (`finish_hand_over`), and the same command does.
        """
        task, engine = opened.task, self.tasks.engine
        workflow = engine.workflows.load(task.workflow)
        if workflow.is_terminal(task.status) or task.workspace is None:
            raise Refused(f"{task.id} is {task.status}, and no agent works on it: there is nothing to hand over")
        restart_hook(engine, opened, resume=False)  # refused where no agent is started again
        window = agent_window(task, workflow.states[task.status], opened.journal)
        started = last_start(opened.journal, window)
        is_review = is_reviewers(workflow, task)
        present = str(started.get("harness")) if started is not None else None
        present = present or (task.review_harness if is_review else None) or task.harness
        if harness == present:
            raise Refused(f"{task.id} is {harness}'s already; `orange task restart {task.id}` restarts it")
        next_one = engine.parts.harnesses.get_installed(harness)
        if model is not None:
            check_model(model)
            if is_review:
                raise Refused(f"{task.id} is in review, and a reviewer's model cannot be chosen: leave it out")
        changes = _changes_of_agent(task, next_one, model, is_review=is_review)
        details = {"window": window, "from": present, "to": harness, **({"reason": reason} if reason else {})}
        opened.change("agent.handed_over", changes, **details)
        self.finish_hand_over(opened, window, present)

    def finish_hand_over(self, opened: OpenTask, window: str, earlier: str | None) -> None:
        """End the window of the agent that has handed over, and start the next one in its place."""
        sessions = self.tasks.sessions
        pane = find_window(sessions.windows(opened.task.id, fresh=True), window)
        if pane is not None:
            sessions.end_window(pane)
        self.go_on(opened, after=earlier)

    def answer(self, ref: TaskRef, text: str, *, to_worker: bool = False) -> bool:
        """Send a message to a task's agent; False when it has to wait until the agent can take it.

        It is the agent whose turn it is, or the worker, whoever's turn it is.
        """
        if not text.strip():
            raise Refused("There is nothing to send")
        with self.tasks.engine.open(ref) as opened:
            engine, task = self.tasks.engine, opened.task
            state = engine.workflows.load(task.workflow).states.get(task.status)
            sessions = self.tasks.sessions
            windows = sessions.windows(task.id, fresh=True)
            pane = find_worker(windows) if to_worker else sessions.agent(task, state)
            if pane is None:
                who = "worker" if to_worker else "agent"
                raise Refused(f"{task.id} has no live {who} to answer; `orange task restart {task.id}` restarts it")
            name = f"answer {clock.now()}"
            message = messages.queue(opened, name, pane.window, safe_prompt(text), by=messages.PERSON)
            if task.attention == STOPPED:
                opened.change("task.updated", {"attention": None})  # that was the person's answer to it
            harness = messages.harness_of_window(engine.parts.harnesses, opened.journal, pane.window)
            return messages.deliver(opened, message, pane, engine.parts.tmux, harness)


def _changes_of_agent(task: Task, harness: Harness, model: str | None, *, is_review: bool) -> dict[str, object]:
    """The fields of a task that another agent goes on with; a model or an effort that it does not know is let go."""
    effort = task.review_effort if is_review else task.effort
    try:
        known = check_effort(harness, effort) if effort is not None else None
    except Refused:
        known = None
    if is_review:
        return {"review_harness": harness.name, "review_effort": known}
    return {"harness": harness.name, "effort": known, "model": model}
