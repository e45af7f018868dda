"""The jobs: when each runs next, what came of its last run, and keys to add, switch and remove them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from orange_tui.domain.task import printable
from orange_tui.presentation.jobs import date_and_time, last_run, next_run, problem_of
from orange_tui.tui.drawing.cells import fit
from orange_tui.tui.manage._list_screen import ListScreen, note_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orange_tui.jobs.jobs import JobStatus
    from orange_tui.tui.drawing.palette import Palette

_CRON, _NEXT = 17, 26


class JobsScreen(ListScreen["JobStatus"]):
    """All jobs, as they are on disk: whatever changes there is shown."""

    HEADING = "Jobs"
    EMPTY = "No jobs yet.\n\nPress c to add one: a task that is\ncreated again and again, on a schedule."
    KEYS = (("c", "new job"), ("e", "enable/disable"), ("d", "remove"))

    BINDINGS = [  # noqa: RUF012 - Textual's own way
        ("c", "new", "New"),
        ("e,space", "switch", "Enable or disable"),
        ("d", "remove", "Remove"),
    ]

    def read(self) -> Sequence[JobStatus]:
        return self.shared.orange.jobs.statuses()

    def name_of(self, item: JobStatus) -> str:
        return item.job.id

    def lines(self, item: JobStatus, width: int, palette: Palette) -> Text:
        job = item.job
        icon = ("● ", palette.good) if job.enabled else ("○ ", palette.dim)
        style = palette.text if job.enabled else palette.dim
        rest = width - 2 - _CRON - _NEXT - 2
        first = [icon, (fit(job.cron, _CRON) + " ", palette.accent), (fit(_next(item), _NEXT) + " ", style)]
        lines = Text.assemble(*first, (fit(job.summary, rest), style))
        lines.append("\n" + fit(f"  {job.project} · {last_run(item)}", width), palette.dim)
        if problem := problem_of(item):
            lines.append_text(note_lines(problem, palette.warning, width, "! "))
        return lines

    def titles(self) -> str:
        return f"   {fit('WHEN', _CRON)} {fit('NEXT RUN', _NEXT)} JOB"

    def action_new(self) -> None:
        from orange_tui.tui.forms.job_form import JobForm

        self.app.push_screen(JobForm(self.shared))

    def on_option_list_option_selected(self) -> None:
        self.action_switch()

    def action_switch(self) -> None:
        if (found := self.chosen) is not None:
            jobs = self.shared.orange.jobs
            switch = jobs.disable if found.job.enabled else jobs.enable
            self.work("Jobs", lambda: switch(found.job))

    def action_remove(self) -> None:
        if (found := self.chosen) is None:
            return
        job, file = found.job, self.shared.orange.jobs.file
        what = f"{printable(job.summary)} ({printable(job.cron)}) is removed. The tasks it created stay."
        self.confirm("Remove this job?", what, "Remove", lambda: self.work("Jobs", lambda: file.remove(job.id)))


def _next(found: JobStatus) -> str:
    return next_run(found) if found.next_run is None else date_and_time(found.next_run)
