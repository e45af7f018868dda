"""Why a person should look at a task, in one sentence, and in which of a workflow's states it waits for one.

Nothing here knows a state's name: a custom workflow is understood as ours are, from its rules, moves and hooks.
"""

from __future__ import annotations

from orange_tui.domain.records import record
from orange_tui.domain.workflow import SERVER_GONE, STOPPED, lost_agent_sentence, send_back_target, starts_agent
from orange_tui.sessions.agent_state import LIMIT
from orange_tui.sessions.liveness import ACTIVE, DEAD, LOST, NONE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import State, Workflow
    from orange_tui.sessions.agent_state import AgentStatus

_MARK_DEAD = "mark_dead"
_MAX_FILES_NAMED = 3  # in a line of the list
_AGENT_SAYS = {
    "permission": "The agent asks for permission",
    "error": "The agent reports an error",
}
_WORKS = frozenset({"busy", "permission", "limit", "error"})
_ENDED = {LOST: SERVER_GONE, DEAD: "The agent has ended"}


def waits_for_a_person(workflow: Workflow, status: str) -> bool:
    """Whether a task in this state stays there until a person does something.

    The exit rules tell best: where the end of an agent is only marked, and neither a crash nor a step forward, the
    agent was never meant to go on alone. Without rules, it is a state that nobody but a person can leave.
    """
    state = workflow.states.get(status)
    if state is None or state.terminal or status in _where_work_starts(workflow):
        return False
    if state.auto is not None or state.rejoin:
        return False  # it goes on by itself
    rules = [rule for rule in workflow.rules if rule.status == status]
    if rules:
        return all(rule.action == _MARK_DEAD for rule in rules)
    return not any(status in signal.status for signal in workflow.signals) and not _goes_on(workflow, state)


def _where_work_starts(workflow: Workflow) -> set[str]:
    """The state tasks queue in, and the one their first agent is started for: nobody is waited for there."""
    first = workflow.first_state
    if starts_agent(workflow.initial[first]):
        return {first}
    moves = workflow.moves(first, "person")
    return next(({first, move.target} for move in moves if starts_agent(move.hooks)), set())


def _goes_on(workflow: Workflow, state: State) -> bool:
    """Whether the engine or an agent can move a task on from here; neither ends one on its own."""
    moves = [move for move in workflow.moves(state.name, "engine") if not workflow.is_terminal(move.target)]
    return any(move.by == "engine" or state.agent != NONE for move in moves)


def is_for_review(workflow: Workflow, status: str) -> bool:
    """Whether a person can finish a task from here as it is meant to be: by a merge, or by sending a review."""
    return bool(workflow.good_ends(status, "person") or workflow.ends_by_itself(status))


def works_again(attention: str | None, agent: str | None) -> bool:
    """Whether a person was asked to look because an agent had stopped, and by now it does something."""
    return attention == STOPPED and agent in _WORKS


@record
class Facts:
    """What there is to know of a task beside its file."""

    session: str
    agent: AgentStatus | None
    conflicts: tuple[str, ...] = ()  # the files in which its branch would not merge now
    pull_request: str | None = None  # what is wrong with it
    has_threads: bool = False  # of that, which the agent answers where it is its turn


def reason(task: Task, workflow: Workflow | str, facts: Facts) -> str | None:
    """The one sentence why a person should look at a task; a workflow that cannot be used is given as its problem."""
    if isinstance(workflow, str):
        return task.attention or f"Its workflow cannot be used: {workflow}"
    state = workflow.states.get(task.status)
    attention = None if works_again(task.attention, facts.agent.state if facts.agent else None) else task.attention
    if attention or (state is not None and state.terminal):
        return attention
    if state is None:
        return f"{task.status} is no state of workflow {workflow.name}; its states are {', '.join(workflow.states)}"
    goes_on = facts.agent is not None and facts.agent.state == LIMIT  # by itself, when its limit is over
    if state.agent != NONE and facts.session in _ENDED and not goes_on:
        is_as_meant = facts.session == DEAD and _moves_on_at_its_end(workflow, task.status)
        return None if is_as_meant else lost_agent_sentence(workflow, task.status, _ENDED[facts.session])
    is_agents_turn = facts.has_threads and not waits_for_a_person(workflow, task.status)
    urgent = _agent_says(facts.agent) or (None if is_agents_turn else facts.pull_request)
    if urgent or (goes_on and not is_for_review(workflow, task.status)):
        return urgent
    return _waiting(workflow, task.status, facts.session, facts.conflicts)


def _agent_says(agent: AgentStatus | None) -> str | None:
    """Why the agent itself needs a person: where Orange knows its dialog, what to do about it."""
    said = _AGENT_SAYS.get(agent.state) if agent is not None else None
    if agent is None or said is None:
        return None
    return agent.advice or (f"{said}: {agent.asks}" if agent.asks else said)


def _moves_on_at_its_end(workflow: Workflow, status: str) -> bool:
    """Whether an agent is there to end: then the task moves on in a moment, whatever the agent has left."""
    rules = [rule for rule in workflow.rules if rule.status == status and rule.is_about_death]
    return any(rule.no_artifact and rule.action is None and rule.when is None for rule in rules)


def _waiting(workflow: Workflow, status: str, session: str, conflicts: tuple[str, ...]) -> str | None:
    if not waits_for_a_person(workflow, status):
        return None
    if is_for_review(workflow, status):
        return _would_not_merge(workflow, status, conflicts) if conflicts else "It waits for your review"
    return "The agent waits for your answer" if session == ACTIVE else "It waits for you"


def _would_not_merge(workflow: Workflow, status: str, conflicts: tuple[str, ...]) -> str:
    """Nobody need read what cannot be merged: the agent can resolve it first."""
    more = f" and {len(conflicts) - _MAX_FILES_NAMED} more" if len(conflicts) > _MAX_FILES_NAMED else ""
    way_out = ", r sends it back" if send_back_target(workflow, status) is not None else ""
    return f"Would not merge{way_out}: {', '.join(conflicts[:_MAX_FILES_NAMED])}{more}"
