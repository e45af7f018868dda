"""The form for a new job: while a time is typed, the next three runs are shown, or what is wrong with it."""

from __future__ import annotations

import asyncio
from datetime import UTC
from itertools import islice
from typing import TYPE_CHECKING

from textual.containers import Horizontal, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Label, Select, Static, TextArea

from orange_tui.domain.cron import check_cron, runs_after
from orange_tui.domain.errors import OrangeError
from orange_tui.domain.task import check_summary
from orange_tui.home.time_zone import persons_zone
from orange_tui.jobs.jobs import JobRequest, current_time
from orange_tui.presentation.jobs import date_and_time
from orange_tui.tui.forms.fields import agent_field, field, project_field, workflow_field

if TYPE_CHECKING:
    from datetime import tzinfo

    from textual.app import ComposeResult

    from orange_tui.tui.app import OrangeApp

_SHOWN = 3
_EXAMPLES = "such as 30 9 * * MON-FRI (minute hour day month weekday), @daily, @weekly"


class NewJob(ModalScreen[None]):
    """When, what, and for whom."""

    app: OrangeApp
    BINDINGS = [("escape", "dismiss", "Never mind"), ("ctrl+s", "add", "Add")]  # noqa: RUF012 - Textual's own way

    def __init__(self) -> None:
        super().__init__()
        self._zone: tzinfo = UTC

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="dialog form"):
            yield Label("New job", classes="title")
            if not self.app.project:
                yield from project_field(self.app)
            yield from field("when", Input(placeholder="30 9 * * MON-FRI, or @daily", id="cron", compact=True))
            yield Static(_EXAMPLES, id="runs", classes="runs", markup=False)
            yield from field("summary", Input(placeholder="one line, for its tasks", id="summary", compact=True))
            yield from field("labels", Input(placeholder="with commas between them", id="labels", compact=True))
            yield from agent_field(self.app)
            yield from workflow_field(self.app)
            yield Label("context, in Markdown", classes="name")
            yield TextArea(id="context", tab_behavior="focus", compact=True)
            yield Static("", id="problem", classes="problem", markup=False)
            with Horizontal(classes="buttons"):
                yield Button("Never mind (esc)", id="no", compact=True)
                yield Button("Add (ctrl+s)", id="yes", variant="primary", compact=True)

    def on_mount(self) -> None:
        for entry in self.query(Input):
            entry.cursor_blink = False
        self.query_one("#context", TextArea).cursor_blink = False
        self.query_one("#cron").focus()
        self.run_worker(self._find_zone())

    async def _find_zone(self) -> None:
        try:
            self._zone = await asyncio.to_thread(persons_zone, self.app.orange.home)
        except OrangeError as problem:
            self._tell(str(problem))
        else:
            self.on_input_changed()

    def on_input_changed(self) -> None:
        self.query_one("#runs", Static).update(self._runs())
        self._tell(self._problem())

    def _runs(self) -> str:
        try:
            cron = check_cron(self._text("cron"))
        except OrangeError:
            return _EXAMPLES
        runs = islice(runs_after(cron, current_time(), self._zone), _SHOWN)
        return "runs " + ", ".join(date_and_time(run.astimezone(self._zone)) for run in runs)

    def _problem(self) -> str:
        try:
            if self._text("cron"):
                check_cron(self._text("cron"))
            check_summary(self._text("summary"))
        except OrangeError as problem:
            return str(problem)
        return ""

    def _text(self, name: str) -> str:
        return self.query_one(f"#{name}", Input).value.strip()

    def _chosen(self, name: str) -> str | None:
        value = self.query_one(f"#{name}", Select).value
        return value if isinstance(value, str) and value else None

    def _tell(self, problem: str) -> None:
        self.query_one("#problem", Static).update(problem)
        self.query_one("#yes", Button).disabled = bool(problem)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "yes":
            self.action_add()
        else:
            self.dismiss()

    def action_add(self) -> None:
        project = self.app.project or self._chosen("project")
        if project is None:
            self._tell("Choose a project.")
            return
        labels = [label.strip() for label in self._text("labels").split(",")]
        new = JobRequest(
            cron=self._text("cron"),
            summary=self._text("summary"),
            project=project,
            body=self.query_one("#context", TextArea).text,
            labels=tuple(label for label in labels if label),
            workflow=self._chosen("workflow"),
            harness=self._chosen("harness"),
        )
        self.run_worker(self._add(new), exclusive=True)

    async def _add(self, new: JobRequest) -> None:
        try:
            await asyncio.to_thread(self.app.orange.jobs.add, new)
        except OrangeError as problem:
            self._tell(str(problem))
            return
        self.dismiss()
