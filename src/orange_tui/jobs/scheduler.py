"""The scheduler: each scheduled run of a job becomes one task, or is skipped with the reason.

Before a task is created, its id is written to the job (`starting`). Whoever recovers from a crash sees by that id
whether the task exists: it is recorded then, or created then, and never twice. One process at a time does this (a
lock that dies with it). Of the runs missed while Orange was off, only the last is made up for.
"""

from __future__ import annotations

import asyncio
import os
from datetime import timedelta

from orange_tui.domain.cron import check_cron, last_run, next_run
from orange_tui.domain.errors import NotSaved, OrangeError
from orange_tui.engine.creation import NewTask
from orange_tui.home.files import read_signature
from orange_tui.home.locks import locked
from orange_tui.home.settings.config_file import read_settings
from orange_tui.jobs.job_file import PendingRun, format_time
from orange_tui.jobs.jobs import current_time, runs_count_after
from orange_tui.outside.backoff import pause
from orange_tui.store.store import StoredTask, TaskRef

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime, tzinfo

    from orange_tui.engine.tasks import Tasks
    from orange_tui.jobs.job_file import Job, JobFile
    from orange_tui.store.feed import TaskFeed

_POLL_SECONDS = 60.0  # a clock that was set, or a machine that slept, is noticed by then
_MIN_SLEEP_SECONDS = 0.01  # timers and clocks do not agree to the microsecond
_CLOCK_SET_BACK = timedelta(hours=3)  # a smaller step back repeats nothing; a larger one means the clock was wrong


class JobScheduler:
    """Runs the jobs of one home when they are due."""

    def __init__(self, jobs: JobFile, tasks: Tasks, now: Callable[[], datetime] = current_time) -> None:
        self._jobs = jobs
        self._tasks = tasks
        self._store, self._log = tasks.engine.store, tasks.engine.log
        self._now = now
        self._signature_seen: object = None
        self._warned_before: set[str] = set()  # trouble that lasts is logged once, not every minute
        self._warned_now: set[str] = set()

    async def run(self, feed: TaskFeed) -> None:
        """Run what is due, sleep until something is, and begin again when the jobs change."""
        changed = asyncio.Event()
        listening = asyncio.create_task(self._listen(feed, changed))
        try:
            while True:
                changed.clear()
                await pause(await asyncio.to_thread(self.run_once), changed)
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)

    async def _listen(self, feed: TaskFeed, changed: asyncio.Event) -> None:
        async for _ in feed.changes(runtime=False):
            if await asyncio.to_thread(self._signature) != self._signature_seen:
                changed.set()

    def _signature(self) -> object:
        """Differs once jobs.json or config.yml was replaced."""
        home = self._jobs.home
        return [read_signature(path) for path in (home.jobs_file, f"{home.root}/config.yml")]

    def run_once(self) -> float | None:
        """Run what is due; returns how many seconds to sleep, None where there is nothing to wait for."""
        self._signature_seen = self._signature()
        self._warned_before, self._warned_now = self._warned_now, set()
        try:
            due = self.run_due_jobs()
        except OrangeError as problem:
            self._warn_once(str(problem))
            return _POLL_SECONDS
        except Exception as problem:  # noqa: BLE001 - whatever it is, it is logged and the jobs go on
            self._warn_once(f"The jobs could not be checked: {problem!r}")
            return _POLL_SECONDS
        if due is None:
            return None
        return min(_POLL_SECONDS, max(_MIN_SLEEP_SECONDS, (due - self._now()).total_seconds()))

    def run_due_jobs(self) -> datetime | None:
        """Run every job that is due; returns when the next one will be."""
        if not any(job.enabled or job.starting for job in self._jobs.all()):
            return None
        zone = read_settings(self._jobs.home).time_zone()
        lock = os.path.join(self._jobs.home.root, ".schedule.lock")
        with locked(lock, what="the schedule", wait=False) as held:
            if held:
                for job in self._jobs.all():
                    self._run_one(job, zone)
        times = [self._next_run(job, zone) for job in self._jobs.all() if job.enabled]
        return min((time for time in times if time is not None), default=None)

    def _next_run(self, job: Job, zone: tzinfo) -> datetime | None:
        try:
            return next_run(check_cron(job.cron), max(self._now(), runs_count_after(job)), zone)
        except OrangeError:
            return None  # logged when the job was run

    def _run_one(self, job: Job, zone: tzinfo) -> None:
        """Run one job if it is due; its trouble is logged and stops no other job."""
        try:
            self._run_if_due(job, zone)
        except OrangeError as problem:
            self._warn_once(f"Job {job.id}: {problem}")

    def _run_if_due(self, job: Job, zone: tzinfo) -> None:
        if job.starting is not None:
            self._recover(job, job.starting)
            job = self._jobs.find(job.id)
        if not job.enabled:
            return
        now = self._now()
        if runs_count_after(job) > now + _CLOCK_SET_BACK:
            self._jobs.update(job.id, {"enabled_at": format_time(now), "last_run": None})
            self._log_job("warning", job, "the clock went back by hours; its runs count from now on")
            return
        due = last_run(check_cron(job.cron), runs_count_after(job), now, zone)
        if due is not None:
            self._start_run(job, format_time(due))

    def _recover(self, job: Job, run: PendingRun) -> None:
        """Finish the run that a crash interrupted; a job that was disabled since creates no task any more."""
        if job.enabled or self._exists(job, run):
            self._create_task(job, run)
        else:
            self._skip(job, run.run, "it was disabled")

    def _start_run(self, job: Job, due: str) -> None:
        reason = self._reason_to_skip(job)
        if reason is not None:
            self._skip(job, due, reason)
            return
        run = PendingRun(due, self._store.free_id())
        if self._jobs.update(job.id, {"starting": {"run": run.run, "task": run.task}}):
            self._create_task(job, run)

    def _reason_to_skip(self, job: Job) -> str | None:
        """Why a job does not run: its last task is unfinished, or nobody can tell."""
        if job.last_task is None or not self._store.has(TaskRef(job.project, job.last_task)):
            return None
        found = self._store.read(TaskRef(job.project, job.last_task))
        if not isinstance(found, StoredTask):
            return f"its last task, {job.last_task}, cannot be read"
        return None if self._tasks.is_finished(found.task) else f"its last task, {job.last_task}, is not finished"

    def _create_task(self, job: Job, run: PendingRun) -> None:
        """Create the task of a run unless it exists already, and record it with the job."""
        if not self._exists(job, run):
            try:
                self._tasks.create(_task_of(job, run))
            except NotSaved:
                raise  # a disk that is full today may not be tomorrow: the run stays pending, and is retried
            except OrangeError as problem:
                if not self._exists(job, run):
                    self._skip(job, run.run, str(problem))
                    return
                self._log_job("warning", job, str(problem))
        done = {"last_run": run.run, "last_task": run.task, "skipped": None, "starting": None}
        self._jobs.update(job.id, done)
        self._log_job("info", job, f"its run of {run.run} became task {run.task}", task=run.task)

    def _exists(self, job: Job, run: PendingRun) -> bool:
        return self._store.has(TaskRef(job.project, run.task))

    def _skip(self, job: Job, due: str, reason: str) -> None:
        skipped = {"run": due, "reason": reason}
        self._jobs.update(job.id, {"last_run": due, "skipped": skipped, "starting": None})
        self._log_job("info", job, f"its run of {due} was skipped: {reason}")

    def _warn_once(self, sentence: str) -> None:
        self._warned_now.add(sentence)
        if sentence not in self._warned_before:
            self._log.write("warning", sentence)

    def _log_job(self, level: str, job: Job, what: str, **details: object) -> None:
        self._log.write(level, f"job {job.id}: {what}", job=job.id, **details)


def _task_of(job: Job, run: PendingRun) -> NewTask:
    return NewTask(
        project=job.project,
        summary=job.summary,
        context=job.body,
        labels=job.labels,
        workflow=job.workflow,
        harness=job.harness,
        fields={"job": job.id},
        id=run.task,
        by="engine",
    )
