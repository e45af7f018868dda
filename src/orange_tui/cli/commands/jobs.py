"""The `job` commands."""

from __future__ import annotations

from orange_tui.cli.commands.tasks import confirm, text_or_stdin
from orange_tui.cli.reply import Reply, printable_text
from orange_tui.cli.targets import target_project
from orange_tui.domain.task import printable
from orange_tui.home.settings.config_file import read_settings
from orange_tui.jobs.jobs import JobRequest
from orange_tui.presentation.jobs import last_run, next_run, problem_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.cli.parsing.grammar import Parsed
    from orange_tui.jobs.job_file import Job
    from orange_tui.jobs.jobs import JobStatus
    from orange_tui.orange import Orange


def add(parsed: Parsed, orange: Orange) -> Reply:
    """`orange job add`."""
    new = JobRequest(
        cron=parsed.required("cron"),
        summary=parsed.required("summary"),
        project=target_project(parsed, orange).name,
        body=text_or_stdin(parsed.text("body")),
        labels=parsed.texts("label"),
        workflow=parsed.text("workflow"),
        harness=parsed.text("harness"),
    )
    return _reply(orange.jobs.add(new), orange)


def list_jobs(_parsed: Parsed, orange: Orange) -> Reply:
    """`orange job list`."""
    from orange_tui.cli.task_table import aligned_rows

    statuses = orange.jobs.statuses()
    if not statuses:
        return Reply("No jobs. `orange job add CRON SUMMARY` adds one.", [])
    table = aligned_rows([_row(each) for each in statuses], [problem_of(each) for each in statuses])
    return Reply(table, [each.as_json() for each in statuses])


def enable(parsed: Parsed, orange: Orange) -> Reply:
    """`orange job enable`."""
    return _reply(orange.jobs.enable(orange.jobs.file.find(parsed.required("id"))), orange)


def disable(parsed: Parsed, orange: Orange) -> Reply:
    """`orange job disable`."""
    return _reply(orange.jobs.disable(orange.jobs.file.find(parsed.required("id"))), orange)


def remove(parsed: Parsed, orange: Orange) -> Reply:
    """`orange job remove`."""
    job = orange.jobs.file.find(parsed.required("id"))
    confirm(f"Remove job {job.id}, {printable(job.summary)}? The tasks it created stay.", parsed)
    orange.jobs.file.remove(job.id)
    return Reply(f"{job.id}  removed", {"id": job.id, "removed": True})


def _reply(job: Job, orange: Orange) -> Reply:
    found = orange.jobs.status(job, read_settings(orange.home).time_zone())
    return Reply(printable_text(f"{job.id}  {job.project}  {job.cron}  {next_run(found)}"), found.as_json())


def _row(found: JobStatus) -> tuple[str, ...]:
    job = found.job
    icon = "●" if job.enabled else "○"
    words = (f"{icon} {job.id}", job.project, job.cron, next_run(found), last_run(found), job.summary)
    return tuple(printable(word) for word in words)
