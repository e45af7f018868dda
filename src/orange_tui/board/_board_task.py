"""One task of the board: what the index has of it, and what its agents and its pull request report of themselves."""

from __future__ import annotations

from orange_tui.delivery.pr_status import read_status
from orange_tui.domain.errors import OrangeError
from orange_tui.domain.records import record
from orange_tui.domain.task import one_line
from orange_tui.review.threads_file import ThreadsFile
from orange_tui.sessions.agent_state import judge, most_urgent
from orange_tui.sessions.runtime import Runtime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from orange_tui.domain.pull_request import PullRequestStatus
    from orange_tui.domain.task import Task
    from orange_tui.sessions.agent_state import AgentStatus
    from orange_tui.store.index import IndexedTask
    from orange_tui.store.store import Store


@record
class SeenAgent:
    """What a window's agent does, since when that is known, and the last line it has printed."""

    status: AgentStatus
    since: str = ""
    last_line: str = ""


@record
class BoardTask:
    """What a row is made of, as the files were when they were last read."""

    entry: IndexedTask
    agents: Mapping[str, SeenAgent]  # by window
    pull_request: PullRequestStatus | None
    threads_open: int = 0  # comments on its code that wait for an answer
    drafts: int = 0  # comments of the person's that were not sent

    @property
    def task(self) -> Task | None:
        """The task, unless TASK.md cannot be read."""
        return self.entry.task

    @property
    def has_session(self) -> bool:
        """Whether it has an agent to lose."""
        return self.entry.task is not None and self.entry.task.tmux_session is not None

    @property
    def has_message(self) -> bool:
        """Whether a message waits for its agent."""
        return self.entry.has_message and self.has_session

    def agent(self, windows: Collection[str]) -> AgentStatus:
        """What the agents of these windows do: the most urgent of it."""
        return most_urgent(self.agents[window].status for window in windows if window in self.agents)

    def said_at(self, windows: Collection[str]) -> str:
        """When the most urgent of them came to do that; empty where nothing tells."""
        status = self.agent(windows)
        times = [self.agents[window].since for window in windows if self._does(window, status)]
        return min(filter(None, times), default="")

    def _does(self, window: str, status: AgentStatus) -> bool:
        return window in self.agents and self.agents[window].status == status

    def last_line(self, windows: Collection[str]) -> str:
        """What the newest of them that prints has printed last."""
        lines = [self.agents[window].last_line for window in sorted(windows) if window in self.agents]
        return next((line for line in lines if line), "")


def read_board_task(store: Store, entry: IndexedTask) -> BoardTask:
    """Add to what the index has what is true only now; most tasks have neither agent nor pull request."""
    task = entry.task
    if task is None or (task.tmux_session is None and task.pr_url is None and task.workspace is None):
        return BoardTask(entry, {}, None)
    state_directory = store.state_directory(entry.ref)
    agents = _read_agents(state_directory) if task.tmux_session is not None else {}
    pull_request = read_status(state_directory, task.pr_url) if task.pr_url is not None else None
    return BoardTask(
        entry, agents, pull_request, *_count_comments(ThreadsFile(store.home, entry.ref.project, entry.ref.id))
    )


def _count_comments(file: ThreadsFile) -> tuple[int, int]:
    """How many are open, and how many drafts; none in a file that can't be read, of which the review tells."""
    try:
        states = [thread.state for thread in file.read()]
    except OrangeError:
        return 0, 0
    return states.count("open"), states.count("draft")


def _read_agents(state_directory: str) -> dict[str, SeenAgent]:
    return {window: _seen(values) for window, values in Runtime(state_directory).read().items()}


def _seen(values: Mapping[str, object]) -> SeenAgent:
    status = judge(values)
    reported, seen = (str(values.get(name) or "") for name in ("event_at", "seen_at"))
    last = values.get("last")
    since = reported if values.get("state") == status.state else seen
    return SeenAgent(status, since, one_line(last) if isinstance(last, str) else "")
