"""What can be done with a task, apart from moving it: create, change, finish, respawn, delete."""

from __future__ import annotations

from contextlib import nullcontext

from orange_tui.domain.errors import NotFound, OrangeError, Refused
from orange_tui.domain.records import record, replace
from orange_tui.domain.task import check_summary, printable
from orange_tui.domain.workflow import CANCELLED, STUCK, starts_agent
from orange_tui.engine.engine import hooks_of
from orange_tui.engine.new_task import ASKING, NewTask, first_body, first_status, first_values
from orange_tui.store.store import BrokenTask, StoredTask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from contextlib import AbstractContextManager

    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import Actor, Hook, Workflow
    from orange_tui.engine.engine import Engine, Moved
    from orange_tui.home.projects import Projects
    from orange_tui.sessions.liveness import Sessions
    from orange_tui.store.open_task import OpenTask
    from orange_tui.store.store import TaskRef

__all__ = ["Created", "NewTask", "Tasks"]


@record
class Created:
    """A new task; `waits` says why its agent was not started, where one was to be."""

    ref: TaskRef
    moved: Moved | None
    waits: str | None


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
        project = self.projects.get(new.project)
        workflow = self.engine.workflows.load(new.workflow or project.workflow)
        status = first_status(new, workflow)
        entered = workflow.first_state if workflow.initial[status] and new.spawn else status
        values = {**first_values(new, project, workflow, self.engine.services), "status": entered}
        with self.engine.store.project_lock(project.name):
            self.branch_must_be_free(project.name, new.branch)
            ref = self.engine.store.add(project.name, values, first_body(new), start=new.spawn)
        self.engine.log.write("info", "task created", task=ref.id, project=project.name)
        waits_for_room = status == workflow.first_state and workflow.starts_by_itself
        return self._start(ref, workflow, status) if new.spawn and not waits_for_room else Created(ref, None, None)

    def branch_must_be_free(self, project: str, branch: str | None, but: str | None = None) -> None:
        """Refuse a branch that another unfinished task has."""
        if branch is None:
            return
        for other in self.engine.store.read_all(project):
            if other.ref.id != but and self._claims(other, branch):
                raise Refused(
                    f"Branch {branch} has a task already: {other.ref.id}. Choose another name, or finish that one"
                )

    def _claims(self, other: StoredTask | BrokenTask, branch: str) -> bool:
        """Whether a task has that branch; a finished one has given it up, an unreadable one may still have it."""
        if isinstance(other, BrokenTask):
            try:
                event = self.engine.store.journal(other.ref).engine_event()
            except OrangeError:
                return False  # nobody can tell, and nothing else stops for it
            return event is not None and event["engine"]["branch"] == branch
        return other.task.branch == branch and not self.is_finished(other.task)

    def is_finished(self, task: Task) -> bool:
        """Whether a task is in a terminal state of its workflow; where that cannot be told, it is not."""
        try:
            return self.engine.workflows.load(task.workflow).is_terminal(task.status)
        except OrangeError:
            return False

    def session_state(self, task: Task) -> str:
        """`active`, `dead`, `lost` or `none`: whether the agent that a task's state asks for is alive."""
        if task.tmux_session is None:
            return "none"
        try:
            state = self.engine.workflows.load(task.workflow).states.get(task.status)
        except OrangeError:
            state = None
        return self.sessions.state(task, state)

    def cancel(self, ref: TaskRef) -> Moved:
        """Give a task up: its session ends, its workspace is released with all work saved."""
        with self.engine.open(ref) as opened:
            return self.engine.transition(opened, CANCELLED, "person")

    def is_ready(self, task: Task) -> bool:
        """Whether a task could start now: it has not begun, and nothing it waits for is unfinished."""
        try:
            workflow = self.engine.workflows.load(task.workflow)
        except OrangeError:
            return False
        return task.status == workflow.first_state and not self.unfinished_blockers(task)

    def starts_by_itself(self, task: Task) -> bool:
        """Whether a task is in a state that Orange itself moves it on from."""
        try:
            state = self.engine.workflows.load(task.workflow).states.get(task.status)
        except OrangeError:
            return False
        return state is not None and state.auto is not None

    def in_order(self, found: Iterable[StoredTask | BrokenTask]) -> list[StoredTask | BrokenTask]:
        """Unreadable ones first, then what is not finished, then the newest."""
        newest = sorted(found, key=_created_at, reverse=True)
        return sorted(newest, key=lambda each: 0 if isinstance(each, BrokenTask) else 1 + self.is_finished(each.task))

    def _start(self, ref: TaskRef, workflow: Workflow, status: str) -> Created:
        if status != workflow.first_state and not workflow.initial[status]:
            return Created(ref, None, None)
        try:
            return Created(ref, self.spawn(ref, status), None)
        except OrangeError as problem:  # the task is there by now, and whoever made it must hear of it
            with self.engine.open(ref) as opened:
                if opened.task.status != workflow.first_state:
                    return Created(ref, None, None)  # a supervisor was quicker
                opened.record("task.waiting", reason=str(problem))
            return Created(ref, None, str(problem))

    def spawn(self, ref: TaskRef, status: str | None = None) -> Moved:
        """Start the agent of a task that has none yet."""
        with self.engine.open(ref) as opened:
            workflow = self.engine.workflows.load(opened.task.workflow)
            self._must_be_ready(opened.task)
            target = status or self._first_status(workflow, opened.task)
            if target != workflow.first_state and target in workflow.initial:
                hooks = workflow.initial[target]
                self._must_be_able(hooks)
                return self.engine.start(opened, target, hooks, by="create")
            state = workflow.states.get(opened.task.status)
            if state is not None and state.auto is not None:
                return self.move_on(opened, workflow)
            again = _failed_start(opened)
            if again:
                return self.engine.start(opened, opened.task.status, again, by="person")
            start = self._starting_move(workflow, opened.task)
            return self.engine.transition(opened, start, "person")

    def move_on(self, opened: OpenTask, workflow: Workflow) -> Moved:
        """Take the moves that Orange makes by itself, from one to the next, until an agent works or one is refused."""
        moved: Moved | None = None
        while (target := workflow.states[opened.task.status].auto) is not None:
            try:
                moved = self.engine.transition(opened, target, "engine")
            except Refused:
                if moved is None:
                    raise
                break
        if moved is None:
            raise Refused(f"{opened.task.id} is {opened.task.status}: it does not go on from there by itself")
        return moved

    def _first_status(self, workflow: Workflow, task: Task) -> str:
        """A task that found no workspace waits in the first state; without a summary it will begin by asking."""
        if task.status != workflow.first_state:
            return task.status
        return ASKING if not task.summary and ASKING in workflow.initial else task.status

    def _starting_move(self, workflow: Workflow, task: Task) -> str:
        for move in workflow.moves(task.status, "person"):
            if starts_agent(move.hooks) and not workflow.is_terminal(move.target):
                self._must_be_able(move.hooks)
                return move.target
        raise Refused(
            f"{task.id} is {task.status}: no agent is started from there. A dead one is brought back by `respawn`"
        )

    def _must_be_able(self, hooks: Iterable[Hook]) -> None:
        for hook in hooks:
            self.engine.actions.find(hook.action)

    def _must_be_ready(self, task: Task) -> None:
        waiting = self.unfinished_blockers(task)
        if waiting:
            raise Refused(f"{task.id} waits for {', '.join(waiting)}")

    def unfinished_blockers(self, task: Task) -> list[str]:
        """The tasks this one still waits for. One that is gone, or was not finished well, still blocks."""
        waiting = []
        for blocker in task.blocked_by:
            try:
                found = self.engine.store.read(self.engine.store.find(blocker))
            except (NotFound, Refused):
                found = None
            if not isinstance(found, StoredTask) or found.task.status != "done":
                waiting.append(blocker)
        return waiting

    def update(
        self,
        ref: TaskRef,
        *,
        status: str | None = None,
        summary: str | None = None,
        actor: Actor = "agent",
    ) -> tuple[Task, Moved | None]:
        """Change what is said of a task, and move it; when the move is refused, nothing is changed."""
        changes = {} if summary is None else {"summary": check_summary(summary)}
        with self.engine.open(ref) as opened:
            moved = self.change(opened, changes, status, actor)
            return opened.task, moved

    def change(
        self,
        opened: OpenTask,
        changes: Mapping[str, object],
        status: str | None,
        actor: Actor,
        around: AbstractContextManager[None] | None = None,
    ) -> Moved | None:
        """The same for a task that is held already, with any fields; `around` is as in `Engine.transition`."""
        if status is not None:
            self._must_not_be_terminal(opened.task, status)
            return self.engine.transition(opened, status, actor, changes=changes, around=around)
        new = {name: value for name, value in changes.items() if value != getattr(opened.task, name)}
        with around or nullcontext():
            if new:
                opened.change("task.updated", new, fields=new)
        return None

    def _must_not_be_terminal(self, task: Task, status: str) -> None:
        if self.engine.workflows.load(task.workflow).is_terminal(status):
            raise Refused(
                f"{task.id} is {task.status}: --status does not finish a task."
                " A person merges it (`orange task merge`) or cancels it (`orange task cancel`)",
            )

    def complete(self, ref: TaskRef) -> Moved:
        """An agent has finished: take the workflow's forward move, the first gated one that is open."""
        with self.engine.open(ref) as opened:
            workflow = self.engine.workflows.load(opened.task.workflow)
            moves = [m for m in workflow.moves(opened.task.status, "agent") if m.gate is not None]
            if not moves:
                raise Refused(f"{opened.task.id} is {opened.task.status}: there is nothing for an agent to complete")
            open_moves = [m.target for m in moves if self.engine.why_not(opened, m.target, "agent") is None]
            return self.engine.transition(opened, (open_moves or [moves[0].target])[0], "agent")

    def give_up(self, ref: TaskRef, reason: str | None) -> tuple[Task, Moved | None]:
        """An agent is stuck: move there, or where it may not, ask for a person. A stop hook reads no refusal."""
        sentence = f"The agent is stuck: {_in_one_line(reason)}" if reason else "The agent says that it is stuck"
        with self.engine.open(ref) as opened:
            try:
                moved = self.engine.transition(opened, STUCK, "agent", changes={"attention": sentence})
            except Refused:
                opened.change("task.updated", {"attention": sentence})
                return opened.task, None
            return opened.task, moved

    def delete(self, ref: TaskRef) -> None:
        """Delete a finished task; what was saved of its work can be had back for some weeks."""
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

    def mend(self, found: StoredTask) -> StoredTask | BrokenTask:
        """Restore tampered fields of a task that was read; what another command is at work on is left to it."""
        try:
            with self.engine.open(found.ref, wait=False):
                pass
        except OrangeError:
            return replace(found, tampered=False)
        return self.engine.store.read(found.ref)


def _created_at(found: StoredTask | BrokenTask) -> str:
    return "" if isinstance(found, BrokenTask) else found.task.created_at


def _in_one_line(text: str) -> str:
    """What an agent says in as many lines as it likes, as one that a list can show."""
    return printable(" ".join(text.split()))


def _failed_start(opened: OpenTask) -> list[Hook]:
    """What brought a task to its state and did not get its agent started, so that there is nothing to come back to."""
    move = opened.journal.failed_move()
    if opened.task.workspace or opened.task.tmux_session or move is None or move["to"] != opened.task.status:
        return []
    hooks = hooks_of(move)
    return hooks if starts_agent(hooks) else []
