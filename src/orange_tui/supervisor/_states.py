"""What the supervisor has to know of a task's state, looked up once for all tasks that are in it."""

from __future__ import annotations

from orange_tui.domain.errors import OrangeError
from orange_tui.domain.records import record
from orange_tui.sessions.liveness import NONE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import Workflow
    from orange_tui.home.workflows import Workflows

DEFAULT_POLL_SECONDS = 30
_MIN_POLL_SECONDS = 1


@record
class StateRules:
    """What a workflow says of one of its states; of a state that it does not know, nothing."""

    is_finished: bool = False
    is_automatic: bool = False  # Orange itself moves tasks on from here
    is_running: bool = False  # an agent works here, in a workflow that starts its tasks by itself
    is_queue: bool = False  # tasks wait here for their start
    misses_agent: bool = False  # a task without an agent is looked at all the same
    rejoins: bool = False  # it goes on by itself once what it waits for is done
    poll_seconds: int = DEFAULT_POLL_SECONDS  # between two looks at its agents: the workflow's poll_interval


class StateTable:
    """The rules of every state that tasks are in; for one round, as workflows may change."""

    def __init__(self, workflows: Workflows) -> None:
        self._workflows = workflows
        self._rules: dict[tuple[str, str], StateRules] = {}

    def clear(self) -> None:
        """Read the workflows again."""
        self._rules = {}

    def rules_for(self, task: Task) -> StateRules:
        """The rules of the state that a task is in."""
        key = (task.workflow, task.status)
        if key not in self._rules:
            try:
                self._rules[key] = _rules(self._workflows.load(task.workflow), task.status)
            except OrangeError:
                self._rules[key] = StateRules()
        return self._rules[key]


def _rules(workflow: Workflow, status: str) -> StateRules:
    state = workflow.states.get(status)
    if state is None:
        return StateRules()
    has_agent = workflow.starts_by_itself and state.agent not in {None, NONE}
    is_open = not state.terminal
    is_automatic = is_open and state.auto is not None
    is_running = is_open and not is_automatic and has_agent
    return StateRules(
        is_finished=state.terminal,
        is_automatic=is_automatic,
        is_running=is_running,
        is_queue=is_open and not is_automatic and not is_running and status == workflow.first_state,
        misses_agent=any(rule.status == status and not rule.is_about_death for rule in workflow.rules),
        rejoins=bool(state.rejoin),
        poll_seconds=max(_MIN_POLL_SECONDS, workflow.poll_interval),
    )
