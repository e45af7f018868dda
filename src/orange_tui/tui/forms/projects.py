"""The projects: what is registered, and what can be set of each."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from rich.text import Text
from textual.containers import Horizontal, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Label, Select, Static

from orange_tui.domain.errors import OrangeError
from orange_tui.domain.task import printable
from orange_tui.tui.drawing.look import tilde

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from orange_tui.home.projects import Project
    from orange_tui.tui.app import OrangeApp


class Projects(ModalScreen[None]):
    """Each project with its pool size and workflow, and a line to register another."""

    app: OrangeApp
    BINDINGS = [("escape", "dismiss", "Back"), ("ctrl+s", "save", "Save")]  # noqa: RUF012 - Textual's own way

    def compose(self) -> ComposeResult:
        workflows = [(name, name) for name in self.app.beside.workflows]
        self._projects = self.app.snapshot.projects if self.app.snapshot else ()
        with VerticalScroll(classes="dialog form"):
            yield Label("Projects", classes="title")
            for number, project in enumerate(self._projects):
                yield Static(_about(project), classes="project", markup=False)
                with Horizontal(classes="field"):
                    yield Label("pool size", classes="name")
                    yield Input(str(project.pool_size), id=f"size-{number}", type="integer", compact=True)
                    yield Label("  workflow", classes="name")
                    known = project.workflow in dict(workflows)
                    chosen = project.workflow if known else Select.NULL
                    yield Select(workflows, value=chosen, id=f"workflow-{number}", compact=True, allow_blank=not known)
            with Horizontal(classes="field"):
                yield Label("register", classes="name")
                yield Input(placeholder="the path of another git repository", id="path", compact=True)
            yield Static("", id="problem", classes="problem", markup=False)
            with Horizontal(classes="buttons"):
                yield Button("Never mind (esc)", id="no", compact=True)
                yield Button("Save (ctrl+s)", id="yes", compact=True)

    def on_mount(self) -> None:
        for field in self.query(Input):
            field.cursor_blink = False
        self.query(Input).first().focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "yes":
            self.action_save()
        else:
            self.dismiss()

    def action_save(self) -> None:
        wanted = [(project, self._wanted(number)) for number, project in enumerate(self._projects)]
        path = self.query_one("#path", Input).value.strip()
        self.run_worker(self._save(wanted, path), exclusive=True)

    def _wanted(self, number: int) -> dict[str, object]:
        size = self.query_one(f"#size-{number}", Input).value
        workflow = self.query_one(f"#workflow-{number}", Select).value
        wanted: dict[str, object] = {"pool_size": int(size)} if size.lstrip("-").isdigit() else {}
        return wanted | ({"workflow": workflow} if isinstance(workflow, str) else {})

    async def _save(self, wanted: list[tuple[Project, dict[str, object]]], path: str) -> None:
        try:
            await asyncio.to_thread(self._write, wanted, path)
        except OrangeError as problem:
            self.query_one("#problem", Static).update(str(problem))
            return
        self.dismiss()

    def _write(self, wanted: list[tuple[Project, dict[str, object]]], path: str) -> None:
        import os

        from orange_tui.home.registration import register

        for project, values in wanted:
            changes = {key: value for key, value in values.items() if getattr(project, key) != value}
            if changes:
                self.app.orange.projects.update(project.name, changes)
        if path:
            register(self.app.orange, os.path.abspath(os.path.expanduser(path)))


def _about(project: Project) -> Text:
    """Its name, where it is, and what it is compared with."""
    path = tilde(f"{project.path}/").rstrip("/")
    return Text.assemble(
        (printable(project.name), "bold"), f"  {printable(path)} · {printable(project.default_branch)}"
    )
