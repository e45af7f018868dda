"""Why a move is refused: sentences that say where the task is, what is missing, and where it could go."""

from __future__ import annotations

from orange_tui.domain.workflow import WORKED_OUT, send_back_target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import Actor, Transition, Workflow
    from orange_tui.engine.parts import HomeParts


def no_such_move(workflow: Workflow, task: Task, target: str, actor: Actor) -> str:
    """For a move that the workflow does not have, or not for this actor."""
    if target not in workflow.states:
        states = ", ".join(workflow.states)
        return f"{task.id}: {workflow.name} has no state {target}; it has {states}"
    if target == task.status:
        return f"{task.id} is {target} already. {_destinations(workflow, task, actor)}"
    where = _destinations(workflow, task, actor)
    return f"{task.id} is {task.status}, and {workflow.name} has no move {task.status} → {target} here. {where}"


def when_does_not_hold(
    workflow: Workflow,
    task: Task,
    candidates: Sequence[Transition],
    actor: Actor,
    parts: HomeParts,
) -> str:
    """For a move whose `when` does not hold, with the numbers."""
    asked = " or ".join(str(found.when) for found in candidates)
    fields = {found.when.field for found in candidates if found.when is not None}
    present = ", ".join(f"{field} is {_number(parts, task, field)}" for field in sorted(fields))
    target = candidates[0].target
    where = _destinations(workflow, task, actor, leave_out=target)
    return f"{task.id}: {task.status} → {target} is for {asked}, and {present}. {where}"


def _number(parts: HomeParts, task: Task, field: str) -> str:
    if field not in WORKED_OUT:
        return str(task.number(field))
    from orange_tui.engine._numbers import measure

    return str(measure(parts, task, field))


def _destinations(workflow: Workflow, task: Task, actor: Actor, leave_out: str | None = None) -> str:
    """Where a task could go from here, and what each move asks for."""
    moves = [
        move
        for move in workflow.moves(task.status, actor)
        if move.target != leave_out and not workflow.is_terminal(move.target)
    ]
    if not moves:
        sends_back = ", sends it back" if send_back_target(workflow, task.status) is not None else ""
        return f"From {task.status} an agent cannot move it on; a person merges{sends_back} or cancels"
    return f"From {task.status} it can go to " + ", ".join(_destination(move) for move in moves)


def _destination(move: Transition) -> str:
    needs = []
    if move.when is not None:
        needs.append(str(move.when))
    if move.gate is not None:
        needs.append(f"needs {move.gate.description()}")
    return f"{move.target} ({', '.join(needs)})" if needs else move.target
