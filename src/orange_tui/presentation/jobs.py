"""When a job runs, and what came of it, in a person's words."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from orange_tui.jobs.jobs import JobStatus


def next_run(found: JobStatus) -> str:
    """When a job runs next."""
    if not found.job.enabled:
        return "disabled"
    return f"next {date_and_time(found.next_run)}" if found.next_run is not None else "never"


def last_run(found: JobStatus) -> str:
    """When a job ran last, and the task that came of it."""
    if found.last_run is None:
        return "not run yet"
    task = f", {found.job.last_task} {found.last_status}" if found.job.last_task else ""
    return f"last {date_and_time(found.last_run)}{task}"


def problem_of(found: JobStatus) -> str | None:
    """Why the last run created no task, or why the next one won't."""
    skipped = found.job.skipped
    if skipped is not None and found.problem == skipped.reason:
        return f"The last run was skipped: {skipped.reason}"
    return found.problem


def date_and_time(time: datetime) -> str:
    """A time with its zone."""
    return time.strftime("%a %Y-%m-%d %H:%M %Z")
