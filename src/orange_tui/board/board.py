"""The list of tasks as the app shows it: one row a task, in order, kept up to date without reading more than changed.

A snapshot never changes, and a row that says what it said before is the same object: whoever draws can tell by
identity what to draw anew. One thread at a time works with a `Boards`, and it is not the event loop's.
"""

from __future__ import annotations

import time

from orange_tui.board import needs
from orange_tui.board.projects_and_pool import House
from orange_tui.board.reading import listed, read_task, signature
from orange_tui.board.rows import BROKEN, FINISHED, UNFINISHED, Rows, Snapshot, TaskRow
from orange_tui.board.subtask_counts import DONE, Parts
from orange_tui.domain.errors import OrangeError
from orange_tui.domain.records import replace
from orange_tui.sessions.liveness import ACTIVE, NONE, required_window
from orange_tui.store.store import TaskRef

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from orange_tui.board.reading import Key, Known, TaskSignature
    from orange_tui.branches.conflicts import Conflicts
    from orange_tui.branches.distance import Stats
    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import State, Workflow
    from orange_tui.orange import Orange
    from orange_tui.outside.tmux import Pane

    Live = dict[str, list[Pane]] | None  # windows by task; None where tmux cannot be asked

_FIRST_LOOK = 0.05  # seconds of reading before there is something to show
_MESSAGE_MAY_WAIT = 5.0  # seconds until an undelivered message is worth a person's look
_MESSAGE_WAITS = "A message waits until the agent can take it"


class Boards:
    """The board of one project, or of all."""

    def __init__(self, orange: Orange, project: str | None = None) -> None:
        self._orange = orange
        self._project = project
        self._house = House(orange, project)
        self._rows = Rows()
        self._known: dict[Key, Known] = {}
        self._signatures: dict[Key, TaskSignature] = {}
        self._by_id: dict[str, Key] = {}
        self._dependents: dict[str, set[Key]] = {}  # whom to look at again when a task has changed
        self._parts = Parts()
        self._with_session: set[Key] = set()
        self._messages: dict[Key, float] = {}  # since when we know of one that waits
        self._stats: dict[Key, Stats] = {}  # by project and branch
        self._conflicts: dict[Key, Conflicts] = {}  # by project and task
        self._workflows: dict[str, Workflow | str] = {}

    def scan(self) -> Iterator[Snapshot]:
        """Read everything, the latest first: something to show within a moment, and the whole board at the end."""
        self._begin()
        keys = list(dict.fromkeys([*self._house.holders, *listed(self._orange.home.tasks, self._project)]))
        deadline: float | None = time.monotonic() + _FIRST_LOOK
        for key in keys:
            self._read(key)
            if deadline is not None and time.monotonic() > deadline and key != keys[-1]:
                deadline = None
                yield self._with_new_rows(list(self._known), complete=False)
        yield self._with_new_rows(list(self._known))

    def refresh(self, changed: Iterable[TaskRef] | None) -> Snapshot:
        """The board with these tasks read again; None looks for whatever has changed, everywhere."""
        projects_changed = self._begin()
        if changed is None:
            self._look_everywhere(afresh=projects_changed)
            return self._with_new_rows(list(self._known))
        keys = {(ref.project, ref.id) for ref in changed}
        wholes = self._wholes(keys)  # also of those that are gone now
        for key in keys:
            if self._project in {None, key[0]}:
                self._read(key)
        dependents = [self._dependents.get(task_id, set()) for _, task_id in keys]
        return self._with_new_rows(keys.union(wholes, self._wholes(keys), self._with_session, *dependents))

    def _wholes(self, keys: set[Key]) -> set[Key]:
        """The tasks that these are parts of: how many parts are done is in their rows."""
        ids = {whole for key in keys if (whole := self._parts.whole(key)) is not None}
        return {self._by_id[task_id] for task_id in ids if task_id in self._by_id}

    def with_stats(self, project: str, stats: Mapping[str, Stats]) -> Snapshot:
        """The board with what git says about a project's branches; the others keep what they had."""
        self._stats.update({(project, branch): each for branch, each in stats.items()})
        new = [replace(row, stats=found) for row in self._rows.all() if (found := self._stats_of(row)) != row.stats]
        self._rows.put(new)
        return self._snapshot(complete=True)

    def with_conflicts(self, project: str, conflicts: Mapping[str, Conflicts]) -> Snapshot:
        """The board with what stands against a project's branches, by task; a task that is not named has nothing."""
        self._conflicts = {key: each for key, each in self._conflicts.items() if key[0] != project}
        self._conflicts.update({(project, task): each for task, each in conflicts.items()})
        rows = [row for row in self._rows.all() if row.ref.project == project and row.task is not None]
        self._rows.put([self._with_its_conflicts(row) for row in rows])
        return self._snapshot(complete=True)

    def _with_its_conflicts(self, row: TaskRow) -> TaskRow:
        key = (row.ref.project, row.ref.id)
        found = None if row.finished else self._conflicts.get(key)
        if found == row.conflicts or row.task is None:
            return row
        why = self._why(key, row.task, row.session, row.agent, found)
        return replace(row, conflicts=found, needs=why)

    def _why(self, key: Key, task: Task, session: str, agent: str | None, conflicts: Conflicts | None) -> str | None:
        files = conflicts.files if conflicts is not None else ()
        note = self._known[key].pull_request
        facts = needs.Facts(session, agent, files, note.needs() if note is not None else None)
        return needs.reason(task, self._workflow(task.workflow), facts) or self._overdue(key)

    def _stats_of(self, row: TaskRow) -> Stats | None:
        return None if row.task is None else self._stats.get((row.ref.project, row.task.branch))

    def _begin(self) -> bool:
        """Look at what is beside the tasks; says whether the projects are other ones than before."""
        projects_changed = self._house.look()
        names = {*self._workflows, *(project.workflow for project in self._house.projects)}
        self._workflows = {name: self._load(name) for name in names}
        return projects_changed

    def _look_everywhere(self, *, afresh: bool) -> None:
        keys = listed(self._orange.home.tasks, self._project)
        for key in self._known.keys() - keys:
            self._forget(key)
        for key in keys:  # what a task does not say itself, its project says
            if afresh or self._signatures.get(key) != self._signature(key):
                self._read(key)

    def _signature(self, key: Key) -> TaskSignature:
        return signature(f"{self._orange.home.tasks}/{key[0]}/{key[1]}")

    def _read(self, key: Key) -> None:
        before = self._signature(key)  # what changes while we read is to be read again
        known = read_task(self._orange, TaskRef(*key), self._is_in_first_state)
        if known is None:
            self._forget(key)
            return
        self._known[key], self._signatures[key], self._by_id[key[1]] = known, before, key
        if known.task is not None:  # one that cannot be read stays a part of what it was a part of
            self._parts.take(key, known.task)
        self._with_session.discard(key)
        if known.task is not None and known.task.tmux_session is not None:
            self._with_session.add(key)
        for blocker in known.task.blocked_by if known.task is not None else ():
            self._dependents.setdefault(blocker, set()).add(key)
        if known.has_message:
            self._messages.setdefault(key, time.monotonic())
        else:
            self._messages.pop(key, None)

    def _forget(self, key: Key) -> None:
        self._known.pop(key, None)
        self._parts.take(key, None)
        self._signatures.pop(key, None)
        self._messages.pop(key, None)
        self._with_session.discard(key)
        if self._by_id.get(key[1]) == key:
            del self._by_id[key[1]]
        self._rows.drop(key)

    def _with_new_rows(self, keys: Iterable[Key], *, complete: bool = True) -> Snapshot:
        live = self._live_windows()
        self._rows.put([self._row(key, known, live) for key in keys if (known := self._known.get(key)) is not None])
        return self._snapshot(complete=complete)

    def _snapshot(self, *, complete: bool) -> Snapshot:
        rows, counts, needing = self._rows.told()
        house, now = self._house, time.monotonic()
        again = any(now - since <= _MESSAGE_MAY_WAIT for since in self._messages.values())
        workflows = dict(self._workflows)
        return Snapshot(rows, counts, needing, house.pool, house.projects, house.problem, complete, again, workflows)

    def _live_windows(self) -> Live:
        """One question to tmux for all tasks, and none where no task has a session."""
        if not self._with_session:
            return {}
        try:
            panes = self._orange.sessions.panes(fresh=True)
        except OrangeError:
            return None
        found: dict[str, list[Pane]] = {}
        for pane in panes:
            found.setdefault(pane.task, []).append(pane)
        return found

    def _row(self, key: Key, known: Known, live: Live) -> TaskRow:
        task = known.task
        if task is None:
            order = (BROKEN, "", *key)
            return TaskRow(known.ref, None, known.error, NONE, None, known.error, None, False, None, None, order)
        workflow = self._workflow(task.workflow)
        state = None if isinstance(workflow, str) else workflow.states.get(task.status)
        finished = state is not None and state.terminal
        session = self._session(key, task, state, live)
        agent = known.agent(required_window(task, state)) if session == ACTIVE else None
        conflicts = None if finished else self._conflicts.get(key)
        why = self._why(key, task, session, agent, conflicts)
        waits = self._waits(known, task, state)
        order = (FINISHED if finished else UNFINISHED, str(task.created_at), *key)
        stats = self._stats.get((key[0], task.branch))
        about = (conflicts, known.pull_request, *self._parts.told(task.id))
        return TaskRow(known.ref, task, None, session, agent, why, waits, finished, _number(task), stats, order, *about)

    def _workflow(self, name: str) -> Workflow | str:
        """A workflow, or what is wrong with it; each is looked for once in a refresh."""
        found = self._workflows.get(name)
        if found is None:
            found = self._workflows[name] = self._load(name)
        return found

    def _load(self, name: str) -> Workflow | str:
        try:
            return self._orange.workflows.load(name)
        except OrangeError as problem:
            return str(problem).partition("\n")[0]

    def _is_in_first_state(self, task: Task) -> bool:
        workflow = self._workflow(task.workflow)
        return not isinstance(workflow, str) and task.status == workflow.first_state

    def _session(self, key: Key, task: Task, state: State | None, live: Live) -> str:
        before = self._rows.get(key)
        earlier = before.session if before is not None and before.task is task else None
        windows = None if live is None else live.get(task.id, [])
        return self._orange.sessions.judge(task, state, windows, earlier)

    def _overdue(self, key: Key) -> str | None:
        since = self._messages.get(key)
        return _MESSAGE_WAITS if since is not None and time.monotonic() - since > _MESSAGE_MAY_WAIT else None

    def _waits(self, known: Known, task: Task, state: State | None) -> str | None:
        if known.has_message:
            return "a message waits for the agent"
        if not self._is_in_first_state(task) and (state is None or state.rejoin is None):
            return None
        names = [name for blocker in task.blocked_by if (name := self._unfinished(blocker)) is not None]
        if names:
            return f"waits for {names[0]}" + (f" and {len(names) - 1} more" if len(names) > 1 else "")
        return "waits for a workspace" if known.is_queued else None

    def _unfinished(self, blocker: str) -> str | None:
        """What to call a task that is waited for, unless it is done."""
        key = self._by_id.get(blocker)
        task = self._house.task_elsewhere(blocker) if key is None else self._known[key].task
        if task is None:
            return blocker
        return None if task.status == DONE else task.branch


def _number(task: Task) -> str | None:
    """The number of a task's workspace: the last part of its name."""
    return task.workspace.rpartition("--")[2] if task.workspace is not None else None
