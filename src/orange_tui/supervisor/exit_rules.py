"""Exit monitoring: when an agent has died, the workflow's rule that applies, and what follows.

Everything is checked again under the task's lock: a command that got there first makes it a no-op. Each window's death
counts once and for itself: its consequences are in the journal, with the window, after that agent's start. What was
recorded and not done, because whoever did it was killed, is done by the next one.
"""

from __future__ import annotations

from itertools import takewhile

from orange_tui.agents import messages, reports
from orange_tui.agents.limit_words import printed_limit
from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.domain.records import record
from orange_tui.domain.workflow import SERVER_GONE, STUCK, lost_agent_sentence
from orange_tui.engine.starting import unfinished_blockers, will_never_be_done
from orange_tui.home import clock
from orange_tui.sessions.liveness import ACTIVE, DEAD, LOST, NONE, agent_window
from orange_tui.sessions.runtime import Runtime
from orange_tui.sessions.starts import record_start_once
from orange_tui.supervisor._missing_agent import count_failure, missing_agent_rule, record_failed_start
from orange_tui.supervisor._state_agent import StateAgent, was_used
from orange_tui.usage import budget
from orange_tui.usage.limits import Sighting, record_limit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import ExitRule, Signal, State, Workflow
    from orange_tui.engine.agents import Agents
    from orange_tui.engine.tasks import Tasks
    from orange_tui.outside.tmux.server import Pane
    from orange_tui.store.journal import Event
    from orange_tui.store.open_task import OpenTask
    from orange_tui.store.store import TaskRef

_STARTS = frozenset({"agent.spawned"})
_AFTER_START = frozenset({"agent.respawned", "agent.handed_over", "hook.done", "hook.failed", "status.changed"})
_AFTER_CRASH = frozenset({"transition.started", "agent.not_restarted"})
_AFTER_HANDING_OVER = frozenset({"agent.handed_over", "agent.not_restarted"})


@record
class ExitRules:
    """Applies exit rules and signals."""

    tasks: Tasks
    agents: Agents

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
                self._record_end(agent, "session.lost", SERVER_GONE)
            elif self._start_within_budget(agent):
                return
            elif found == DEAD:
                self._handle_death(agent)
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
        if rule is not None and rule.no_agent:
            reason = record_failed_start(opened)
            self._advance(opened, self._target(rule, opened.task), reason, {"attention": reason})
        elif rule is not None:
            self._advance(opened, self._target(rule, opened.task), "nobody worked on it any more")

    def _rejoin(self, opened: OpenTask, targets: tuple[str, ...]) -> None:
        """Go on once all subtasks are done; about one that never will be, a person decides."""
        blockers = opened.task.blocked_by
        unfinished = unfinished_blockers(self.tasks.engine, opened.task)
        if blockers and not unfinished:
            refusals = {each: self.tasks.engine.why_not(opened, each, "engine") for each in targets}
            allowed = next((each for each, refusal in refusals.items() if refusal is None), None)
            self._advance(opened, allowed, "all that it had delegated is done", {"blocked_by": []})
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
            self._finish_hand_over(opened, last)
        elif last["type"] in _STARTS:
            changes = {"attention": None, "tmux_session": pane.session}
            opened.change("agent.respawned", changes, status=opened.task.status)

    def _follow_signal(self, opened: OpenTask, workflow: Workflow) -> bool:
        """Move a task whose files say that it should; whether its session lives does not matter."""
        for signal in workflow.signals:
            is_given = opened.task.status in signal.status and self.tasks.engine.missing(opened, signal.gate) is None
            if is_given and not was_used(self.tasks.engine, opened, signal.gate, _targets(signal)):
                target = self._target(signal, opened.task)
                return self._advance(opened, target, "a signal in its files")
        return False

    def _handle_death(self, agent: StateAgent) -> None:
        """Do what the death of an agent leads to, or what is left of that."""
        life = agent.life()
        if life is None:
            return
        handled = next(agent.ends(life), None)
        handing = next((e for e in life if e["type"] in _AFTER_HANDING_OVER and e.get("window") == agent.window), None)
        if handing is not None and handing["type"] == "agent.handed_over":
            self._finish_hand_over(agent.opened, handing)
        elif handing is not None:
            return  # a person is asked, and nobody has crashed
        elif agent.window in agent.opened.journal.at_limit():
            return  # it goes on when that is over
        elif handled is None:
            self._apply_rules(agent)
        elif handled["type"] == "agent.crashed" and handled.get("window") == agent.window:
            later = takewhile(lambda event: event is not handled, life)
            rule = next(
                (rule for rule in agent.rules() if rule.action == "crash" and self._holds(rule, agent.task)), None
            )
            if rule is not None and not any(event["type"] in _AFTER_CRASH for event in later):
                self._follow_crash(agent, rule, str(handled.get("reason")))

    def _apply_rules(self, agent: StateAgent) -> None:
        """Apply the first exit rule that fits; without one, only record the death."""
        reports.save_printed_report(agent.opened, agent.window)
        for rule in agent.rules():
            if rule.has_artifact is None and self._ended_at_limit(agent):
                return
            if self._applies(agent, rule) and self._apply(agent, rule):
                return
        self._record_end(agent, "agent.died", "The agent has ended")

    def _ended_at_limit(self, agent: StateAgent) -> bool:
        """Whether an agent ended because it had reached its limit: no crash, no failure and no attempt is counted."""
        opened, window = agent.opened, agent.window
        harness = messages.harness_of_window(self.tasks.engine.parts.harnesses, opened.journal, window)
        known = Runtime(opened.state_directory).window(window)
        words = printed_limit(opened.state_directory, window, harness) if harness is not None else None
        if harness is None or (words is None and known.get("state") != "limit"):
            return False
        said_at = str(known.get("event_at") or clock.now())
        record_limit(
            self.tasks.engine.parts.limits, opened, Sighting(window, harness.name, words or "", said_at, "last words")
        )
        return True

    def _applies(self, agent: StateAgent, rule: ExitRule) -> bool:
        if rule.has_artifact is not None:
            is_there = self.tasks.engine.missing(agent.opened, rule.has_artifact) is None
            is_fresh = is_there and agent.has_written(self.tasks.engine, rule.has_artifact, _targets(rule))
            return is_fresh and self._holds(rule, agent.task)
        if rule.action is None:
            _record_failure(agent)
        return self._holds(rule, agent.task)

    def _apply(self, agent: StateAgent, rule: ExitRule) -> bool:
        """Do what a rule says; where the move it leads to is refused, the next rule has its turn."""
        if rule.action == "mark_dead":
            self._record_end(agent, "agent.died", "The agent has ended")
        elif rule.action == "crash":
            self._crash(agent, rule)
        else:
            return self._follow(agent, rule)
        return True

    def _follow(self, agent: StateAgent, rule: ExitRule) -> bool:
        target = self._target(rule, agent.task)
        if rule.has_artifact is not None:
            return self._advance(agent.opened, target, "the agent had written what was asked and ended")
        state = agent.workflow.states.get(target or "")
        goes_on = state is not None and state.auto is not None
        error = f"The agent has failed: {agent.task.extra.get('last_error')}"
        changes = {"attention": None if goes_on else error}
        return self._advance(agent.opened, target, "the agent has failed", changes)

    def _advance(
        self, opened: OpenTask, target: str | None, reason: str, changes: Mapping[str, object] | None = None
    ) -> bool:
        if target is None:
            return False
        source = opened.task.status
        try:
            self.tasks.engine.transition(opened, target, "engine", changes=changes)
        except Refused as refusal:
            self.tasks.engine.log.write("warning", f"not advanced: {refusal}", task=opened.task.id)
            opened.record_once("auto.refused", **{"from": source, "to": target, "reason": str(refusal)})
            return False
        opened.record("auto.advanced", **{"from": source, "to": target, "reason": reason})
        return True

    def _crash(self, agent: StateAgent, rule: ExitRule) -> None:
        task, count = agent.task, agent.task.crash_count + 1
        reason = agent.exit_reason()
        attention = lost_agent_sentence(agent.workflow, task.status, f"The agent crashed ({reason})")
        agent.opened.change(
            "agent.crashed",
            {
                "crash_count": count,
                "attention": _too_often(count, reason) if _is_too_often(rule, count) else attention,
            },
            window=agent.window,
            status=task.status,
            crash_count=count,
            reason=reason,
        )
        self._follow_crash(agent, rule, reason)

    def _follow_crash(self, agent: StateAgent, rule: ExitRule, reason: str) -> None:
        """What follows a crash that is recorded already: the move to stuck, or another start."""
        count = agent.task.crash_count
        if _is_too_often(rule, count):
            self._escalate(agent, _too_often(count, reason))
        elif rule.respawn_auto:
            self._restart(agent)

    def _escalate(self, agent: StateAgent, attention: str) -> None:
        """The engine's own move to `stuck`, which neither `when` nor gate can refuse."""
        if STUCK in agent.workflow.states and agent.workflow.candidates(agent.task.status, STUCK, "engine"):
            changes = {"attention": attention}
            self.tasks.engine.transition(agent.opened, STUCK, "engine", changes=changes, is_escalation=True)

    def _restart(self, agent: StateAgent) -> None:
        try:
            self.agents.restart(agent.opened, resume=False, by="engine")
        except OrangeError as problem:
            _record_no_restart(agent.opened, agent.window, "The agent crashed and could not be restarted", problem)

    def _finish_hand_over(self, opened: OpenTask, handing: Event) -> None:
        """Do what is left of handing a task over to another agent: whoever began it was killed right then."""
        window = str(handing.get("window"))
        try:
            self.agents.finish_hand_over(opened, window, str(handing.get("from")))
        except OrangeError as problem:
            _record_no_restart(opened, window, f"{handing.get('to')} could not be started", problem)

    def _start_within_budget(self, agent: StateAgent) -> bool:
        """Start the agent that was not started for the budget's sake, now that there is a larger one."""
        if not budget.start_waits(agent.opened) or agent.task.workspace is None:
            return False
        if budget.why_not(self.tasks.projects, agent.task) is not None:
            return False
        try:
            self.agents.restart(agent.opened, resume=None, by="engine")
        except OrangeError as problem:
            agent.opened.set_attention(f"Its budget was raised, but it could not go on: {problem}")
            return False
        return True

    def _holds(self, rule: ExitRule, task: Task) -> bool:
        return self.tasks.engine.holds(rule.when, task)

    def _target(self, rule: ExitRule | Signal, task: Task) -> str | None:
        holds = self.tasks.engine.holds
        return rule.then or next((arm.then for arm in rule.then_when if holds(arm.when, task, is_choice=True)), None)

    def _record_end(self, agent: StateAgent, kind: str, what: str) -> None:
        """Record the end of an agent, once, and ask for a person."""
        life = agent.life()
        if life is not None and next(agent.ends(life), None) is None:
            attention = agent.task.attention_and(lost_agent_sentence(agent.workflow, agent.task.status, what))
            agent.opened.change(kind, {"attention": attention}, window=agent.window, status=agent.task.status)


def _record_no_restart(opened: OpenTask, window: str, what: str, problem: OrangeError) -> None:
    changes = {"attention": f"{what}: {problem}"}
    opened.change("agent.not_restarted", changes, window=window, reason=str(problem))


def _record_failure(agent: StateAgent) -> None:
    """Record that an agent ended without its artifact: the error, and how often in a row it was the same."""
    if any(event["type"] == "agent.failed" for event in agent.life() or ()):
        return
    count_failure(agent.opened, agent.failure_reason(), window=agent.window)


def _targets(rule: ExitRule | Signal) -> set[str | None]:
    return {rule.then, *(arm.then for arm in rule.then_when)}


def _is_too_often(rule: ExitRule, count: int) -> bool:
    return rule.stuck_after is not None and count >= rule.stuck_after


def _too_often(count: int, reason: str) -> str:
    return f"The agent crashed {count} times ({reason}); a person should look"
