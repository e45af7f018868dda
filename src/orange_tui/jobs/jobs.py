"""What a person does with jobs: add one that can run, enable and disable it, and see the status of each."""

from __future__ import annotations

from orange_tui.domain.cron import check_cron, next_run
from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.domain.records import record
from orange_tui.domain.task import check_label, check_summary
from orange_tui.home import clock
from orange_tui.home.settings.config_file import read_settings
from orange_tui.jobs.job_file import parse_time
from orange_tui.store.store import StoredTask, TaskRef, random_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime, tzinfo

    from orange_tui.agents.harnesses import Harnesses
    from orange_tui.home.projects import Projects
    from orange_tui.home.workflows import Workflows
    from orange_tui.jobs.job_file import Job, JobFile
    from orange_tui.store.store import Store

GONE = "gone"
UNREADABLE = "unreadable"


@record
class JobRequest:
    """A job as a person asks for it."""

    cron: str
    summary: str
    project: str
    body: str = ""
    labels: tuple[str, ...] = ()
    workflow: str | None = None
    harness: str | None = None


@record
class JobStatus:
    """A job and what is true of it now: when it runs next, the state of its last task, why it would not run."""

    job: Job
    next_run: datetime | None  # in the person's time zone
    last_run: datetime | None
    last_status: str | None
    problem: str | None

    def as_json(self) -> dict[str, object]:
        """The job and its status for a program."""
        following = None if self.next_run is None else self.next_run.isoformat()
        return self.job.as_json() | {
            "next_run": following,
            "last_task_status": self.last_status,
            "problem": self.problem,
        }


@record
class ScheduledJobs:
    """The jobs of one home, and everything a new one is checked against."""

    file: JobFile
    projects: Projects
    workflows: Workflows
    harnesses: Harnesses
    store: Store

    def add(self, request: JobRequest) -> Job:
        """Write a job to jobs.json, once it is clear that its tasks can be created."""
        project = self.projects.get(request.project)
        entry = {
            "cron": check_cron(request.cron),
            "summary": _checked_summary(request.summary),
            "body": request.body,
            "labels": [check_label(label) for label in request.labels],
            "project": project.name,
            "workflow": request.workflow,
            "harness": request.harness,
            "enabled": True,
            "created_at": clock.now(),
            "last_run": None,
            "last_task": None,
        }
        self.workflows.load(request.workflow or project.workflow)
        if request.harness is not None:
            self.harnesses.get(request.harness)
        read_settings(self.file.home).time_zone()  # a job whose time cannot be told would never run
        return self.file.add(lambda taken: {"id": random_id(taken), **entry})

    def enable(self, job: Job) -> Job:
        """Let a job run from now on; the runs it missed while it was disabled are not made up for."""
        check_cron(job.cron)
        if not job.enabled:
            self.file.update(job.id, {"enabled": True, "enabled_at": clock.now()})
        return self.file.find(job.id)

    def disable(self, job: Job) -> Job:
        """Stop a job from running."""
        if job.enabled:
            self.file.update(job.id, {"enabled": False})
        return self.file.find(job.id)

    def statuses(self) -> list[JobStatus]:
        """The status of every job."""
        jobs = self.file.all()
        zone = read_settings(self.file.home).time_zone()
        return [self.status(job, zone) for job in jobs]

    def status(self, job: Job, zone: tzinfo) -> JobStatus:
        """The status of one job."""
        following, problem = None, job.skipped.reason if job.skipped else None
        try:
            check_cron(job.cron)
            following = next_run(job.cron, max(current_time(), runs_count_after(job)), zone) if job.enabled else None
        except OrangeError as wrong:
            problem = str(wrong)
        local = None if following is None else following.astimezone(zone)
        last = None if job.last_run is None else parse_time(job.last_run).astimezone(zone)
        return JobStatus(job, local, last, self._last_task_status(job), problem)

    def _last_task_status(self, job: Job) -> str | None:
        """The state of the last task of a job; it may have been deleted, or be unreadable."""
        if job.last_task is None:
            return None
        ref = TaskRef(job.project, job.last_task)
        if not self.store.has(ref):
            return GONE
        found = self.store.read(ref)
        return found.task.status if isinstance(found, StoredTask) else UNREADABLE


def current_time() -> datetime:
    """The present time in UTC, with its zone."""
    return parse_time(clock.now())


def runs_count_after(job: Job) -> datetime:
    """The time before which no run is due any more: the last run, or when the job was enabled."""
    times = [parse_time(job.enabled_at)] + ([parse_time(job.last_run)] if job.last_run else [])
    return max(times)


def _checked_summary(text: str) -> str:
    summary = check_summary(text)
    if not summary:
        raise Refused("A job needs a summary: one line that says what its tasks should do")
    return summary
