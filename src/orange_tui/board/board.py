"""The list of tasks as the app shows it: one row a task, in order, made from the index and kept up to date.

A snapshot never changes, and a row that says what it said before is the same object: whoever draws can tell by
identity what to draw anew. One thread at a time works with a `Boards`, and it is not the event loop's.
"""

from __future__ import annotations

import time

from orange_tui.board import needs
from orange_tui.board._board_task import read_board_task
from orange_tui.board._limits import BoardLimits, find_limit
from orange_tui.board._needing import NeedTimes
from orange_tui.board._usages import Usages
from orange_tui.board._waiting import Waiting
from orange_tui.board._workflows import BoardWorkflows
from orange_tui.board.needs import Need
from orange_tui.board.rows import BROKEN, FINISHED, UNFINISHED, Snapshot, SortedRows, TaskRow
from orange_tui.branches.stats import Stats
from orange_tui.domain.errors import OrangeError
from orange_tui.domain.records import replace
from orange_tui.domain.usage.budget import use_of_budget
from orange_tui.sessions.liveness import ACTIVE, NONE, counted_windows
from orange_tui.store.store import TaskRef
from orange_tui.usage.budget import budget_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from orange_tui.board._board_task import BoardTask
    from orange_tui.board.projects_and_pool import ProjectsAndPool
    from orange_tui.board.rows import Share
    from orange_tui.branches.conflicts import Conflicts
    from orange_tui.domain.task import Task
    from orange_tui.domain.usage.budget import BudgetUse
    from orange_tui.domain.workflow import State
    from orange_tui.home.workflows import Workflows
    from orange_tui.outside.tmux.server import Pane
    from orange_tui.sessions.agent_state import AgentStatus
    from orange_tui.sessions.liveness import Sessions
    from orange_tui.store.index import IndexedTask, Key, TaskIndex

    Live = dict[str, list[Pane]] | None  # windows by task; None where tmux cannot be asked

_MESSAGE_GRACE_SECONDS = 5.0  # until an undelivered message is worth a person's look
_MESSAGE_WAITS = Need("A message waits until the agent can take it", "message")


class Boards:
    """The board of all projects; `scope.py` narrows what it shows to one."""

    def __init__(
        self, index: TaskIndex, sessions: Sessions, workflows: Workflows, projects_and_pool: ProjectsAndPool
    ) -> None:
        self._index, self._sessions = index, sessions
        self._workflows, self._projects_and_pool = BoardWorkflows(workflows), projects_and_pool
        self._limits = BoardLimits(index.store.home)
        self._waiting_for = Waiting(index, self._workflows, projects_and_pool, self._limits)
        self._usages = Usages(index.store.home)
        self._need_times = NeedTimes()
        self._rows = SortedRows()
        self._tasks: dict[Key, BoardTask] = {}
        self._changed: set[Key] = set()  # since the refresh before: their agents' ends are looked up again
        self._with_session: set[Key] = set()
        self._waiting: set[Key] = set()  # for a workspace, or the end of a limit
        self._messages: dict[Key, float] = {}  # since when we know of one that waits
        self._text_changes = 0
        self._is_settled = False  # every task had its row by then: what comes is news
        self._stats: dict[Key, Stats] = {}  # by project and branch
        self._conflicts: dict[Key, Conflicts] = {}  # by project and task
        self._reasons: dict[tuple[object, ...], Need | None] = {}  # why tasks like this need a person: a cache

    def workspace_holders(self) -> list[TaskRef]:
        """The tasks that have a workspace: whoever has little time reads these first."""
        self._projects_and_pool.refresh()
        return self._projects_and_pool.holders

    def refresh(self, changed: Iterable[TaskRef] | None) -> Snapshot:
        """The board with these tasks as the index has them now; None: with all of them."""
        self._projects_and_pool.refresh()
        self._limits.refresh()
        self._workflows.refresh(project.workflow for project in self._projects_and_pool.projects)
        self._reasons = {}
        self._changed = keys = {(ref.project, ref.id) for ref in changed or ()}
        if changed is None:
            self._update_all()
            self._usages.refresh_all(None if self._index.is_complete else self._tasks)
            return self._with_new_rows(list(self._tasks))
        parents = self._parents_of(keys)  # also of those that are gone now
        for key in keys:
            self._update(key, self._index.get(TaskRef(*key)))
        dependents = self._dependents_of(keys)
        used = self._usages.refresh(keys)
        others = (used, self._with_session, self._waiting)  # these change with what is no task's: agents, workspaces
        return self._with_new_rows(keys.union(parents, self._parents_of(keys), dependents, *others))

    def with_stats(self, project: str, stats: Mapping[str, Stats]) -> Snapshot:
        """The board with what git says about a project's branches; the others keep what they had."""
        self._stats.update({(project, branch): each for branch, each in stats.items()})
        new = [replace(row, stats=found) for row in self._rows.all() if (found := self._stats_of(row)) != row.stats]
        self._rows.put(new)
        return self._snapshot()

    def with_conflicts(self, project: str, conflicts: Mapping[str, Conflicts]) -> Snapshot:
        """The board with what stands against a project's branches, by task; a task that is not named has nothing."""
        self._conflicts = {key: each for key, each in self._conflicts.items() if key[0] != project}
        self._conflicts.update({(project, task): each for task, each in conflicts.items()})
        rows = [row for row in self._rows.all() if row.ref.project == project and row.task is not None]
        self._rows.put([self._with_its_conflicts(row) for row in rows])
        return self._snapshot()

    def _with_its_conflicts(self, row: TaskRow) -> TaskRow:
        key = (row.ref.project, row.ref.id)
        found = None if row.finished else self._conflicts.get(key)
        if found == row.conflicts or row.task is None:
            return row
        reason = self._reason(key, row.task, row.session, row.status, found, budget=row.budget)
        since = self._need_times.note(key, self._tasks[key], reason, is_news=True)
        return replace(row, conflicts=found, needs=reason, needs_since=since)

    def _reason(  # noqa: PLR0913 - all that can be a reason
        self,
        key: Key,
        task: Task,
        session: str,
        agent: AgentStatus | None,
        conflicts: Conflicts | None,
        *,
        budget: BudgetUse | None,
    ) -> Need | None:
        files = conflicts.files if conflicts is not None else ()
        note = self._tasks[key].pull_request
        wrong = (note.needs(), note.has_threads, note.unpushed_sentence()) if note is not None else (None, False, None)
        facts = (session, agent, files, *wrong)
        alike = (task.workflow, task.status, task.attention, *facts)
        if alike not in self._reasons:
            self._reasons[alike] = needs.reason(task, self._workflows.get(task.workflow), needs.Facts(*facts))
        if (reason := self._reasons[alike] or self._overdue_message(key)) is not None:
            return reason
        if (cycle := self._waiting_for.cycle(task)) is not None:
            return Need(cycle, "cycle")
        if (trust := self._waiting_for.trust(self._tasks[key], task)) is not None:
            return Need(trust, "trust")
        return Need(str(budget.sentence()), "budget") if budget is not None and budget.is_reached else None

    def _stats_of(self, row: TaskRow) -> Stats | None:
        if row.task is None:
            return None
        key = (row.ref.project, row.ref.id)
        return self._stats_of_task(key, row.task, self._tasks[key].entry.merged_lines if row.finished else None)

    def _update_all(self) -> None:
        entries = {(entry.ref.project, entry.ref.id): entry for entry in self._index.entries()}
        for key in self._tasks.keys() - entries.keys():
            self._remove(key)
        for key, entry in entries.items():
            known = self._tasks.get(key)
            if known is None or known.entry is not entry or known.has_session or known.pull_request is not None:
                self._update(key, entry)

    def _update(self, key: Key, entry: IndexedTask | None) -> None:
        if entry is None:
            self._remove(key)
            return
        known = self._tasks.get(key)
        if known is None or known.entry.text_revision != entry.text_revision:
            self._text_changes += 1
        self._tasks[key] = task = read_board_task(self._index.store, entry)
        waits = entry.start.waits or (task.task is not None and self._waiting_for.goes_on(task.task))
        for group, is_member in ((self._with_session, task.has_session), (self._waiting, waits)):
            group.discard(key)
            if is_member:
                group.add(key)
        if task.has_message:
            self._messages.setdefault(key, time.monotonic())
        else:
            self._messages.pop(key, None)

    def _remove(self, key: Key) -> None:
        self._tasks.pop(key, None)
        self._messages.pop(key, None)
        self._with_session.discard(key)
        self._waiting.discard(key)
        self._need_times.forget(key)
        self._rows.drop(key)

    def _parents_of(self, keys: Iterable[Key]) -> set[Key]:
        """The tasks that these are subtasks of: how many are done is in their rows."""
        tasks = [found.task for key in keys if (found := self._tasks.get(key)) is not None]
        ids = {task.parent for task in tasks if task is not None and task.parent is not None}
        entries = [self._index.find(task_id) for task_id in ids]
        return {(entry.ref.project, entry.ref.id) for entry in entries if entry is not None}

    def _dependents_of(self, keys: Iterable[Key]) -> set[Key]:
        """The tasks that wait for these, themselves or through others."""
        found: set[Key] = set()
        left = [task_id for _, task_id in keys]
        while left:
            new = {(ref.project, ref.id) for ref in self._index.dependents_of(left.pop())} - found
            found |= new
            left += [task_id for _, task_id in new]
        return found

    def _with_new_rows(self, keys: Iterable[Key]) -> Snapshot:
        live = self._live_windows()
        self._rows.put([self._row(key, task, live) for key in keys if (task := self._tasks.get(key)) is not None])
        self._is_settled = self._index.is_complete
        return self._snapshot()

    def _snapshot(self) -> Snapshot:
        rows, shares = self._rows.contents()
        others, now = self._projects_and_pool, time.monotonic()
        is_message_new = any(now - since <= _MESSAGE_GRACE_SECONDS for since in self._messages.values())
        refresh_soon = is_message_new or not self._usages.is_complete
        complete, workflows = self._index.is_complete, dict(self._workflows.by_name)
        about = (others.pool, others.projects, others.problem, complete, refresh_soon, workflows, self._text_changes)
        counts, needing = _sums(shares.values())
        return Snapshot(rows, counts, needing, *about, self._usages.today(), shares)

    def _live_windows(self) -> Live:
        """One question to tmux for all tasks, and none where no task has a session."""
        if not self._with_session:
            return {}
        try:
            panes = self._sessions.panes(fresh=True)
        except OrangeError:
            return None
        found: dict[str, list[Pane]] = {}
        for pane in panes:
            found.setdefault(pane.task, []).append(pane)
        return found

    def _row(self, key: Key, known: BoardTask, live: Live) -> TaskRow:
        ref, task, error = known.entry.ref, known.task, known.entry.error
        if task is None:
            problem = Need(str(error), "broken")
            return TaskRow(ref, None, error, NONE, None, problem, None, False, None, None, (BROKEN, "", *key))
        state = self._workflows.state_of(task)
        finished = state is not None and state.terminal
        session = self._session(key, task, state, live)
        windows = counted_windows(task, state, (live or {}).get(task.id, []))
        reached = find_limit(known, task, state, session, windows)
        agent = reached.status if reached is not None else known.agent(windows) if session == ACTIVE else None
        conflicts = None if finished else self._conflicts.get(key)
        budget = None if finished else self._budget(key, task)
        reason = self._reason(key, task, session, agent, conflicts, budget=budget)
        waits = self._waiting_for.reason(known, task)
        limit = self._limits.sentence(reached.harness, reached.account) if reached else self._waiting_for.limit(known)
        order = (FINISHED if finished else UNFINISHED, str(task.created_at), *key)
        about = (conflicts, known.pull_request, *self._subtasks(task.id), self._usages.get(key), budget, limit)
        entry = known.entry
        since = self._need_times.note(key, known, reason, windows, is_news=self._is_settled)
        last_line = known.last_line(windows) if session == ACTIVE else ""
        times = (known.threads_open, known.drafts, entry.entered_at or str(task.updated_at), since, last_line)
        stats = self._stats_of_task(key, task, entry.merged_lines if finished else None)
        return TaskRow(
            ref, task, None, session, agent, reason, waits, finished, _number(task), stats, order, *about, *times
        )

    def _stats_of_task(self, key: Key, task: Task, merged: tuple[int, int, int] | None) -> Stats | None:
        """How far its branch is; of what is merged, what the merge has brought, whatever became of the branch."""
        return Stats(*merged) if merged is not None else self._stats.get((key[0], task.branch))

    def _budget(self, key: Key, task: Task) -> BudgetUse | None:
        return use_of_budget(budget_of(task, self._projects_and_pool.budget), self._usages.get(key))

    def _subtasks(self, task_id: str) -> tuple[tuple[int, int] | None, tuple[TaskRef, ...]]:
        """How many of a task's subtasks are done, how many there are, and which."""
        subtasks = self._index.subtasks_of(task_id)
        if not subtasks:
            return None, ()
        done = sum(self._workflows.is_done(each) for each in subtasks.values())
        return (done, len(subtasks)), tuple(subtasks)

    def _session(self, key: Key, task: Task, state: State | None, live: Live) -> str:
        before = self._rows.get(key)
        is_known = before is not None and before.task is task and key not in self._changed
        earlier = before.session if before is not None and is_known else None
        windows = None if live is None else live.get(task.id, [])
        return self._sessions.judge(task, state, windows, earlier)

    def _overdue_message(self, key: Key) -> Need | None:
        since = self._messages.get(key)
        return _MESSAGE_WAITS if since is not None and time.monotonic() - since > _MESSAGE_GRACE_SECONDS else None


def _sums(shares: Collection[Share]) -> tuple[dict[str, int], int]:
    """How many tasks there are in each status, and how many need a person, of all projects together."""
    counts: dict[str, int] = {}
    for share in shares:
        for status, count in share.counts.items():
            counts[status] = counts.get(status, 0) + count
    return counts, sum(share.needing for share in shares)


def _number(task: Task) -> str | None:
    """The number of a task's workspace: the last part of its name."""
    return task.workspace.rpartition("--")[2] if task.workspace is not None else None
