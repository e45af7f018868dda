"""The workflows of the tasks on a board, or what is wrong with one; each file is looked for once in a refresh."""

from __future__ import annotations

from orange_tui.domain.errors import OrangeError
from orange_tui.domain.workflow import DONE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import State, Workflow
    from orange_tui.home.workflows import Workflows


class BoardWorkflows:
    """The workflows by name, as of the last refresh."""

    def __init__(self, files: Workflows) -> None:
        self._files = files
        self.by_name: dict[str, Workflow | str] = {}

    def refresh(self, names: Iterable[str]) -> None:
        """Look for those that are known, and for these, once more."""
        self.by_name = {name: self._load(name) for name in {*self.by_name, *names}}

    def get(self, name: str) -> Workflow | str:
        """A workflow, or what is wrong with it."""
        found = self.by_name.get(name)
        if found is None:
            found = self.by_name[name] = self._load(name)
        return found

    def _load(self, name: str) -> Workflow | str:
        try:
            return self._files.load(name)
        except OrangeError as problem:
            return str(problem).partition("\n")[0]

    def state_of(self, task: Task) -> State | None:
        """The state a task is in, if its workflow can be read and has it."""
        workflow = self.get(task.workflow)
        return None if isinstance(workflow, str) else workflow.states.get(task.status)

    def is_done(self, task: Task) -> bool:
        """Whether a task has come to a good end."""
        workflow = self.get(task.workflow)
        return task.status == DONE if isinstance(workflow, str) else workflow.is_done(task.status)

    def is_in_first_state(self, task: Task) -> bool:
        """Whether a task has not begun."""
        workflow = self.get(task.workflow)
        return not isinstance(workflow, str) and task.status == workflow.first_state
