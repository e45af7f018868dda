"""Starting the agents of tasks: which one may start, what it waits for, and how it begins."""

from __future__ import annotations

from orange_tui.domain.errors import AtLimit, NoAgent, NotFound, NoWorkspace, OrangeError, Refused, Untrusted
from orange_tui.domain.workflow import starts_agent
from orange_tui.engine._move_hooks import hooks_of, start_here_hooks
from orange_tui.engine.hooks import HookRun
from orange_tui.store.store import StoredTask
from orange_tui.usage.budget import check_start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import Actor, Hook, Transition, Workflow
    from orange_tui.engine.engine import Engine, Moved
    from orange_tui.store.journal import Start
    from orange_tui.store.open_task import OpenTask
    from orange_tui.store.store import TaskRef

_HOPELESS = ", which was cancelled or is gone"
CLARIFICATION = "clarification"  # where a task without a summary begins, if its workflow has that state


def start_task(engine: Engine, ref: TaskRef, actor: Actor = "person") -> Moved:
    """Start the agent of a task that has none yet."""
    with engine.open(ref) as opened:
        return start_opened(engine, opened, actor)


def start_opened(engine: Engine, opened: OpenTask, actor: Actor) -> Moved:
    """Start the agent of a task: as it was created to begin, or, once it has begun, where it is now.

    At its agent's limit a person may try; Orange itself and agents do not (`AtLimit`).
    """
    workflow = engine.workflows.load(opened.task.workflow)
    _check_limit(engine, opened.task, actor)
    _check_blockers(engine, opened.task)
    if opened.task.tmux_session and engine.parts.sessions.windows(opened.task.id, fresh=True):
        raise Refused(f"{opened.task.id} has a live agent; `orange task attach {opened.task.id}` shows it")
    begun = _begin(engine, opened, workflow, actor)
    if begun is not None and (begun.target != workflow.first_state or starts_agent(workflow.initial[begun.target])):
        return begun
    state = workflow.states.get(opened.task.status)
    if state is not None and state.auto is not None:
        return advance(engine, opened, workflow, actor)
    failed = _failed_start(engine, opened)
    if failed:
        return engine.start(opened, opened.task.status, failed, by=actor, how="again")
    if state is not None and state.respawn_prompt is not None and state.name != workflow.first_state:
        return _start_here(engine, opened, workflow, actor)
    move = _starting_move(workflow, opened.task, actor)
    if move is not None:
        _check_actions(engine, opened, move.hooks)
        return engine.transition(opened, move.target, actor)
    if begun is not None:
        return begun
    raise _no_start(opened.task)


def start_or_wait(engine: Engine, opened: OpenTask, actor: Actor) -> Moved:
    """Start a task whose start was asked for; one that cannot start now waits, and the journal says so."""
    try:
        return start_opened(engine, opened, actor)
    except NoAgent as problem:
        opened.set_attention(str(problem))
        raise
    except OrangeError as problem:
        workflow = engine.workflows.load(opened.task.workflow)
        if opened.task.status == workflow.first_state and opened.journal.unfinished() is None:
            _record_waiting(opened, problem)
        raise


def start_by_itself(engine: Engine, ref: TaskRef, *, is_next: bool = False) -> Moved | None:
    """Start a task that has its turn, without a person; None where it has not, or was started by somebody else.

    One that waits for a workspace has its turn when the pool has grown, or as the next one (`is_next`), when another
    was finished: never because one happens to be free.
    """
    if not is_unblocked(engine, ref) or engine.store.journal(ref).start().is_held:
        return None
    with engine.open(ref) as opened:
        if not _has_turn(engine, opened.task, opened.journal.start(), is_next=is_next):
            return None
        _check_budget(engine, opened)
        return start_or_wait(engine, opened, "engine")


def start_if_possible(engine: Engine, ref: TaskRef) -> Moved | None:
    """The same, where it is no failure that it cannot start yet."""
    try:
        return start_by_itself(engine, ref)
    except Refused:
        return None


def start_trusted(engine: Engine, project: str) -> list[TaskRef]:
    """Start the tasks that have waited for the person's trust, which was given now; returns those that did start."""
    waiting = [ref for ref in engine.store.refs(project) if engine.store.journal(ref).start().needs_trust]
    return [ref for ref in waiting if start_if_possible(engine, ref) is not None]


def advance_by_itself(engine: Engine, ref: TaskRef) -> Moved | None:
    """Let a task go on from a state with `auto`, unless a person is to start it, or somebody was quicker."""
    with engine.open(ref) as opened:
        if not goes_on_by_itself(engine, opened.task) or opened.journal.start().is_held:
            return None
        _check_budget(engine, opened)
        try:
            return start_opened(engine, opened, "engine")
        except Untrusted as problem:
            _record_waiting(opened, problem)
            raise


def advance(engine: Engine, opened: OpenTask, workflow: Workflow, actor: Actor = "engine") -> Moved:
    """Make the moves that Orange makes by itself, one after the other, until an agent works or one is refused."""
    moved: Moved | None = None
    while (target := workflow.states[opened.task.status].auto) is not None:
        may_move = bool(workflow.candidates(opened.task.status, target, actor))
        try:
            _check_limit(engine, opened.task, actor)
            moved = engine.transition(opened, target, actor if may_move else "engine")
        except Refused:
            if moved is None:
                raise
            break
    if moved is None:
        raise Refused(f"{opened.task.id} is {opened.task.status}: it does not go on from there by itself")
    return moved


def is_ready(engine: Engine, task: Task) -> bool:
    """Whether a task could start now: it has not begun, and nothing it waits for is unfinished."""
    try:
        workflow = engine.workflows.load(task.workflow)
    except OrangeError:
        return False
    has_agent = task.tmux_session is not None
    return task.status == workflow.first_state and not has_agent and not unfinished_blockers(engine, task)


def goes_on_by_itself(engine: Engine, task: Task) -> bool:
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
            opened.set_attention(f"It waits for {', '.join(hopeless)}{_HOPELESS}")
    elif (found.task.attention or "").endswith(_HOPELESS):  # that cancel was undone
        with engine.open(ref) as opened:
            opened.change("task.updated", {"attention": None})
    return not blockers


def unfinished_blockers(engine: Engine, task: Task) -> list[str]:
    """The tasks this one still waits for. One that is gone, or was not finished well, still blocks."""
    waiting = []
    for blocker in task.blocked_by:
        try:
            found = engine.store.read(engine.store.find(blocker))
        except (NotFound, Refused):
            found = None
        if not isinstance(found, StoredTask) or not engine.is_done(found.task) or _is_leaving(engine, found):
            waiting.append(blocker)
    return waiting


def _is_leaving(engine: Engine, blocker: StoredTask) -> bool:
    """Whether a task is about to give its workspace back: who waits for it would start now, and find none."""
    return blocker.task.workspace is not None and engine.store.journal(blocker.ref).unfinished() is not None


def will_never_be_done(engine: Engine, blocker: str) -> bool:
    """Whether an unfinished blocker is gone, or was cancelled; one that is done may still give its workspace back."""
    try:
        found = engine.store.read(engine.store.find(blocker))
    except OrangeError:
        return True
    return isinstance(found, StoredTask) and engine.is_finished(found.task) and not engine.is_done(found.task)


def _begin(engine: Engine, opened: OpenTask, workflow: Workflow, actor: Actor) -> Moved | None:
    """Run what the workflow has for the initial state that a task was created for; None where that is nothing."""
    task, start = opened.task, opened.journal.start()
    if start.has_begun or task.workspace or task.tmux_session:
        return None
    target = start.state or _first_status(workflow, task)
    hooks = workflow.initial.get(target)
    if hooks is None and start.state is not None:
        allowed = ", ".join(workflow.initial)
        raise Refused(f"{task.id} was created for {target}; in {workflow.name} a task can start as {allowed}")
    if not hooks:
        return None
    _check_actions(engine, opened, hooks)
    return engine.start(opened, target, hooks, by=actor, how="initial")


def _start_here(engine: Engine, opened: OpenTask, workflow: Workflow, actor: Actor) -> Moved:
    """Start the agent of a task that came to a state where one works without any being started: created further on."""
    task, move = opened.task, opened.journal.last_move()
    if task.workspace or task.tmux_session or (move is not None and starts_agent(hooks_of(engine, opened, move))):
        raise _no_start(task)
    hooks = start_here_hooks(workflow, task)
    return engine.start(opened, task.status, hooks, by=actor, how="respawn")


def _no_start(task: Task) -> Refused:
    way_out = f"`orange task restart {task.id}` restarts a dead one"
    return Refused(f"{task.id} is {task.status}: no agent is started from there. {way_out}")


def _record_waiting(opened: OpenTask, problem: OrangeError) -> None:
    """Note that a task waits, once; where it found no workspace, with how many there were."""
    reason = str(problem) if isinstance(problem, Untrusted) else None
    size = problem.pool_size if isinstance(problem, NoWorkspace) else None
    harness = problem.harness if isinstance(problem, AtLimit) else None
    start = opened.journal.start()
    if not start.waits or (start.full_at, start.limit_of, start.needs_trust) != (size, harness, reason):
        details = {"pool_size": size, "harness": harness, "untrusted": reason and True}
        known = {name: value for name, value in details.items() if value is not None}
        opened.record("task.waiting", reason=str(problem), **known)


def _has_turn(engine: Engine, task: Task, start: Start, *, is_next: bool) -> bool:
    """Whether a task is to be started now, by Orange itself."""
    if not is_ready(engine, task) or goes_on_by_itself(engine, task):
        return False
    workflow = engine.workflows.load(task.workflow)
    if start.has_begun and not start.waits and starts_agent(workflow.initial[workflow.first_state]):
        return False  # its agent was started in the first state, and has failed or ended there: it does not wait
    has_grown = start.full_at is None or start.full_at < engine.parts.projects.get(task.project).pool_size
    return is_next or (start.is_wanted and has_grown)


def _first_status(workflow: Workflow, task: Task) -> str:
    """Where a task begins of which the journal does not say it: without a summary, by asking."""
    if task.status != workflow.first_state:
        return task.status
    return CLARIFICATION if not task.summary and CLARIFICATION in workflow.initial else task.status


def _starting_move(workflow: Workflow, task: Task, actor: Actor) -> Transition | None:
    """The first move from where a task is that starts an agent."""
    moves = workflow.moves(task.status, actor)
    return next((move for move in moves if starts_agent(move.hooks) and not workflow.is_terminal(move.target)), None)


def _check_actions(engine: Engine, opened: OpenTask, hooks: Iterable[Hook]) -> None:
    """Refuse a start of which this Orange does not know an action, or for whose agent something is missing."""
    for hook in hooks:
        check = engine.actions.find(hook.action).check
        if check is not None:
            check(HookRun(engine, opened, hook, token=""))


def _check_blockers(engine: Engine, task: Task) -> None:
    waiting = unfinished_blockers(engine, task)
    if waiting:
        raise Refused(f"{task.id} waits for {', '.join(waiting)}")


def _check_limit(engine: Engine, task: Task, actor: Actor) -> None:
    """Refuse a start into a wall. Who does a task that is still to be routed, nobody knows yet."""
    if actor == "person":
        return
    is_routed = task.harness is None and engine.workflows.load(task.workflow).has_action("route")
    harness = task.harness or (None if is_routed else engine.parts.harnesses.first_installed())
    limits = engine.parts.limits
    reason = limits.why_wait(harness, task.id)
    if harness is not None and reason is not None:
        raise AtLimit(f"{task.id} waits for {reason}", harness)
    known = limits.find(harness) if harness is not None else None
    if known is not None and limits.is_due(known):
        limits.begin_trial(known.harness, known.account, task.id)


def _check_budget(engine: Engine, opened: OpenTask) -> None:
    """Refuse a start by Orange itself where the budget is used up, and ask the person."""
    try:
        check_start(engine.parts.projects, opened, "engine")
    except Refused as refusal:
        opened.set_attention(str(refusal))
        raise


def _failed_start(engine: Engine, opened: OpenTask) -> Sequence[Hook]:
    """The hooks of the move into this state, if one of them failed and left no agent and no workspace."""
    move = opened.journal.failed_move()
    if opened.task.workspace or opened.task.tmux_session or move is None or move["to"] != opened.task.status:
        return ()
    hooks = hooks_of(engine, opened, move)
    return hooks if starts_agent(hooks) else ()
