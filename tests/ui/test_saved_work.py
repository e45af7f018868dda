"""Stories about saved work: it is in sight, and a key puts it on a branch, also when its task is deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from orange_tui.tui.screens.saved_work import SavedWorkScreen
from support.git import git
from support.stage import story

if TYPE_CHECKING:
    from orange_tui.store.store import TaskRef
    from support.git_stage import GitStage


@pytest.fixture
def cancelled(git_stage: GitStage) -> TaskRef:
    """A cancelled task with something saved."""
    ref = git_stage.at_work("latte", "latte", status="cancelled")
    git(git_stage.path, "update-ref", f"refs/orange/{ref.id}/1", "latte")
    return ref


@story
async def test_saved_work_is_restored_to_a_branch_after_a_confirmation(git_stage: GitStage, cancelled: TaskRef) -> None:
    async with git_stage.open() as scene:
        await scene.press("S")
        await scene.sees("Saved work", f"{cancelled.id}-1", "latte", "Enter restores one to a new branch")
        await scene.press("enter")
        await scene.sees("Restore the saved work of latte?", f"orange-restored/{cancelled.id}-1", "saved copy stays")
        await scene.press("enter")  # nothing can be lost
        await scene.until(lambda: any("Restored to branch" in told for told in scene.told()))
    assert git(git_stage.path, "show", f"orange-restored/{cancelled.id}-1:menu") == "latte"
    assert git_stage.orange.store.journal(cancelled).last("work.restored") is not None


@story
async def test_escape_on_the_restore_question_restores_nothing(git_stage: GitStage, cancelled: TaskRef) -> None:
    async with git_stage.open() as scene:
        await scene.press("S")
        await scene.sees(f"{cancelled.id}-1")
        await scene.press("enter")
        await scene.sees("Restore the saved work of latte?")
        await scene.press("escape")
        await scene.until(lambda: isinstance(scene.app.screen, SavedWorkScreen))
    assert git(git_stage.path, "branch", "--list", "orange-restored/*") == ""


@story
async def test_saved_work_of_a_deleted_task_says_when_it_expires(git_stage: GitStage, cancelled: TaskRef) -> None:
    git_stage.orange.tasks.delete(cancelled)
    async with git_stage.open() as scene:
        await scene.press("S")
        await scene.sees("latte", "task deleted, kept until 2026-12-16")


@story
async def test_saved_work_screen_without_saved_work_says_so(git_stage: GitStage) -> None:
    async with git_stage.open() as scene:
        await scene.press("S")
        await scene.sees("No saved work:")
