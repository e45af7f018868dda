"""The list without a screen: what is in it, in which order, under which headings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orange_tui.board.needs import Need
from orange_tui.domain.records import replace
from orange_tui.domain.usage.totals import TaskUsage, Totals, UsageRow
from orange_tui.tui.listing.line_layout import LineLayout
from orange_tui.tui.listing.model import ListModel
from orange_tui.tui.listing.orders import GROUPINGS, ORDERS
from support.rows import row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orange_tui.board.rows import TaskRow


ROWS: tuple[TaskRow, ...] = (
    row("milk"),
    row("late", needs="2026-11-16T09:00:00Z"),
    row("grinder", session="active"),
    row("early", needs="2026-11-16T07:00:00Z", session="active"),
    row("limited", session="active"),
    row("old", finished=True),
    row("failed-end", needs="2026-11-16T08:00:00Z", finished=True),
)
ROWS = tuple(replace(each, limit="claude's limit") if each.ref.id == "limited" else each for each in ROWS)


def names(model: ListModel, rows: Sequence[TaskRow] = ROWS) -> list[str]:
    return [each.ref.id for each in model.listed(rows).rows]


def test_what_needs_the_person_is_on_top_the_longest_first_then_what_works_then_what_waits() -> None:
    assert names(ListModel()) == ["early", "failed-end", "late", "grinder", "milk", "limited", "old"]


def test_what_is_alive_is_on_top_of_five_hundred_tasks() -> None:
    many = [row("waits"), row("lives", session="active"), *(row(f"t{n}", finished=True) for n in range(500))]
    assert names(ListModel(), many)[:2] == ["lives", "waits"]
    assert len(names(ListModel(), many)) == 502


def test_list_is_the_same_object_while_nothing_has_changed() -> None:
    model = ListModel()
    before = model.listed(ROWS)
    assert model.listed(ROWS) is before
    assert model.listed(tuple(ROWS)) is before
    assert model.listed(list(ROWS)) is not before


def test_s_goes_through_the_orders_and_comes_back() -> None:
    spent = TaskUsage((UsageRow("worker", 1, "claude", "opus", "2026-11-16", Totals(cost=3.0)),))
    rows = [
        row("b", since="2026-11-16T08:00:00Z"),
        row("a", since="2026-11-16T09:00:00Z"),
        replace(row("C", since="2026-11-16T07:00:00Z", finished=True), usage=spent),
    ]
    model, seen = ListModel(), []
    for _ in ORDERS:
        seen.append((model.choices.order, names(model, rows)))
        model.next_order()
    assert seen == [
        ("needs you", ["b", "a", "C"]),
        ("newest", ["b", "a", "C"]),
        ("longest in its state", ["b", "a", "C"]),
        ("name", ["a", "b", "C"]),
        ("cost", ["C", "b", "a"]),
    ]
    assert model.choices == ListModel().choices


def test_z_groups_by_state_then_by_project_each_under_a_quiet_heading() -> None:
    model = ListModel()
    model.next_grouping()
    assert model.listed(ROWS).headings == {0: "needs you · 3", 3: "working · 1", 4: "waiting · 2", 6: "done · 1"}
    assert names(model) == names(ListModel())
    model.next_grouping()
    rows = [row("a", project="tea"), row("b"), row("c", project="tea", needs="1")]
    assert (names(model, rows), model.listed(rows).headings) == (["b", "c", "a"], {0: "coffee · 1", 1: "tea · 2"})
    model.next_grouping()
    assert model.listed(rows).headings == {}


@given(st.permutations(ROWS), st.sampled_from(list(ORDERS)), st.sampled_from(list(GROUPINGS)))
def test_every_order_and_grouping_lists_every_task_once(rows: list[TaskRow], order: str, grouping: str) -> None:
    model = ListModel()
    model.choose(order=order, grouping=grouping)
    in_board_order = sorted(rows, key=lambda each: each.finished)
    assert sorted(names(model, in_board_order)) == sorted(each.ref.id for each in ROWS)


def test_groups_of_a_filtered_list_count_what_is_shown() -> None:
    model = ListModel()
    model.choose(grouping="state", filter="finished")
    assert model.listed(ROWS).headings == {0: "needs you · 1", 1: "done · 1"}


@pytest.mark.parametrize("words", ["codex", "GPT", "solo", "urgent", "brew oat", "reviewbot", "wor"])
def test_search_finds_agent_model_workflow_label_and_summary(words: str) -> None:
    about: dict[str, Any] = {"harness": "codex", "review_harness": "reviewbot", "model": "gpt-5", "workflow": "solo"}
    rows = [row("a"), row("b", **about, labels=["urgent"], summary="Brew with oat milk")]
    model = ListModel()
    model.choose(search=words)
    assert "b" in names(model, rows)
    assert words == "wor" or names(model, rows) == ["b"]


def test_task_whose_text_has_the_words_is_listed_until_the_words_are_others() -> None:
    model = ListModel()
    model.choose(search="cinnamon")
    assert names(model) == []
    model.in_text = frozenset({("coffee", "milk")})
    assert names(model) == ["milk"]
    model.choose(search="cinnamon roll")
    assert names(model) == []


def test_next_in_need_goes_to_agents_that_ask_then_to_who_waits_longest_round_and_round() -> None:
    model, here, seen = ListModel(), None, []
    rows = [replace(each, needs=Need("Yes?", "permission")) if each.ref.id == "late" else each for each in ROWS]
    for _ in range(4):
        found = model.next_in_need(rows, here)
        assert found is not None
        seen.append(found.ref.id)
        here = found.ref
    assert seen == ["late", "early", "failed-end", "late"]
    assert model.next_in_need([row("calm")], None) is None


def test_header_says_what_is_not_as_usual() -> None:
    model = ListModel()
    assert model.choices.sentence == "all"
    model.choose(order="cost", grouping="project", search="milk")
    assert model.choices.sentence == "all · by cost · grouped by project · /milk"


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=20), st.data())
def test_every_line_belongs_to_the_row_that_is_drawn_there(rows: list[tuple[bool, bool]], data: st.DataObject) -> None:
    cursor = data.draw(st.integers(0, len(rows) - 1))
    has_second = rows[cursor][0] or data.draw(st.booleans())  # the cursor takes no line away
    headed = {place for place, (_, is_headed) in enumerate(rows) if is_headed}
    lines = LineLayout([is_tall for is_tall, _ in rows], headed)
    lines.put_cursor(cursor, has_second_line=has_second)
    drawn = []
    for place, (is_tall, _) in enumerate(rows):
        parts = [-1] if place in headed else []
        drawn += [
            (place, part) for part in [*parts, 0, 1][: len(parts) + 1 + (has_second if place == cursor else is_tall)]
        ]
    assert [lines.part_at(line) for line in range(len(drawn))] == drawn
    assert lines.part_at(len(drawn))[0] == len(rows)
    assert [lines.start(place) for place in range(len(rows))] == [
        next(line for line, (each, _) in enumerate(drawn) if each == place) for place in range(len(rows))
    ]
