"""Budgets: whose counts, what was used of it, and who may change it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from orange_tui.domain.errors import Refused
from orange_tui.domain.usage.budget import BudgetUse, parse_budget
from orange_tui.engine.creation import NewTask
from orange_tui.engine.starting import advance_by_itself, start_by_itself
from orange_tui.usage.budget import budget_use, why_not
from support.driver import refusal
from support.usage import used

if TYPE_CHECKING:
    from orange_tui.store.store import TaskRef
    from support.driver import Cli, World


def left(world: World, ref: TaskRef) -> BudgetUse | None:
    return budget_use(world.orange.projects, world.read(ref))


@pytest.mark.parametrize(
    ("text", "amount"), [("5", 5), ("2.50", 2.5), ("$7", 7), ("0", 0), ("0.01", 0.01), ("1000000", 1_000_000)]
)
def test_a_budget_is_a_number_of_dollars(text: str, amount: float) -> None:
    assert parse_budget(text) == amount
    assert type(parse_budget(text)) is type(amount)


@pytest.mark.parametrize(
    "text", ["", "-1", "five", "nan", "inf", "1e3", "5.", ".5", "5.5.5", "²", "1_000", "10000001", "9" * 99]
)
def test_what_is_none_is_refused_in_a_sentence(text: str) -> None:
    assert "such as 5 or 2.50" in refusal(lambda: parse_budget(text))


def test_tasks_own_budget_comes_before_its_projects_and_that_before_config(world: World, cli: Cli) -> None:
    ref = world.task()
    assert left(world, ref) is None
    (world.root / "config.yml").write_text("budget: 3\n")
    assert left(world, ref) == BudgetUse(3.0, 0.0)
    cli.ok("project", "update", "coffee", "--budget", "4.5")
    assert left(world, ref) == BudgetUse(4.5, 0.0)
    cli.ok("task", "update", ref.id, "--budget", "5")
    assert left(world, ref) == BudgetUse(5, 0.0)
    cli.ok("task", "update", ref.id, "--budget", "0")
    assert left(world, ref) is None
    cli.ok("task", "update", ref.id, "--budget", "")
    assert left(world, ref) == BudgetUse(4.5, 0.0)


@pytest.mark.parametrize(
    ("cost", "sentence", "may_start"),
    [
        (0.0, None, True),
        (4.0, None, True),
        (4.01, "80 % of its budget of $5.00 is used", True),
        (4.999, "99 % of its budget of $5.00 is used", True),
        (5.0, "Its budget of $5.00 is used up ($5.00)", False),
        (None, "Its budget of $5.00 does not count claude-sonnet-4-5, whose price is unknown", True),
    ],
)
def test_what_is_shown_and_what_may_start(
    world: World, cost: float | None, sentence: str | None, may_start: bool
) -> None:
    ref = world.task(budget=5)
    world.use(ref, used(cost))
    found = left(world, ref)
    assert found is not None
    assert found.sentence() == sentence
    assert (why_not(world.orange.projects, world.read(ref)) is None) == may_start


def test_agent_that_edits_the_budget_in_task_md_has_the_old_one(world: World) -> None:
    ref = world.task(budget=5)
    world.edit(ref, "budget: 5", "budget: 500")
    assert world.read(ref).budget == 5
    world.touch(ref)
    assert "budget: 5\n" in world.file(ref).read_text()
    assert "budget was changed by hand" in (world.read(ref).attention or "")


def test_same_budget_written_in_another_way_spoils_no_later_event(world: World) -> None:
    ref = world.task(budget=5)
    world.edit(ref, "budget: 5", "budget: 5.0")
    with world.orange.engine.open(ref) as opened:
        opened.change("agent.crashed", {"crash_count": 1})
    world.touch(ref)
    assert (world.read(ref).budget, world.read(ref).crash_count) == (5, 1)
    assert world.types(ref) == ["task.created", "agent.crashed"]


def test_history_of_an_earlier_version_is_believed_and_has_no_budget(world: World) -> None:
    ref = world.task()
    path = world.history_file(ref)
    event = json.loads(path.read_text())
    del event["engine"]["budget"]
    path.write_text(json.dumps(event) + "\n")
    world.edit(ref, "budget: null", "budget: 500")
    assert world.read(ref).budget is None  # nobody has said so but the file
    world.touch(ref)
    assert world.types(ref)[:2] == ["task.created", "task.tampered"]
    world.orange.tasks.update(ref, options={"budget": 7})
    world.orange.tasks.update(ref, status="doing")
    assert (world.read(ref).budget, world.read(ref).status) == (7, "doing")


def test_budget_that_is_changed_with_a_move_is_believed(world: World, cli: Cli) -> None:
    ref = world.task()
    cli.ok("task", "update", ref.id, "--status", "doing", "--budget", "2.5")
    world.touch(ref)
    assert (world.read(ref).budget, world.read(ref).attention) == (2.5, None)


def test_subtask_has_its_parents_budget(world: World) -> None:
    parent = world.task(budget=5)
    ref = world.orange.tasks.create(NewTask(project="coffee", parent=parent.id, spawn=False)).ref
    assert world.read(ref).budget == 5


def test_orange_starts_no_task_whose_budget_is_used_up_and_asks_once(world: World) -> None:
    waiting = world.orange.tasks.create(NewTask(project="coffee", summary="Brew", workflow="default", spawn=False)).ref
    routed = world.orange.tasks.create(NewTask(project="coffee", summary="Brew", workflow="autopilot")).ref
    for ref in (waiting, routed):
        world.use(ref, used(5.0))
        world.orange.tasks.update(ref, options={"budget": 5})
    with world.orange.engine.open(waiting) as opened:
        opened.record("task.waiting", reason="no room")
    for _ in range(3):
        for ref, start in ((waiting, start_by_itself), (routed, advance_by_itself)):
            with pytest.raises(Refused, match=r"Its budget of \$5.00 is used up"):
                start(world.orange.engine, ref)
    assert [world.types(ref).count("budget.reached") for ref in (waiting, routed)] == [1, 1]
    assert "used up" in (world.read(waiting).attention or "")
    assert world.read(waiting).status == "pending"
    world.orange.tasks.update(waiting, options={"budget": 6})
    assert start_by_itself(world.orange.engine, waiting) is not None
    assert world.orange.tasks.spawn(routed).target == "routed"  # a person's own decision
