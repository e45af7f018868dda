"""What a supervisor does about tasks in its rounds: those that have changed are looked at, one after the other.

Which tasks there are it knows from the index; whatever is done about one is done under its lock, as it is then. One
task's trouble is logged and stops no other.
"""

from __future__ import annotations

from orange_tui.domain.errors import Busy, CannotTell, OrangeError
from orange_tui.sessions.liveness import ACTIVE
from orange_tui.supervisor._states import DEFAULT_POLL_SECONDS, StateTable
from orange_tui.supervisor.exits.rules import ExitRules
from orange_tui.supervisor.outbox import Outbox
from orange_tui.supervisor.starter import Starter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from orange_tui.delivery.pr_watcher import PullRequestWatcher
    from orange_tui.domain.task import Task
    from orange_tui.engine.agents import Agents
    from orange_tui.issues.watcher import IssueWatcher
    from orange_tui.outside.tmux.server import Pane
    from orange_tui.store.index import IndexedTask, TaskIndex
    from orange_tui.store.store import TaskRef

_RETRY_SECONDS = 2.0  # until what could not be done is tried again: a message delivered, a busy task examined


class Examiner:
    """Examines tasks: puts each where it belongs, and does what follows from what happened to it."""

    def __init__(
        self,
        agents: Agents,
        index: TaskIndex,
        pull_requests: PullRequestWatcher,
        issues: IssueWatcher,
        when_started: Callable[[Iterable[TaskRef]], None],
    ) -> None:
        self._tasks, self._index = agents.tasks, index
        self._log = agents.tasks.engine.log
        self._pull_requests, self._issues = pull_requests, issues
        self._states = StateTable(agents.tasks.engine.workflows)
        self._exit_rules = ExitRules(agents.tasks, agents)
        self._outbox = Outbox(agents.tasks)
        self._starter = Starter(agents.tasks, when_started)
        self.active: dict[TaskRef, int] = {}  # tasks with an agent to lose, and how often to poll for it (seconds)
        self._retry: set[TaskRef] = set()  # a message could not be delivered, or a command was at work on it

    def poll_seconds(self) -> float:
        """When to look for ourselves: soon where something is to be tried again, else as often as a workflow wants."""
        return _RETRY_SECONDS if self._retry else min(self.active.values(), default=DEFAULT_POLL_SECONDS)

    def poll(self) -> set[TaskRef]:
        """The backstop: tasks whose agent is not alive, by one call to tmux for all, and what waits.

        Nobody may have told of what changed (a network file system does not), so their files are looked at, too.
        """
        self._index.refresh(list(self.active))
        waiting = self._starter.waiting() | self._retry
        if not self.active or self._list_panes() is None:
            return waiting
        entries = [self._index.get(ref) for ref in self.active]
        alive = {each.ref for each in entries if each is not None and self._has_live_agent(each)}
        return (self.active.keys() - alive) | waiting

    def _has_live_agent(self, entry: IndexedTask) -> bool:
        task = None if entry.has_unfinished_move else entry.task
        return task is not None and self._tasks.session_state(task) == ACTIVE

    def _list_panes(self) -> list[Pane] | None:
        """Every live window of this home; None where tmux does not answer, which is logged."""
        try:
            return self._tasks.sessions.panes(fresh=True)
        except OrangeError as problem:
            self._log.write("warning", f"agents were not looked at: {problem}")
            return None

    def holders(self, workspace: str) -> list[TaskRef]:
        """Whose worktree this is, among the tasks that can have one."""
        entries = [self._index.get(ref) for ref in list(self.active)]
        return [each.ref for each in entries if each is not None and each.task and each.task.workspace == workspace]

    def examine(self, due: set[TaskRef], *, everything: bool) -> None:
        """Look at these tasks, and at all others where everything may have changed; then start what can start."""
        self._states.clear()
        for ref in sorted(due, key=_in_order):
            self._index.refresh((ref,))  # what this process has just done itself is not in there yet
            self._log_problems(ref, self._examine_one)
        others = [entry.ref for entry in self._index.entries() if entry.ref not in due] if everything else []
        for ref in sorted(others, key=_in_order):  # the feed has just read these
            if self._starter.is_concerned_with(ref):
                self._index.refresh((ref,))
            self._log_problems(ref, self._examine_one)
        self._starter.start_due()

    def _examine_one(self, ref: TaskRef) -> None:
        """Put a task that has changed where it belongs, and see what happened to it."""
        entry = self._index.get(ref)
        self.active.pop(ref, None)
        self._retry.discard(ref)
        self._starter.forget(ref)
        if entry is None or entry.task is None:
            self._pull_requests.track(ref, None)
            return
        task, rules = entry.task, self._states.rules_for(entry.task)
        self._pull_requests.track(ref, None if rules.is_finished else task.pr_url)
        self._issues.track(ref, task)
        self._starter.schedule(entry, rules)
        if task.tmux_session or task.workspace or rules.misses_agent or self._waits_for_subtasks(task):
            self.active[ref] = rules.poll_seconds
        if ref in self.active or entry.tampered or entry.has_unfinished_move:
            self._exit_rules.check(ref)
            if not self._outbox.deliver(ref):
                self._retry.add(ref)
        if task.parent is not None and rules.is_finished:
            self._examine_parent(task.parent)

    def _examine_parent(self, task_id: str) -> None:
        """A subtask has ended: the task that delegated it may be able to go on."""
        found = self._index.find(task_id)
        if found is None:
            return  # it was deleted
        self._index.refresh((found.ref,))
        entry = self._index.get(found.ref)
        if entry is not None and entry.task is not None and self._waits_for_subtasks(entry.task):
            self._log_problems(entry.ref, self._exit_rules.check)

    def _waits_for_subtasks(self, task: Task) -> bool:
        return self._states.rules_for(task).rejoins and bool(task.blocked_by)

    def _log_problems(self, ref: TaskRef, work: Callable[[TaskRef], object]) -> None:
        """One task's trouble is logged and stops no other."""
        try:
            work(ref)
        except Busy:
            self._retry.add(ref)
        except CannotTell as problem:
            self.active.setdefault(ref, DEFAULT_POLL_SECONDS)  # the poll has it looked at again, once tmux answers
            self._log.write("warning", str(problem), task=ref.id)
        except OrangeError as problem:
            self._log.write("warning", str(problem), task=ref.id)
        except Exception as problem:  # noqa: BLE001 - a scribbled journal, a full disk: the others need us
            self._log.write("error", repr(problem), task=ref.id)

    def live_agents(self) -> dict[int, TaskRef] | None:
        """The processes to wait for, None where nobody can tell; tmux is asked only where there is an agent to lose."""
        if not self.active:
            return {}
        refs = {ref.id: ref for ref in self.active}
        panes = self._list_panes()
        return None if panes is None else {pane.pid: refs[pane.task] for pane in panes if pane.task in refs}


def _in_order(ref: TaskRef) -> tuple[str, str]:
    return ref.project, ref.id
