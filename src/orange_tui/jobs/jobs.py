"""What a person does with jobs: add one that can run, switch it on and off, and see how each stands."""

from __future__ import annotations

from orange_tui.domain.cron import check_cron, next_run
from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.domain.records import record
from orange_tui.domain.task import check_summary
from orange_tui.home import clock
from orange_tui.home.time_zone import persons_zone
from orange_tui.jobs.job_file import moment
from orange_tui.store.store import StoredTask, TaskRef, random_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime, tzinfo

    from orange_tui.jobs.job_file import Job
    from orange_tui.orange import Orange

GONE = "gone"
UNREADABLE = "unreadable"


@record
class NewJob:
    """What a person says about a job."""

    cron: str
    summary: str
    project: str
    body: str = ""
    labels: tuple[str, ...] = ()
    workflow: str | None = None
    harness: str | None = None


@record
class Standing:
    """A job and what is true of it now: when it runs next, where its last task is, why it would not run."""

    job: Job
    next_run: datetime | None  # in the person's time zone
    last_run: datetime | None
    last_status: str | None
    problem: str | None

    def as_json(self) -> dict[str, object]:
        """The job with all that."""
        following = None if self.next_run is None else self.next_run.isoformat()
        return self.job.as_json() | {
            "next_run": following,
            "last_task_status": self.last_status,
            "problem": self.problem,
        }


def now() -> datetime:
    """This moment."""
    return moment(clock.now())


def add(orange: Orange, new: NewJob) -> Job:
    """Write a job down, once it is clear that its tasks can be created."""
    entry = {
        "cron": check_cron(new.cron),
        "summary": _checked_summary(new.summary),
        "body": new.body,
        "labels": [_checked_label(label) for label in new.labels],
        "project": orange.projects.get(new.project).name,
        "workflow": new.workflow,
        "harness": new.harness,
        "enabled": True,
        "created_at": clock.now(),
        "last_run": None,
        "last_task": None,
    }
    orange.workflows.load(new.workflow or orange.projects.get(new.project).workflow)
    if new.harness is not None:
        orange.services.harnesses.get(new.harness)
    persons_zone(orange.home)  # a job whose time cannot be told would never run
    return orange.jobs.add(lambda taken: {"id": random_id(taken), **entry})


def switch(orange: Orange, job: Job, *, on: bool) -> Job:
    """Let a job run or rest. What it would have run meanwhile is not caught up with."""
    if on:
        check_cron(job.cron)
    if on != job.enabled:
        since = {"enabled_at": clock.now()} if on else {}
        orange.jobs.update(job.id, {"enabled": on, **since})
    return orange.jobs.find(job.id)


def standings(orange: Orange) -> list[Standing]:
    """How every job stands."""
    jobs = orange.jobs.all()
    zone = persons_zone(orange.home)
    return [standing(orange, job, zone) for job in jobs]


def standing(orange: Orange, job: Job, zone: tzinfo) -> Standing:
    """How one job stands."""
    following, problem = None, job.skipped.reason if job.skipped else None
    try:
        check_cron(job.cron)
        following = next_run(job.cron, max(now(), counts_from(job)), zone) if job.enabled else None
    except OrangeError as wrong:
        problem = str(wrong)
    local = None if following is None else following.astimezone(zone)
    last = None if job.last_run is None else moment(job.last_run).astimezone(zone)
    return Standing(job, local, last, last_status(orange, job), problem)


def counts_from(job: Job) -> datetime:
    """The moment after which runs are still to be dealt with."""
    times = [moment(job.enabled_at)] + ([moment(job.last_run)] if job.last_run else [])
    return max(times)


def last_status(orange: Orange, job: Job) -> str | None:
    """The state of the last task of a job; it may have been deleted, or not be readable."""
    if job.last_task is None:
        return None
    ref = TaskRef(job.project, job.last_task)
    if not orange.store.has(ref):
        return GONE
    found = orange.store.read(ref)
    return found.task.status if isinstance(found, StoredTask) else UNREADABLE


def _checked_summary(text: str) -> str:
    summary = check_summary(text)
    if not summary:
        raise Refused("A job needs a summary: one line that says what its tasks are to do")
    return summary


def _checked_label(text: str) -> str:
    label = text.strip()
    if not label or not label.isprintable():
        raise Refused("A label is a word or two without control characters, such as `chore`")
    return label
