"""Stories about tasks with subtasks: how many are done, the tree of them, and its key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.driver import put
from support.stage import Stage, story

if TYPE_CHECKING:
    from orange_tui.store.store import TaskRef


def delegated(stage: Stage) -> dict[str, TaskRef]:
    """A task that waits for three parts, of which one is done, and a task that has nothing to do with it."""
    alone = stage.task(0, branch="login-fix", summary="Fix the redirect loop on mobile", status="working")
    plan = stage.task(20, branch="coffee-bar", summary="A bar of our own", status="delegated")
    statuses = {"order-beans": "done", "日本語-cups": "working", "order-grinder": "pending"}
    parts = {
        branch: stage.task(12 - number, branch=branch, summary=f"Part {number}", status=status, parent=plan.id)
        for number, (branch, status) in enumerate(statuses.items())
    }
    blocked_by = [parts["日本語-cups"].id, parts["order-grinder"].id]
    with stage.orange.store.open(plan) as opened:
        opened.change("task.updated", {"blocked_by": blocked_by})
    return {"login-fix": alone, "coffee-bar": plan, **parts}


@story
async def test_parent_that_waits_shows_how_many_subtasks_are_done(stage: Stage) -> None:
    refs = delegated(stage)
    async with stage.open(size=(80, 24)) as scene:
        await scene.sees("delegated 1/3")
        with stage.orange.store.open(refs["日本語-cups"]) as opened:
            put(opened, "status.changed", {"status": "done"})
        await scene.sees("delegated 2/3")


@story
async def test_preview_of_a_parent_lists_its_subtasks_and_that_of_a_subtask_names_its_parent(stage: Stage) -> None:
    delegated(stage)
    async with stage.open() as scene:
        await scene.press("slash", *"bar", "enter")
        await scene.sees("Subtasks: 1 of 3 done", "✓  order-beans", "○  order-grinder  pending")
        await scene.press("escape", "slash", *"beans", "enter")
        await scene.sees("Subtask of coffee-bar (delegated)")


@story
async def test_t_makes_a_tree_and_the_cursor_stays_on_its_task(stage: Stage) -> None:
    delegated(stage)
    async with stage.open(size=(80, 24)) as scene:
        await scene.press("j")
        assert scene.selected == "order-grinder"
        await scene.press("t")
        await scene.sees("├─ order-beans", "├─ 日本語-cups", "└─ order-grinder", "· tree")
        assert scene.selected == "order-grinder"
        await scene.press("k")
        assert scene.selected == "日本語-cups"
        await scene.press("t")
        await scene.until(lambda: "├─" not in scene.text)
        assert scene.selected == "日本語-cups"


@story
async def test_search_in_the_tree_keeps_the_ancestors_of_a_match(stage: Stage) -> None:
    delegated(stage)
    async with stage.open(size=(80, 24)) as scene:
        await scene.press("t", "slash", *"beans")
        await scene.until(lambda: "login-fix" not in scene.text)
        await scene.sees("coffee-bar", "└─ order-beans")
        assert "order-grinder" not in scene.text


@story
async def test_filter_in_the_tree_keeps_the_ancestors_of_a_match(stage: Stage) -> None:
    delegated(stage)
    async with stage.open(size=(80, 24)) as scene:
        await scene.press("t", "f", "f")  # finished
        await scene.until(lambda: "login-fix" not in scene.text)
        await scene.sees("coffee-bar", "└─ order-beans")


@story
async def test_tree_follows_new_and_finished_subtasks(stage: Stage) -> None:
    refs = delegated(stage)
    async with stage.open(size=(80, 24)) as scene:
        await scene.press("t")
        stage.task(5, branch="order-milk", summary="And milk", status="pending", parent=refs["coffee-bar"].id)
        await scene.sees("├─ order-grinder", "└─ order-milk", "delegated 1/4")


@story
async def test_preview_names_attempts_and_issue(stage: Stage) -> None:
    stage.task(branch="again", summary="Once more", workflow="autopilot", status="in_progress", attempts=2, issue=7)
    stage.task(branch="odd", summary="Not a number", workflow="autopilot", status="in_progress", attempts="many")
    async with stage.open() as scene:
        await scene.press("slash", *"again", "enter")
        await scene.sees("attempt 2 · issue #7")
        await scene.press("escape", "slash", *"odd", "enter")
        await scene.sees("Not a number", "APPROACH")


@story
async def test_task_with_a_generated_branch_name_is_listed_by_its_summary(stage: Stage) -> None:
    plan = stage.task(5, branch="coffee-bar", status="delegated")
    stage.task(3, branch=None, summary="Order the [beans]", status="working", parent=plan.id)
    async with stage.open(size=(120, 30)) as scene:
        await scene.press("t")
        await scene.sees("└─ Order the [beans]")
        assert "orange-tasks" not in scene.text
        await scene.press("g")
        await scene.sees("○  Order the [beans]  working")
