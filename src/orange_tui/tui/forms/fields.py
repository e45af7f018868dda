"""What forms are made of: a name with its field, and the choices that more than one form offers.

The choices were read before, in a thread: a form opens without a look at a file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Horizontal
from textual.widgets import Label, Select

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.widget import Widget

    from orange_tui.tui.app import OrangeApp

_PROJECTS_DEFAULT = "the project's"


def field(name: str, widget: Widget) -> ComposeResult:
    """A field with its name before it."""
    with Horizontal(classes="field"):
        yield Label(name, classes="name")
        yield widget


def project_field(app: OrangeApp) -> ComposeResult:
    """One of the projects; where there is only one, it is chosen."""
    names = [project.name for project in app.snapshot.projects] if app.snapshot else []
    chosen = names[0] if len(names) == 1 else Select.NULL
    yield from field("project", Select([(n, n) for n in names], id="project", value=chosen, compact=True))


def agent_field(app: OrangeApp) -> ComposeResult:
    """One of the agents that are installed."""
    names = app.beside.harnesses
    choice = Select([(n, n) for n in names], id="harness", value=names[0], allow_blank=False, compact=True)
    yield from field("agent", choice)


def workflow_field(app: OrangeApp) -> ComposeResult:
    """A workflow, or the one the project has."""
    names = [(_PROJECTS_DEFAULT, ""), *((name, name) for name in app.beside.workflows)]
    yield from field("workflow", Select(names, id="workflow", value="", allow_blank=False, compact=True))
