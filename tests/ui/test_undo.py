"""Cancelling and having it back: what is asked, what is said, and what the key for undo does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.home import clock
from orange_tui.store.store import StoredTask
from support.stage import Stage, story

if TYPE_CHECKING:
    import pytest

    from orange_tui.store.store import TaskRef
    from support.stage import Scene

WORKFLOW = """\
name: careless
states:
  todo: {}
  cancelled: {terminal: true}
initial: {todo: {}}
transitions:
  - {from: todo, to: cancelled, hooks: [delete_remote_branch]}
"""


def status(stage: Stage, ref: TaskRef) -> str:
    found = stage.orange.store.read(ref)
    assert isinstance(found, StoredTask)
    return found.task.status


def titles(scene: Scene) -> list[str]:
    return [notification.title for notification in scene.app._notifications]


@story
async def test_enter_cancels_where_nothing_is_lost_and_undo_brings_it_back(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    age = [0.0]
    monkeypatch.setattr(clock, "seconds_since", lambda _stamp: age[0])
    first, second = stage.tasks(
        {"branch": "brew", "summary": "Brew it", "status": "pending"},
        {"branch": "serve", "summary": "Serve it", "status": "pending"},
    )
    async with stage.open() as scene:
        await scene.press("ctrl+z")
        await scene.says("Nothing to undo: a cancel can be undone, for a minute.")
        for ref, name in ((first, "brew"), (second, "serve")):
            await scene.until(lambda: scene.selected == name)  # noqa: B023 - called at once
            await scene.press("x")
            await scene.sees(f"Cancel {name}?", "Nothing is lost: ctrl+z", "Cancel the task (⏎ or y)")
            await scene.press("enter")
            await scene.until(lambda: status(stage, ref) == "cancelled")  # noqa: B023 - called at once
            await scene.says(f"{name} had not begun. ctrl+z brings it back, for a minute.")
        assert "brew" in titles(scene)  # each says which task it is about
        for ref, name in ((second, "serve"), (first, "brew")):  # the last one first, wherever the cursor is
            await scene.press("ctrl+z")
            await scene.says(f"{name} is back: pending.")
            assert status(stage, ref) == "pending"
        await scene.press("x", "enter")
        await scene.until(lambda: "cancelled" in {status(stage, first), status(stage, second)})
        age[0] = 200.0
        await scene.press("ctrl+z")
        await scene.until(
            lambda: any("cancelled 3 minutes ago, and that can be undone" in each for each in scene.told())
        )


@story
async def test_no_is_the_default_where_a_cancel_does_more_than_can_be_undone(stage: Stage) -> None:
    (stage.root / "home" / "workflows").mkdir()
    (stage.root / "home" / "workflows" / "careless.yml").write_text(WORKFLOW)
    (ref,) = stage.tasks({"branch": "brew", "summary": "Brew it", "status": "todo", "workflow": "careless"})
    async with stage.open() as scene:
        await scene.press("x")
        await scene.sees("Cancel brew?", "be undone: delete_remote_branch", "No (⏎ or n)")
        await scene.press("enter")
        await scene.until(lambda: len(scene.app.screen_stack) == 1)
        assert status(stage, ref) == "todo"


@story
async def test_undo_says_in_the_words_of_the_list_where_the_task_is_again(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "seconds_since", lambda _stamp: 0.0)
    (ref,) = stage.tasks({"branch": "brew", "summary": "Brew it", "status": "reviewing"})
    async with stage.open() as scene:
        await scene.press("x")
        await scene.sees("Cancel brew?")
        await scene.press("y")
        await scene.until(lambda: any("ctrl+z brings it back" in each for each in scene.told()))
        await scene.press("ctrl+z")
        await scene.says("brew is back: your review.")
        assert status(stage, ref) == "reviewing"
