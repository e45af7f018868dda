"""The jobs: when each runs next, what came of its last run, and keys to add, switch and remove them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from rich.text import Text
from textual.screen import Screen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from orange_tui.domain.errors import OrangeError
from orange_tui.domain.task import printable
from orange_tui.presentation.jobs import date_and_time, last_run, next_run, problem_of
from orange_tui.tui.drawing.cells import fit
from orange_tui.tui.screens.dialogs import ConfirmDialog
from orange_tui.tui.theme import palette_for

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.app import ComposeResult

    from orange_tui.jobs.jobs import JobStatus
    from orange_tui.tui.context import AppContext

_CRON, _NEXT = 17, 26
_KEYS = (("c", "new job"), ("e", "enable/disable"), ("d", "remove"), ("j k", "move"), ("esc", "back"))
_EMPTY = "No jobs yet.\n\nPress c to add one: a task that is\ncreated again and again, on a schedule."


class JobsScreen(Screen[None]):
    """All jobs, as they are on disk: whatever changes there is shown."""

    BINDINGS = [  # noqa: RUF012 - Textual's own way
        ("escape", "dismiss", "Back"),
        ("q", "dismiss", "Back"),
        ("j", "move(1)", "Down"),
        ("k", "move(-1)", "Up"),
        ("c", "new", "New"),
        ("e,space", "switch", "Enable or disable"),
        ("d", "remove", "Remove"),
    ]

    def __init__(self, shared: AppContext) -> None:
        super().__init__()
        self._shared = shared
        self._statuses: Sequence[JobStatus] = ()

    def compose(self) -> ComposeResult:
        yield Static(Text(" Jobs", style=palette_for(self.app).accent), id="header")
        yield Static(self._titles(), id="job-titles")
        yield Static("reading …", id="message", markup=False)
        yield OptionList(id="jobs", compact=True)
        yield Static(id="footer")

    def on_mount(self) -> None:
        palette = palette_for(self.app)
        keys = Text(" ").join(Text.assemble((key, palette.accent), f" {what} ") for key, what in _KEYS)
        self.query_one("#footer", Static).update(Text.assemble(" ", keys, style=palette.dim))
        self.query_one("#jobs").focus()
        self.run_worker(self._follow(), group="jobs", exit_on_error=False)

    async def _follow(self) -> None:
        """Jobs change with their file, and with their tasks."""
        async for _ in self._shared.files.changes(runtime=False):
            await self._read()

    async def _read(self) -> None:
        try:
            self._statuses = await asyncio.to_thread(self._shared.orange.jobs.statuses)
        except OrangeError as problem:
            self._statuses = ()
            self._show(str(problem))
        else:
            self._show("" if self._statuses else _EMPTY)

    def on_resize(self) -> None:
        if self._statuses:
            self._show("")

    def _show(self, instead: str) -> None:
        message, options = self.query_one("#message", Static), self.query_one("#jobs", OptionList)
        message.update(instead)
        message.display = bool(instead)
        options.display = self.query_one("#job-titles").display = not instead
        at = options.highlighted
        options.set_options(Option(self._lines(found), id=found.job.id) for found in self._statuses)
        if self._statuses:
            options.highlighted = min(at or 0, len(self._statuses) - 1)

    def _lines(self, found: JobStatus) -> Text:
        palette, job, width = palette_for(self.app), found.job, self.size.width - 4
        icon = ("● ", palette.good) if job.enabled else ("○ ", palette.dim)
        style = palette.text if job.enabled else palette.dim
        rest = width - 2 - _CRON - _NEXT - 2
        first = [icon, (fit(job.cron, _CRON) + " ", palette.accent), (fit(_next(found), _NEXT) + " ", style)]
        words = ["  " + " · ".join([job.project, last_run(found)]), problem_of(found)]
        lines = Text.assemble(*first, (fit(job.summary, rest), style))
        lines.append("\n" + fit(words[0] or "", width), palette.dim)
        if words[1]:
            lines.append("\n" + fit(f"  ! {words[1]}", width), palette.warning)
        return lines

    def _titles(self) -> Text:
        return Text(f"   {fit('WHEN', _CRON)} {fit('NEXT RUN', _NEXT)} JOB", style=palette_for(self.app).dim)

    @property
    def _chosen(self) -> JobStatus | None:
        at = self.query_one("#jobs", OptionList).highlighted
        return self._statuses[at] if at is not None and at < len(self._statuses) else None

    def action_move(self, step: int) -> None:
        options = self.query_one("#jobs", OptionList)
        (options.action_cursor_down if step > 0 else options.action_cursor_up)()

    def action_new(self) -> None:
        from orange_tui.tui.forms.job_form import JobForm

        self.app.push_screen(JobForm(self._shared))

    def on_option_list_option_selected(self) -> None:
        self.action_switch()

    def action_switch(self) -> None:
        if (found := self._chosen) is not None:
            jobs = self._shared.orange.jobs
            switch = jobs.disable if found.job.enabled else jobs.enable
            self._do(lambda: switch(found.job))

    def action_remove(self) -> None:
        if (found := self._chosen) is None:
            return
        job = found.job

        def answered(yes: bool | None) -> None:
            if yes:
                self._do(lambda: self._shared.orange.jobs.file.remove(job.id))

        what = f"{printable(job.summary)} ({printable(job.cron)}) is removed. The tasks it created stay."
        self.app.push_screen(ConfirmDialog("Remove this job?", what, "Remove"), answered)

    def _do(self, work: Callable[[], object]) -> None:
        """Change something in a thread; the file that changes brings the screen up to date."""
        self.run_worker(self._done(work), group="changing")

    async def _done(self, work: Callable[[], object]) -> None:
        try:
            await asyncio.to_thread(work)
        except OrangeError as problem:
            self.notify(str(problem), title="Jobs: refused", severity="error", timeout=15, markup=False)


def _next(found: JobStatus) -> str:
    return next_run(found) if found.next_run is None else date_and_time(found.next_run)
