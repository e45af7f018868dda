"""What forms are made of: a name with its field, and the choices that more than one form offers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Horizontal
from textual.widgets import Label, Select

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.widget import Widget

    from orange_tui.services.orange import Orange

_PROJECTS_DEFAULT = "the project's"


def field(name: str, widget: Widget) -> ComposeResult:
    """A field with its name before it."""
    with Horizontal(classes="field"):
        yield Label(name, classes="name")
        yield widget


def project_field(orange: Orange) -> ComposeResult:
    """One of the projects; where there is only one, it is chosen."""
    names = [project.name for project in orange.projects.all()]
    chosen = names[0] if len(names) == 1 else Select.NULL
    yield from field("project", Select([(n, n) for n in names], id="project", value=chosen, compact=True))


def agent_field(orange: Orange) -> ComposeResult:
    """One of the agents that are installed."""
    harnesses = orange.services.harnesses
    names = [name for name in harnesses.names() if harnesses.installed(name)]
    first = harnesses.first_installed() or "demo"
    choice = Select([(n, n) for n in names], id="harness", value=first, allow_blank=False, compact=True)
    yield from field("agent", choice)


def workflow_field(orange: Orange) -> ComposeResult:
    """A workflow, or the one the project has."""
    names = [(_PROJECTS_DEFAULT, ""), *((name, name) for name in orange.workflows.names())]
    yield from field("workflow", Select(names, id="workflow", value="", allow_blank=False, compact=True))
