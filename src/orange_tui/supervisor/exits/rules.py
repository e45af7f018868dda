"""Exit monitoring: what follows from an agent's end, from signals in a task's files, and from subtasks that are done.

Everything is checked again under the task's lock: a command that got there first makes it a no-op.
"""

from __future__ import annotations

from orange_tui.agents import messages
from orange_tui.domain.records import record
from orange_tui.domain.workflow import SERVER_GONE
from orange_tui.engine.starting import unfinished_blockers, will_never_be_done
from orange_tui.sessions.liveness import ACTIVE, DEAD, LOST, NONE, agent_window
from orange_tui.sessions.starts import record_start_once
from orange_tui.supervisor.exits.deaths import AgentDeaths
from orange_tui.supervisor.exits.missing_agent import missing_agent_rule, record_failed_start
from orange_tui.supervisor.exits.moves import advance, choose_target, targets
from orange_tui.supervisor.exits.state_agent import StateAgent, was_used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import State, Workflow
    from orange_tui.engine.agents import Agents
    from orange_tui.engine.tasks import Tasks
    from orange_tui.outside.tmux.server import Pane
    from orange_tui.store.open_task import OpenTask
    from orange_tui.store.store import TaskRef

_STARTS = frozenset({"agent.spawned"})
_AFTER_START = frozenset({"agent.respawned", "agent.handed_over", "hook.done", "hook.failed", "status.changed"})


@record
class ExitRules:
    """Applies exit rules and signals."""

    tasks: Tasks
    agents: Agents

    @property
    def _deaths(self) -> AgentDeaths:
        return AgentDeaths(self.agents)

    def check(self, ref: TaskRef) -> None:
        """Handle the death of a task's agent, if it has died, and the signals in the task's files.

        A task that another command holds is left to it for now (`Busy`): others must not wait for its set-up.
        """
        engine = self.tasks.engine
        with engine.open(ref, wait=False) as opened:
            workflow = engine.workflows.load(opened.task.workflow)
            state = workflow.states.get(opened.task.status)
            if state is None or state.terminal:
                return
            if state.rejoin:
                self._rejoin(opened, state.rejoin)
            if self._follow_signal(opened, workflow) or state.agent == NONE:
                return
            found = self._session_state(opened.task, state)
            if found == ACTIVE:
                self._finish_restart(opened, self.tasks.sessions.agent(opened.task, state))
                return
            agent = StateAgent(opened, workflow, agent_window(opened.task, state, opened.journal))
            if found == LOST:
                self._deaths.record_end(agent, "session.lost", SERVER_GONE)
            elif self._deaths.start_within_budget(agent):
                return
            elif found == DEAD:
                self._deaths.handle(agent)
            self._move_if_missing(opened, workflow, was_started=found != NONE)

    def _session_state(self, task: Task, state: State) -> str:
        """Whether the agent is alive. Where tmux does not answer, nobody can tell, and nothing follows: it raises."""
        sessions = self.tasks.sessions
        return sessions.judge(task, state, sessions.windows(task.id, fresh=True) if task.tmux_session else ())

    def _move_if_missing(self, opened: OpenTask, workflow: Workflow, *, was_started: bool) -> None:
        """Move a task whose agent could not be started, or that nobody has worked on for a long time."""
        state = workflow.states.get(opened.task.status)
        if agent_window(opened.task, state, opened.journal) in opened.journal.at_limit():
            return
        rule = missing_agent_rule(self.tasks.engine, opened.task, workflow, was_started=was_started)
        if rule is None:
            return
        reason = record_failed_start(opened) if rule.no_agent else None  # first: how often it failed may say where to
        target = choose_target(self.tasks.engine, rule, opened.task)
        if reason is not None:
            advance(self.tasks.engine, opened, target, reason, {"attention": reason})
        else:
            advance(self.tasks.engine, opened, target, "nobody worked on it any more")

    def _rejoin(self, opened: OpenTask, ways_on: tuple[str, ...]) -> None:
        """Go on once all subtasks are done; about one that never will be, a person decides."""
        blockers = opened.task.blocked_by
        unfinished = unfinished_blockers(self.tasks.engine, opened.task)
        if blockers and not unfinished:
            refusals = {each: self.tasks.engine.why_not(opened, each, "engine") for each in ways_on}
            allowed = next((each for each, refusal in refusals.items() if refusal is None), None)
            advance(self.tasks.engine, opened, allowed, "all that it had delegated is done", {"blocked_by": []})
            if allowed is None:
                reasons = "; ".join(refusal for refusal in refusals.values() if refusal is not None)
                opened.set_attention(f"All that it had delegated is done, but it may not go on: {reasons}")
        elif unfinished and all(will_never_be_done(self.tasks.engine, blocker) for blocker in unfinished):
            gone = ", ".join(unfinished)
            opened.set_attention(f"Of its subtasks, {gone} was cancelled or is gone; unblock it, or cancel it")

    def _finish_restart(self, opened: OpenTask, pane: Pane | None) -> None:
        """Record the restart of an agent that is alive: the command that restarted it was killed right then."""
        if pane is None or not pane.window:
            return
        record_start_once(opened, pane)
        messages.queue_prompt(opened, pane.window, pane.spawn)
        last = next(e for e in opened.journal.backwards() if e["type"] in _STARTS | _AFTER_START)
        if last["type"] == "agent.handed_over" and last.get("window") == pane.window:
            self._deaths.finish_hand_over(opened, last)
        elif last["type"] in _STARTS:
            changes = {"attention": None, "tmux_session": pane.session}
            opened.change("agent.respawned", changes, status=opened.task.status)

    def _follow_signal(self, opened: OpenTask, workflow: Workflow) -> bool:
        """Move a task whose files say that it should; whether its session lives does not matter."""
        for signal in workflow.signals:
            is_given = opened.task.status in signal.status and self.tasks.engine.missing(opened, signal.gate) is None
            if is_given and not was_used(self.tasks.engine, opened, signal.gate, targets(signal)):
                target = choose_target(self.tasks.engine, signal, opened.task)
                return advance(self.tasks.engine, opened, target, "a signal in its files")
        return False
