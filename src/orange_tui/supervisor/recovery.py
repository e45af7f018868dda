"""What was left behind by a crash, a reboot or a killed command: found, finished, and told."""

from __future__ import annotations

from orange_tui.domain.errors import OrangeError
from orange_tui.outside.processes import end_sessions
from orange_tui.store.store import StoredTask, TaskRef

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from orange_tui.orange import Orange


def tidy_up(orange: Orange) -> list[str]:
    """Finish interrupted moves, and free what finished tasks still hold; says what was done."""
    found = [each for each in orange.store.read_all() if isinstance(each, StoredTask)]
    return [
        *_finish_moves(orange, found),
        *_end_orphans(orange, found),
        *_free_workspaces(orange),
        *_let_old_work_go(orange),
    ]


def _finish_moves(orange: Orange, found: list[StoredTask]) -> Iterator[str]:
    for each in found:
        unfinished = orange.store.journal(each.ref).unfinished()
        if unfinished is None:
            continue
        move = f"{unfinished.started['from']} → {unfinished.started['to']}"
        try:
            with orange.engine.open(each.ref, wait=False):
                yield f"{each.ref.id}: finished the interrupted move {move}"
        except OrangeError as problem:
            yield f"{each.ref.id}: the interrupted move {move} is not finished: {problem}"


def _end_orphans(orange: Orange, found: list[StoredTask]) -> Iterator[str]:
    """Sessions whose task is finished or gone have nothing left to do."""
    try:
        panes = orange.sessions.panes(fresh=True)
    except OrangeError:
        return  # without tmux there are no sessions
    at_work = {each.ref.id for each in found if not orange.tasks.is_finished(each.task)}
    unreadable = {ref.id for ref in orange.store.refs()} - {each.ref.id for each in found}
    for session_id in {pane.session_id for pane in panes if pane.task not in at_work | unreadable}:
        members = [pane for pane in panes if pane.session_id == session_id]
        orange.services.tmux.kill_session(session_id)
        end_sessions([pane.pid for pane in members])
        yield f"{members[0].task}: ended the session {members[0].session} it had no more use for"


def _free_workspaces(orange: Orange) -> Iterator[str]:
    def is_known(project: str, task_id: str) -> bool:
        ref = TaskRef(project, task_id)
        if ref not in orange.store.refs(project):
            return False
        each = orange.store.read(ref)
        return not isinstance(each, StoredTask) or not orange.tasks.is_finished(each.task)

    try:
        yield from orange.pool.gc(is_known)
    except OrangeError as problem:
        yield f"workspaces were not looked through: {problem}"


def _let_old_work_go(orange: Orange) -> Iterator[str]:
    try:
        yield from orange.saved_work.expire()
    except OrangeError as problem:
        yield f"saved work was not looked through: {problem}"
