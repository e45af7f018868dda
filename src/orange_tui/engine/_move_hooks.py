"""The hooks of a move that is in the journal, and those that start an agent again, taken from the workflow.

A task's agents can write its journal. So what a later process runs never comes from there: the journal only says which
move it was, and the workflow what goes with it.
"""

from __future__ import annotations

from itertools import dropwhile

from orange_tui.domain.errors import Refused
from orange_tui.domain.records import replace
from orange_tui.domain.workflow import RESUME, RESUME_IF_POSSIBLE, UNDO, Hook, hooks_into, starts_agent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import State, Workflow
    from orange_tui.engine.engine import Engine
    from orange_tui.store.journal import Event
    from orange_tui.store.open_task import OpenTask

_NUMBERS = ("review_round", "crash_count")


def hooks_of(engine: Engine, opened: OpenTask, started: Event) -> Sequence[Hook]:
    """What the workflow has for a move or a start, by how it began; none where it has no such move any more."""
    workflow = engine.workflows.load(opened.task.workflow)
    target, actor, start = (started.get(key) for key in ("to", "by", "start"))
    if start == "initial" or actor == "create":
        return workflow.initial.get(str(target), ())
    if start == "respawn":
        return start_here_hooks(workflow, opened.task)
    if start == UNDO:
        cancel = next(_moves_before(opened, started), None)
        return undo_hooks(engine, opened, cancel) if cancel is not None else ()
    if _is_repetition(started):  # of what has failed on the way here, or when it was started here
        earlier = next((event for event in _moves_before(opened, started) if not _is_repetition(event)), None)
        return hooks_of(engine, opened, earlier) if earlier is not None else ()
    return _hooks_of_move(engine, workflow, opened, started)


def _is_repetition(event: Event) -> bool:
    """Whether a failed start was tried again; earlier versions did not say how an agent was started where it is."""
    is_first = event.get("start") in {"initial", "respawn"} or event.get("by") == "create"
    return bool(event.get("from") == event.get("to")) and not is_first


def start_here_hooks(workflow: Workflow, task: Task) -> Sequence[Hook]:
    """What starts an agent anew in the state that a task is in."""
    return (Hook("acquire_workspace", {}), respawn_hook(workflow, task))


def undo_hooks(engine: Engine, opened: OpenTask, cancel: Event) -> Sequence[Hook]:
    """What brings back what a task had when it was cancelled: its workspace with its work, and its agent."""
    had, workflow = cancel["engine"], engine.workflows.load(opened.task.workflow)
    state = workflow.states.get(cancel["from"])
    if state is None:
        raise Refused(f"{workflow.name} has no state {cancel['from']} any more")
    place = (Hook("restore_workspace", _setup(workflow)),) if had["workspace"] else ()
    if not had["tmux_session"]:
        return place
    if state.respawn_prompt is not None:
        return (*place, respawn_hook(workflow, replace(opened.task, status=state.name), resume=None))
    entered = next(_moves_before(opened, cancel), None)
    started = [hook for hook in hooks_of(engine, opened, entered) if starts_agent((hook,))] if entered else []
    return (*place, *(replace(hook, params={**hook.params, "increment": None}) for hook in started))


def _setup(workflow: Workflow) -> Mapping[str, object]:
    """Whether a workspace is set up: where a stranger's branch may be in it, nothing is run, whoever brings it back."""
    hooks = [hook for move in workflow.transitions for hook in move.hooks]
    hooks += [hook for initial in workflow.initial.values() for hook in initial]
    return {"setup": "skip"} if any(hook.params.get("setup") == "skip" for hook in hooks) else {}


def _moves_before(opened: OpenTask, started: Event) -> Iterator[Event]:
    earlier = dropwhile(lambda event: event != started, opened.journal.backwards())
    next(earlier, None)
    history = opened.journal.engine_history()
    return (event for event in earlier if event["type"] == "transition.started" and history.has_move(event))


def _hooks_of_move(engine: Engine, workflow: Workflow, opened: OpenTask, started: Event) -> Sequence[Hook]:
    """Of several moves that differ in their `when`, the one that held then; the engine's own escalation needs none."""
    candidates = workflow.candidates(started["from"], started["to"], started["by"])
    then = _task_at(opened, started)
    recorded = started.get("when")  # of a number that is worked out: by now it may be another
    for move in candidates:
        if str(move.when) == recorded if isinstance(recorded, str) else engine.holds(move.when, then):
            return move.hooks
    if started["by"] == "engine" and candidates:
        return candidates[0].hooks
    raise Refused(f"{workflow.name} has no move {started['from']} → {started['to']} that could have been made then")


def _task_at(opened: OpenTask, started: Event) -> Task:
    """The task with the numbers that it had when a move began: what was changed since is in the journal as well."""
    extra = dict(opened.task.extra)
    for event in opened.journal.backwards():
        changes = event.get("changes")
        for name, pair in changes.items() if isinstance(changes, dict) else ():
            if name in extra and isinstance(pair, list) and pair:
                extra[name] = pair[0]
        if event == started:
            break
    return replace(opened.task, extra=extra, **{name: started["engine"][name] for name in _NUMBERS})


def respawn_hook(workflow: Workflow, task: Task, *, resume: bool | None = False) -> Hook:
    """What starts the agent of a task again in the state that it is in; `resume` is as in `Agents.respawn`."""
    state = workflow.states.get(task.status)
    if state is None or state.respawn_prompt is None:
        raise Refused(f"{task.id} is {task.status}: in {workflow.name} no agent is restarted there")
    conversation = {} if resume is False else {"resume": RESUME if resume else RESUME_IF_POSSIBLE}
    prompt = {"prompt": state.respawn_prompt, **conversation}
    if state.agent == "reviewer":
        return Hook("spawn_reviewer", {**prompt, "increment": None})
    role = "review" if _is_entered_by_reviewer(workflow, state) else "task"
    return Hook("spawn_agent", {**prompt, "harness": role, "permissions": "reduced"})


def restart_hook(engine: Engine, opened: OpenTask, *, resume: bool | None) -> Hook:
    """What starts the agent of a task again through no fault of its own: it is told the same, and no attempt counts.

    Where the state has no prompt for a restart, the agent is started as on the way there.
    """
    workflow = engine.workflows.load(opened.task.workflow)
    state, move = workflow.states.get(opened.task.status), opened.journal.last_move()
    if state is None or state.respawn_prompt is not None or move is None:
        return respawn_hook(workflow, opened.task, resume=resume)
    hook = next((hook for hook in hooks_of(engine, opened, move) if starts_agent((hook,))), None)
    if hook is None:
        return respawn_hook(workflow, opened.task, resume=resume)
    return replace(hook, params={**hook.params, "increment": None})


def is_reviewers(workflow: Workflow, task: Task) -> bool:
    """Whether the agent of the state that a task is in is its reviewer."""
    state = workflow.states.get(task.status)
    return state is not None and (state.agent == "reviewer" or _is_entered_by_reviewer(workflow, state))


def _is_entered_by_reviewer(workflow: Workflow, state: State) -> bool:
    """Whose state this is where it does not say (seed 004's files): who is started on the way in."""
    entering = hooks_into(workflow, state.name)
    return state.agent is None and any(hook.params.get("harness") == "review" for hook in entering)
