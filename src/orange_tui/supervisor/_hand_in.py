"""What the agent whose turn it is has to hand in, and the words that remind it of that.

Nothing here knows a state's name: whose turn it is, and what a move needs, is in the workflow.
"""

from __future__ import annotations

from orange_tui.board.needs import waits_for_a_person
from orange_tui.domain.harnesses.harness import safe_prompt
from orange_tui.domain.workflow import runs_once
from orange_tui.sessions.liveness import NONE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from orange_tui.domain.gates.gate import Gate
    from orange_tui.domain.workflow import Transition, Workflow
    from orange_tui.engine.engine import Engine
    from orange_tui.supervisor.exits.state_agent import StateAgent


def is_agents_turn(workflow: Workflow, status: str) -> bool:
    """Whether a task in this state goes on only when its agent hands something in.

    Not where it waits for a person or goes on by itself, nor where the agent works once and ends. Where no move has a
    gate, a rule about the agent's end says that it is needed.
    """
    state = workflow.states.get(status)
    if state is None or state.terminal or state.agent == NONE or state.auto is not None or state.rejoin:
        return False
    moves = _moves_on(workflow, status)
    is_watched = any(rule.status == status and rule.is_about_death for rule in workflow.rules)
    has_to_hand_in = any(move.gate is not None for move in moves) or (bool(moves) and is_watched)
    return has_to_hand_in and not waits_for_a_person(workflow, status) and not runs_once(workflow, status)


def _moves_on(workflow: Workflow, status: str) -> list[Transition]:
    """The moves by which an agent hands in: those with a gate; where none has one, all that it may make."""
    moves = [move for move in workflow.moves(status, "agent") if not workflow.is_terminal(move.target)]
    return [move for move in moves if move.gate is not None] or moves


def reminder(engine: Engine, agent: StateAgent) -> str:
    """What is said to an agent that has stopped: what is missing, and the command that hands it in."""
    task, workflow = agent.task, agent.workflow
    ways = _moves_on(workflow, task.status)
    ways = [move for move in ways if engine.holds(move.when, task)] or ways
    written = [move for move in ways if _is_written(engine, agent, move)]
    lines = [f"Reminder from Orange: you have stopped, but the task is still in {task.status}: nothing was handed in."]
    if written:
        lines.append("What it needs is written; only the command is missing.")
    else:
        lines += [_missing(engine, agent, move, name_it=len(ways) > 1) for move in ways if move.gate is not None]
    others = [move for move in workflow.moves(task.status, "agent") if move not in ways]
    asking = [move.target for move in others if move.gate is None and waits_for_a_person(workflow, move.target)]
    if asking:
        lines.append(f"If you cannot go on without a person, run: {_command(asking)}")
    lines.append(f"{'Otherwise' if asking else 'Then'} run: {_command([move.target for move in written or ways])}")
    return safe_prompt("\n".join(lines))


def _is_written(engine: Engine, agent: StateAgent, move: Transition) -> bool:
    """Whether all that a move needs is there, written by this agent; a command is not run only to know."""
    if move.gate is None or _runs_command(move.gate):
        return False
    is_open = engine.missing(agent.opened, move.gate) is None
    return is_open and agent.has_written(engine, move.gate, {move.target})


def _missing(engine: Engine, agent: StateAgent, move: Transition, *, name_it: bool) -> str:
    """What a move lacks, in the words of its gate and with its example."""
    gate = move.gate
    if gate is None:
        return ""
    lacks = None if _runs_command(gate) else engine.missing(agent.opened, gate)
    text = lacks or f"It needs {gate.description()}, written or brought up to date now"
    return f"For {move.target}: {text}" if name_it else text


def _runs_command(gate: Gate) -> bool:
    return any(part.runs_command for part in gate.parts)


def _command(targets: Sequence[str]) -> str:
    first, *others = dict.fromkeys(targets)
    return f"orange task update --status {first}" + (f" (or {', '.join(others)})" if others else "")
