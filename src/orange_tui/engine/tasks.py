"""The verbs about tasks: create, start, change, complete, report as stuck, cancel and undo that, delete."""

from __future__ import annotations

from contextlib import nullcontext, suppress

from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.domain.records import record, replace
from orange_tui.domain.task import NOT_CLEARED, check_summary, one_line
from orange_tui.domain.workflow import STUCK, Hook
from orange_tui.engine.hooks import HookRun
from orange_tui.store.store import BrokenTask, StoredTask, TaskRef

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from contextlib import AbstractContextManager

    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import Actor
    from orange_tui.engine.creation import Created, NewTask
    from orange_tui.engine.engine import Engine, Moved
    from orange_tui.home.projects import Projects
    from orange_tui.sessions.liveness import Sessions
    from orange_tui.store.open_task import OpenTask

_LETTING_GO = ("kill_session", "release_workspace")


@record
class Tasks:
    """The verbs of the command line and the app."""

    engine: Engine

    @property
    def projects(self) -> Projects:
        """The registered projects."""
        return self.engine.parts.projects

    @property
    def sessions(self) -> Sessions:
        """Who is alive in tmux."""
        return self.engine.parts.sessions

    def create(self, new: NewTask) -> Created:
        """Write a new task down, and start its agent unless it is to wait."""
        from orange_tui.engine.creation import create_task

        return create_task(self.engine, new)

    def spawn(self, ref: TaskRef) -> Moved:
        """Start the agent of a task that has none yet."""
        from orange_tui.engine.starting import start_task

        return start_task(self.engine, ref)

    def is_finished(self, task: Task) -> bool:
        """Whether a task is in a terminal state of its workflow."""
        return self.engine.is_finished(task)

    def session_state(self, task: Task) -> str:
        """`active`, `dead`, `lost` or `none`: whether the agent that a task's state asks for is alive."""
        if task.tmux_session is None:
            return "none"
        return self.sessions.state(task, self.engine.state_of(task))

    def cancel(self, ref: TaskRef) -> Moved:
        """Cancel a task: its session ends, its workspace is released with all work saved."""
        with self.engine.open(ref) as opened:
            return self.engine.cancel(opened)

    def undo_cancel(self, ref: TaskRef) -> Moved:
        """Have a task back that was cancelled a moment ago: where it was, with its work and its agent."""
        from orange_tui.engine.actions.restoring import undo_cancel

        with self.engine.open(ref) as opened:
            return undo_cancel(self.engine, opened)

    def in_order(self, found: Iterable[StoredTask | BrokenTask]) -> list[StoredTask | BrokenTask]:
        """Unreadable ones first, then what is not finished, then the newest."""
        newest = sorted(found, key=_created_at, reverse=True)
        return sorted(newest, key=lambda each: 0 if isinstance(each, BrokenTask) else 1 + self.is_finished(each.task))

    def update(
        self,
        ref: TaskRef,
        *,
        status: str | None = None,
        summary: str | None = None,
        options: Mapping[str, object] | None = None,
        actor: Actor = "agent",
    ) -> tuple[Task, Moved | None]:
        """Change a task's summary and how it is done, and move it; when the move is refused, nothing is changed."""
        with self.engine.open(ref) as opened:
            moved = self.apply_changes(opened, self.changes(opened.task, summary, options), status, actor)
            return opened.task, moved

    def changes(self, task: Task, summary: str | None, options: Mapping[str, object] | None) -> dict[str, object]:
        """What was given to change, by field and checked; `options` are those of `creation.checked_changes`."""
        changes: dict[str, object] = {} if summary is None else {"summary": check_summary(summary)}
        if options:
            from orange_tui.engine.creation import checked_changes

            changes |= checked_changes(self.engine, task, options)
        return changes

    def apply_changes(
        self,
        opened: OpenTask,
        changes: Mapping[str, object],
        status: str | None,
        actor: Actor,
        around: AbstractContextManager[None] | None = None,
    ) -> Moved | None:
        """Change any fields of an open task, and move it; `around` is as in `Engine.transition`."""
        if status is not None:
            self._check_not_terminal(opened.task, status)
            return self.engine.transition(opened, status, actor, changes=changes, around=around)
        new = {name: value for name, value in changes.items() if value != getattr(opened.task, name)}
        with around or nullcontext():
            if new:
                opened.change("task.updated", new, fields=new)
        return None

    def _check_not_terminal(self, task: Task, status: str) -> None:
        if self.engine.workflows.load(task.workflow).is_terminal(status):
            raise Refused(
                f"{task.id} is {task.status}: --status does not finish a task."
                " A person merges it (`orange task merge`) or cancels it (`orange task cancel`)",
            )

    def complete(self, ref: TaskRef) -> Moved:
        """An agent has finished: make the workflow's forward move, the first one whose gate is open."""
        with self.engine.open(ref) as opened:
            workflow = self.engine.workflows.load(opened.task.workflow)
            moves = [m for m in workflow.moves(opened.task.status, "agent") if m.gate is not None]
            if not moves:
                raise Refused(f"{opened.task.id} is {opened.task.status}: there is nothing for an agent to complete")
            open_moves = [m.target for m in moves if self.engine.why_not(opened, m.target, "agent") is None]
            return self.engine.transition(opened, (open_moves or [moves[0].target])[0], "agent")

    def report_stuck(self, ref: TaskRef, reason: str | None) -> tuple[Task, Moved | None]:
        """An agent is stuck: move there, or where it may not, ask for a person. A stop hook reads no refusal."""
        with self.engine.open(ref) as opened:
            known = f"The agent is stuck: {one_line(reason)}" if reason else self._reason_in_outcome(opened)
            sentence = known or "The agent says that it is stuck"
            try:
                moved = self.engine.transition(opened, STUCK, "agent", changes={"attention": sentence})
            except Refused:
                if known or opened.task.status != STUCK or not opened.task.attention:
                    opened.change("task.updated", {"attention": sentence})
                return opened.task, None
            return opened.task, moved

    def _reason_in_outcome(self, opened: OpenTask) -> str | None:
        """What `.orange-outcome` says of why the agent is stuck, for a command that does not say it."""
        from orange_tui.domain.gates.outcome import OutcomeGate
        from orange_tui.engine._evidence import TaskEvidence

        evidence = TaskEvidence(opened, self.engine.store, self.projects)
        gate = OutcomeGate((STUCK,))
        return gate.attention(evidence) if gate.missing(evidence) is None else None

    def delete(self, ref: TaskRef) -> None:
        """Delete a finished task; what was saved of its work can be restored for some weeks."""
        with self.engine.open(ref) as opened:
            if not self.is_finished(opened.task):
                raise Refused(
                    f"{ref.id} is {opened.task.status}; only done or cancelled tasks can be deleted."
                    f" `orange task cancel {ref.id}` comes first",
                )
            if opened.task.workspace or opened.task.tmux_session:
                raise Refused(f"{ref.id} still holds {opened.task.workspace or opened.task.tmux_session}")
            from orange_tui.workspaces.saved_work import record_deletion

            record_deletion(self.engine.store.home, self.projects.find(ref.project), opened.task)
            self.engine.store.remove(ref)
        self.engine.log.write("info", "task deleted", task=ref.id)

    def let_go(self, ref: TaskRef) -> str | None:
        """Have a finished task hold nothing: what its last move could not end or release is done now; says what."""
        with self.engine.open(ref, wait=False) as opened:
            held = opened.task.workspace or opened.task.tmux_session
            if held is None or not self.is_finished(opened.task):
                return None
            for action in _LETTING_GO:
                run = HookRun(self.engine, opened, Hook(action, {}), token="")
                self.engine.actions.find(action).run(run)
                if run.changes:
                    opened.change("task.updated", run.changes, fields=run.changes)
            _take_back(opened, *(f"{action} failed: " for action in _LETTING_GO))
            return held

    def free_workspaces(self, name: str | None = None) -> list[str]:
        """Release what no task holds any more, or only that workspace; returns a sentence for each.

        A task whose workspace could not be cleared before, and is now, need not be looked at for that any more.
        """
        from orange_tui.workspaces.pool_file import FREE, QUARANTINED

        pool, store = self.engine.parts.pool, self.engine.store
        before = pool.slots()
        sentences = pool.gc(lambda project, task_id: store.has(TaskRef(project, task_id)), name)
        free = {slot.name for slot in pool.slots() if slot.state == FREE}
        for slot in before:
            ref = TaskRef(slot.project, slot.task or "")
            if slot.state == QUARANTINED and slot.name in free and store.has(ref):
                with suppress(OrangeError), self.engine.open(ref, wait=False) as opened:
                    _take_back(opened, f"{slot.name}{NOT_CLEARED}")
        return sentences

    def repair(self, found: StoredTask) -> StoredTask | BrokenTask:
        """Repair a task whose files were found tampered with; one that another command holds is left to it."""
        try:
            with self.engine.open(found.ref, wait=False):
                pass
        except OrangeError:
            return replace(found, tampered=False)
        return self.engine.store.read(found.ref)


def _take_back(opened: OpenTask, *beginnings: str) -> None:
    """Have a task show no more what has been put right since."""
    attention = opened.task.attention_without(*beginnings)
    if attention != opened.task.attention:
        opened.change("task.updated", {"attention": attention})


def _created_at(found: StoredTask | BrokenTask) -> str:
    return "" if isinstance(found, BrokenTask) else found.task.created_at
