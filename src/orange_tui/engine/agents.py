"""The verbs about a task's agent: restart it where it died or was lost, and send it a message."""

from __future__ import annotations

from orange_tui.agents import messages
from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.domain.harnesses.harness import safe_prompt
from orange_tui.domain.records import record
from orange_tui.domain.workflow import RESUME, RESUME_IF_POSSIBLE, Hook
from orange_tui.engine.hooks import HookRun
from orange_tui.home import clock
from orange_tui.sessions.liveness import LOST, find_worker
from orange_tui.store.store import StoredTask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import State, Workflow
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

    def restart(self, opened: OpenTask, *, resume: bool | None) -> None:
        """Restart the agent of a task that is open already; `resume` is as in `respawn`."""
        task, engine = opened.task, self.tasks.engine
        workflow = engine.workflows.load(task.workflow)
        hook = respawn_hook(workflow, task, resume=resume)
        if task.workspace is None:
            raise Refused(f"{task.id} has no workspace to restart in; `orange task spawn {task.id}` starts it")
        alive = self.tasks.sessions.agent(task, workflow.states[task.status], fresh=True)
        if alive is not None and task.tmux_session is not None:  # else nobody knew, and it is found now
            raise Refused(f"{task.id} has a live agent; `orange task attach {task.id}` shows it")
        run = HookRun(engine, opened, hook, token=f"respawn {clock.now()}")
        engine.actions.find(hook.action).run(run)
        opened.change("agent.respawned", {"attention": None, **run.changes}, status=task.status)

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
                raise Refused(f"{task.id} has no live {who} to answer; `orange task respawn {task.id}` restarts it")
            name = f"answer {clock.now()}"
            message = messages.queue(opened, name, pane.window, safe_prompt(text), by=messages.PERSON)
            harness = messages.harness_of_window(engine.parts.harnesses, opened.journal, pane.window)
            return messages.deliver(opened, message, pane, engine.parts.tmux, harness)


def respawn_hook(workflow: Workflow, task: Task, *, resume: bool | None = False) -> Hook:
    """What starts the agent of a task again in the state that it is in; `resume` is as in `Agents.respawn`."""
    state = workflow.states.get(task.status)
    if state is None or state.respawn_prompt is None:
        raise Refused(f"{task.id} is {task.status}: in {workflow.name} no agent is restarted there")
    conversation = {} if resume is False else {"resume": RESUME if resume else RESUME_IF_POSSIBLE}
    prompt = {"prompt": state.respawn_prompt, **conversation}
    if state.agent == "reviewer":
        return Hook("spawn_reviewer", {**prompt, "increment": None})
    role = "review" if _is_entered_by_reviewer(workflow, state) else "task"
    return Hook("spawn_agent", {**prompt, "harness": role, "permissions": "reduced"})


def _is_entered_by_reviewer(workflow: Workflow, state: State) -> bool:
    """Whose state this is where it does not say (seed 004's files): who is started on the way in."""
    entering = [hook for move in workflow.transitions if move.target == state.name for hook in move.hooks]
    return state.agent is None and any(hook.params.get("harness") == "review" for hook in entering)
