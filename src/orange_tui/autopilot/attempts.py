"""Retry and unblock: a task that failed, is blocked or waits for a person goes back to its workflow's first state."""

from __future__ import annotations

from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.store.store import readable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import Workflow
    from orange_tui.engine.engine import Engine, Moved
    from orange_tui.store.open_task import OpenTask
    from orange_tui.store.store import TaskRef


def retry(engine: Engine, ref: TaskRef) -> Moved:
    """Move a task back to the first state, where its workflow allows it; what it waited for is cleared."""
    with engine.open(ref) as opened:
        return _start_over(engine, opened)


def unblock(engine: Engine, ref: TaskRef) -> Moved:
    """Retry a task that is blocked, and only such a task."""
    with engine.open(ref) as opened:
        workflow, status = engine.workflows.load(opened.task.workflow), opened.task.status
        if not is_blocked(workflow, opened.task) and not workflow.is_terminal(status):
            raise Refused(f"{ref.id} is {status}, not blocked; `orange task retry {ref.id}` starts it over")
        return _start_over(engine, opened)


def unblock_all(engine: Engine, project: str | None) -> list[tuple[TaskRef, str | None]]:
    """Unblock every blocked task of one project or of all; returns each with why it stays blocked, if it does."""
    found = readable(engine.store.read_all(project))
    blocked = [each.ref for each in found if _is_blocked(engine, each.task)]
    return [(ref, _try_unblock(engine, ref)) for ref in blocked]


def why_no_retry(workflow: Workflow, task: Task) -> str | None:
    """Why a task cannot be retried, asked before a retry is offered; None where it can."""
    first = workflow.first_state
    if workflow.is_terminal(task.status):
        return f"It is {task.status} and cannot start over; create a new task instead"
    if task.status == first:
        return "It has not started yet"
    if not workflow.candidates(task.status, first, "person"):
        return f"Workflow {workflow.name} cannot go back to {first} from {task.status}"
    return None


def is_blocked(workflow: Workflow, task: Task) -> bool:
    """Whether a task is in a state where it waits for other tasks, and may go on without them."""
    state = workflow.states.get(task.status)
    return state is not None and bool(state.rejoin)


def _start_over(engine: Engine, opened: OpenTask) -> Moved:
    workflow = engine.workflows.load(opened.task.workflow)
    if workflow.is_terminal(opened.task.status):
        raise Refused(f"{opened.task.id} is {opened.task.status} and cannot start over; create a new task instead")
    changes: dict[str, object] = {"blocked_by": []} if is_blocked(workflow, opened.task) else {}
    return engine.transition(opened, workflow.first_state, "person", changes=changes)


def _is_blocked(engine: Engine, task: Task) -> bool:
    try:
        return is_blocked(engine.workflows.load(task.workflow), task)
    except OrangeError:
        return False


def _try_unblock(engine: Engine, ref: TaskRef) -> str | None:
    try:
        unblock(engine, ref)
    except OrangeError as problem:
        return str(problem)
    return None
