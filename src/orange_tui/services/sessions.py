"""Whether a task's agent is alive."""

from __future__ import annotations

from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import State


@record
class Sessions:
    """The tmux sessions of all tasks, as they are now."""

    def state(self, task: Task) -> str:
        """`active`, `dead`, `lost`, or `none` for a task that has no session."""
        return "none" if task.tmux_session is None else "dead"

    def is_agent_alive(self, task: Task, _state: State) -> bool:
        """Whether the window that must be alive in this state is."""
        return self.state(task) == "active"
