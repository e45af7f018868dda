"""Tasks as JSON: their fields, and what is known of them beside their file."""

from __future__ import annotations

from orange_tui.domain.usage.totals import usage_as_json
from orange_tui.store.store import BrokenTask
from orange_tui.usage.usage_file import UsageFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from orange_tui.domain.task import Task
    from orange_tui.orange import Orange
    from orange_tui.sessions.agent_state import AgentStatus
    from orange_tui.store.store import StoredTask


def task_as_json(task: Task, orange: Orange) -> dict[str, object]:
    """One task."""
    return _as_json(task, agent_status(task, orange), orange)


def tasks_as_json(found: Sequence[StoredTask | BrokenTask], orange: Orange) -> list[dict[str, object]]:
    """Several; all their agents are looked at together."""
    with_session = [each for each in found if not isinstance(each, BrokenTask) and each.task.tmux_session is not None]
    asked = [(each.ref, each.task, orange.engine.state_of(each.task)) for each in with_session]
    statuses = orange.screens.statuses(asked) if asked else {}
    return [
        {"id": each.ref.id, "project": each.ref.project, "error": each.error}
        if isinstance(each, BrokenTask)
        else _as_json(each.task, statuses.get(each.ref), orange)
        for each in found
    ]


def agent_status(task: Task, orange: Orange) -> AgentStatus | None:
    """What a task's live agent does at this moment, in the words of the board."""
    if task.tmux_session is None:
        return None
    ref = orange.store.ref_of(task)
    return orange.screens.statuses([(ref, task, orange.engine.state_of(task))]).get(ref)


def _as_json(task: Task, agent: AgentStatus | None, orange: Orange) -> dict[str, object]:
    usage = UsageFile(orange.home.task_state(task.project, task.id)).read()
    return task.as_json() | {
        "session": orange.tasks.session_state(task),
        "agent": agent.state if agent is not None else None,
        "asks": agent.asks if agent is not None else None,
        "usage": usage_as_json(usage),
    }
