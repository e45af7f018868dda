"""One task of the board: what the index has of it, and what its agents and its pull request report of themselves."""

from __future__ import annotations

from orange_tui.delivery.pr_status import read_status
from orange_tui.domain.errors import OrangeError
from orange_tui.domain.records import record
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
class BoardTask:
    """What a row is made of, as the files were when they were last read."""

    entry: IndexedTask
    agents: Mapping[str, AgentStatus]  # window → what its agent does
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

    @property
    def has_comments(self) -> bool:
        """Whether somebody has commented on its code, and that is not settled."""
        return bool(self.threads_open or self.drafts)

    def agent(self, windows: Collection[str]) -> AgentStatus:
        """What the agents of these windows do: the most urgent of it."""
        return most_urgent(self.agents[window] for window in windows if window in self.agents)


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


def _read_agents(state_directory: str) -> dict[str, AgentStatus]:
    return {window: judge(values) for window, values in Runtime(state_directory).read().items()}
