"""Starting the agents of tasks: which one may start, what it waits for, and how it begins."""

from __future__ import annotations

from orange_tui.domain.errors import NotFound, OrangeError, Refused
from orange_tui.domain.workflow import starts_agent
from orange_tui.engine.engine import hooks_of
from orange_tui.store.store import StoredTask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import Hook, Workflow
    from orange_tui.engine.engine import Engine, Moved
    from orange_tui.store.open_task import OpenTask
    from orange_tui.store.store import TaskRef

CLARIFICATION = "clarification"  # where a task without a summary begins, if its workflow has that state


def start_task(engine: Engine, ref: TaskRef, status: str | None = None) -> Moved:
    """Start the agent of a task that has none yet."""
    with engine.open(ref) as opened:
        workflow = engine.workflows.load(opened.task.workflow)
        _check_blockers(engine, opened.task)
        target = status or _first_status(workflow, opened.task)
        if target != workflow.first_state and target in workflow.initial:
            hooks = workflow.initial[target]
            _check_actions(engine, hooks)
            return engine.start(opened, target, hooks, by="create")
        state = workflow.states.get(opened.task.status)
        if state is not None and state.auto is not None:
            return advance(engine, opened, workflow)
        failed = _failed_start(opened)
        if failed:
            return engine.start(opened, opened.task.status, failed, by="person")
        return engine.transition(opened, _starting_move(engine, workflow, opened.task), "person")


def advance(engine: Engine, opened: OpenTask, workflow: Workflow) -> Moved:
    """Make the moves that Orange makes by itself, one after the other, until an agent works or one is refused."""
    moved: Moved | None = None
    while (target := workflow.states[opened.task.status].auto) is not None:
        try:
            moved = engine.transition(opened, target, "engine")
        except Refused:
            if moved is None:
                raise
            break
    if moved is None:
        raise Refused(f"{opened.task.id} is {opened.task.status}: it does not go on from there by itself")
    return moved


def start_if_possible(engine: Engine, ref: TaskRef) -> Moved | None:
    """Start a waiting task; that it cannot start yet is no failure."""
    try:
        return start_task(engine, ref) if is_unblocked(engine, ref) else None
    except Refused:
        return None


def is_ready(engine: Engine, task: Task) -> bool:
    """Whether a task could start now: it has not begun, and nothing it waits for is unfinished."""
    try:
        workflow = engine.workflows.load(task.workflow)
    except OrangeError:
        return False
    return task.status == workflow.first_state and not unfinished_blockers(engine, task)


def starts_by_itself(engine: Engine, task: Task) -> bool:
    """Whether a task is in a state that Orange itself moves it on from."""
    state = engine.state_of(task)
    return state is not None and state.auto is not None


def is_unblocked(engine: Engine, ref: TaskRef) -> bool:
    """Whether a task waits for no other; where a blocker will never be done, the person is told."""
    found = engine.store.read(ref)
    if not isinstance(found, StoredTask):
        return False
    blockers = unfinished_blockers(engine, found.task)
    hopeless = [blocker for blocker in blockers if will_never_be_done(engine, blocker)]
    if hopeless:
        with engine.open(ref) as opened:
            opened.set_attention(f"It waits for {', '.join(hopeless)}, which was cancelled or is gone")
    return not blockers


def unfinished_blockers(engine: Engine, task: Task) -> list[str]:
    """The tasks this one still waits for. One that is gone, or was not finished well, still blocks."""
    waiting = []
    for blocker in task.blocked_by:
        try:
            found = engine.store.read(engine.store.find(blocker))
        except (NotFound, Refused):
            found = None
        if not isinstance(found, StoredTask) or not engine.is_done(found.task):
            waiting.append(blocker)
    return waiting


def will_never_be_done(engine: Engine, blocker: str) -> bool:
    """Whether an unfinished blocker is gone, or was cancelled."""
    try:
        found = engine.store.read(engine.store.find(blocker))
    except OrangeError:
        return True
    return isinstance(found, StoredTask) and engine.is_finished(found.task)


def _first_status(workflow: Workflow, task: Task) -> str:
    """A task that found no workspace waits in the first state; without a summary it will begin by asking."""
    if task.status != workflow.first_state:
        return task.status
    return CLARIFICATION if not task.summary and CLARIFICATION in workflow.initial else task.status


def _starting_move(engine: Engine, workflow: Workflow, task: Task) -> str:
    for move in workflow.moves(task.status, "person"):
        if starts_agent(move.hooks) and not workflow.is_terminal(move.target):
            _check_actions(engine, move.hooks)
            return move.target
    raise Refused(
        f"{task.id} is {task.status}: no agent is started from there. `orange task respawn` restarts a dead one"
    )


def _check_actions(engine: Engine, hooks: Iterable[Hook]) -> None:
    """Refuse a start of which this Orange does not know an action."""
    for hook in hooks:
        engine.actions.find(hook.action)


def _check_blockers(engine: Engine, task: Task) -> None:
    waiting = unfinished_blockers(engine, task)
    if waiting:
        raise Refused(f"{task.id} waits for {', '.join(waiting)}")


def _failed_start(opened: OpenTask) -> list[Hook]:
    """The hooks of the move into this state, if one of them failed and left no agent and no workspace."""
    move = opened.journal.failed_move()
    if opened.task.workspace or opened.task.tmux_session or move is None or move["to"] != opened.task.status:
        return []
    hooks = hooks_of(move)
    return hooks if starts_agent(hooks) else []
