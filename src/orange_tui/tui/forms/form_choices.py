"""What an app wants to know beside the tasks: the person's settings, and what can be chosen when a task is made.

It is read in a thread when the app begins and when one of the files has changed, so that a form is there at once.
"""

from __future__ import annotations

from orange_tui.agents.harnesses import DEMO
from orange_tui.domain.errors import OrangeError
from orange_tui.domain.records import record
from orange_tui.home.settings import Settings, read_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.orange import Orange


@record
class Beside:
    """Settings, or what is wrong with them; the agents that are installed, the first choice first; the workflows."""

    settings: Settings | None
    problem: str | None
    harnesses: tuple[str, ...]
    workflows: tuple[str, ...]


def read_beside(orange: Orange) -> Beside:
    """Look at it all; what cannot be read is told, and stops nothing."""
    settings, problem = None, None
    try:
        settings = read_settings(orange.home)
    except OrangeError as found:
        problem = str(found)
    return Beside(settings, problem, tuple(_installed(orange)), tuple(orange.workflows.names()))


def _installed(orange: Orange) -> list[str]:
    harnesses = orange.services.harnesses
    return [name for name in harnesses.names() if name == DEMO or harnesses.installed(name)]
