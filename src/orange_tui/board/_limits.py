"""Tasks at a limit, and what their rows say of it: `claude's limit, until 03:30`.

limits.json is read only where a task is at one, and once in a refresh: forty tasks of an account may be.
"""

from __future__ import annotations

from orange_tui.domain.records import record
from orange_tui.sessions.agent_state import GOES_ON, LIMIT, AgentStatus
from orange_tui.sessions.liveness import ACTIVE, DEAD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from orange_tui.board._board_task import BoardTask
    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import State
    from orange_tui.home.paths import Home
    from orange_tui.usage.limits import Limits


class BoardLimits:
    """The sentences about limits, as of the last refresh."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._sentences: dict[tuple[str, str | None], str] = {}
        self._waits: dict[str, str | None] = {}

    def refresh(self) -> None:
        """Read them anew, when they are asked for."""
        self._sentences, self._waits = {}, {}

    def why_wait(self, harness: str) -> str | None:
        """Why Orange itself starts no agent of this kind now; None where it may."""
        if harness not in self._waits:
            self._waits[harness] = self._limits().why_wait(harness)
        return self._waits[harness]

    def sentence(self, harness: str, account: str | None = None) -> str:
        """What is known of the limit of an account, the present one if none is named."""
        key = (harness, account)
        if key not in self._sentences:
            waits = self.why_wait(harness) if account is None else None
            self._sentences[key] = waits or self._limits().sentence(harness, account)
        return self._sentences[key]

    def _limits(self) -> Limits:
        from orange_tui.usage.limits import Limits  # the first frame does not wait for what few homes need

        return Limits(self._home)


@record
class AgentAtLimit:
    """An agent that waits for the end of its limit, alive or not."""

    harness: str
    account: str | None
    status: AgentStatus


def find_limit(
    known: BoardTask, task: Task, state: State | None, session: str, windows: Collection[str]
) -> AgentAtLimit | None:
    """The limit that a task's agent has reached: as Orange has written it down, or as the agent says for now."""
    status = known.agent(windows)
    is_marked = session == DEAD or status.state not in GOES_ON
    marks = [mark for mark in known.entry.at_limit if mark.window in windows or not windows] if is_marked else []
    if session not in {ACTIVE, DEAD} or not (marks or status.state == LIMIT):
        return None
    found = status if status.state == LIMIT else AgentStatus(LIMIT)
    if marks:
        return AgentAtLimit(marks[0].harness, marks[0].account, found)
    is_reviewers = state is not None and state.agent == "reviewer"
    return AgentAtLimit((task.review_harness if is_reviewers else None) or task.harness or "the agent", None, found)
