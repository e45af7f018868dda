"""Jobs in the app: seen, added, switched off and on, removed; what another process does to them is seen too."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from orange_tui.home.settings.config_file import Settings
from orange_tui.jobs.jobs import JobRequest
from support.stage import Stage, story

if TYPE_CHECKING:
    from datetime import tzinfo

    from orange_tui.jobs.job_file import Job


@pytest.fixture(autouse=True)
def _berlin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")


def job(stage: Stage, cron: str = "0 7 * * MON-FRI", summary: str = "Update the dependencies", **more: Any) -> Job:
    return stage.orange.jobs.add(JobRequest(cron, summary, **{"project": "coffee", **more}))


@story
async def test_a_newcomer_adds_a_job_and_sees_when_it_runs(stage: Stage) -> None:
    stage.tasks()
    async with stage.open() as scene:
        await scene.press("J")
        await scene.sees("No jobs yet.", "Press c to add one")
        await scene.press("c")
        await scene.sees("New job")
        await scene.press(*"30 9 * * mon")
        await scene.sees("next runs: Mon 2026-11-23 09:30 CET", "2026-11-30", "2026-12-07")
        await scene.press("tab", *"Water", "tab", *"chore, green", "ctrl+s")
        await scene.sees("● 30 9 * * mon", "Mon 2026-11-23 09:30 CET", "Water", "not run yet")
    [added] = stage.orange.jobs.file.all()
    assert (added.summary, added.labels, added.project) == ("Water", ("chore", "green"), "coffee")


@story
async def test_job_leaves_the_agent_to_the_router_where_its_workflow_has_one(stage: Stage) -> None:
    stage.orange.projects.update("coffee", {"workflow": "autopilot"})
    async with stage.open() as scene:
        await scene.press("J")
        await scene.sees("No jobs yet.")
        await scene.press("c")
        await scene.sees("New job", "router")
        await scene.press(*"@daily", "tab", *"Water", "ctrl+s")
        await scene.sees("Water", "not run yet")
    [added] = stage.orange.jobs.file.all()
    assert added.harness is None


@story
async def test_keys_do_not_wait_while_the_job_form_reads_the_time_zone(stage: Stage) -> None:
    readers: list[threading.Thread] = []
    time_zone = Settings.time_zone

    def read_zone(settings: Settings) -> tzinfo:
        readers.append(threading.current_thread())
        return time_zone(settings)

    stage.tasks()
    async with stage.open() as scene:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Settings, "time_zone", read_zone)
            await scene.press("J")
            await scene.sees("No jobs yet.")
            await scene.press("c", *"30 9 * * mon")
            await scene.sees("next runs: Mon 2026-11-23 09:30 CET")
    assert readers
    assert threading.current_thread() not in readers


@story
async def test_job_form_says_what_is_wrong_while_typing_and_loses_nothing_typed(stage: Stage) -> None:
    stage.tasks()
    async with stage.open() as scene:
        await scene.press("J")
        await scene.sees("No jobs yet.")
        await scene.press("c")
        await scene.sees("New job")
        await scene.press(*"61 * * * *")
        await scene.sees("the minute is 0-59")
        await scene.press("ctrl+s")
        await scene.sees("New job", "61 * * * *")
        await scene.press(*["backspace"] * 10, *"@daily", "ctrl+s")
        await scene.sees("A job needs a summary")
        await scene.press("escape")
        await scene.sees("No jobs yet.")
    assert stage.orange.jobs.file.all() == []


@story
async def test_a_job_is_switched_off_and_on(stage: Stage) -> None:
    stage.tasks()
    first, second = job(stage), job(stage, "@daily", "Sort new issues")
    async with stage.open() as scene:
        await scene.press("J")
        await scene.sees("Update the dependencies", "Sort new issues")
        await scene.press("j", "e")
        await scene.until(lambda: not stage.orange.jobs.file.find(second.id).enabled)
        await scene.sees("○ @daily", "disabled")
        assert stage.orange.jobs.file.find(first.id).enabled
        await scene.press("e")
        await scene.sees("● @daily", "Tue 2026-11-17 00:00 CET")


@story
async def test_a_job_is_removed_after_a_question(stage: Stage) -> None:
    stage.tasks()
    job(stage)
    async with stage.open() as scene:
        await scene.press("J")
        await scene.sees("Update the dependencies")
        await scene.press("d")
        await scene.sees("Remove this job?", "is removed")
        await scene.press("n")
        assert len(stage.orange.jobs.file.all()) == 1
        await scene.press("d")
        await scene.sees("Remove this job?")
        await scene.press("y")
        await scene.sees("No jobs yet.")
    assert stage.orange.jobs.file.all() == []


@story
async def test_jobs_screen_follows_the_job_file_and_reports_a_broken_one(stage: Stage) -> None:
    stage.tasks()
    async with stage.open() as scene:
        await scene.press("J")
        await scene.sees("No jobs yet.")
        added = job(stage, summary="From [bold]elsewhere[/]")
        await scene.sees("From [bold]elsewhere[/]")
        [ref] = stage.tasks({"branch": "deps", "status": "working"})
        reason = f"its last task, {ref.id}, is not finished"
        skipped = {"run": "2026-11-16T06:00:00Z", "reason": reason}
        stage.orange.jobs.file.update(added.id, {"last_run": skipped["run"], "last_task": ref.id, "skipped": skipped})
        await scene.sees(f"{ref.id} working", f"The last run was skipped: {reason}")
        (stage.root / "home" / "jobs.json").write_text("{")
        await scene.reads("jobs.json:1 is not JSON")
        await scene.press("e", "d", "escape")
        await scene.sees("login-fix")
