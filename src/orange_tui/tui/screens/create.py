"""The form for a new task: what is typed is checked while it is typed, and nothing is lost by a refusal."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual.containers import Horizontal, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Label, Select, Static, TextArea

from orange_tui.domain.errors import OrangeError
from orange_tui.domain.task import check_branch, check_summary
from orange_tui.tui.screens.fields import agent_field, field, project_field, workflow_field

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from orange_tui.services.tasks import NewTask
    from orange_tui.tui.app import OrangeApp


class Create(ModalScreen[None]):
    """Branch, summary, context, harness, workflow: all but the project may be left out."""

    app: OrangeApp
    BINDINGS = [("escape", "dismiss", "Never mind"), ("ctrl+s", "create", "Create")]  # noqa: RUF012

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="dialog form"):
            yield Label("New task", classes="title")
            if not self.app.project:
                yield from project_field(self.app)
            yield from field(
                "summary", Input(placeholder="one line; empty: the agent asks", id="summary", compact=True)
            )
            yield from field("branch", Input(placeholder="empty: orange-tasks/<id>", id="branch", compact=True))
            yield from agent_field(self.app)
            yield from workflow_field(self.app)
            yield Label("context, in Markdown", classes="name")
            yield TextArea(id="context", tab_behavior="focus", compact=True)
            yield Static("", id="problem", classes="problem", markup=False)
            with Horizontal(classes="buttons"):
                yield Button("Never mind (esc)", id="no", compact=True)
                yield Button("Create (ctrl+s)", id="yes", variant="primary", compact=True)

    def on_mount(self) -> None:
        for entry in self.query(Input):
            entry.cursor_blink = False
        self.query_one("#context", TextArea).cursor_blink = False
        self.query_one("#summary").focus()

    def on_input_changed(self) -> None:
        self._tell(self._problem())

    def _problem(self) -> str:
        branch = self.query_one("#branch", Input).value.strip()
        try:
            check_summary(self.query_one("#summary", Input).value)
            if branch:
                check_branch(branch)
        except OrangeError as problem:
            return str(problem)
        rows = self.app.snapshot.rows if self.app.snapshot else ()
        if branch and any(row.task and row.task.branch == branch and not row.finished for row in rows):
            return f"Branch {branch} has a task already."
        return ""

    def _tell(self, problem: str) -> None:
        self.query_one("#problem", Static).update(problem)
        self.query_one("#yes", Button).disabled = bool(problem)

    def _project(self) -> str | None:
        if self.app.project:
            return self.app.project
        value = self.query_one("#project", Select).value
        return value if isinstance(value, str) else None

    def on_button_pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "yes":
            self.action_create()
        else:
            self.dismiss()

    def action_create(self) -> None:
        project = self._project()
        problem = self._problem() or ("" if project else "Choose a project.")
        if problem or project is None:
            self._tell(problem)
            return
        self.run_worker(self._create(self._asked_for(project)), exclusive=True)

    def _asked_for(self, project: str) -> NewTask:
        from orange_tui.services.tasks import NewTask

        return NewTask(
            project=project,
            branch=self.query_one("#branch", Input).value.strip() or None,
            summary=self.query_one("#summary", Input).value,
            context=self.query_one("#context", TextArea).text,
            harness=str(self.query_one("#harness", Select).value),
            workflow=str(self.query_one("#workflow", Select).value) or None,
        )

    async def _create(self, new: NewTask) -> None:
        self._tell("Creating …")
        try:
            created = await asyncio.to_thread(self.app.orange.tasks.create, new)
        except OrangeError as problem:
            self._tell(str(problem))
            return
        if created.waits:
            self.app.notify(created.waits, title="Created, and waiting", markup=False)
        self.dismiss()
