"""What a form can offer: the agents that are installed, the workflows, the states to begin in, the branches git has.

Everything here reads files or asks git, so it is called off the event loop. Choices and settings are read when the app
starts and when one of their files has changed, so that a form opens at once.
"""

from __future__ import annotations

from orange_tui.agents.harnesses import DEMO
from orange_tui.domain.errors import OrangeError
from orange_tui.domain.records import record
from orange_tui.home.settings.config_file import Settings, read_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from orange_tui.orange import Orange


@record
class FormChoices:
    """Settings, or what is wrong with them; the agents that are installed, the default first; the workflows."""

    settings: Settings | None = None
    problem: str | None = None
    harnesses: tuple[str, ...] = (DEMO,)
    workflows: tuple[str, ...] = ()
    efforts: Mapping[str, tuple[str, ...]] = {}  # the levels that each agent knows

    @property
    def lacks_agent(self) -> bool:
        """Whether nobody is installed who does work: the demo only plays it."""
        return self.harnesses == (DEMO,)


def read_form_choices(orange: Orange) -> FormChoices:
    """Read them all; settings that cannot be read are reported, and stop nothing."""
    settings, problem = None, None
    try:
        settings = read_settings(orange.home)
    except OrangeError as found:
        problem = str(found)
    installed = tuple(_installed(orange))
    efforts = {name: orange.harnesses.get(name).efforts for name in installed}
    return FormChoices(settings, problem, installed, tuple(orange.workflows.names()), efforts)


def _installed(orange: Orange) -> list[str]:
    harnesses = orange.harnesses
    return [name for name in harnesses.names() if name == DEMO or harnesses.installed(name)]


def initial_states(orange: Orange) -> dict[str, tuple[str, ...] | str]:
    """By workflow: the states a task may start in, the default first; or why the workflow cannot be used."""
    return {name: _states(orange, name) for name in orange.workflows.names()}


def _states(orange: Orange, workflow: str) -> tuple[str, ...] | str:
    try:
        return tuple(orange.workflows.load(workflow).initial)
    except OrangeError as problem:
        return f"Workflow {workflow} can't be used: {problem}"


def routing_workflows(orange: Orange) -> frozenset[str]:
    """The workflows in which a router chooses the agent."""
    return frozenset(name for name in orange.workflows.names() if _routes(orange, name))


def _routes(orange: Orange, workflow: str) -> bool:
    try:
        return orange.workflows.load(workflow).has_action("route")
    except OrangeError:
        return False


def branches_of(orange: Orange, project: str) -> frozenset[str]:
    """The branches that a project has in git, here or as it last saw the remote."""
    from orange_tui.engine.creation import branches_in_git

    try:
        return branches_in_git(orange.projects.get(project))
    except OrangeError:
        return frozenset()
