"""Another try for a task that failed, is blocked or waits for a person: it goes back to where tasks begin."""

from __future__ import annotations

from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.store.store import working

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import Workflow
    from orange_tui.engine.engine import Moved
    from orange_tui.orange import Orange
    from orange_tui.store.open_task import OpenTask
    from orange_tui.store.store import TaskRef


def retry(orange: Orange, ref: TaskRef) -> Moved:
    """Back to the first state, with what it waited for forgotten; the workflow says whether that is possible."""
    with orange.engine.open(ref) as opened:
        return _start_over(orange, opened)


def _start_over(orange: Orange, opened: OpenTask) -> Moved:
    workflow = orange.workflows.load(opened.task.workflow)
    if workflow.is_terminal(opened.task.status):
        raise Refused(f"{opened.task.id} is {opened.task.status}, which is its end; create a new task instead")
    waits: dict[str, object] = {"blocked_by": []} if is_blocked(workflow, opened.task) else {}
    return orange.engine.transition(opened, workflow.first_state, "person", changes=waits)


def why_not(workflow: Workflow, task: Task) -> str | None:
    """Why a task cannot start over, for those who ask before they offer it; None where it can."""
    first = workflow.first_state
    if workflow.is_terminal(task.status):
        return f"It is {task.status}, which is its end; create a new task instead"
    if task.status == first:
        return "It has not begun yet"
    if not workflow.candidates(task.status, first, "person"):
        return f"Workflow {workflow.name} has no way back to {first} from {task.status}"
    return None


def is_blocked(workflow: Workflow, task: Task) -> bool:
    """Whether a task is where it waits for others, and may be let go on without them."""
    state = workflow.states.get(task.status)
    return state is not None and state.rejoin is not None


def unblock(orange: Orange, ref: TaskRef) -> Moved:
    """The same for a task that is blocked, and only for that."""
    with orange.engine.open(ref) as opened:
        if not is_blocked(orange.workflows.load(opened.task.workflow), opened.task):
            status = opened.task.status
            raise Refused(f"{ref.id} is {status}, not blocked; `orange task retry {ref.id}` starts it over")
        return _start_over(orange, opened)


def unblock_all(orange: Orange, project: str | None) -> list[tuple[TaskRef, str | None]]:
    """Every blocked task, of one project or of all, each with what kept it from being unblocked."""
    found = working(orange.store.read_all(project))
    blocked = [each.ref for each in found if _waits(orange, each.task)]
    return [(ref, _refusal(orange, ref)) for ref in blocked]


def _waits(orange: Orange, task: Task) -> bool:
    try:
        return is_blocked(orange.workflows.load(task.workflow), task)
    except OrangeError:
        return False


def _refusal(orange: Orange, ref: TaskRef) -> str | None:
    try:
        unblock(orange, ref)
    except OrangeError as problem:
        return str(problem)
    return None
