"""The engine: the one way a task moves, for commands, keys and the monitor alike.

`transition` moves a task, `start` lets one begin; there is no third way. Everything that must not be forgotten is in
the journal before it happens, so a command that was killed is finished by the next one, from the step where it stopped.
"""

from __future__ import annotations

from contextlib import contextmanager, nullcontext

from orange_tui.domain.errors import CannotTell, OrangeError, Refused
from orange_tui.domain.records import record
from orange_tui.domain.workflow import CANCELLED, DONE, UNDO, WORKED_OUT
from orange_tui.engine.hooks import HookRun, checksum, increment_counter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from typing import Literal

    from orange_tui.domain.conditions import Condition
    from orange_tui.domain.gates.gate import Evidence, Gate
    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import Actor, Hook, State, Transition
    from orange_tui.engine.hooks import Actions
    from orange_tui.engine.parts import HomeParts
    from orange_tui.home.log import Log
    from orange_tui.home.workflows import Workflows
    from orange_tui.store.journal import Event
    from orange_tui.store.open_task import OpenTask
    from orange_tui.store.store import Store, TaskRef

    Start = Literal["initial", "again", "respawn", "undo"]
    HooksRun = frozenset[tuple[int, str]]  # by position and action

_MAX_LOGGED = 20  # of the lines in a history that were not believed


@record
class Moved:
    """A move that was made: what ran with it, and what of that failed."""

    task: Task
    source: str
    target: str
    hooks_run: tuple[str, ...]
    hook_errors: tuple[str, ...]


@record
class Engine:
    """Moves tasks between the states of their workflows."""

    parts: HomeParts
    actions: Actions

    @property
    def store(self) -> Store:
        """The tasks on disk."""
        return self.parts.store

    @property
    def workflows(self) -> Workflows:
        """The workflows there are."""
        return self.parts.workflows

    @property
    def log(self) -> Log:
        """The home's log."""
        return self.parts.log

    def transition(  # noqa: PLR0913 - all but the first three have a usual value
        self,
        opened: OpenTask,
        target: str,
        actor: Actor,
        *,
        changes: Mapping[str, object] | None = None,
        around: AbstractContextManager[None] | None = None,
        is_escalation: bool = False,
    ) -> Moved:
        """Move a task, or refuse and leave it exactly as it is: the steps of SPEC 5, for every caller.

        `changes` are fields written together with the new status. `around` is what must happen with the move or not
        at all, such as landing a merge: it is entered when no rule can refuse the move any more, and left once the
        move is in the journal. The engine's own escalation is asked for neither `when` nor gate.
        """
        move = self._find_move(opened.task, target, actor, check_when=not is_escalation)  # 1, 2
        fields, artifact = dict(changes or {}), None
        if move.gate is not None and not is_escalation:
            self._check_gate(opened, move)  # 3
            fields = {"attention": move.gate.attention(self._evidence(opened)), **fields}
            artifact = self.artifact(opened, move.gate)
        return self._enter(
            opened, target, move.hooks, by=actor, changes=fields, around=around, artifact=artifact, when=move.when
        )  # 4 to 8

    def cancel(self, opened: OpenTask) -> Moved:
        """Give a task up: move it to its workflow's state for that, whatever it is called."""
        task, workflow = opened.task, self.workflows.load(opened.task.workflow)
        target = workflow.cancelled_end(task.status)
        if target is None:
            finished = f"{task.id} is already {task.status}; there is nothing left to cancel"
            impossible = f"{task.id} can't be cancelled from {task.status} (workflow {workflow.name})"
            raise Refused(finished if workflow.is_terminal(task.status) else impossible)
        return self.transition(opened, target, "person")

    def start(  # noqa: PLR0913 - the last two have a usual value
        self,
        opened: OpenTask,
        target: str,
        hooks: Sequence[Hook],
        *,
        by: Actor,
        how: Start,
        changes: Mapping[str, object] | None = None,
        around: AbstractContextManager[None] | None = None,
    ) -> Moved:
        """Let a task begin, or start its agent where it is, or have it back: no move, so no rules.

        `how` tells a later process which hooks these are: those of the initial state, those that have failed on the
        way to where it is, what starts an agent anew in the state that it is in, or what brings a cancelled task back.
        """
        return self._enter(opened, target, hooks, by=by, start=how, changes=changes, around=around)

    def why_not(self, opened: OpenTask, target: str, actor: Actor) -> str | None:
        """Why the workflow's rules would refuse a move, for callers that only ask; None where they would not."""
        try:
            self._check_gate(opened, self._find_move(opened.task, target, actor))
        except Refused as refusal:
            return str(refusal)
        return None

    def missing(self, opened: OpenTask, gate: Gate) -> str | None:
        """What keeps a gate closed; None when it is open."""
        return gate.missing(self._evidence(opened))

    def artifact(self, opened: OpenTask, gate: Gate) -> int | None:
        """A checksum of what a gate looks at, to tell it later from what is written anew; None where there is none."""
        text = gate.artifact(self._evidence(opened))
        return None if text is None else checksum(text)

    def _evidence(self, opened: OpenTask) -> Evidence:
        from orange_tui.engine._evidence import TaskEvidence

        return TaskEvidence(opened, self.store, self.parts.projects)

    def state_of(self, task: Task) -> State | None:
        """The state of its workflow that a task is in; None where the workflow has no such state or cannot be read."""
        try:
            return self.workflows.load(task.workflow).states.get(task.status)
        except OrangeError:
            return None

    def is_finished(self, task: Task) -> bool:
        """Whether a task is in a terminal state; one whose workflow cannot be read is not."""
        state = self.state_of(task)
        return state is not None and state.terminal

    def is_done(self, task: Task) -> bool:
        """Whether a task came to a good end; where its workflow cannot be read, the name of its state tells."""
        try:
            return self.workflows.load(task.workflow).is_done(task.status)
        except OrangeError:
            return task.status == DONE

    def holds(self, when: Condition | None, task: Task, *, is_choice: bool = False) -> bool:
        """Whether a `when` holds for a task, for certain; none always does. A choice is made by what is known."""
        if when is None or when.field not in WORKED_OUT:
            return when is None or when.holds(task.number(when.field))
        from orange_tui.engine._numbers import measure

        found = measure(self.parts, task, when.field)
        return when.holds(found.known) if is_choice else found.satisfies(when)

    def _find_move(self, task: Task, target: str, actor: Actor, *, check_when: bool = True) -> Transition:
        """Steps 1 and 2: the workflow has this move for this actor, and its `when` holds."""
        workflow = self.workflows.load(task.workflow)
        candidates = workflow.candidates(task.status, target, actor)
        for found in candidates:
            if not check_when or self.holds(found.when, task):
                return found
        from orange_tui.engine import _refusals

        if not candidates:
            raise Refused(_refusals.no_such_move(workflow, task, target, actor))
        raise Refused(_refusals.when_does_not_hold(workflow, task, candidates, actor, self.parts))

    def _check_gate(self, opened: OpenTask, move: Transition) -> None:
        """Step 3: what the gate asks for is there."""
        missing = self.missing(opened, move.gate) if move.gate is not None else None
        if missing is not None:
            task = opened.task
            raise Refused(f"{task.id} stays in {task.status}, → {move.target} needs more: {missing}")

    def _enter(  # noqa: PLR0913 - all but the first three have a usual value
        self,
        opened: OpenTask,
        target: str,
        hooks: Sequence[Hook],
        *,
        by: str,
        changes: Mapping[str, object] | None = None,
        around: AbstractContextManager[None] | None = None,
        artifact: int | None = None,
        start: Start | None = None,
        when: Condition | None = None,
    ) -> Moved:
        """Steps 4 to 8, for a move that is allowed."""
        self._reserve(opened, hooks)  # 4
        held = str(when) if when is not None and when.field in WORKED_OUT else None  # it may not, a moment later
        known = {"by": by, "start": start, "artifact": artifact, "when": held}
        about = {name: value for name, value in known.items() if value is not None}
        with around or nullcontext():
            started = _write_status(opened, target, hooks, about, changes)  # 5
        return self._finish(opened, started, hooks)  # 6 to 8

    def _reserve(self, opened: OpenTask, hooks: Sequence[Hook]) -> None:
        reserved: dict[str, object] = {}  # what one hook is sure of, the next need not ask for
        for hook in hooks:
            if self.actions.has(hook.action):
                reserve = self.actions.find(hook.action).reserve
                if reserve is not None:
                    reserve(HookRun(self, opened, hook, token="", changes=reserved))

    def _finish(self, opened: OpenTask, started: Event, hooks: Sequence[Hook], done: HooksRun | None = None) -> Moved:
        """Steps 6 to 8: the hooks that have not had their turn, then the end of the move."""
        run, errors = [], []
        for index, hook in enumerate(hooks):
            if (index, hook.action) in (done or ()):
                continue
            this = HookRun(self, opened, hook, f"{started['timestamp']}#{index}", started["by"])
            error = self._run_hook(index, this, may_be_done=done is not None)  # 6
            run.append(hook.action)
            if error is not None:
                errors.append(f"{hook.action}: {error}")
        self._end(opened, started)  # 7, 8
        return Moved(opened.task, started["from"], started["to"], tuple(run), tuple(errors))

    def _run_hook(self, index: int, run: HookRun, *, may_be_done: bool) -> str | None:
        """Step 6 for one hook; what it changes is written with the note that it had its turn."""
        opened, details = run.opened, {"index": index, "action": run.action}
        try:
            increment_counter(run)
            self.actions.find(run.action).run(run)
        except Exception as problem:
            if may_be_done and isinstance(problem, CannotTell):
                raise  # a killed command may have done it: the move waits until somebody can tell
            reason = str(problem) if isinstance(problem, OrangeError) else f"{type(problem).__name__}: {problem}"
            self.log.write("error", f"{run.action} failed", task=opened.task.id, reason=reason)
            run.changes["attention"] = opened.task.attention_and(f"{run.action} failed: {reason}")
            opened.change("hook.failed", run.changes, **details, reason=reason)
            return reason
        if run.changes:
            opened.change("hook.done", run.changes, **details)
        else:
            opened.record("hook.done", **details)
        return None

    def _end(self, opened: OpenTask, started: Event) -> None:
        """Steps 7 and 8, in one write: no crash counts any more, and the status has changed."""
        details = {key: started[key] for key in ("from", "to", "by")}
        state = self.state_of(opened.task)
        is_cancelled = state is not None and state.end == CANCELLED
        note = "task.restored" if started.get("start") == UNDO else "task.cancelled" if is_cancelled else None
        if note is not None and next(opened.journal.backwards())["type"] != note:
            opened.record(note, **{"from": details["from"]})
        if opened.task.crash_count:
            opened.change("status.changed", {"crash_count": 0}, **details)
        else:
            opened.record("status.changed", **details)
        self.log.write("info", f"{details['from']} → {details['to']}", task=opened.task.id, by=details["by"])

    def recover(self, opened: OpenTask) -> Moved | None:
        """Finish the transition that a killed command left half done, with what the workflow has for it."""
        unfinished = opened.journal.unfinished()
        if unfinished is None:
            return None
        from orange_tui.engine._move_hooks import hooks_of

        started = unfinished.started
        self.log.write("warning", f"finishing {started['from']} → {started['to']}", task=opened.task.id)
        try:
            hooks = hooks_of(self, opened, started)
        except Refused as problem:
            hooks = ()
            opened.set_attention(f"What goes with {started['from']} → {started['to']} was not done: {problem}")
        return self._finish(opened, started, hooks, unfinished.hooks_run)

    @contextmanager
    def open(self, ref: TaskRef, *, wait: bool = True) -> Iterator[OpenTask]:
        """Hold a task, with everything finished that was left undone."""
        with self.store.open(ref, wait=wait) as opened:
            for reason in opened.refused[:_MAX_LOGGED]:
                self.log.write("warning", f"history.jsonl has a line that was not believed: {reason}", task=ref.id)
            self.recover(opened)
            yield opened


def _write_status(
    opened: OpenTask,
    target: str,
    hooks: Sequence[Hook],
    about: Mapping[str, object],
    changes: Mapping[str, object] | None,
) -> Event:
    """Step 5: what a later process needs to finish this move is in the journal; the new status is in TASK.md."""
    details = {
        "from": opened.task.status,
        "to": target,
        **about,
        "hooks": [{"action": hook.action, **hook.params} for hook in hooks],
        "body": checksum(opened.body),
    }
    fields = {"attention": None, **(changes or {}), "status": target}
    return opened.change("transition.started", fields, **details)
