"""A workflow in memory: its states, the moves between them, and what each move needs and triggers.

`workflow_file` builds one from YAML and checks it; nothing here checks again.
"""

from __future__ import annotations

from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Literal

    from orange_tui.domain.conditions import Condition
    from orange_tui.domain.gates.gate import Gate

    Actor = Literal["agent", "person", "engine", "force"]

# The states that the engine itself knows by name, where a workflow has them.
DONE, STUCK, CANCELLED = "done", "stuck", "cancelled"


@record
class Hook:
    """What is done when a move is made: an action's name and its parameters."""

    action: str
    params: Mapping[str, object]


@record
class State:
    """A state of a task, and whose window must be alive in it (None: any window will do).

    Orange itself moves a task from here to `auto` as soon as a place is free, and to `rejoin` once its subtasks are
    done.
    """

    name: str
    terminal: bool = False
    agent: str | None = None
    respawn_prompt: str | None = None
    auto: str | None = None
    rejoin: str | None = None


@record
class Transition:
    """One permitted move. `by` narrows who may make it: the engine itself, a person, or a confirmed forced merge."""

    source: str
    target: str
    when: Condition | None = None
    by: str | None = None
    gate: Gate | None = None
    hooks: tuple[Hook, ...] = ()


@record
class ConditionalTarget:
    """One case of a `then_when`."""

    when: Condition
    then: str


@record
class ExitRule:
    """What follows when the agent of a task in `status` has died, or is missing and `stale_after` seconds passed."""

    status: str
    when: Condition | None = None
    stale_after: int | None = None
    has_artifact: Gate | None = None
    no_artifact: bool = False
    then: str | None = None
    then_when: tuple[ConditionalTarget, ...] = ()
    action: str | None = None
    stuck_after: int | None = None
    respawn_auto: bool = False


@record
class Signal:
    """What follows when a task's files show something, whether its session is alive or not."""

    status: tuple[str, ...]
    gate: Gate
    then: str | None = None
    then_when: tuple[ConditionalTarget, ...] = ()


@record
class Workflow:
    """A whole lifecycle. Order counts: the first initial state is the default, the first move listed is forward."""

    name: str
    version: int
    states: Mapping[str, State]
    initial: Mapping[str, tuple[Hook, ...]]
    transitions: tuple[Transition, ...]
    poll_interval: int
    rules: tuple[ExitRule, ...]
    signals: tuple[Signal, ...]
    prompts: Mapping[str, str]

    @property
    def first_state(self) -> str:
        """Where a task starts by default."""
        return next(iter(self.initial))

    @property
    def starts_by_itself(self) -> bool:
        """Whether a new task starts as soon as a place is free, without a person."""
        return self.states[self.first_state].auto is not None

    def has_action(self, name: str) -> bool:
        """Whether some move triggers this action."""
        return any(hook.action == name for move in self.transitions for hook in move.hooks)

    def is_terminal(self, status: str) -> bool:
        """Whether a task in this state is finished; an unknown state is not."""
        state = self.states.get(status)
        return state is not None and state.terminal

    def moves(self, source: str, actor: Actor) -> tuple[Transition, ...]:
        """Every move out of a state that this actor may make, in the file's order."""
        return tuple(t for t in self.transitions if t.source == source and t.by in (None, actor))

    def candidates(self, source: str, target: str, actor: Actor) -> tuple[Transition, ...]:
        """The moves from one state to another; those reserved for this actor come before the open ones."""
        found = [t for t in self.moves(source, actor) if t.target == target]
        reserved = [t for t in found if t.by == actor]
        return tuple(reserved or found)

    def targets(self, source: str, actor: Actor) -> tuple[str, ...]:
        """Where a task in this state could go, each named once."""
        return tuple(dict.fromkeys(t.target for t in self.moves(source, actor)))


def send_back_target(workflow: Workflow, source: str) -> str | None:
    """Where a person sends work back to: the first move without a gate that notifies or starts the worker.

    Only from a state where the person decides, and could also finish the task: `pending` starts a worker, too.
    """
    ends = [end for end in workflow.targets(source, "person") if workflow.is_terminal(end) and end != CANCELLED]
    for move in workflow.moves(source, "person") if ends else ():
        starts_by_itself = workflow.states[move.target].auto is not None
        reaches_agent = any(hook.action in {"notify_worker", "spawn_agent"} for hook in move.hooks) or starts_by_itself
        if reaches_agent and move.gate is None and not workflow.is_terminal(move.target):
            return move.target
    return None


SERVER_GONE = "Its tmux server is gone"


def lost_agent_sentence(workflow: Workflow, status: str, what: str) -> str:
    """A sentence about an agent that is gone, with the way to get it back, if there is one."""
    state = workflow.states.get(status)
    if state is not None and state.respawn_prompt is not None:
        return f"{what}; restart brings {'the agent' if what == SERVER_GONE else 'it'} back"
    return f"{what}; retry starts it over" if workflow.starts_by_itself else what


def starts_agent(hooks: Iterable[Hook]) -> bool:
    """Whether these hooks start an agent."""
    return any(hook.action in {"spawn_agent", "spawn_reviewer"} for hook in hooks)
