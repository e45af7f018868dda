"""Exit monitoring: when an agent has died, the workflow's rule that applies, and what follows.

Everything is checked again under the task's lock: a command that got there first makes it a no-op. Each death counts
once, because its consequences are recorded in the journal after the agent's start.
"""

from __future__ import annotations

from itertools import takewhile

from orange_tui.agents import reports
from orange_tui.domain.errors import OrangeError, Refused, Unreadable
from orange_tui.domain.gates.outcome import ReportGate
from orange_tui.domain.records import record
from orange_tui.domain.workflow import SERVER_GONE, STUCK, lost_agent_sentence
from orange_tui.engine.engine import checksum
from orange_tui.engine.starting import unfinished_blockers, will_never_be_done
from orange_tui.home import clock
from orange_tui.sessions.liveness import ACTIVE, DEAD, LOST, NONE, WORKER, exit_code, required_window
from orange_tui.sessions.starts import record_start_once

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import ConditionalTarget, ExitRule, Workflow
    from orange_tui.engine.agents import Agents
    from orange_tui.engine.tasks import Tasks
    from orange_tui.outside.tmux import Pane
    from orange_tui.store.open_task import OpenTask
    from orange_tui.store.store import TaskRef

_STARTS = frozenset({"agent.spawned"})
_AFTER_START = frozenset({"agent.respawned", "hook.done", "hook.failed", "status.changed"})
_HANDLED = frozenset({"agent.crashed", "agent.died", "session.lost"})


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
            if state.rejoin is not None:
                self._rejoin(opened, state.rejoin)
            if self._follow_signal(opened, workflow) or state.agent == NONE:
                return
            found = self.tasks.sessions.state(opened.task, state, fresh=True)
            if found == ACTIVE:
                self._finish_restart(opened, self.tasks.sessions.agent(opened.task, state))
                return
            if found == LOST:
                self._record_death(opened, "session.lost", workflow, SERVER_GONE)
            elif found == DEAD and not _is_handled(opened):
                self._handle_death(opened, workflow)
            self._move_if_stale(opened, workflow)

    def _move_if_stale(self, opened: OpenTask, workflow: Workflow) -> None:
        """Move a task that nobody has worked on for `stale_after` seconds: its agent never came, or was lost."""
        for rule in workflow.rules:
            is_due = rule.status == opened.task.status and rule.stale_after is not None
            if is_due and clock.seconds_since(opened.task.updated_at) >= (rule.stale_after or 0):
                self._advance(opened, _target(rule.then, rule.then_when, opened.task), "nobody worked on it any more")
                return

    def _rejoin(self, opened: OpenTask, target: str) -> None:
        """Go on once all subtasks are done; about one that never will be, a person decides."""
        blockers = opened.task.blocked_by
        unfinished = unfinished_blockers(self.tasks.engine, opened.task)
        if blockers and not unfinished:
            self._advance(opened, target, "all that it had delegated is done", changes={"blocked_by": []})
        elif unfinished and all(will_never_be_done(self.tasks.engine, blocker) for blocker in unfinished):
            gone = ", ".join(unfinished)
            opened.set_attention(f"Of its subtasks, {gone} was cancelled or is gone; unblock it, or cancel it")

    def _finish_restart(self, opened: OpenTask, pane: Pane | None) -> None:
        """Record the restart of an agent that is alive: the command that restarted it was killed right then."""
        if pane is None or not pane.window:
            return
        record_start_once(opened, pane)
        if next(e for e in opened.journal.backwards() if e["type"] in _STARTS | _AFTER_START)["type"] in _STARTS:
            changes = {"attention": None, "tmux_session": pane.session}
            opened.change("agent.respawned", changes, status=opened.task.status)

    def _follow_signal(self, opened: OpenTask, workflow: Workflow) -> bool:
        """Move a task whose files say that it should; whether its session lives does not matter."""
        for signal in workflow.signals:
            if opened.task.status in signal.status and self.tasks.engine.missing(opened, signal.gate) is None:
                target = _target(signal.then, signal.then_when, opened.task)
                return self._advance(opened, target, "a signal in its files")
        return False

    def _handle_death(self, opened: OpenTask, workflow: Workflow) -> None:
        """Apply the first exit rule that fits; without one, only record the death."""
        reports.save_printed_report(opened, _window(opened, workflow))
        for rule in workflow.rules:
            is_for_this = rule.status == opened.task.status and rule.stale_after is None
            if is_for_this and self._applies(opened, workflow, rule) and self._apply(opened, workflow, rule):
                return
        self._record_death(opened, "agent.died", workflow, "The agent has ended")

    def _applies(self, opened: OpenTask, workflow: Workflow, rule: ExitRule) -> bool:
        gate = rule.has_artifact
        if gate is not None:
            is_fresh = gate.is_always_fresh or _is_body_fresh(opened)
            return is_fresh and self.tasks.engine.missing(opened, gate) is None and _holds(rule, opened.task)
        if rule.action is None:
            _record_failure(opened, _failure_reason(opened, workflow))
        return _holds(rule, opened.task)

    def _apply(self, opened: OpenTask, workflow: Workflow, rule: ExitRule) -> bool:
        """Do what a rule says; where the move it leads to is refused, the next rule has its turn."""
        if rule.action == "mark_dead":
            self._record_death(opened, "agent.died", workflow, "The agent has ended")
        elif rule.action == "crash":
            self._crash(opened, workflow, rule)
        else:
            return self._follow(opened, workflow, rule)
        return True

    def _follow(self, opened: OpenTask, workflow: Workflow, rule: ExitRule) -> bool:
        target = _target(rule.then, rule.then_when, opened.task)
        if rule.has_artifact is not None:
            return self._advance(opened, target, "the agent had written what was asked and ended")
        state = workflow.states.get(target or "")
        goes_on = state is not None and state.auto is not None
        error = f"The agent has failed: {opened.task.extra.get('last_error')}"
        return self._advance(opened, target, "the agent has failed", {"attention": None if goes_on else error})

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
            return False
        opened.record("auto.advanced", **{"from": source, "to": target, "reason": reason})
        return True

    def _crash(self, opened: OpenTask, workflow: Workflow, rule: ExitRule) -> None:
        count = opened.task.crash_count + 1
        reason = _exit_reason(opened, workflow)
        opened.change(
            "agent.crashed",
            {
                "crash_count": count,
                "attention": lost_agent_sentence(workflow, opened.task.status, f"The agent crashed ({reason})"),
            },
            status=opened.task.status,
            crash_count=count,
            reason=reason,
        )
        if rule.stuck_after is not None and count >= rule.stuck_after:
            self._escalate(opened, workflow, count, reason)
        elif rule.respawn_auto:
            self._restart(opened)

    def _escalate(self, opened: OpenTask, workflow: Workflow, count: int, reason: str) -> None:
        """The engine's own move to `stuck`, which neither `when` nor gate can refuse."""
        sentence = f"The agent crashed {count} times ({reason}); a person should look"
        if STUCK in workflow.states and workflow.candidates(opened.task.status, STUCK, "engine"):
            self.tasks.engine.transition(opened, STUCK, "engine", changes={"attention": sentence}, is_escalation=True)
        else:
            opened.change("task.updated", {"attention": sentence})

    def _restart(self, opened: OpenTask) -> None:
        try:
            self.agents.restart(opened)
        except OrangeError as problem:
            opened.change("task.updated", {"attention": f"The agent crashed and could not be restarted: {problem}"})

    def _record_death(self, opened: OpenTask, kind: str, workflow: Workflow, what: str) -> None:
        if not _is_handled(opened):
            attention = lost_agent_sentence(workflow, opened.task.status, what)
            opened.change(kind, {"attention": attention}, status=opened.task.status)


def _record_failure(opened: OpenTask, error: str) -> None:
    """Record that an agent ended without its artifact: the error, and how often in a row it was the same."""
    since_start = takewhile(lambda event: event["type"] not in _STARTS, opened.journal.backwards())
    if any(event["type"] == "agent.failed" for event in since_start):
        return
    is_same = opened.task.extra.get("last_error") == error
    repeats = opened.task.number("error_repeats") + 1 if is_same else 1
    opened.change("agent.failed", {"last_error": error, "error_repeats": repeats}, reason=error, repeats=repeats)


def _holds(rule: ExitRule, task: Task) -> bool:
    return rule.when is None or rule.when.holds(task.number(rule.when.field))


def _is_handled(opened: OpenTask) -> bool:
    """Whether this death has been handled: its event is in the journal after the agent's last start."""
    for event in opened.journal.backwards():
        if event["type"] in _HANDLED:
            return True
        if event["type"] in _STARTS:
            return False
    return True  # no agent was ever started, so none can have died


def _is_body_fresh(opened: OpenTask) -> bool:
    """Whether the body was written to since the task came here: an artifact of an earlier round proves nothing."""
    entered = opened.journal.last("transition.started")
    return entered is None or entered.get("body") != checksum(opened.body)


def _target(then: str | None, arms: tuple[ConditionalTarget, ...], task: Task) -> str | None:
    if then is not None:
        return then
    return next((arm.then for arm in arms if arm.when.holds(task.number(arm.when.field))), None)


def _window(opened: OpenTask, workflow: Workflow) -> str:
    return required_window(opened.task, workflow.states.get(opened.task.status)) or WORKER


def _failure_reason(opened: OpenTask, workflow: Workflow) -> str:
    how = _exit_reason(opened, workflow)
    if not any(isinstance(rule.has_artifact, ReportGate) for rule in workflow.rules):
        return how
    try:
        reports.current_report(opened)
    except Unreadable as problem:
        return f"{problem} ({how})"
    return how


def _exit_reason(opened: OpenTask, workflow: Workflow) -> str:
    code = exit_code(opened.directory, _window(opened, workflow))
    return "its window was closed" if code is None else f"exit code {code}"
