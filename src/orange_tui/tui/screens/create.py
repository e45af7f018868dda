"""The form for a new task: what is typed is checked while it is typed, and nothing is lost by a refusal."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual.containers import Horizontal, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Label, Select, Static, TextArea

from orange_tui.domain.errors import OrangeError
from orange_tui.domain.task import check_branch, check_summary

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.widget import Widget

    from orange_tui.services.tasks import NewTask
    from orange_tui.tui.app import OrangeApp

_PROJECTS_DEFAULT = "the project's"


class Create(ModalScreen[None]):
    """Branch, summary, context, harness, workflow: all but the project may be left out."""

    app: OrangeApp
    BINDINGS = [("escape", "dismiss", "Never mind"), ("ctrl+s", "create", "Create")]  # noqa: RUF012

    def compose(self) -> ComposeResult:
        orange = self.app.orange
        projects = [project.name for project in orange.projects.all()]
        harnesses = [name for name in orange.services.harnesses.names() if orange.services.harnesses.installed(name)]
        first = orange.services.harnesses.first_installed() or "demo"
        with VerticalScroll(classes="dialog form"):
            yield Label("New task", classes="title")
            if not self.app.project:
                yield from self._field("project", Select([(n, n) for n in projects], id="project", compact=True))
            yield from self._field(
                "summary", Input(placeholder="one line; empty: the agent asks", id="summary", compact=True)
            )
            yield from self._field("branch", Input(placeholder="empty: orange-tasks/<id>", id="branch", compact=True))
            harness = Select([(n, n) for n in harnesses], id="harness", value=first, allow_blank=False, compact=True)
            yield from self._field("agent", harness)
            workflows = [(_PROJECTS_DEFAULT, ""), *((name, name) for name in orange.workflows.names())]
            yield from self._field(
                "workflow", Select(workflows, id="workflow", value="", allow_blank=False, compact=True)
            )
            yield Label("context, in Markdown", classes="name")
            yield TextArea(id="context", tab_behavior="focus", compact=True)
            yield Static("", id="problem", classes="problem", markup=False)
            with Horizontal(classes="buttons"):
                yield Button("Never mind (esc)", id="no", compact=True)
                yield Button("Create (ctrl+s)", id="yes", variant="primary", compact=True)

    def _field(self, name: str, field: Widget) -> ComposeResult:
        with Horizontal(classes="field"):
            yield Label(name, classes="name")
            yield field

    def on_mount(self) -> None:
        for field in self.query(Input):
            field.cursor_blink = False
        self.query_one("#context", TextArea).cursor_blink = False
        projects = self.query("#project")
        if projects:
            select = projects.first(Select)
            names = [project.name for project in self.app.orange.projects.all()]
            if len(names) == 1:
                select.value = names[0]
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
