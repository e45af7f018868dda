"""Stories about tasks with parts: how far they are, the tree of them, and its keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.style import Style

from orange_tui.board.rows import TaskRow
from orange_tui.domain.task import make_task
from orange_tui.store.store import TaskRef
from orange_tui.tui.widgets.columns import MARKS, columns_for
from orange_tui.tui.widgets.task_tree import as_tree
from support.looking import DARK
from support.stage import Stage, story

if TYPE_CHECKING:
    from collections.abc import Sequence


def row(name: str, parent: str | None = None, *, created: str = "1", status: str = "working") -> TaskRow:
    values = {"id": name, "project": "coffee", "branch": name, "status": status, "parent": parent}
    order = (0 if status == "done" else 1, created, "coffee", name)
    ref = TaskRef("coffee", name)
    return TaskRow(ref, make_task(values), None, "none", None, None, None, status == "done", None, None, order)


def drawn(rows: Sequence[TaskRow], *matching: str) -> list[str]:
    """The tree of some rows, in the order of the board."""
    in_order = sorted(rows, key=lambda each: each.order, reverse=True)
    listed = as_tree(in_order, [each for each in in_order if not matching or each.ref.id in matching])
    return [f"{guide}{each.ref.id}" for guide, each in zip(listed.guides, listed.rows, strict=True)]


PLAN = [
    row("plan", created="1"),
    row("beans", "plan", created="2", status="done"),
    row("grinder", "plan", created="3"),
    row("burrs", "grinder", created="5"),
    row("cups", "plan", created="4"),
    row("alone", created="6"),
]


def test_parts_stand_below_their_task_the_oldest_first_and_stay_there_when_they_are_done() -> None:
    assert drawn(PLAN) == ["alone", "plan", "├─ beans", "├─ grinder", "│  └─ burrs", "└─ cups"]


def test_a_match_is_shown_with_all_that_lead_to_it_and_without_the_others() -> None:
    assert drawn(PLAN, "burrs") == ["plan", "└─ grinder", "   └─ burrs"]
    assert drawn(PLAN, "alone") == ["alone"]
    assert drawn(PLAN, "plan") == ["plan"]


def test_a_part_of_something_that_is_gone_stands_on_its_own() -> None:
    assert drawn([row("orphan", "nobody")]) == ["orphan"]


def test_tasks_that_are_parts_of_each_other_are_still_shown() -> None:
    assert sorted(name[-1] for name in drawn([row("a", "b"), row("b", "a"), row("c", "c")])) == ["a", "b", "c"]


def test_a_long_line_of_parts_is_no_trouble() -> None:
    rows = [row("t0"), *(row(f"t{n}", f"t{n - 1}") for n in range(1, 3000))]
    assert len(drawn(rows)) == 3000


@given(st.lists(st.one_of(st.none(), st.integers(0, 30)), max_size=30), st.sets(st.integers(0, 30)))
def test_whatever_belongs_to_what_every_row_is_there_once(parents: list[int | None], shown: set[int]) -> None:
    rows = [row(f"t{n}", None if parent is None else f"t{parent}", created=str(n)) for n, parent in enumerate(parents)]
    every = as_tree(rows, rows).rows
    assert sorted(each.ref.id for each in every) == sorted(each.ref.id for each in rows)
    some = [each.ref.id for each in as_tree(rows, [each for each in rows if int(each.ref.id[1:]) in shown]).rows]
    assert len(some) == len(set(some))
    assert {f"t{n}" for n in shown if n < len(rows)} <= set(some)


@pytest.mark.parametrize("name", ["milk", "日本語-search", "🍣" * 20, "e\u0301clair"])
@pytest.mark.parametrize("guide", ["", "├─ ", "│  └─ ", "│  " * 200 + "└─ "], ids=["top", "part", "deep", "abyss"])
@pytest.mark.parametrize("width", [40, 79, 100])
def test_guides_and_wide_characters_leave_the_columns_straight(name: str, guide: str, width: int) -> None:
    segments = columns_for(width).line(row("t1"), name, Style(), Style(), DARK, guide=guide)
    shown = "".join(segment.text for segment in segments)
    assert cell_len(shown) == width - MARKS
    assert cell_len(shown[: shown.index("working")]) == cell_len(columns_for(width).titles().split("status")[0]) - MARKS


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
async def test_a_task_that_waits_for_its_parts_says_how_far_they_are(stage: Stage) -> None:
    refs = delegated(stage)
    async with stage.open(size=(80, 24)) as scene:
        await scene.sees("delegated 1/3")
        with stage.orange.store.open(refs["日本語-cups"]) as opened:
            opened.change("status.changed", {"status": "done"})
        await scene.sees("delegated 2/3")


@story
async def test_the_preview_of_a_task_lists_its_parts_and_that_of_a_part_names_the_task(stage: Stage) -> None:
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
async def test_a_search_in_the_tree_keeps_what_leads_to_a_match(stage: Stage) -> None:
    delegated(stage)
    async with stage.open(size=(80, 24)) as scene:
        await scene.press("t", "slash", *"beans")
        await scene.until(lambda: "login-fix" not in scene.text)
        await scene.sees("coffee-bar", "└─ order-beans")
        assert "order-grinder" not in scene.text


@story
async def test_a_filter_in_the_tree_does_too(stage: Stage) -> None:
    delegated(stage)
    async with stage.open(size=(80, 24)) as scene:
        await scene.press("t", "f", "f")  # finished
        await scene.until(lambda: "login-fix" not in scene.text)
        await scene.sees("coffee-bar", "└─ order-beans")


@story
async def test_the_tree_follows_what_happens(stage: Stage) -> None:
    refs = delegated(stage)
    async with stage.open(size=(80, 24)) as scene:
        await scene.press("t")
        stage.task(5, branch="order-milk", summary="And milk", status="pending", parent=refs["coffee-bar"].id)
        await scene.sees("├─ order-grinder", "└─ order-milk", "delegated 1/4")


@story
async def test_attempts_and_the_issue_are_told(stage: Stage) -> None:
    stage.task(branch="again", summary="Once more", workflow="autopilot", status="in_progress", attempts=2, issue=7)
    stage.task(branch="odd", summary="Not a number", workflow="autopilot", status="in_progress", attempts="many")
    async with stage.open() as scene:
        await scene.press("slash", *"again", "enter")
        await scene.sees("attempt 2 · issue #7")
        await scene.press("escape", "slash", *"odd", "enter")
        await scene.sees("Not a number", "APPROACH")


@story
async def test_a_task_whose_branch_nobody_named_goes_by_what_it_is_about(stage: Stage) -> None:
    plan = stage.task(5, branch="coffee-bar", status="delegated")
    stage.task(3, branch=None, summary="Order the [beans]", status="working", parent=plan.id)
    async with stage.open(size=(120, 30)) as scene:
        await scene.press("t")
        await scene.sees("└─ Order the [beans]")
        assert "orange-tasks" not in scene.text
        await scene.press("g")
        await scene.sees("○  Order the [beans]  working")
