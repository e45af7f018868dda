"""Jobs and the clock: when a task is made, when not, and what is done about what was missed."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from orange_tui.domain.errors import NotSaved
from orange_tui.engine import tasks
from orange_tui.jobs.scheduler import JobScheduler

if TYPE_CHECKING:
    from support.driver import World
    from support.timetable import Timetable


def test_a_run_becomes_a_task_with_all_that_the_job_says(times: Timetable, world: World) -> None:
    job = times.job("31 9 * * *", "Water the plants", body="# Where\n\nThe office.", labels=("chore", "green"))
    assert times.fire() == "2026-11-16 09:31"
    assert times.tasks() == []
    times.fire_after(seconds=30)
    [ref] = times.tasks()
    task = world.read(ref)
    assert (task.summary, task.labels, task.extra["job"]) == ("Water the plants", ("chore", "green"), job)
    assert "## Context\n" in world.body(ref)
    assert "The office." in world.body(ref)
    assert (times[job].last_run, times[job].last_task) == ("2026-11-16T09:31:00Z", ref.id)
    assert times[job].starting is None


def test_one_run_creates_one_task_however_often_it_is_checked(times: Timetable) -> None:
    times.job("@hourly")
    for _ in range(5):
        times.fire_after(minutes=30)
        times.fire()
    assert len(times.tasks()) == 1  # the later runs found it under way


def test_run_is_skipped_while_the_last_task_is_unfinished(times: Timetable) -> None:
    job = times.job("@hourly")
    times.fire_after(hours=1)
    [ref] = times.tasks()
    times.fire_after(hours=1)
    assert times.tasks() == [ref]
    skipped = times[job].skipped
    assert skipped is not None
    assert (skipped.run, ref.id in skipped.reason) == ("2026-11-16T11:00:00Z", True)
    assert (times[job].last_run, times[job].last_task) == ("2026-11-16T11:00:00Z", ref.id)
    assert any("11:00:00Z was skipped" in line for line in times.logged())
    times.finish(job)
    times.fire()
    assert times.tasks() == [ref]  # what was skipped is not caught up with
    times.fire_after(hours=1)
    assert len(times.tasks()) == 2
    assert times[job].skipped is None


def test_run_is_not_skipped_for_a_deleted_last_task(times: Timetable) -> None:
    job = times.job("@hourly")
    times.fire_after(hours=1)
    [ref] = times.tasks()
    times.finish(job)
    times.orange.tasks.delete(ref)
    times.fire_after(hours=1)
    assert len(times.tasks()) == 1
    assert times.tasks() != [ref]


def test_run_is_skipped_while_the_last_task_is_unreadable(times: Timetable, world: World) -> None:
    job = times.job("@hourly")
    times.fire_after(hours=1)
    [ref] = times.tasks()
    world.file(ref).write_text("no frontmatter")
    times.fire_after(hours=1)
    assert times.tasks() == [ref]
    skipped = times[job].skipped
    assert skipped is not None
    assert "cannot be read" in skipped.reason


def test_missed_runs_are_made_up_for_once(times: Timetable) -> None:
    job = times.job("*/5 * * * *")
    times.fire_after(days=40)
    assert len(times.tasks()) == 1
    assert times[job].last_run == "2026-12-26T09:30:00Z"
    times.finish(job)
    times.fire()
    assert len(times.tasks()) == 1


def test_job_that_was_disabled_makes_up_for_no_run(times: Timetable) -> None:
    job = times.job("@hourly")
    times.orange.jobs.disable(times[job])
    assert times.fire() is None
    times.fire_after(days=3)
    times.orange.jobs.enable(times[job])
    assert times.fire() == "2026-11-19 10:00"
    assert times.tasks() == []


def test_without_enabled_jobs_the_scheduler_sets_no_timer(times: Timetable) -> None:
    assert times.fire() is None
    assert not (times.orange.home.jobs_file and os.path.exists(times.orange.home.jobs_file))


def test_job_runs_in_the_persons_time_zone(times: Timetable, monkeypatch: pytest.MonkeyPatch) -> None:
    times.job("0 12 * * *")
    assert times.fire() == "2026-11-16 12:00"
    monkeypatch.setenv("TZ", "Europe/Berlin")
    assert times.fire() == "2026-11-16 11:00"
    with open(f"{times.orange.home.root}/config.yml", "w") as file:
        file.write("timezone: Asia/Tokyo\n")
    assert times.fire() == "2026-11-17 03:00"


@pytest.mark.parametrize(
    ("day", "times_of_day"),
    [("2026-03-29", ["01:00"]), ("2026-10-25", ["00:30"]), ("2026-06-01", ["00:30"]), ("2026-12-01", ["01:30"])],
)
def test_job_runs_once_a_day_also_when_clocks_change(
    times: Timetable, monkeypatch: pytest.MonkeyPatch, day: str, times_of_day: list[str]
) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    times.clock.set(f"{day}T00:00:00")
    job = times.job("30 2 * * *")
    runs = []
    for _ in range(4 * 20):  # until it is evening in Berlin, quarter by quarter
        times.fire_after(minutes=15)
        if (last := times[job].last_run) not in runs and last is not None:
            runs.append(last)
            times.finish(job)
    assert runs == [f"{day}T{time}:00Z" for time in times_of_day]


def test_a_clock_that_goes_back_a_little_repeats_nothing(times: Timetable) -> None:
    job = times.job("*/10 * * * *")
    times.fire_after(minutes=10)
    times.finish(job)
    times.clock.wait(minutes=-15)
    assert times.fire() == "2026-11-16 09:50"
    times.fire_after(minutes=15)
    assert len(times.tasks()) == 1


def test_a_clock_that_was_years_ahead_does_not_silence_a_job_for_years(times: Timetable) -> None:
    job = times.job("@hourly")
    times.fire_after(days=1000)
    times.finish(job)
    times.clock.wait(days=-1000)
    assert times.fire() == "2026-11-16 10:00"
    times.fire_after(hours=1)
    assert len(times.tasks()) == 2


def test_a_run_that_is_refused_is_skipped_with_the_reason_and_the_next_is_tried(times: Timetable, world: World) -> None:
    world.project("tea", "/elsewhere")
    job = times.job("@hourly", project="tea")
    times.orange.projects.remove("tea")
    times.fire_after(hours=1)
    skipped = times[job].skipped
    assert skipped is not None
    assert "There is no project tea" in skipped.reason
    world.project("tea", "/elsewhere")
    times.fire_after(hours=1)
    assert [ref.project for ref in times.tasks()] == ["tea"]


def test_invalid_job_stops_no_other_and_is_logged_once(times: Timetable) -> None:
    broken, good = times.job("@hourly"), times.job("@hourly", "Water")
    times.orange.jobs.file.update(broken, {"cron": "99 * * * *"})
    scheduler = JobScheduler(times.orange.jobs.file, times.orange.tasks)
    for _ in range(3):
        times.clock.wait(hours=1)
        scheduler.run_once()
    assert [times[good].last_task] == [ref.id for ref in times.tasks()]
    assert sum("the minute is 0-59" in line for line in times.logged()) == 1


def test_broken_job_file_is_logged_once_and_left_as_it_is(times: Timetable) -> None:
    times.job()
    path = times.orange.home.jobs_file
    with open(path, "w") as file:
        file.write("[{]")
    scheduler = JobScheduler(times.orange.jobs.file, times.orange.tasks)
    assert [scheduler.run_once() for _ in range(3)] == [60.0, 60.0, 60.0]
    assert sum("jobs.json:1 is not JSON" in line for line in times.logged()) == 1
    with open(path) as file:
        assert file.read() == "[{]"


def test_full_disk_delays_a_run_and_does_not_lose_it(times: Timetable, monkeypatch: pytest.MonkeyPatch) -> None:
    job = times.job("@daily")
    with monkeypatch.context() as patch:
        patch.setattr(tasks.Tasks, "create", _no_space)
        times.fire_after(days=1)
        assert times.tasks() == []
    times.fire_after(minutes=1)
    assert [times[job].last_task] == [ref.id for ref in times.tasks()]
    assert times[job].last_run == "2026-11-17T00:00:00Z"


def _no_space(_tasks: object, _new: object) -> None:
    raise NotSaved("The disk is full")


def test_concurrent_schedulers_create_one_task(times: Timetable) -> None:
    for number in range(4):
        times.job("@hourly", f"Brew {number}")
    times.clock.wait(hours=1)
    with ThreadPoolExecutor(8) as pool:
        for done in [
            pool.submit(JobScheduler(times.orange.jobs.file, times.orange.tasks).run_due_jobs) for _ in range(16)
        ]:
            done.result()
    times.fire()  # what the one that had the lock left, if anything
    assert len(times.tasks()) == 4
