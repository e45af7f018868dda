"""Stories about starting over: a key where the workflow has the way, a reason where it has not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from orange_tui.store.store import StoredTask
from orange_tui.tui.screens.dialogs import ConfirmDialog
from support.stage import Stage, story

if TYPE_CHECKING:
    from orange_tui.store.store import TaskRef


def autopilot(stage: Stage, status: str, branch: str = "beans", **more: Any) -> TaskRef:
    return stage.task(branch=branch, summary="Order beans", workflow="autopilot", status=status, **more)


def status(stage: Stage, ref: TaskRef) -> str:
    found = stage.orange.store.read(ref)
    assert isinstance(found, StoredTask)
    return found.task.status


@story
async def test_u_starts_a_blocked_task_over_without_a_question(stage: Stage) -> None:
    ref = autopilot(stage, "blocked", attempts=5, blocked_by=["nobody1"])
    async with stage.open() as scene:
        await scene.sees("u retry")
        await scene.press("u")
        await scene.until(lambda: status(stage, ref) == "new")
    found = stage.orange.store.read(ref)
    assert isinstance(found, StoredTask)
    assert found.task.number("attempts") == 0
    assert not found.task.blocked_by


@story
async def test_retry_of_a_running_task_asks_first(stage: Stage) -> None:
    ref = autopilot(stage, "in_progress")
    async with stage.open() as scene:
        await scene.press("u")
        await scene.sees("Start beans over?", "Its agent is stopped", "Commits")
        await scene.press("escape")
        await scene.until(lambda: not isinstance(scene.app.screen, ConfirmDialog))
        assert status(stage, ref) == "in_progress"
        await scene.press("u", "y")
        await scene.until(lambda: status(stage, ref) == "new")


@story
async def test_retry_without_a_way_back_says_why_not(stage: Stage) -> None:
    stage.task(branch="default", status="working")
    autopilot(stage, "done", "finished")
    autopilot(stage, "new", "fresh")
    reasons = {"default": "cannot go back to pending", "finished": "create a new task", "fresh": "has not started yet"}
    async with stage.open() as scene:
        for branch, reason in reasons.items():
            await scene.press("escape", "slash", *branch, "enter")
            await scene.sees(f"/{branch}")
            assert scene.selected == branch
            assert "u retry" not in scene.text
            await scene.press("u")
            assert reason in scene.told()[-1]


@story
async def test_unblock_all_is_in_the_command_palette_and_has_no_key(stage: Stage) -> None:
    refs = [autopilot(stage, "blocked", f"beans-{number}") for number in range(3)]
    other = autopilot(stage, "needs_review", "milk")
    async with stage.open() as scene:
        await scene.press("ctrl+p", *"unblock all")
        await scene.sees("Start every blocked task")
        await scene.press("enter", "enter")
        await scene.until(lambda: all(status(stage, ref) == "new" for ref in refs))
        await scene.until(lambda: "3 unblocked." in scene.told())
    assert status(stage, other) == "needs_review"


@story
async def test_unblock_all_with_nothing_blocked_says_so(stage: Stage) -> None:
    stage.tasks()
    async with stage.open() as scene:
        await scene.press("ctrl+p", *"unblock all")
        await scene.sees("Start every blocked task")
        await scene.press("enter", "enter")
        await scene.until(lambda: "Nothing is blocked." in scene.told())
