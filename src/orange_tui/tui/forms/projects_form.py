"""The projects: what is registered, and what can be set of each."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rich.text import Text
from textual.containers import Horizontal
from textual.widgets import Input, Label, Select, Static

from orange_tui.domain.task import printable
from orange_tui.tui.drawing.labels import shorten_home
from orange_tui.tui.forms._fields import text_field
from orange_tui.tui.forms._form import Form

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from orange_tui.home.projects import Project
    from orange_tui.tui.context import AppContext


class ProjectsForm(Form):
    """Each project with its pool size and workflow, and a line to register another."""

    HEADING, SUBMIT = "Projects", "Save"

    def __init__(self, shared: AppContext) -> None:
        super().__init__(shared)
        self._projects = shared.snapshot.projects if shared.snapshot else ()

    def fields(self) -> ComposeResult:
        workflows = [(name, name) for name in self.shared.choices.workflows]
        for number, project in enumerate(self._projects):
            yield Static(_about(project), classes="project", markup=False)
            with Horizontal(classes="field"):
                yield Label("pool size", classes="name")
                yield Input(str(project.pool_size), id=f"size-{number}", type="integer", compact=True)
                yield Label("  workflow", classes="name")
                known = project.workflow in dict(workflows)
                chosen = project.workflow if known else Select.NULL
                yield Select(workflows, value=chosen, id=f"workflow-{number}", compact=True, allow_blank=not known)
        yield from text_field("path", "the path of another git repository", label="register")

    def on_input_changed(self) -> None:
        self.show_problem("")

    def submit(self) -> None:
        """Save what was changed."""
        wanted = [(project, self._values(number)) for number, project in enumerate(self._projects)]
        path = self.text("path")
        self.save(lambda: self._write(wanted, path), self._on_saved)

    def _on_saved(self, registered: str | None) -> None:
        if registered is not None:
            self.shared.ask_trust(registered, "")

    def _values(self, number: int) -> dict[str, object]:
        size, workflow = self.text(f"size-{number}"), self.choice(f"workflow-{number}")
        values: dict[str, object] = {"pool_size": int(size)} if size.lstrip("-").isdigit() else {}
        return values | ({"workflow": workflow} if workflow is not None else {})

    def _write(self, wanted: list[tuple[Project, dict[str, object]]], path: str) -> str | None:
        from orange_tui.home.registration import register

        for project, values in wanted:
            changes = {key: value for key, value in values.items() if getattr(project, key) != value}
            if changes:
                self.shared.orange.projects.update(project.name, changes)
        if not path:
            return None
        return register(self.shared.orange.projects, os.path.abspath(os.path.expanduser(path))).name


def _about(project: Project) -> Text:
    """Its name, where it is, and what it is compared with."""
    path = shorten_home(f"{project.path}/").rstrip("/")
    return Text.assemble(
        (printable(project.name), "bold"), f"  {printable(path)} · {printable(project.default_branch)}"
    )
