"""Recovery after a crash, a reboot or a killed command: what was interrupted is finished, orphaned sessions ended.

The index says where to look; each task is read afresh before anything is done about it.
"""

from __future__ import annotations

from orange_tui.delivery.merging.half_moves import finish_half_moves
from orange_tui.domain.errors import OrangeError
from orange_tui.outside.git_guard.locks import clear
from orange_tui.store.store import StoredTask, TaskRef

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from orange_tui.engine.tasks import Tasks
    from orange_tui.store.index import IndexedTask


def recover(
    tasks: Tasks, entries: Iterable[IndexedTask], expire_saved_work: Callable[[], Iterable[str]]
) -> Iterator[str]:
    """Finish interrupted moves, and free what finished tasks still hold; a sentence for everything that was done."""
    found = list(entries)
    for project in tasks.projects.all():
        clear(project.path, None)
    yield from finish_half_moves(tasks)
    yield from _finish_moves(tasks, found)
    yield from _end_orphaned_sessions(tasks, found)
    yield from _let_go(tasks, found)
    yield from _free_workspaces(tasks)
    yield from _expire_saved_work(expire_saved_work)


def _finish_moves(tasks: Tasks, entries: list[IndexedTask]) -> Iterator[str]:
    for ref in [entry.ref for entry in entries if entry.has_unfinished_move]:
        unfinished = tasks.engine.store.journal(ref).unfinished()
        if unfinished is None:
            continue
        move = f"{unfinished.started['from']} → {unfinished.started['to']}"
        try:
            with tasks.engine.open(ref, wait=False):
                yield f"{ref.id}: finished the interrupted move {move}"
        except OrangeError as problem:
            yield f"{ref.id}: the interrupted move {move} is not finished: {problem}"


def _end_orphaned_sessions(tasks: Tasks, entries: list[IndexedTask]) -> Iterator[str]:
    """Sessions whose task is finished or gone have nothing left to do."""
    try:
        panes = tasks.sessions.every_pane(fresh=True)
    except OrangeError:
        return  # without tmux there are no sessions
    found = {pane.task for pane in panes}
    known = [entry for entry in entries if entry.ref.id in found]
    at_work = {entry.ref.id for entry in known if entry.task is None or not tasks.is_finished(entry.task)}
    orphaned = {task_id for task_id in found - at_work if not _is_at_work(tasks, task_id)}
    for session_id in {pane.session_id for pane in panes if pane.task in orphaned}:
        members = [pane for pane in panes if pane.session_id == session_id]
        tasks.sessions.end_sessions(members)
        yield f"{members[0].task}: ended the session {members[0].session} it had no more use for"


def _is_at_work(tasks: Tasks, task_id: str) -> bool:
    """Whether there is such a task now, and it is not finished; one that cannot be read may be at work."""
    return any(_is_unfinished(tasks, ref) for ref in tasks.engine.store.refs() if ref.id == task_id)


def _is_unfinished(tasks: Tasks, ref: TaskRef) -> bool:
    found = tasks.engine.store.read(ref)
    return not isinstance(found, StoredTask) or not tasks.is_finished(found.task)


def _let_go(tasks: Tasks, entries: list[IndexedTask]) -> Iterator[str]:
    """A finished task whose last move could not release all it had: its workspace would be somebody else's next."""
    for entry in entries:
        if entry.task is None or not (entry.task.workspace or entry.task.tmux_session):
            continue
        try:
            if tasks.is_finished(entry.task) and (held := tasks.let_go(entry.ref)) is not None:
                yield f"{entry.ref.id}: released {held}, which it still held"
        except OrangeError as problem:
            yield f"{entry.ref.id}: what it still holds is not released: {problem}"


def _free_workspaces(tasks: Tasks) -> Iterator[str]:
    try:
        yield from tasks.free_workspaces()
    except OrangeError as problem:
        yield f"workspaces were not looked through: {problem}"


def _expire_saved_work(expire: Callable[[], Iterable[str]]) -> Iterator[str]:
    try:
        yield from expire()
    except OrangeError as problem:
        yield f"saved work was not looked through: {problem}"
