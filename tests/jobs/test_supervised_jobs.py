"""Jobs under the supervisor, with real agents: it sleeps until something is due, and hears of what changes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from orange_tui.jobs import scheduler
from orange_tui.jobs.jobs import JobRequest
from orange_tui.jobs.scheduler import JobScheduler
from support.live_home import PATIENCE, LiveHome

if TYPE_CHECKING:
    from collections.abc import Callable


class Hall:
    """A live home with a clock on the wall that one can set: this far from the real one."""

    def __init__(self, live_home: LiveHome) -> None:
        self.live_home = live_home
        self.ahead = timedelta()

    def now(self) -> datetime:
        return datetime.now(UTC) + self.ahead

    def job(self, cron: str, **more: Any) -> str:
        new = JobRequest(cron, "Brew", **{"project": "coffee", "body": "demo: good", "harness": "demo", **more})
        return self.live_home.orange.jobs.add(new).id

    def supervised(self, condition: Callable[[], bool]) -> None:
        supervisor = self.live_home.orange.new_supervisor(
            scheduler=JobScheduler(self.live_home.orange.jobs.file, self.live_home.orange.tasks, self.now),
        )
        assert supervisor.run_until(condition, PATIENCE), self.live_home.story()

    def tasks(self) -> int:
        return len(self.live_home.orange.store.refs())


@pytest.fixture
def hall(live_home: LiveHome, monkeypatch: pytest.MonkeyPatch) -> Hall:
    monkeypatch.setenv("TZ", "UTC")
    return Hall(live_home)


def test_a_run_is_worked_on_like_any_task(hall: Hall) -> None:
    job = hall.job("@hourly", labels=("chore",))
    hall.ahead = timedelta(hours=2)
    orange = hall.live_home.orange
    hall.supervised(lambda: any(hall.live_home.rests(ref, "reviewing") for ref in orange.store.refs()))
    [ref] = orange.store.refs()
    task = hall.live_home.task(ref)
    assert (task.extra["job"], task.labels, task.summary) == (job, ("chore",), "Brew")
    assert orange.jobs.file.find(job).last_task == ref.id
    assert orange.jobs.statuses()[0].last_status == "reviewing"


def test_scheduler_sleeps_until_the_next_run_and_no_longer(hall: Hall) -> None:
    """The backstop would come too late for this."""
    hall.job("@hourly", workflow="minimal")
    soon = datetime.now(UTC).replace(minute=59, second=58)
    hall.ahead = soon - datetime.now(UTC)
    hall.supervised(lambda: hall.tasks() == 1)


def test_scheduler_notices_a_job_added_meanwhile(hall: Hall) -> None:
    """With nothing to wait for it sets no timer at all; only the changed file tells."""
    rounds = 0

    def added() -> bool:
        nonlocal rounds
        rounds += 1
        if rounds == 5:
            hall.ahead = timedelta(hours=2)
            job = hall.job("@hourly", workflow="minimal")
            hall.live_home.orange.jobs.file.update(job, {"enabled_at": "2026-01-01T00:00:00Z"})
        return hall.tasks() == 1

    hall.supervised(added)


def test_clock_that_jumps_is_noticed_by_polling(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduler, "_POLL_SECONDS", 0.05)
    hall.job("@yearly", workflow="minimal")
    rounds = 0

    def jumped() -> bool:
        nonlocal rounds
        rounds += 1
        if rounds == 5:
            assert hall.tasks() == 0
            hall.ahead = timedelta(days=400)
        return hall.tasks() == 1

    hall.supervised(jumped)


def test_supervisor_without_the_lock_runs_no_job(hall: Hall) -> None:
    from orange_tui.home.locks import locked

    hall.job("@hourly", workflow="minimal")
    hall.ahead = timedelta(hours=2)
    supervisor = hall.live_home.orange.new_supervisor(
        scheduler=JobScheduler(hall.live_home.orange.jobs.file, hall.live_home.orange.tasks, hall.now),
    )
    with locked(f"{hall.live_home.orange.home.root}/.supervisor.lock", what="the supervisor"):
        assert not supervisor.run_until(lambda: hall.tasks() > 0, 0.2)
    hall.supervised(lambda: hall.tasks() == 1)
