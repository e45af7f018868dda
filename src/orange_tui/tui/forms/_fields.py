"""What forms are made of: a name with its field, and the choices that more than one form offers.

The choices were read before, in a thread: a form opens without reading a file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Horizontal
from textual.widgets import Input, Label, Select

from orange_tui.agents.harnesses import DEMO

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.widget import Widget

    from orange_tui.tui.context import AppContext

_PROJECTS_DEFAULT = "project default"
_ROUTER = "router"
_NOBODY = "none yet: it waits until one is installed"
_DEMO = "demo (scripted, does no real work)"


def field(name: str, widget: Widget) -> ComposeResult:
    """A field with its name before it."""
    with Horizontal(classes="field"):
        yield Label(name, classes="name")
        yield widget


def text_field(name: str, placeholder: str, *, label: str = "") -> ComposeResult:
    """A field of one line."""
    yield from field(label or name, Input(placeholder=placeholder, id=name, compact=True))


def project_field(shared: AppContext, default: str | None = None) -> ComposeResult:
    """One of the projects; where there is only one, it is chosen. An app for one project needs no such field."""
    if shared.project:
        return
    names = [project.name for project in shared.snapshot.projects] if shared.snapshot else []
    chosen = default if default in names else names[0] if len(names) == 1 else Select.NULL
    yield from field("project", Select([(n, n) for n in names], id="project", value=chosen, compact=True))


def agent_field(shared: AppContext) -> ComposeResult:
    """One of the agents that are installed."""
    options = agent_choices(shared, router=False)
    yield from choice_field("harness", options, label="agent")


def agent_choices(shared: AppContext, *, router: bool) -> list[tuple[str, str]]:
    """The agents to choose from, the default first; where a router can choose, that is left to it.

    The demo's agent works in nobody's own repository unless it is chosen: where there is no other, the task waits.
    """
    named = [(_DEMO if name == DEMO else name, name) for name in shared.choices.harnesses]
    if router:
        return [(_ROUTER, ""), *named]
    return [(_NOBODY, ""), *named] if shared.choices.lacks_agent else named


def choice_field(name: str, options: Sequence[tuple[str, str]], *, label: str = "") -> ComposeResult:
    """A list to choose one from; the first one is chosen."""
    yield from field(label or name, Select(options, id=name, value=options[0][1], allow_blank=False, compact=True))


def workflow_field(shared: AppContext) -> ComposeResult:
    """A workflow, or the one the project has."""
    names = [(_PROJECTS_DEFAULT, ""), *((name, name) for name in shared.choices.workflows)]
    yield from choice_field("workflow", names)
