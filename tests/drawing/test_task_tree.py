"""The list as a tree: subtasks below their parents, guides that lead to them, columns that stay straight."""

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
from orange_tui.tui.listing.column_layout import MARKS, layout_for
from orange_tui.tui.listing.columns import RowLook
from orange_tui.tui.listing.tree import as_tree
from support.looking import DARK

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


def test_subtasks_stand_below_their_parent_oldest_first_also_when_done() -> None:
    assert drawn(PLAN) == ["alone", "plan", "├─ beans", "├─ grinder", "│  └─ burrs", "└─ cups"]


def test_match_is_shown_with_its_ancestors_and_without_other_tasks() -> None:
    assert drawn(PLAN, "burrs") == ["plan", "└─ grinder", "   └─ burrs"]
    assert drawn(PLAN, "alone") == ["alone"]
    assert drawn(PLAN, "plan") == ["plan"]


def test_subtask_whose_parent_is_gone_stands_at_the_top() -> None:
    assert drawn([row("orphan", "nobody")]) == ["orphan"]


def test_tasks_that_are_each_others_subtasks_are_still_shown() -> None:
    assert sorted(name[-1] for name in drawn([row("a", "b"), row("b", "a"), row("c", "c")])) == ["a", "b", "c"]


def test_three_thousand_nested_subtasks_are_listed() -> None:
    rows = [row("t0"), *(row(f"t{n}", f"t{n - 1}") for n in range(1, 3000))]
    assert len(drawn(rows)) == 3000


@given(st.lists(st.one_of(st.none(), st.integers(0, 30)), max_size=30), st.sets(st.integers(0, 30)))
def test_any_tree_lists_every_row_once(parents: list[int | None], shown: set[int]) -> None:
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
    segments = layout_for(width).line(RowLook(row("t1"), name, Style(), Style(), DARK, guide))
    shown = "".join(segment.text for segment in segments)
    assert cell_len(shown) == width - MARKS
    assert cell_len(shown[: shown.index("working")]) == cell_len(layout_for(width).titles().split("status")[0]) - MARKS
