"""The form for a new job: while a time is typed, the next three runs are shown, or what is wrong with it."""

from __future__ import annotations

import asyncio
from datetime import UTC
from itertools import islice
from typing import TYPE_CHECKING

from textual.widgets import Label, Static, TextArea

from orange_tui.domain.cron import check_cron, runs_after
from orange_tui.domain.errors import OrangeError
from orange_tui.domain.task import check_summary
from orange_tui.home.settings.config_file import read_settings
from orange_tui.jobs.jobs import JobRequest, current_time
from orange_tui.options.comma_lists import split_line
from orange_tui.presentation.jobs import date_and_time
from orange_tui.tui.forms._fields import agent_field, project_field, text_field, workflow_field
from orange_tui.tui.forms._new_work import NewWorkForm
from orange_tui.tui.workers import begin_work

if TYPE_CHECKING:
    from datetime import tzinfo

    from textual.app import ComposeResult

    from orange_tui.tui.context import AppContext

_RUNS_SHOWN = 3
_EXAMPLES = "for example 30 9 * * MON-FRI (minute hour day month weekday), @daily, @weekly"


class JobForm(NewWorkForm):
    """When it runs, what it creates, and for which project."""

    HEADING, SUBMIT = "New job", "Add"

    def __init__(self, shared: AppContext) -> None:
        super().__init__(shared)
        self._zone: tzinfo = UTC

    def fields(self) -> ComposeResult:
        yield from project_field(self.shared)
        yield from text_field("cron", "30 9 * * MON-FRI, or @daily", label="when")
        yield Static(_EXAMPLES, id="runs", classes="runs", markup=False)
        yield from text_field("summary", "one line, for its tasks")
        yield from text_field("labels", "comma-separated")
        yield from agent_field(self.shared)
        yield from workflow_field(self.shared)
        yield Label("context (Markdown)", classes="name")
        yield TextArea(id="context", tab_behavior="focus", compact=True)

    def on_mount(self) -> None:
        begin_work(self, self._read_zone, exit_on_error=True)

    async def _read_zone(self) -> None:
        try:
            self._zone = await asyncio.to_thread(lambda: read_settings(self.shared.orange.home).time_zone())
        except OrangeError as problem:
            self.show_problem(str(problem))
        else:
            self.on_input_changed()

    def on_input_changed(self) -> None:
        self.query_one("#runs", Static).update(self._next_runs())
        self.show_problem(self._problem())

    def _next_runs(self) -> str:
        try:
            cron = check_cron(self.text("cron"))
        except OrangeError:
            return _EXAMPLES
        runs = islice(runs_after(cron, current_time(), self._zone), _RUNS_SHOWN)
        return "next runs: " + ", ".join(date_and_time(run.astimezone(self._zone)) for run in runs)

    def _problem(self) -> str:
        try:
            if self.text("cron"):
                check_cron(self.text("cron"))
            check_summary(self.text("summary"))
        except OrangeError as problem:
            return str(problem)
        return ""

    def submit(self) -> None:
        """Add the job."""
        project = self.project
        if project is None:
            self.show_problem("Choose a project.")
            return
        new = JobRequest(
            cron=self.text("cron"),
            summary=self.text("summary"),
            project=project,
            body=self.long_text("context"),
            labels=tuple(split_line(self.text("labels"))),
            workflow=self.choice("workflow"),
            harness=self.choice("harness"),
        )
        self.save(lambda: self.shared.orange.jobs.add(new))
