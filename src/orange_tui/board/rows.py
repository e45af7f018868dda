"""The rows of the board: what is in one, and all of them in order."""

from __future__ import annotations

from bisect import bisect_left
from operator import attrgetter

from orange_tui.domain.records import record, replace
from orange_tui.domain.usage.totals import Totals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from orange_tui.board.needs import Need
    from orange_tui.branches.conflicts import Conflicts
    from orange_tui.branches.stats import Stats
    from orange_tui.domain.pull_request import PullRequestStatus
    from orange_tui.domain.task import Task
    from orange_tui.domain.usage.budget import BudgetUse
    from orange_tui.domain.usage.totals import TaskUsage
    from orange_tui.domain.workflow import Workflow
    from orange_tui.home.projects import Project
    from orange_tui.sessions.agent_state import AgentStatus
    from orange_tui.store.index import Key
    from orange_tui.store.journal import Start
    from orange_tui.store.store import TaskRef

    Order = tuple[int, str, str, str]

FINISHED, UNFINISHED, BROKEN = range(3)  # the groups of the board, from the bottom up
WAITS, COULD_START = (
    "waits for a workspace",
    "could start: a workspace is free",
)  # what a task that found none waits for
FACTS = ("pull_request", "usage", "needs", "status", "last_line")  # of a row, which most tasks do not have
_SORT_ALL_FROM = 200  # rows from which sorting all is quicker than finding each one's place
_order = attrgetter("order")


@record
class TaskRow:
    """One task on the board. `task` is None where TASK.md cannot be read: then `error` says why."""

    ref: TaskRef
    task: Task | None
    error: str | None
    session: str  # active, dead, lost or none
    status: AgentStatus | None  # what a live agent does
    needs: Need | None  # why a person should look
    waits: str | None  # what it waits for by itself
    finished: bool
    workspace_number: str | None
    stats: Stats | None
    order: Order  # group, created_at, project, id; the board goes from the highest to the lowest
    conflicts: Conflicts | None = None  # None: nothing stands against it, as far as is known
    pull_request: PullRequestStatus | None = None
    subtask_counts: tuple[int, int] | None = None  # of a task that has some: how many are done, and how many there are
    subtasks: tuple[TaskRef, ...] = ()  # those, oldest first
    usage: TaskUsage | None = None  # what its agents have used; None where nothing is known
    budget: BudgetUse | None = None  # how much that is of what they may, where somebody has said
    limit: str | None = None  # whose limit it has reached, or could not start for, and until when
    threads_open: int = 0  # comments on its code that wait for an answer
    drafts: int = 0  # comments of the person's that were not sent
    since: str = ""  # when it came to its state
    needs_since: str = ""  # when it came to need a person, as far as anything tells
    last_line: str = ""  # the last line that its agent has printed

    @property
    def agent(self) -> str | None:
        """What a live agent does: starting, busy, idle, permission, limit, error or unknown."""
        return self.status.state if self.status is not None else None

    @property
    def asks(self) -> str | None:
        """The question that a live agent waits with."""
        return self.status.asks if self.status is not None else None


@record
class PoolUse:
    """How many of a project's workspaces are taken, by tasks or by what was set aside."""

    used: int
    size: int


def waits_for_workspace(start: Start, pool: PoolUse | None) -> str | None:
    """What is to be said of a task that has not begun: where a workspace is free by now, it waits for a person."""
    is_free = start.full_at is not None and pool is not None and pool.used < pool.size
    return (COULD_START if is_free else WAITS) if start.waits else None


def needs_trust(project: str) -> str:
    """What is to be said of a task that has not begun because its repository brings something along."""
    return f"waits for your trust in what {project} brings along"


@record
class Share:
    """What a project's tasks are of a snapshot: how many there are in each status, and how many need a person.

    `facts` are those of `FACTS` that a task there has: a list need not go through ten thousand to know what to show.
    """

    counts: Mapping[str, int]
    needing: int
    facts: frozenset[str] = frozenset()


@record
class Snapshot:
    """The whole board at one moment: what cannot be read first, then what is not finished; the newest first."""

    rows: tuple[TaskRow, ...]
    counts: Mapping[str, int]  # status → tasks; one that cannot be read has none
    needing: int
    pool: Mapping[str, PoolUse]
    projects: tuple[Project, ...]
    problem: str | None  # why projects or workspaces cannot be read
    complete: bool  # False while the first reading goes on
    refresh_soon: bool  # time alone will change a row: refresh(()) in a second or so
    workflows: Mapping[str, Workflow | str]  # those of the tasks and projects here, or what is wrong with one
    text_changes: int  # how often a task's body or history has changed, of which no row tells
    used: Mapping[str, Totals]  # today, by project: by its tasks, by chats and by tasks that are deleted
    shares: Mapping[str, Share]  # by project; of those that have tasks
    scope: str | None = None  # the one project that is shown; None: all

    @property
    def facts(self) -> frozenset[str]:
        """Those of `FACTS` that a task has which is shown."""
        shown = (share for project, share in self.shares.items() if self.scope in {None, project})
        return frozenset[str]().union(*(share.facts for share in shown))

    @property
    def used_today(self) -> Totals | None:
        """What was used today by all that is shown; None where nothing is known."""
        return sum(self.used.values(), Totals()) if self.used else None

    def differs_only_in_texts(self, other: Snapshot) -> bool:
        """Whether the other one has the same rows and all else, and only the tasks' texts have changed."""
        return self.text_changes != other.text_changes and replace(self, text_changes=other.text_changes) == other


class SortedRows:
    """The rows in order, with their counts: one is added or removed without going through the others."""

    def __init__(self) -> None:
        self._rows: dict[Key, TaskRow] = {}
        self._sorted: list[TaskRow] = []  # from the lowest to the highest
        self._orders: list[Order] = []
        self._counts: dict[str, dict[str, int]] = {}  # by project and status
        self._with: dict[str, dict[str, int]] = {}  # by project and fact
        self._newest_first: tuple[TaskRow, ...] | None = None  # as it was last asked for

    def get(self, key: Key) -> TaskRow | None:
        """The row of a task."""
        return self._rows.get(key)

    def all(self) -> Sequence[TaskRow]:
        """Every row."""
        return self._sorted

    def put(self, new: Sequence[TaskRow]) -> None:
        """Add or replace rows; where one equals what was there before, what was there stays."""
        fresh = [row for row in new if self._rows.get((row.ref.project, row.ref.id)) != row]
        self._newest_first = None if fresh else self._newest_first
        if len(fresh) > _SORT_ALL_FROM:
            self._rows.update({(row.ref.project, row.ref.id): row for row in fresh})
            self._sort()
            return
        for row in fresh:
            key = (row.ref.project, row.ref.id)
            self.drop(key)
            self._rows[key] = row
            index = bisect_left(self._orders, row.order)
            self._orders.insert(index, row.order)
            self._sorted.insert(index, row)
            self._count(row, 1)

    def _sort(self) -> None:
        self._sorted = sorted(self._rows.values(), key=_order)
        self._orders = [row.order for row in self._sorted]
        self._counts, self._with = {}, {}
        for row in self._sorted:
            self._count(row, 1)

    def drop(self, key: Key) -> None:
        """Remove a row, if there is one."""
        row = self._rows.pop(key, None)
        if row is not None:
            self._newest_first = None
            index = bisect_left(self._orders, row.order)
            del self._orders[index], self._sorted[index]
            self._count(row, -1)

    def _count(self, row: TaskRow, one: int) -> None:
        project = row.ref.project
        counts, having = self._counts.setdefault(project, {}), self._with.setdefault(project, {})
        for fact in FACTS:
            if getattr(row, fact):
                having[fact] = having.get(fact, 0) + one
        if row.task is not None:
            counts[row.task.status] = counts.get(row.task.status, 0) + one

    def contents(self) -> tuple[tuple[TaskRow, ...], dict[str, Share]]:
        """The rows as they are shown, and what each project has of them."""
        shares = {project: self._share(project) for project in self._counts}
        if self._newest_first is None:
            self._newest_first = tuple(self._sorted[::-1])
        return self._newest_first, shares

    def _share(self, project: str) -> Share:
        having = _some(self._with[project])
        return Share(_some(self._counts[project]), having.get("needs", 0), frozenset(having))


def _some(counts: Mapping[str, int]) -> dict[str, int]:
    return {status: count for status, count in counts.items() if count}
