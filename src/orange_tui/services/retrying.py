"""Another try for a task that failed, is blocked or waits for a person: it goes back to where tasks begin."""

from __future__ import annotations

from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.services.store import working

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.services.engine import Moved
    from orange_tui.services.orange import Orange
    from orange_tui.services.store import TaskRef

BLOCKED = "blocked"


def retry(orange: Orange, ref: TaskRef) -> Moved:
    """Back to the first state, with what it waited for forgotten; the workflow says whether that is possible."""
    with orange.engine.open(ref) as opened:
        workflow = orange.workflows.load(opened.task.workflow)
        if workflow.is_terminal(opened.task.status):
            raise Refused(f"{ref.id} is {opened.task.status}, which is the end of it; create a new task instead")
        waits: dict[str, object] = {"blocked_by": []} if opened.task.status == BLOCKED else {}
        return orange.engine.move(opened, workflow.first_state, "person", changes=waits)


def unblock(orange: Orange, ref: TaskRef) -> Moved:
    """The same for a task that is blocked, and only for that."""
    found = orange.store.read(ref)
    status = getattr(getattr(found, "task", None), "status", None)
    if status is not None and status != BLOCKED:
        raise Refused(f"{ref.id} is {status}, not {BLOCKED}; `orange task retry {ref.id}` starts it over")
    return retry(orange, ref)


def unblock_all(orange: Orange, project: str | None) -> list[tuple[TaskRef, str | None]]:
    """Every blocked task, of one project or of all, each with what kept it from being unblocked."""
    blocked = [each.ref for each in working(orange.store.read_all(project)) if each.task.status == BLOCKED]
    return [(ref, _refusal(orange, ref)) for ref in blocked]


def _refusal(orange: Orange, ref: TaskRef) -> str | None:
    try:
        unblock(orange, ref)
    except OrangeError as problem:
        return str(problem)
    return None
