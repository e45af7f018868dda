"""What an agent's death leads to: the workflow's first rule that fits, or only a note of it.

Each window's death counts once and for itself: its consequences are in the journal, with the window, after that agent's
start. What was recorded and not done, because whoever did it was killed, is done by the next one.
"""

from __future__ import annotations

from itertools import takewhile

from orange_tui.agents import messages, reports
from orange_tui.agents.limit_words import printed_limit
from orange_tui.domain.errors import OrangeError
from orange_tui.domain.records import record
from orange_tui.domain.workflow import STUCK, lost_agent_sentence
from orange_tui.home import clock
from orange_tui.sessions.runtime import Runtime
from orange_tui.supervisor.exits.missing_agent import count_failure
from orange_tui.supervisor.exits.moves import advance, choose_target, targets
from orange_tui.usage import budget
from orange_tui.usage.limits import Sighting, record_limit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.workflow import ExitRule
    from orange_tui.engine.agents import Agents
    from orange_tui.engine.engine import Engine
    from orange_tui.store.journal import Event
    from orange_tui.store.open_task import OpenTask
    from orange_tui.supervisor.exits.state_agent import StateAgent

_AFTER_CRASH = frozenset({"transition.started", "agent.not_restarted"})
_AFTER_HANDING_OVER = frozenset({"agent.handed_over", "agent.not_restarted"})


@record
class AgentDeaths:
    """Does what follows when an agent has ended; its task is open."""

    agents: Agents

    @property
    def _engine(self) -> Engine:
        return self.agents.tasks.engine

    def handle(self, agent: StateAgent) -> None:
        """Do what the death of an agent leads to, or what is left of that."""
        life = agent.life()
        if life is None:
            return
        handled = next(agent.ends(life), None)
        handing = next((e for e in life if e["type"] in _AFTER_HANDING_OVER and e.get("window") == agent.window), None)
        if handing is not None and handing["type"] == "agent.handed_over":
            self.finish_hand_over(agent.opened, handing)
        elif handing is not None:
            return  # a person is asked, and nobody has crashed
        elif agent.window in agent.opened.journal.at_limit():
            return  # it goes on when that is over
        elif handled is None:
            self._apply_rules(agent)
        elif handled["type"] == "agent.crashed" and handled.get("window") == agent.window:
            later = takewhile(lambda event: event is not handled, life)
            crashes = (rule for rule in agent.rules() if rule.action == "crash")
            rule = next((rule for rule in crashes if self._engine.holds(rule.when, agent.task)), None)
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
        self.record_end(agent, "agent.died", "The agent has ended")

    def _ended_at_limit(self, agent: StateAgent) -> bool:
        """Whether an agent ended because it had reached its limit: no crash, no failure and no attempt is counted."""
        opened, window = agent.opened, agent.window
        harness = messages.harness_of_window(self._engine.parts.harnesses, opened.journal, window)
        known = Runtime(opened.state_directory).window(window)
        words = printed_limit(opened.state_directory, window, harness) if harness is not None else None
        if harness is None or (words is None and known.get("state") != "limit"):
            return False
        said_at = str(known.get("event_at") or clock.now())
        record_limit(
            self._engine.parts.limits, opened, Sighting(window, harness.name, words or "", said_at, "last words")
        )
        return True

    def _applies(self, agent: StateAgent, rule: ExitRule) -> bool:
        if rule.has_artifact is not None:
            is_there = self._engine.missing(agent.opened, rule.has_artifact) is None
            is_fresh = is_there and agent.has_written(self._engine, rule.has_artifact, targets(rule))
            return is_fresh and self._engine.holds(rule.when, agent.task)
        if rule.action is None:
            _record_failure(agent)
        return self._engine.holds(rule.when, agent.task)

    def _apply(self, agent: StateAgent, rule: ExitRule) -> bool:
        """Do what a rule says; where the move it leads to is refused, the next rule has its turn."""
        if rule.action == "mark_dead":
            self.record_end(agent, "agent.died", "The agent has ended")
        elif rule.action == "crash":
            self._crash(agent, rule)
        else:
            return self._follow(agent, rule)
        return True

    def _follow(self, agent: StateAgent, rule: ExitRule) -> bool:
        target = choose_target(self._engine, rule, agent.task)
        if rule.has_artifact is not None:
            return advance(self._engine, agent.opened, target, "the agent had written what was asked and ended")
        state = agent.workflow.states.get(target or "")
        goes_on = state is not None and state.auto is not None
        error = f"The agent has failed: {agent.task.extra.get('last_error')}"
        changes = {"attention": None if goes_on else error}
        return advance(self._engine, agent.opened, target, "the agent has failed", changes)

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
            self._engine.transition(agent.opened, STUCK, "engine", changes=changes, is_escalation=True)

    def _restart(self, agent: StateAgent) -> None:
        try:
            self.agents.restart(agent.opened, resume=False, by="engine")
        except OrangeError as problem:
            _record_no_restart(agent.opened, agent.window, "The agent crashed and could not be restarted", problem)

    def finish_hand_over(self, opened: OpenTask, handing: Event) -> None:
        """Do what is left of handing a task over to another agent: whoever began it was killed right then."""
        window = str(handing.get("window"))
        try:
            self.agents.finish_hand_over(opened, window, str(handing.get("from")))
        except OrangeError as problem:
            _record_no_restart(opened, window, f"{handing.get('to')} could not be started", problem)

    def start_within_budget(self, agent: StateAgent) -> bool:
        """Start the agent that was not started for the budget's sake, now that there is a larger one."""
        if not budget.start_waits(agent.opened) or agent.task.workspace is None:
            return False
        if budget.why_not(self.agents.tasks.projects, agent.task) is not None:
            return False
        try:
            self.agents.restart(agent.opened, resume=None, by="engine")
        except OrangeError as problem:
            agent.opened.set_attention(f"Its budget was raised, but it could not go on: {problem}")
            return False
        return True

    def record_end(self, agent: StateAgent, kind: str, what: str) -> None:
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


def _is_too_often(rule: ExitRule, count: int) -> bool:
    return rule.stuck_after is not None and count >= rule.stuck_after


def _too_often(count: int, reason: str) -> str:
    return f"The agent crashed {count} times ({reason}); a person should look"
