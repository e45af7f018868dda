"""The agent that a task's state asks for, and what the journal tells of its life, for the rules about its end."""

from __future__ import annotations

from orange_tui.agents import reports
from orange_tui.domain.errors import Unreadable
from orange_tui.domain.gates.outcome import ReportGate
from orange_tui.domain.records import record
from orange_tui.engine.hooks import checksum
from orange_tui.sessions.liveness import exit_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from orange_tui.domain.gates.gate import Gate
    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import ExitRule, Workflow
    from orange_tui.engine.engine import Engine
    from orange_tui.store.journal import Event
    from orange_tui.store.open_task import OpenTask

_HANDLED = frozenset({"agent.crashed", "agent.died", "session.lost"})


@record
class StateAgent:
    """The agent that the state of an open task asks for, dead or alive, in the window it has or had."""

    opened: OpenTask
    workflow: Workflow
    window: str

    @property
    def task(self) -> Task:
        """The task as it is now."""
        return self.opened.task

    def rules(self) -> Iterator[ExitRule]:
        """The workflow's rules about its end, in the state that the task is in."""
        return (rule for rule in self.workflow.rules if rule.status == self.task.status and rule.is_about_death)

    def life(self) -> Sequence[Event] | None:
        """What has happened since it was started, the newest first; None where it never was: so it cannot have died."""
        found: list[Event] = []
        for event in self.opened.journal.backwards():
            if event["type"] == "agent.spawned" and event.get("window") == self.window:
                return found
            found.append(event)
        return None

    def ends(self, life: Sequence[Event]) -> Iterator[Event]:
        """The events that say that its death was handled; one without a window is about all there are."""
        return (e for e in life if e["type"] in _HANDLED and e.get("window") in {None, self.window})

    def body_at_start(self) -> int | None:
        """The checksum of TASK.md's body when the task came to the state in which this agent was started."""
        was_started = False
        for event in self.opened.journal.backwards():
            was_started = was_started or (event["type"] == "agent.spawned" and event.get("window") == self.window)
            if was_started and event["type"] == "transition.started":
                return event.get("body")
        return None

    def has_written(self, engine: Engine, gate: Gate, targets: Collection[str | None]) -> bool:
        """Whether what a gate looks at was written in this agent's time, in whatever state the task was then."""
        if any(part.is_in_body for part in gate.parts) and self.body_at_start() == checksum(self.opened.body):
            return False
        return not was_used(engine, self.opened, gate, targets)

    def exit_reason(self) -> str:
        """How it ended, as its launcher has written down."""
        code = exit_code(self.opened.state_directory, self.window)
        return "its window was closed" if code is None else f"exit code {code}"

    def failure_reason(self) -> str:
        """The same, with what is wrong with its report, where it was to leave one."""
        how = self.exit_reason()
        artifacts = (rule.has_artifact for rule in self.workflow.rules if rule.has_artifact is not None)
        if not any(isinstance(part, ReportGate) for artifact in artifacts for part in artifact.parts):
            return how
        try:
            reports.current_report(self.opened)
        except Unreadable as problem:
            return f"{problem} ({how})"
        return how


def was_used(engine: Engine, opened: OpenTask, gate: Gate, targets: Collection[str | None]) -> bool:
    """Whether an artifact has taken the task on from here before: that of an earlier round proves nothing."""
    artifact = engine.artifact(opened, gate)
    moves = (e for e in opened.journal.backwards() if e["type"] == "transition.started" and "artifact" in e)
    used = next((e for e in moves if e.get("from") == opened.task.status and e.get("to") in targets), {})
    return artifact is not None and used.get("artifact") == artifact
