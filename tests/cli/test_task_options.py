"""`task create` and `task update`: how a task is done, who may say so, and what is shown of usage and budgets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.live_board import LiveBoard
from support.usage import used, write_usage

if TYPE_CHECKING:
    from orange_tui.store.store import TaskRef
    from support.driver import Cli, World


@pytest.fixture
def ref(world: World) -> TaskRef:
    return world.task(branch="brew", harness="claude")


def test_update_changes_how_a_task_is_done_and_takes_it_back(world: World, cli: Cli, ref: TaskRef) -> None:
    other = world.task()
    words = ["--harness", "codex", "--review-harness", "pi", "--model", "o9", "--effort", "high", "--label", "a"]
    said = cli.ok(
        "task", "update", ref.id, *words, "--label", "b", "--blocked-by", other.id, "--budget", "2.50", "--json"
    )
    wanted = {
        "harness": "codex", "review_harness": "pi", "model": "o9", "effort": "high", "labels": ["a", "b"],
        "blocked_by": [other.id], "budget": 2.5,
    }  # fmt: skip
    assert {name: said.json()[name] for name in wanted} == wanted
    assert "at work" not in said.err  # nobody is
    emptied = [word for name in ("--model", "--effort", "--label", "--blocked-by", "--budget") for word in (name, "")]
    task = cli.ok("task", "update", ref.id, *emptied, "--json").json()
    assert [task[name] for name in ("model", "effort", "labels", "blocked_by", "budget")] == [None, None, [], [], None]


def test_update_says_that_an_agent_at_work_goes_on_as_it_is(world: World, cli: Cli) -> None:
    ref = world.task(harness="claude", tmux_session="coffee/brew")
    assert "harness: from the next start of its agent on" in cli.ok("task", "update", ref.id, "--harness", "pi").err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--harness", "nobody"], "nobody"),
        (["--effort", "very"], "no effort level 'very'"),
        (["--model", "-x y"], "is not a model's name"),
        (["--label", "\x1b[2J"], "A label is"),
        (["--blocked-by", "zzz9"], "There is no task zzz9"),
        (["--budget", "much"], "such as 5 or 2.50"),
    ],
)
def test_wrong_value_is_refused_and_changes_nothing(
    world: World, cli: Cli, ref: TaskRef, words: list[str], why: str
) -> None:
    before = world.read(ref)
    assert why in cli.no("task", "update", ref.id, "--summary", "Other", *words)
    assert world.read(ref) == before


def test_tasks_that_would_wait_for_each_other_are_refused(world: World, cli: Cli) -> None:
    first = world.task()
    second = world.task(blocked_by=[first.id])
    third = world.task(blocked_by=[second.id])
    said = cli.no("task", "update", first.id, "--blocked-by", third.id)
    assert f"{first.id} waits for {third.id} waits for {second.id} waits for {first.id}" in said
    assert "None of them would ever start" in cli.no("task", "update", first.id, "--blocked-by", first.id)


@pytest.mark.parametrize("option", ["--harness", "--model", "--effort", "--blocked-by", "--budget", "--review-harness"])
def test_agent_does_not_change_how_its_task_is_done(
    world: World, cli: Cli, ref: TaskRef, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    monkeypatch.setenv("ORANGE_TASK", ref.id)
    assert f"{option} is for a person" in cli.no("task", "update", option, "claude")
    assert "--budget is for a person" in cli.no("task", "create", "x", "--parent", ref.id, "--budget", "9")
    cli.ok("task", "update", "--label", "mine", "--summary", "Better")


def test_create_takes_model_and_budget(world: World, cli: Cli) -> None:
    words = ["task", "create", "x", "Brew", "--no-spawn", "--project", "coffee", "--model", "opus", "--budget", "3"]
    task = cli.ok(*words, "--json").json()
    assert (task["model"], task["budget"]) == ("opus", 3)


def test_usage_is_in_every_json_and_in_show(world: World, cli: Cli, ref: TaskRef) -> None:
    empty = cli.ok("task", "create", "x", "Brew", "--no-spawn", "--project", "coffee", "--json").json()["usage"]
    assert set(empty.values()) == {None}
    assert "usage" not in cli.ok("task", "show", ref.id).out
    world.use(ref, used(1.25), context=40.4)
    expected = {
        "input": 1000, "output": 200, "cache_read": 0, "cache_write": 0, "cost": 1.25, "context_percent": 40.4
    }  # fmt: skip
    (listed,) = (task for task in cli.ok("task", "list", "--all", "--json").json() if task["id"] == ref.id)
    shown = cli.ok("task", "show", ref.id, "--json").json()
    updated = cli.ok("task", "update", ref.id, "--summary", "Other", "--json").json()
    assert [each["usage"] for each in (listed, shown, updated)] == [expected] * 3
    line = next(line for line in cli.ok("task", "show", ref.id).out.splitlines() if line.startswith("usage"))
    assert "$1.25, 1.0k input, 200 output, 0 cache read, 3 turns, 40 % context" in line


@pytest.mark.parametrize(
    ("cost", "note", "needs"),
    [
        (3.0, None, None),
        (4.5, "90 % of its budget of $5.00 is used", None),
        (6.0, "Its budget of $5.00 is used up ($6.00)", "Its budget of $5.00 is used up ($6.00)"),
    ],
)
def test_budget_that_is_nearly_used_up_is_shown_and_at_its_end_the_person_is_needed(
    world: World, cli: Cli, cost: float, note: str | None, needs: str | None
) -> None:
    ref = world.task(budget=5)
    world.use(ref, used(cost))
    said = cli.ok("task", "list", "--all").out
    assert ("budget" in said) == (note is not None)
    assert note is None or f"! {note}" in said
    (row,) = LiveBoard(world.orange).refresh(None).rows
    assert row.budget is not None
    assert (row.budget.sentence(), row.needs) == (note, needs)


def test_config_that_cannot_be_read_hides_no_task_and_is_told(world: World, cli: Cli) -> None:
    first, second = world.task(summary="first"), world.task(summary="second", budget=1.0)
    for ref in (first, second):
        write_usage(world.orange.home, ref.project, ref.id, used(2.0))
    (world.root / "config.yml").write_text("bell: true\nnudge: often\n")
    listed, shown = cli.ok("task", "list", "--all"), cli.ok("task", "show", first.id)
    assert first.id in listed.out
    assert "its budget of $1.00 is used up ($2.00)" in listed.out.lower()
    assert "$2.00" in shown.out
    for result in (listed, shown):
        assert "config.yml:2: 'nudge' must be a number" in result.err
