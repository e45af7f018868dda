"""Why a person should look at a task, in one sentence, and in which of a workflow's states it waits for one.

The sentence may quote anything: an agent's question, names of files, a reason an agent gave. So it is for the screen;
whoever tells of it elsewhere goes by its kind. Nothing here knows a state's name: a custom workflow is understood as
ours are, from its rules, moves and hooks.
"""

from __future__ import annotations

from orange_tui.domain.records import record
from orange_tui.domain.usage.budget import BEGINNING as BUDGET
from orange_tui.domain.workflow import SERVER_GONE, STOPPED, lost_agent_sentence, send_back_target, starts_agent
from orange_tui.sessions.agent_state import LIMIT
from orange_tui.sessions.liveness import ACTIVE, DEAD, LOST, NONE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import State, Workflow
    from orange_tui.sessions.agent_state import AgentStatus

_MARK_DEAD = "mark_dead"
_MAX_FILES_NAMED = 3  # in a line of the list
_AGENT_SAYS = {
    "permission": "The agent asks for permission",
    "error": "The agent reports an error",
}
_ENDED_BY_ITSELF = "The agent has ended"
_ATTENTION_KINDS = (  # how the sentences begin that Orange itself asks for a look with
    (STOPPED, "stopped"),
    (SERVER_GONE, "lost"),
    (_ENDED_BY_ITSELF, "ended"),
    ("The agent crashed", "crashed"),
    (BUDGET, "budget"),
)
_WORKS = frozenset({"busy", "permission", "limit", "error"})
_ENDED = {LOST: SERVER_GONE, DEAD: _ENDED_BY_ITSELF}


class Need(str):
    """The sentence, and which kind of need it is about: a word of ours, whatever the sentence quotes."""

    __slots__ = ("kind",)
    kind: str

    def __new__(cls, sentence: str, kind: str) -> Self:
        need = super().__new__(cls, sentence)
        need.kind = kind
        return need


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
    unpushed: str | None = None  # what is not there yet


def reason(task: Task, workflow: Workflow | str, facts: Facts) -> Need | None:
    """The one sentence why a person should look at a task; a workflow that cannot be used is given as its problem."""
    if isinstance(workflow, str):
        return _attention(task.attention) or Need(f"Its workflow cannot be used: {workflow}", "workflow")
    state = workflow.states.get(task.status)
    attention = None if works_again(task.attention, facts.agent.state if facts.agent else None) else task.attention
    if attention or (state is not None and state.terminal):
        return _attention(attention)
    if state is None:
        unknown = f"{task.status} is no state of workflow {workflow.name}; its states are {', '.join(workflow.states)}"
        return Need(unknown, "workflow")
    goes_on = facts.agent is not None and facts.agent.state == LIMIT  # by itself, when its limit is over
    if state.agent != NONE and facts.session in _ENDED and not goes_on:
        is_as_meant = facts.session == DEAD and _moves_on_at_its_end(workflow, task.status)
        ended = lost_agent_sentence(workflow, task.status, _ENDED[facts.session])
        return None if is_as_meant else _attention(ended)
    is_persons_turn = waits_for_a_person(workflow, task.status)
    wrong = facts.pull_request if is_persons_turn or not facts.has_threads else None
    if is_persons_turn and facts.unpushed and not facts.has_threads:
        wrong = facts.unpushed  # whatever was said there was said about what is there
    urgent = _agent_says(facts.agent) or (Need(wrong, "pull request") if wrong else None)
    if urgent or (goes_on and not is_for_review(workflow, task.status)):
        return urgent
    return _waiting(workflow, task.status, facts.session, facts.conflicts)


def _attention(sentence: str | None) -> Need | None:
    """What a person was asked to look at; where an agent gave the reason, it is of no kind but that."""
    kinds = (kind for beginning, kind in _ATTENTION_KINDS if sentence and sentence.startswith(beginning))
    return Need(sentence, next(kinds, "attention")) if sentence else None


def _agent_says(agent: AgentStatus | None) -> Need | None:
    """Why the agent itself needs a person: where Orange knows its dialog, what to do about it."""
    said = _AGENT_SAYS.get(agent.state) if agent is not None else None
    if agent is None or said is None:
        return None
    return Need(agent.advice or (f"{said}: {agent.asks}" if agent.asks else said), agent.state)


def _moves_on_at_its_end(workflow: Workflow, status: str) -> bool:
    """Whether an agent is there to end: then the task moves on in a moment, whatever the agent has left."""
    rules = [rule for rule in workflow.rules if rule.status == status and rule.is_about_death]
    return any(rule.no_artifact and rule.action is None and rule.when is None for rule in rules)


def _waiting(workflow: Workflow, status: str, session: str, conflicts: tuple[str, ...]) -> Need | None:
    if not waits_for_a_person(workflow, status):
        return None
    if is_for_review(workflow, status):
        conflict = _would_not_merge(workflow, status, conflicts) if conflicts else None
        return conflict or Need("It waits for your review", "review")
    is_alive = session == ACTIVE
    return Need("The agent waits for your answer", "answer") if is_alive else Need("It waits for you", "waits")


def _would_not_merge(workflow: Workflow, status: str, conflicts: tuple[str, ...]) -> Need:
    """Nobody need read what cannot be merged: the agent can resolve it first."""
    more = f" and {len(conflicts) - _MAX_FILES_NAMED} more" if len(conflicts) > _MAX_FILES_NAMED else ""
    way_out = ", r sends it back" if send_back_target(workflow, status) is not None else ""
    return Need(f"Would not merge{way_out}: {', '.join(conflicts[:_MAX_FILES_NAMED])}{more}", "review")
