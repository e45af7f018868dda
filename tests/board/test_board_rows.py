"""The rows of the board stay in order and counted, however they come and go."""

from __future__ import annotations

import random

from orange_tui.board.needs import Need
from orange_tui.board.rows import BROKEN, FINISHED, UNFINISHED, Share, SortedRows, TaskRow
from orange_tui.domain.task import make_task
from orange_tui.store.store import TaskRef


def row(
    name: str,
    group: int = UNFINISHED,
    created: str = "2026-01-01",
    *,
    needs: str | None = None,
    status: str = "working",
) -> TaskRow:
    task = None if group == BROKEN else make_task({"id": name, "status": status, "created_at": created})
    order = (group, created if task else "", "coffee", name)
    finished = group == FINISHED
    need = Need(needs, "answer") if needs else None
    return TaskRow(TaskRef("coffee", name), task, None, "none", None, need, None, finished, None, None, order)


def names(rows: SortedRows) -> list[str]:
    return [each.ref.id for each in rows.contents()[0]]


def test_rows_are_sorted_unreadable_first_then_unfinished_then_newest() -> None:
    rows = SortedRows()
    rows.put(
        [
            row("old", created="2026-01-01"),
            row("done", FINISHED, "2026-05-01"),
            row("broken", BROKEN),
            row("new", created="2026-03-01"),
            row("older", FINISHED, "2026-02-01"),
        ],
    )
    assert names(rows) == ["broken", "new", "old", "done", "older"]


def test_row_that_needs_a_person_keeps_its_place() -> None:
    rows = SortedRows()
    rows.put([row("a", created="1"), row("b", created="2")])
    rows.put([row("a", created="1", needs="Look")])
    assert names(rows) == ["b", "a"]
    assert rows.contents()[1]["coffee"].needing == 1


def test_equal_row_does_not_replace_the_one_that_is_there() -> None:
    rows = SortedRows()
    rows.put([row("a"), row("b")])
    before = rows.contents()[0]
    rows.put([row("a"), row("b", needs="Look")])
    after = rows.contents()[0]
    assert after[1] is before[1]
    assert after[0] is not before[0]


def test_counts_follow_added_changed_and_removed_rows() -> None:
    rows = SortedRows()
    rows.put([row("a"), row("b", status="stuck", needs="Look"), row("c", BROKEN, needs="bad YAML")])
    assert rows.contents()[1] == {"coffee": Share({"working": 1, "stuck": 1}, 2, frozenset({"needs"}))}
    rows.put([row("b", FINISHED, status="done")])
    rows.drop(("coffee", "c"))
    rows.drop(("coffee", "never"))
    assert rows.contents()[1] == {"coffee": Share({"working": 1, "done": 1}, 0)}


def test_few_or_many_rows_at_a_time_give_the_same_order() -> None:
    dice = random.Random(7)
    everything = [
        row(f"t{n}", dice.choice([FINISHED, UNFINISHED, BROKEN]), str(dice.random()), needs=dice.choice([None, "Look"]))
        for n in range(500)
    ]
    at_once, one_by_one = SortedRows(), SortedRows()
    at_once.put(everything)
    for each in dice.sample(everything, len(everything)):
        one_by_one.put([row(each.ref.id, FINISHED, "0")])  # somewhere else before
        one_by_one.put([each])
    assert at_once.contents() == one_by_one.contents()
    for each in everything[::3]:
        one_by_one.drop(("coffee", each.ref.id))
    assert names(one_by_one) == [name for name in names(at_once) if name not in {e.ref.id for e in everything[::3]}]
