"""kill -9 at every step of making a scheduled task: whoever comes next makes it, or finds it, and there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.killing import every_death

if TYPE_CHECKING:
    from support.driver import World
    from support.timetable import Timetable


def test_scheduler_killed_anywhere_creates_one_task_for_one_run(times: Timetable, world: World) -> None:
    job = times.job("@hourly")
    times.orange.workflows.load("steps")
    times.clock.wait(hours=1)
    deaths = 0
    for step in every_death([world.root], times.fire):
        deaths = step
        times.fire()
        assert [ref.id for ref in times.tasks()] == [times[job].last_task]
        assert times[job].last_run == "2026-11-16T10:00:00Z"
        assert times[job].starting is None
        times.fire()
        assert len(times.tasks()) == 1
    assert deaths > 6


def test_killed_run_is_recovered_also_after_the_next_one_was_due(times: Timetable, world: World) -> None:
    job = times.job("@hourly")
    times.orange.workflows.load("steps")
    start = times.clock.moment
    times.clock.wait(hours=1)
    made_before, made_after = 0, 0
    for _ in every_death([world.root], times.fire):
        was_there = len(times.tasks())
        times.clock.wait(hours=5)
        times.fire()
        made_before, made_after = made_before + was_there, made_after + (1 - was_there)
        assert [ref.id for ref in times.tasks()] == [times[job].last_task]
        times.clock.moment = start
        times.clock.wait(hours=1)
    assert made_before
    assert made_after


def test_job_disabled_after_a_crash_creates_no_task(times: Timetable) -> None:
    job = times.job("@hourly")
    times.orange.jobs.file.update(job, {"starting": {"run": "2026-11-16T09:00:00Z", "task": "abc"}})
    times.orange.jobs.disable(times[job])
    times.fire()
    assert times.tasks() == []
    assert times[job].starting is None
