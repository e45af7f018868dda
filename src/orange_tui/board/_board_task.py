"""One task of the board: what the index has of it, and what its agents and its pull request report of themselves."""

from __future__ import annotations

from orange_tui.delivery.pr_status import read_status
from orange_tui.domain.records import record
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
class BoardTask:
    """What a row is made of, as the files were when they were last read."""

    entry: IndexedTask
    agents: Mapping[str, AgentStatus]  # window → what its agent does
    pull_request: PullRequestStatus | None

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
        return most_urgent(self.agents[window] for window in windows if window in self.agents)


def read_board_task(store: Store, entry: IndexedTask) -> BoardTask:
    """Add to what the index has what is true only now; most tasks have neither agent nor pull request."""
    task = entry.task
    if task is None or (task.tmux_session is None and task.pr_url is None):
        return BoardTask(entry, {}, None)
    directory = store.directory(entry.ref)
    agents = _read_agents(directory) if task.tmux_session is not None else {}
    return BoardTask(entry, agents, read_status(directory, task.pr_url) if task.pr_url is not None else None)


def _read_agents(directory: str) -> dict[str, AgentStatus]:
    return {window: judge(values) for window, values in Runtime(directory).read().items()}
