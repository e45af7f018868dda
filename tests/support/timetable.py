"""What stories about jobs are told with: a clock one can set, jobs in a home, and the tasks they became."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from orange_tui.home import clock
from orange_tui.jobs.jobs import JobRequest
from orange_tui.jobs.scheduler import JobScheduler

if TYPE_CHECKING:
    import pytest

    from orange_tui.jobs.job_file import Job
    from orange_tui.orange import Orange
    from orange_tui.store.store import TaskRef


class Clock:
    """A clock that stands still until it is set; all of Orange goes by it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, start: str = "2026-11-16T09:30:30") -> None:
        self.set(start)
        monkeypatch.setattr(clock, "now", lambda: self.moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ"))

    def set(self, text: str) -> None:
        self.moment = datetime.fromisoformat(text).replace(tzinfo=UTC)

    def wait(self, **much: float) -> None:
        self.moment += timedelta(**much)


class Timetable:
    """The jobs of a home, dealt with by hand."""

    def __init__(self, orange: Orange, clock: Clock) -> None:
        self.orange, self.clock = orange, clock

    def job(self, cron: str = "* * * * *", summary: str = "Brew", **more: Any) -> str:
        """The id of a new job."""
        return self.orange.jobs.add(JobRequest(cron, summary, **{"project": "coffee", **more})).id

    def fire(self) -> str | None:
        """What a supervisor does when it wakes up, one that has just begun; returns when it would wake up next."""
        following = JobScheduler(self.orange.jobs.file, self.orange.tasks).run_due_jobs()
        return None if following is None else following.strftime("%Y-%m-%d %H:%M")

    def fire_after(self, **much: float) -> None:
        self.clock.wait(**much)
        self.fire()

    def __getitem__(self, job_id: str) -> Job:
        return self.orange.jobs.file.find(job_id)

    def tasks(self) -> list[TaskRef]:
        return self.orange.store.refs()

    def finish(self, job_id: str) -> None:
        """Whatever its last task was, it is over."""
        last = self[job_id].last_task
        assert last is not None
        self.orange.tasks.cancel(self.orange.store.find(last))

    def logged(self) -> list[str]:
        return [str(entry["message"]) for entry in self.orange.log.entries()]
