"""What the screens look like, at three sizes. A picture is looked at before it is accepted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from stage import Scene, Stage, fixed, stage

from orange_tui.services import jobs
from orange_tui.services.orange import assemble
from orange_tui.services.paths import Home
from orange_tui.tui.app import OrangeApp

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from textual.pilot import Pilot

    Compare = Callable[..., bool]

__all__ = ["fixed", "stage"]

SIZES = pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 50)], ids=["80x24", "120x36", "200x50"])


def after(*keys: str, sees: str) -> Any:
    """Press keys once everything is there, and wait until something can be read."""

    async def run(pilot: Pilot[str]) -> None:
        app = pilot.app
        assert isinstance(app, OrangeApp)
        scene = Scene(app, pilot)
        await scene.until(scene.is_ready)
        await scene.sees("login-fix", *(["APPROACH"] if app.size.width > 100 else []))
        for key in keys:
            await scene.press(key)
        await scene.sees(sees)
        await scene.until(lambda: not any(worker.group == "preview" and worker.is_running for worker in app.workers))

    return run


@SIZES
def test_the_dashboard(stage: Stage, snap_compare: Compare, size: tuple[int, int]) -> None:
    stage.tasks()
    seen = "Fix the redirect loop" if size[0] < 100 else "APPROACH"
    assert snap_compare(stage.app(), terminal_size=size, run_before=after(sees=seen))


@SIZES
def test_pull_requests(stage: Stage, snap_compare: Compare, size: tuple[int, int]) -> None:
    known: tuple[dict[str, Any], ...] = (
        {"checks": "failed"},
        {"checks": "running", "draft": True},
        {"checks": "passed", "review": "approved"},
        {},
        {"checks": "passed", "review": "changes requested"},
    )
    for number, (ref, more) in enumerate(zip(stage.tasks(), known, strict=False)):
        stage.pull_request(ref, 96 + 2 * number, **more)
    seen = "Fix the redirect loop" if size[0] < 100 else "APPROACH"
    assert snap_compare(stage.app(), terminal_size=size, run_before=after(sees=seen))


@SIZES
def test_the_history_of_a_task(stage: Stage, snap_compare: Compare, size: tuple[int, int]) -> None:
    stage.tasks()
    keys = ("space", "tab", "tab", "tab") if size[0] < 100 else ("tab", "tab", "tab")
    assert snap_compare(stage.app(), terminal_size=size, run_before=after(*keys, sees="reated"))


@SIZES
def test_a_question_before_something_is_cancelled(stage: Stage, snap_compare: Compare, size: tuple[int, int]) -> None:
    stage.tasks()
    assert snap_compare(stage.app(), terminal_size=size, run_before=after("x", sees="Cancel login-fix?"))


@SIZES
def test_the_form_for_a_new_task(stage: Stage, snap_compare: Compare, size: tuple[int, int]) -> None:
    stage.tasks()
    assert snap_compare(stage.app(), terminal_size=size, run_before=after("c", sees="New task"))


@SIZES
def test_help(stage: Stage, snap_compare: Compare, size: tuple[int, int]) -> None:
    stage.tasks()
    assert snap_compare(stage.app(), terminal_size=size, run_before=after("question_mark", sees="Send the agent"))


@SIZES
def test_reading_task_md(stage: Stage, snap_compare: Compare, size: tuple[int, int]) -> None:
    stage.tasks()
    assert snap_compare(stage.app(), terminal_size=size, run_before=after("v", sees="APPROACH"))


@SIZES
def test_the_workflow_as_a_picture(stage: Stage, snap_compare: Compare, size: tuple[int, int]) -> None:
    stage.tasks()
    assert snap_compare(stage.app(), terminal_size=size, run_before=after("W", sees="States and moves"))


def test_the_dashboard_in_light(stage: Stage, snap_compare: Compare, monkeypatch: pytest.MonkeyPatch) -> None:
    stage.tasks()
    monkeypatch.setenv("TEXTUAL_THEME", "orange-light")
    assert snap_compare(stage.app(), terminal_size=(120, 36), run_before=after(sees="APPROACH"))


@SIZES
def test_the_welcome(tmp_path: Path, fixed: None, snap_compare: Compare, size: tuple[int, int]) -> None:
    app = OrangeApp(assemble(Home(str(tmp_path / "nothing"))), None, acts=False)
    assert snap_compare(app, terminal_size=size)


JOBS: tuple[tuple[str, str, dict[str, object]], ...] = (
    ("0 7 * * MON-FRI", "Update the dependencies", {"last_run": "2026-11-16T06:00:00Z", "last_task": "task001"}),
    ("@daily", "Sort the new issues and answer what is a question", {"enabled": False}),
    (
        "*/30 * * * *",
        "Look at failed builds",
        {
            "last_run": "2026-11-16T09:30:00Z",
            "last_task": "task005",
            "skipped": {"run": "2026-11-16T09:30:00Z", "reason": "its last task, task005, is under way"},
        },
    ),
)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])
def test_the_jobs(stage: Stage, snap_compare: Compare, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    stage.tasks()
    for cron, summary, more in JOBS:
        job = jobs.add(stage.orange, jobs.NewJob(cron, summary, "coffee"))
        stage.orange.jobs.update(job.id, more)
    assert snap_compare(stage.app(), terminal_size=size, run_before=after("J", sees="skipped"))


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])
def test_the_form_for_a_new_job(
    stage: Stage, snap_compare: Compare, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    stage.tasks()

    async def typed(pilot: Pilot[str]) -> None:
        await after("J", sees="No jobs yet.")(pilot)
        await pilot.press("c")
        await pilot.press(*"30 9 * * mon")
        assert isinstance(pilot.app, OrangeApp)
        await Scene(pilot.app, pilot).sees("2026-12-07 09:30 CET")

    assert snap_compare(stage.app(), terminal_size=size, run_before=typed)
