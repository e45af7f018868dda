"""A workflow in memory: its states, the moves between them, and what each move needs and triggers.

`workflow_file` builds one from YAML and checks it; nothing here checks again.
"""

from __future__ import annotations

from orange_tui.domain.records import record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Literal

    from orange_tui.domain.conditions import Condition
    from orange_tui.domain.gates.gate import Gate

    Actor = Literal["agent", "person", "engine", "force"]

RESUME, RESUME_IF_POSSIBLE = "resume", "resume if possible"  # how a restarted agent comes by its conversation
UNDO: Literal["undo"] = (
    "undo"  # how a task comes back that was just cancelled: no move of its workflow, which has none from there
)
STUCK = "stuck"  # the state that the engine itself knows by name, where a workflow has it
REVIEW_WORKFLOW = "review-pr"  # the shipped one for somebody else's pull request
DONE, CANCELLED = "done", "cancelled"  # how a task can end; the states are called as the workflow likes
# What a workflow may leave to the settings: after how long a task goes stale, and how often it is tried.
STUCK_TIMEOUT, MAX_ATTEMPTS = "stuck_timeout", "max_attempts"
# Numbers that a `when` may compare and that no field has. They are the engine's own: no agent can write them.
WORKED_OUT: Mapping[str, str] = {
    "attempts_left": "how many attempts an unattended task still has",
    "own_commits": "how many commits its branch has that the default branch has not",
    "cost": "what its agents have used, in dollars; 2.50 is more than 2",
    "tokens": "the same in tokens",
    "context": "how full the memory of its last agent is, in percent",
    "auto_fix": "1 where `auto_fix` is on, else 0",
}
ATTEMPTS_LEFT, OWN_COMMITS, COST, TOKENS, CONTEXT, AUTO_FIX = WORKED_OUT
# What may happen to a task's pull request that a workflow has rules for (`on`).
PULL_REQUEST_EVENTS: Mapping[str, str] = {
    "checks_failed": "a check of the pull request failed, and passes on the default branch",
    "changes_requested": "a reviewer requested changes",
    "comment": "somebody commented",
}
_ACTORS: tuple[Actor, ...] = ("agent", "person", "engine", "force")
_EARLIER_INITIAL = "create"  # in whose name earlier versions started a task in an initial state
_MERGING: tuple[Actor, ...] = ("person", "force")  # in whose name a merge ends a task


@record
class Hook:
    """What is done when a move is made: an action's name and its parameters."""

    action: str
    params: Mapping[str, object]


@record
class State:
    """A state of a task, and whose window must be alive in it (None: any window will do).

    A terminal state is a good `end` (done), or the one of tasks that were given up (cancelled). Orange itself moves a
    task from here to `auto` as soon as a place is free, and once its subtasks are done to the
    first state of `rejoin` that it may go to.
    """

    name: str
    terminal: bool = False
    end: str | None = None
    agent: str | None = None
    respawn_prompt: str | None = None
    auto: str | None = None
    rejoin: tuple[str, ...] = ()


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
    """What follows when the agent of a task in `status` has died, could not be started, or left it to go stale.

    `stale_after` is a number of seconds, or the name of the setting that has it.
    """

    status: str
    when: Condition | None = None
    stale_after: int | str | None = None
    has_artifact: Gate | None = None
    no_artifact: bool = False
    then: str | None = None
    then_when: tuple[ConditionalTarget, ...] = ()
    action: str | None = None
    stuck_after: int | None = None
    respawn_auto: bool = False
    no_agent: bool = False

    @property
    def is_about_death(self) -> bool:
        """Whether it is about an agent that has ended, and not about one that is missing."""
        return self.stale_after is None and not self.no_agent


@record
class Signal:
    """What follows when a task's files show something, whether its session is alive or not."""

    status: tuple[str, ...]
    gate: Gate
    then: str | None = None
    then_when: tuple[ConditionalTarget, ...] = ()


@record
class EventRule:
    """What follows when something happens to the pull request of a task in `source`: at most `limit` times a task."""

    event: str
    source: str
    target: str
    limit: int
    when: Condition | None = None

    @property
    def move(self) -> tuple[str, str]:
        """Where it leads from, and where to."""
        return self.source, self.target


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
    on: tuple[EventRule, ...] = ()

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

    def is_done(self, status: str) -> bool:
        """Whether a task in this state came to a good end, whatever that is called here.

        A state that the workflow had once, and has no more, is known by its name.
        """
        state = self.states.get(status)
        return status == DONE if state is None else state.end == DONE

    def is_cancelled(self, status: str) -> bool:
        """Whether a task in this state was given up."""
        return self.is_terminal(status) and self.states[status].end == CANCELLED

    def good_ends(self, source: str, actor: Actor) -> tuple[str, ...]:
        """Where a task in this state can end when its work is merged; nowhere, where this actor cannot end it so."""
        return tuple(target for target in self.targets(source, actor) if self.is_done(target))

    def ends_by_itself(self, source: str) -> tuple[str, ...]:
        """Where the engine alone ends a task well, without a merge: where its work was a review, and that is sent."""
        return tuple(m.target for m in self.moves(source, "engine") if m.by == "engine" and self.is_done(m.target))

    def cancelled_end(self, source: str) -> str | None:
        """Where a task in this state ends when a person gives it up; None where that cannot be done."""
        return next((target for target in self.targets(source, "person") if self.is_cancelled(target)), None)

    def has_move(self, source: str, target: str, actor: str, start: str | None) -> bool:
        """Whether a task can have moved so: by a move of this workflow, or because its agent was started (`start`)."""
        if start == "initial" or actor == _EARLIER_INITIAL:
            return target in self.initial and source in {self.first_state, target}
        if start == UNDO:  # back to where it was, which only its history tells
            return actor == "person" and self.is_cancelled(source) and target in self.states
        if source == target:
            return source in self.states  # an agent was started where the task is
        return actor in _ACTORS and any(
            move.source == source and move.target == target and move.by in (None, actor) for move in self.transitions
        )

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

    def choices(self, source: str) -> dict[str, list[Transition]]:
        """Where a person can put a task, with the moves there; its ends are no choice: those are merge and cancel."""
        moves = self.moves(source, "person")
        targets = [target for target in self.targets(source, "person") if not self.is_terminal(target)]
        return {target: [move for move in moves if move.target == target] for target in targets}


def judge_ends(workflow: Workflow) -> Workflow:
    """The workflow with `end` set on the terminal states of which its file does not say it.

    States called `done` and `cancelled` are that. Where none is for cancelled tasks, see `_given_up`; what else a merge
    leads to is a good end, whatever it is called. What cannot be told, or where only the engine goes, stays open.
    """
    terminal = [state for state in workflow.states.values() if state.terminal]
    ends = {state.name: state.end or (state.name if state.name in {DONE, CANCELLED} else None) for state in terminal}
    if CANCELLED not in ends.values():
        ends |= dict.fromkeys(_given_up(workflow, ends), CANCELLED)
    unsaid = [name for name, end in ends.items() if end is None]
    if CANCELLED in ends.values() or DONE not in ends.values():
        ways = {target for name in workflow.states for actor in _MERGING for target in workflow.targets(name, actor)}
        ends |= dict.fromkeys([name for name in unsaid if name in ways], DONE)
    if DONE not in ends.values():
        ends |= dict.fromkeys(unsaid, DONE)
    judged = {name: replace(workflow.states[name], end=end) for name, end in ends.items()}
    return replace(workflow, states={**workflow.states, **judged})


def _given_up(workflow: Workflow, ends: Mapping[str, str | None]) -> list[str]:
    """The states for cancelled tasks where none is called so: no forced merge leads there, and some good end is left.

    Before anything was done nothing can be merged: so it is where a person may end a task that is in the first state.
    Else, as the way forward is listed first, it is where a person may end one only as the second choice.
    """
    merged = {move.target for move in workflow.transitions if move.by == "force"}
    open_ends = [name for name, end in ends.items() if end is None and name not in merged]
    choices = [[end for end in workflow.targets(name, "person") if end in ends] for name in workflow.states]
    firsts = {choice[0] for choice in choices if len(choice) > 1}
    first_state = workflow.targets(workflow.first_state, "person")
    at_the_start = [end for end in open_ends if end in first_state]
    second_choice = [end for end in open_ends if end not in firsts and any(end in choice[1:] for choice in choices)]
    found = (each for each in (at_the_start, second_choice) if each and len(each) < len(ends))
    return next(found, [])


def send_back_target(workflow: Workflow, source: str) -> str | None:
    """Where a person sends work back to: the first move without a gate that notifies or starts the worker.

    Only from a state where the person decides, and could also finish the task: `pending` starts a worker, too.
    """
    for move in workflow.moves(source, "person") if workflow.good_ends(source, "person") else ():
        starts_by_itself = workflow.states[move.target].auto is not None
        reaches_agent = any(hook.action in {"notify_worker", "spawn_agent"} for hook in move.hooks) or starts_by_itself
        if reaches_agent and move.gate is None and not workflow.is_terminal(move.target):
            return move.target
    return None


SERVER_GONE = "Its tmux server is gone"
STOPPED = "The agent stopped without handing in"


def lost_agent_sentence(workflow: Workflow, status: str, what: str) -> str:
    """A sentence about an agent that is gone, with the way to get it back, if there is one."""
    state = workflow.states.get(status)
    if state is not None and state.respawn_prompt is not None:
        return f"{what}; restart brings {'the agent' if what == SERVER_GONE else 'it'} back"
    return f"{what}; retry starts it over" if workflow.starts_by_itself else what


def starts_agent(hooks: Iterable[Hook]) -> bool:
    """Whether these hooks start an agent."""
    return any(hook.action in {"spawn_agent", "spawn_reviewer"} for hook in hooks)


def runs_once(workflow: Workflow, status: str) -> bool:
    """Whether the agent that is started on the way into a state works once and ends, instead of waiting for more."""
    entering = [*workflow.initial.get(status, ()), *hooks_into(workflow, status)]
    return any(str(hook.params.get("mode") or "").startswith("one_shot") for hook in entering)


def hooks_into(workflow: Workflow, status: str) -> list[Hook]:
    """What is done on the moves into a state, all of them together."""
    return [hook for move in workflow.transitions if move.target == status for hook in move.hooks]
