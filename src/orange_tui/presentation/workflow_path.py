"""The ways a task can go through a workflow, at one glance."""

from __future__ import annotations

from orange_tui.domain.gates.gate import either
from orange_tui.domain.gates.outcome import ReportGate
from orange_tui.presentation._lines import ARROW, NO_BREAK, heading, unbroken, unique, wrapped_row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from orange_tui.domain.workflow import Workflow


def overview(workflow: Workflow, width: int) -> Iterator[str]:
    """The forward path on a line, and beneath it everything that leaves it."""
    path = forward_path(workflow)
    yield heading(f"{workflow.name}, version {workflow.version}", width)
    ways = {
        "forward": [ARROW.join(path)],
        "back": [f" ·{NO_BREAK}".join(_moves_back(workflow, path))],
        "other": [_side_state(workflow, name) for name in workflow.states if name not in path],
        "forced": [_moves_into(workflow, path[-1], by="force")],
        "created": [_initial_states(workflow)],
    }
    for label, texts in ways.items():
        for number, text in enumerate(filter(None, texts)):
            yield from wrapped_row(f"  {'' if number else label}", text, 12, width)


def forward_path(workflow: Workflow) -> list[str]:
    """From the first state along the first move listed that is not reserved, until it ends or would go round.

    Where agents report and the engine decides, the way on is the engine's own.
    """
    path = [workflow.first_state]
    by_report = any(
        isinstance(part, ReportGate) for move in workflow.transitions if move.gate for part in move.gate.parts
    )
    while True:
        moves = [move for move in workflow.transitions if move.source == path[-1]]
        onward = [move.target for move in moves if not move.by or (by_report and move.by == "engine")]
        if not onward or onward[0] in path:
            return path
        path.append(onward[0])


def _moves_back(workflow: Workflow, path: Sequence[str]) -> list[str]:
    """Moves on the forward path that go against it."""
    place = {name: number for number, name in enumerate(path)}
    moves = [(move.source, move.target) for move in workflow.transitions]
    return unique(
        unbroken(f"{source} → {target}")
        for source, target in moves
        if place.get(target, len(path)) < place.get(source, -1)
    )


def _side_state(workflow: Workflow, name: str) -> str:
    """A state off the path: where it is reached from, and where it leads except to an end."""
    leads_to = [target for target in workflow.targets(name, "person") if not workflow.is_terminal(target)]
    onward = f"{ARROW}{', '.join(leads_to)}" if leads_to else ""
    return (_moves_into(workflow, name) or name) + onward


def _moves_into(workflow: Workflow, target: str, by: str | None = None) -> str:
    """`planning, working → stuck`; without `by`, by whomever. Empty if no move leads there."""
    moves = [move for move in workflow.transitions if move.target == target and by in (None, move.by)]
    sources = unique(move.source for move in moves)
    others = {name for name, state in workflow.states.items() if not state.terminal and name != target}
    if not sources:
        return ""
    whence = "every state" if set(sources) >= others else ", ".join(sources)
    return f"{whence}{ARROW}{target}"


def _initial_states(workflow: Workflow) -> str:
    usual, *others = workflow.initial
    return f"in {usual}" + (f"; on request in {either(others)}" if others else "")
