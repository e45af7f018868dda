"""Making tasks by the clock: each scheduled run of a job becomes one task, or is skipped with the reason.

Before a task is made, its id is noted with the job (`starting`). Whoever comes after a crash sees by that id whether
the task is there: it is noted then, or made then, and never twice. One process at a time does this (a lock that dies
with it). Of the runs missed while Orange was off, only the last is caught up with.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from datetime import timedelta

from orange_tui.domain.cron import check_cron, last_run, next_run
from orange_tui.domain.errors import NotSaved, OrangeError
from orange_tui.engine.tasks import NewTask
from orange_tui.home.files import locked
from orange_tui.home.time_zone import persons_zone
from orange_tui.jobs import jobs
from orange_tui.jobs.job_file import Run, stamp
from orange_tui.store.store import StoredTask, TaskRef

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime, tzinfo

    from orange_tui.home.watch import Watch
    from orange_tui.jobs.job_file import Job
    from orange_tui.orange import Orange

_BACKSTOP = 60.0  # seconds: a clock that was set, or a machine that slept, is noticed by then
_SHORTEST = 0.01  # seconds: timers and clocks do not agree to the microsecond
_WRONG_CLOCK = timedelta(hours=3)  # a smaller step back repeats nothing; a larger one says that the clock was wrong


class Schedule:
    """The jobs of one home and the clock."""

    def __init__(self, orange: Orange, now: Callable[[], datetime] = jobs.now) -> None:
        self._orange = orange
        self._now = now
        self._seen: object = None
        self._told: set[str] = set()  # trouble that lasts is logged once, not every minute
        self._tells: set[str] = set()

    async def run(self, watch: Watch) -> None:
        """Deal with what is due, sleep until something is, and begin again when the jobs change."""
        changed = asyncio.Event()
        listening = asyncio.create_task(self._listen(watch, changed))
        try:
            while True:
                changed.clear()
                pause = await asyncio.to_thread(self._round)
                with suppress(TimeoutError):
                    await asyncio.wait_for(changed.wait(), pause)
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)

    async def _listen(self, watch: Watch, changed: asyncio.Event) -> None:
        async for _ in watch.changes(runtime=False):
            if await asyncio.to_thread(self._signature) != self._seen:
                changed.set()

    def _signature(self) -> object:
        """What tells that a file we go by was replaced."""
        return [_identity(path) for path in (self._orange.home.jobs_file, f"{self._orange.home.root}/config.yml")]

    def _round(self) -> float | None:
        """Deal with what is due; returns how long to sleep, None where there is nothing to wait for."""
        self._seen = self._signature()
        self._told, self._tells = self._tells, set()
        try:
            due = self.fire()
        except OrangeError as problem:
            self._tell(str(problem))
            return _BACKSTOP
        except Exception as problem:  # noqa: BLE001 - whatever it is, the person can read of it and the jobs go on
            self._tell(f"The jobs were not looked at: {problem!r}")
            return _BACKSTOP
        if due is None:
            return None
        return min(_BACKSTOP, max(_SHORTEST, (due - self._now()).total_seconds()))

    def fire(self) -> datetime | None:
        """Deal with every run that is due; returns when the next one will be."""
        if not any(job.enabled or job.starting for job in self._orange.jobs.all()):
            return None
        zone = persons_zone(self._orange.home)
        lock = os.path.join(self._orange.home.root, ".schedule.lock")
        with locked(lock, what="the schedule", wait=False) as held:
            if held:
                for job in self._orange.jobs.all():
                    self._safely(job, lambda job: self._deal_with(job, zone))
        times = [self._next(job, zone) for job in self._orange.jobs.all() if job.enabled]
        return min((time for time in times if time is not None), default=None)

    def _next(self, job: Job, zone: tzinfo) -> datetime | None:
        try:
            return next_run(check_cron(job.cron), max(self._now(), jobs.counts_from(job)), zone)
        except OrangeError:
            return None  # it was told when it was dealt with

    def _deal_with(self, job: Job, zone: tzinfo) -> None:
        if job.starting is not None:
            self._finish(job, job.starting)
            job = self._orange.jobs.find(job.id)
        if not job.enabled:
            return
        now = self._now()
        if jobs.counts_from(job) > now + _WRONG_CLOCK:
            self._orange.jobs.update(job.id, {"enabled_at": stamp(now), "last_run": None})
            self._log("warning", job, "the clock went back by hours; its runs count from now on")
            return
        due = last_run(check_cron(job.cron), jobs.counts_from(job), now, zone)
        if due is not None:
            self._run(job, stamp(due))

    def _finish(self, job: Job, start: Run) -> None:
        """What a crash left half done; a job that was switched off since makes no task any more."""
        if job.enabled or self._is_there(job, start):
            self._make(job, start)
        else:
            self._skip(job, start.run, "it was switched off")

    def _run(self, job: Job, due: str) -> None:
        reason = self._under_way(job)
        if reason is not None:
            self._skip(job, due, reason)
            return
        start = Run(due, self._orange.store.free_id())
        if self._orange.jobs.update(job.id, {"starting": {"run": start.run, "task": start.task}}):
            self._make(job, start)

    def _under_way(self, job: Job) -> str | None:
        """Why a job has to wait: its last task is not finished, or nobody can tell."""
        if job.last_task is None or not self._orange.store.has(TaskRef(job.project, job.last_task)):
            return None
        found = self._orange.store.read(TaskRef(job.project, job.last_task))
        if not isinstance(found, StoredTask):
            return f"its last task, {job.last_task}, cannot be read"
        return None if self._orange.tasks.is_finished(found.task) else f"its last task, {job.last_task}, is under way"

    def _make(self, job: Job, start: Run) -> None:
        """The task of a run: made, if it is not there already, and then noted."""
        if not self._is_there(job, start):
            try:
                self._orange.tasks.create(_task_of(job, start))
            except NotSaved:
                raise  # a disk that is full today may not be tomorrow: the run stays noted, and is tried again
            except OrangeError as problem:
                if not self._is_there(job, start):
                    self._skip(job, start.run, str(problem))
                    return
                self._log("warning", job, str(problem))
        done = {"last_run": start.run, "last_task": start.task, "skipped": None, "starting": None}
        self._orange.jobs.update(job.id, done)
        self._log("info", job, f"its run of {start.run} became task {start.task}", task=start.task)

    def _is_there(self, job: Job, start: Run) -> bool:
        return self._orange.store.has(TaskRef(job.project, start.task))

    def _skip(self, job: Job, due: str, reason: str) -> None:
        skipped = {"run": due, "reason": reason}
        self._orange.jobs.update(job.id, {"last_run": due, "skipped": skipped, "starting": None})
        self._log("info", job, f"its run of {due} was skipped: {reason}")

    def _safely(self, job: Job, work: Callable[[Job], object]) -> None:
        """One job's trouble is told and stops no other."""
        try:
            work(job)
        except OrangeError as problem:
            self._tell(f"Job {job.id}: {problem}")

    def _tell(self, sentence: str) -> None:
        self._tells.add(sentence)
        if sentence not in self._told:
            self._orange.log.write("warning", sentence)

    def _log(self, level: str, job: Job, what: str, **details: object) -> None:
        self._orange.log.write(level, f"job {job.id}: {what}", job=job.id, **details)


def _task_of(job: Job, start: Run) -> NewTask:
    return NewTask(
        project=job.project,
        summary=job.summary,
        context=job.body,
        labels=job.labels,
        workflow=job.workflow,
        harness=job.harness,
        fields={"job": job.id},
        id=start.task,
    )


def _identity(path: str) -> tuple[int, int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size
