"""The columns of the list: straight whatever a branch is called, and giving way in a sensible order."""

from __future__ import annotations

from typing import Any

import pytest
from rich.cells import cell_len
from rich.style import Style

from orange_tui.board.needs import Need
from orange_tui.board.rows import FACTS, TaskRow
from orange_tui.branches.stats import Stats
from orange_tui.domain.errors import Refused
from orange_tui.domain.records import replace
from orange_tui.domain.task import make_task
from orange_tui.domain.usage.totals import TaskUsage, Totals, UsageRow
from orange_tui.domain.workflow import STOPPED
from orange_tui.sessions.agent_state import AgentStatus
from orange_tui.store.store import TaskRef
from orange_tui.tui.drawing.labels import cost_label, format_count, task_icon
from orange_tui.tui.listing.column_layout import MARKS, Longest, layout_for, longest_texts
from orange_tui.tui.listing.columns import COLUMNS, RowLook, chosen_columns
from orange_tui.tui.listing.tree import ListedTasks
from support.looking import DARK
from support.rows import row


def line(
    branch: str, width: int, stats: Stats | None = None, *, used: Totals | None = None, waits: str | None = None
) -> str:
    task = make_task({"id": "t1", "project": "coffee", "branch": branch, "status": "clarification"})
    row = TaskRow(
        TaskRef("coffee", "t1"), task, None, "none", None, None, waits, False, None, stats, (1, "", "coffee", "t1")
    )
    if used is not None:
        row = replace(row, usage=TaskUsage((UsageRow("worker", 1, "claude", "opus", "2026-11-16", used),)))
    segments = layout_for(width, frozenset(fact for fact in FACTS if getattr(row, fact))).line(
        RowLook(row, branch, Style(), Style(), DARK)
    )
    return "".join(segment.text for segment in segments)


def look_of(made: TaskRow, width: int, longest: Longest) -> str:
    """A row of a list that has no other facts than what its agent does."""
    name = made.task.branch if made.task is not None else ""
    layout = layout_for(width, frozenset({"status"}), COLUMNS, longest)
    return "".join(segment.text for segment in layout.line(RowLook(made, name, Style(), Style(), DARK)))


@pytest.mark.parametrize(
    "branch", ["milk", "日本語-search", "🍣🍣🍣-sushi", "e\u0301clair", "a" * 300, "日" * 200], ids=range(6)
)
@pytest.mark.parametrize("width", [40, 59, 79, 100])
def test_every_name_leaves_the_columns_where_they_are(branch: str, width: int) -> None:
    shown = line(branch, width, Stats(3, 144, 12))
    assert cell_len(shown) == width - MARKS == cell_len(layout_for(width).titles()) - MARKS
    before = shown[: shown.index("clarification")]
    assert cell_len(before) == cell_len(layout_for(width).titles().split("status")[0]) - MARKS


def test_a_wide_list_has_every_column() -> None:
    shown = line("milk", 79, Stats(3, 144, 12))
    assert shown.split()[:5] == ["milk", "clarification", "↑3", "+144", "−12"]
    assert layout_for(79).titles().split() == ["task", "status", "↑", "±", "age"]


def listed(*tasks: dict[str, Any]) -> ListedTasks:
    return ListedTasks([row(f"t{number}", harness="demo", **task) for number, task in enumerate(tasks)])


def test_no_column_of_a_wide_list_takes_room_that_another_has_a_use_for() -> None:
    tasks = listed(
        {"branch": "decaf", "summary": "Offer decaf, for those who would like to sleep"},
        {"branch": "oat-milk", "summary": "Take orders with oat milk"},
    )
    longest = longest_texts(tasks, shows_project=False)
    titles = layout_for(140, frozenset({"status"}), COLUMNS, longest).titles()
    assert titles.index("status") - titles.index("task") <= len("oat-milk") + 3
    assert titles.index("summary") - titles.index("agent") == len("agent") + 2
    drawn = [look_of(each, 140, longest) for each in tasks.rows]
    assert "Offer decaf, for those who would like to sleep" in drawn[0]
    assert {cell_len(text) for text in drawn} == {140 - MARKS}


def test_columns_of_a_wide_list_are_as_wide_as_names_agents_and_projects_need() -> None:
    tasks = listed({"branch": "日本語-search", "model": "opus", "summary": "x" * 300})
    longest = dict(longest_texts(tasks, shows_project=True))
    assert longest == {"task": len("coffee/") + 6 + len("-search"), "agent": len("demo opus"), "summary": 300}
    drawn = look_of(tasks.rows[0], 140, tuple(longest.items()))
    assert "demo opus" in drawn
    assert cell_len(drawn) == 140 - MARKS


def test_task_that_waits_shows_what_it_has_changed_where_it_has() -> None:
    assert line("milk", 79, Stats(0, 0, 0), waits="claude's limit").split()[2] == "waits"
    assert line("milk", 79, Stats(3, 144, 12), waits="claude's limit").split()[2:5] == ["↑3", "+144", "−12"]


def test_commits_give_way_first_then_lines_then_the_age_and_never_the_status() -> None:
    titles = [layout_for(width).titles().split() for width in (70, 60, 50, 42, 12)]
    assert titles[:4] == [
        ["task", "status", "↑", "±", "age"],
        ["task", "status", "±", "age"],
        ["task", "status", "age"],
        ["task", "status"],
    ]
    assert titles[4][-1] == "status"


@pytest.mark.parametrize(
    ("number", "shown"),
    [(0, "0"), (999, "999"), (1_000, "1k"), (1_234, "1.2k"), (9_999, "9.9k"), (45_678, "45k"), (3_200_000, "3M")],
)
def test_a_count_takes_four_cells_at_most(number: int, shown: str) -> None:
    assert format_count(number) == shown


def test_a_list_has_costs_only_where_a_task_has_used_something() -> None:
    assert line("milk", 79, Stats(3, 144, 12), used=Totals(cost=0.42)).split() == [
        "milk",
        "clarification",
        "↑3",
        "+144",
        "−12",
        "$0.42",
    ]
    with_cost = frozenset({"usage"})
    assert layout_for(79, with_cost).titles().split() == ["task", "status", "↑", "±", "cost", "age"]
    assert layout_for(69, with_cost).titles().split() == ["task", "status", "±", "cost", "age"]
    assert layout_for(60, with_cost).titles().split() == ["task", "status", "±", "age"]


@pytest.mark.parametrize(
    ("totals", "shown"),
    [
        (Totals(cost=0.42), "$0.42"),
        (Totals(cost=12.34), "$12"),
        (Totals(cost=0.0012), "<$0.01"),
        (Totals(cost=9.999), "$10"),
        (Totals(cost=1_234_567), "$1M"),
        (Totals(input=5, unpriced=("llama",)), "?"),
        (Totals(cost=9.5, unpriced=("llama",)), "$9.50+?"),
        (Totals(input=5), "$0.00"),
    ],
)
def test_a_cost_is_short_and_never_nothing_where_it_is_unknown(totals: Totals, shown: str) -> None:
    assert cost_label(totals) == shown
    assert len(shown) <= 8


def test_agent_that_stopped_without_handing_in_has_an_icon_of_its_own() -> None:
    task = make_task({"id": "t1", "project": "coffee", "status": "working", "attention": STOPPED})
    need, idle = Need(STOPPED, "stopped"), AgentStatus("idle")
    row = TaskRow(
        TaskRef("coffee", "t1"), task, None, "active", idle, need, None, False, None, None, (1, "", "coffee", "t1")
    )
    assert task_icon(row, DARK) == ("◐", DARK.accent)
    assert task_icon(replace(row, needs=None), DARK)[0] == "●"


def test_wide_list_tells_all_there_is_to_know_at_a_glance() -> None:
    task: dict[str, Any] = {
        "branch": "milk",
        "summary": "Warm [bold]milk[/]",
        "harness": "claude",
        "model": "opus",
        "status": "working",
    }
    made = replace(
        row("t1", needs="2026-11-16T09:29:00Z", since="2026-11-16T09:00:00Z", session="active", **task),
        status=AgentStatus("permission"),
        last_line="31 passed \x1b[31m[red]",
        stats=Stats(3, 144, 12),
        usage=TaskUsage((UsageRow("worker", 1, "claude", "opus", "2026-11-16", Totals(cost=0.42)),)),
    )
    look = RowLook(made, "milk", Style(), Style(), DARK)
    layout = layout_for(193, frozenset(fact for fact in FACTS if getattr(made, fact)))
    shown = "".join(segment.text for segment in layout.line(look))
    assert layout.titles().split() == [
        *("task", "status", "doing", "agent", "summary", "last", "output", "↑", "±", "cost", "waits", "age")
    ]
    assert shown.split()[:6] == ["milk", "working", "asks", "claude", "opus", "Warm"]
    assert "Warm [bold]milk[/]" in shown
    assert "31 passed \\x1b[31m[red]" in shown
    assert cell_len(shown) == 193 - MARKS


def test_beside_the_preview_of_a_wide_terminal_there_is_room_for_all_but_the_commits() -> None:
    layout = layout_for(139, frozenset(FACTS))
    assert layout.titles().split() == [
        *("task", "status", "doing", "agent", "summary", "last", "output", "PR", "±", "cost", "waits", "age")
    ]
    made = row("t1", summary="x" * 99)
    few = frozenset(FACTS) - {"pull_request", "usage"}
    look = RowLook(made, "a-branch-of-26-characters-", Style(), Style(), DARK)
    assert "a-branch-of-26-characters- " in "".join(segment.text for segment in layout_for(139, few).line(look))


def test_age_is_the_time_in_the_state_and_waits_is_how_long_the_person_is_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("orange_tui.home.clock.now", lambda: "2026-11-16T09:30:00.000000Z")
    made = row("t1", needs="2026-11-16T09:25:00Z", since="2026-11-16T07:30:00Z", updated_at="2026-11-16T09:30:00Z")
    line = layout_for(79, frozenset({"needs"})).line(RowLook(made, "milk", Style(), Style(), DARK))
    assert "".join(segment.text for segment in line).split()[-2:] == ["5m", "2h"]


def test_person_chooses_columns_and_their_order_and_the_task_stays() -> None:
    chosen = chosen_columns(["age", "summary", "age"])
    assert layout_for(100, chosen=chosen).titles().split() == ["task", "age", "summary"]
    assert layout_for(100, chosen=chosen_columns(["status", "task"])).titles().split() == ["status", "task"]
    assert chosen_columns([]) == COLUMNS


def test_column_that_does_not_exist_is_refused_with_those_that_do() -> None:
    with pytest.raises(Refused) as refused:
        chosen_columns(["task", "prise"])
    assert str(refused.value) == (
        "columns: there is no column 'prise'; the columns are task, status, doing, agent, summary, output, pr, commits,"
        " changes, cost, waits, age"
    )


@pytest.mark.parametrize("width", range(12, 220, 9))
def test_columns_are_as_wide_as_the_list_at_any_width(width: int) -> None:
    made = replace(row("t1", summary="日本語 " * 9), last_line="x" * 300)
    layout = layout_for(width, frozenset(FACTS))
    shown = "".join(segment.text for segment in layout.line(RowLook(made, "🍣" * 9, Style(), Style(), DARK)))
    assert cell_len(shown) == cell_len(layout.titles()) - MARKS
    assert width < 50 or cell_len(shown) == width - MARKS
