"""`cost`, `tokens` and `context` in a `when`: what agents have used decides, and what nobody knows passes no guard."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from orange_tui.engine._numbers import measure
from orange_tui.engine.hooks import Action, Actions
from orange_tui.home.paths import Home
from orange_tui.orange import assemble
from orange_tui.supervisor.exits.rules import ExitRules
from support.driver import refusal
from support.usage import used

if TYPE_CHECKING:
    from orange_tui.engine.hooks import HookRun
    from orange_tui.store.store import TaskRef
    from support.driver import World

FRUGAL = """\
name: frugal
states: {todo: {}, doing: {agent: worker}, cheap: {}, dear: {}, done: {terminal: true}}
initial: {todo: {}}
transitions:
  - {from: todo, to: doing, when: "cost < 3"}
  - {from: doing, to: cheap, when: "cost <= 2", hooks: [push_branch]}
  - {from: doing, to: cheap, when: "cost > 2", hooks: [create_pr]}
  - {from: doing, to: dear}
  - {from: doing, to: todo, when: "tokens >= 1000"}
  - {from: [cheap, dear], to: done, when: "context < 90"}
signals:
  - status: [doing]
    outcome: passed
    then_when: [{when: "cost <= 2", then: cheap}, {when: "cost > 2", then: dear}]
"""


@pytest.fixture
def ref(world: World) -> TaskRef:
    world.workflow("frugal", FRUGAL)
    return world.task(workflow="frugal", status="doing")


def start(world: World, ref: TaskRef) -> None:
    with world.orange.engine.open(ref) as opened:
        opened.record("agent.spawned", window="worker", harness="claude")


def number(world: World, ref: TaskRef, field: str) -> str:
    return str(measure(world.orange.engine.parts, world.read(ref), field))


def move(world: World, ref: TaskRef, status: str) -> str:
    return world.orange.tasks.update(ref, status=status)[0].status


@pytest.mark.parametrize(("cost", "hook"), [(2.0, "push_branch"), (2.01, "create_pr"), (2.5, "create_pr")])
def test_dollars_are_compared_to_the_cent(world: World, ref: TaskRef, cost: float, hook: str) -> None:
    world.use(ref, used(cost))
    assert move(world, ref, "cheap") == "cheap"
    assert world.effects.seen() == [hook]


def test_unknown_cost_passes_no_guard_and_the_refusal_says_why(world: World, ref: TaskRef) -> None:
    world.use(ref, used(1.5), used(None, model="new"))
    said = refusal(lambda: move(world, ref, "cheap"))
    assert "cost is not known (the price of new), at least 1.5" in said
    world.use(ref, used(2.5), used(None, model="new"))
    assert move(world, ref, "cheap") == "cheap"  # it can only be more
    assert world.effects.seen() == ["create_pr"]


@pytest.mark.parametrize(("cost", "target"), [(1.0, "cheap"), (9.0, "dear")])
def test_where_a_case_must_be_chosen_what_is_known_decides(
    world: World, ref: TaskRef, cost: float, target: str
) -> None:
    world.workflow("frugal", FRUGAL.replace(', when: "cost <= 2", hooks: [push_branch]', "").replace(
        '  - {from: doing, to: cheap, when: "cost > 2", hooks: [create_pr]}\n', ""
    ))  # fmt: skip
    world.use(ref, used(cost), used(None, model="new"))
    (world.directory(ref) / ".orange-outcome").write_text(f'{{"id": "{ref.id}", "outcome": "passed"}}')
    ExitRules(world.orange.tasks, world.orange.agents).check(ref)
    assert world.read(ref).status == target


def test_before_the_first_agent_nothing_was_used_and_after_it_nobody_knows_until_it_tells(
    world: World, ref: TaskRef
) -> None:
    assert [number(world, ref, field) for field in ("cost", "tokens", "context")] == ["0", "0", "0"]
    start(world, ref)
    assert all("not known" in number(world, ref, field) for field in ("cost", "tokens", "context"))
    assert "not known" in refusal(lambda: move(world, ref, "todo"))
    world.use(ref, used(0.25, input=900, output=99), context=91.5)
    assert [number(world, ref, field) for field in ("cost", "tokens", "context")] == ["0.25", "999", "91.5"]
    assert "tokens is 999" in refusal(lambda: move(world, ref, "todo"))
    world.use(ref, used(0.25, input=900, output=100), context=91.5)
    assert move(world, ref, "todo") == "todo"


def test_agent_that_writes_the_numbers_into_task_md_changes_nothing(world: World, ref: TaskRef) -> None:
    world.use(ref, used(7.0))
    world.edit(ref, "summary:", "cost: 0\ntokens: 0\ncontext: 0\nsummary:")
    assert number(world, ref, "cost") == "7"


def test_killed_move_is_finished_with_the_hooks_of_the_cost_it_had_then(world: World, ref: TaskRef) -> None:
    class Killed(BaseException):
        """As by kill -9: nothing of ours runs any more."""

    def kill(_run: HookRun) -> None:
        raise Killed

    world.use(ref, used(1.0))
    orange = assemble(Home(world.home.root), Actions({**world.effects.table(), "push_branch": Action(kill)}))
    with pytest.raises(Killed):
        orange.tasks.update(ref, status="cheap")
    world.use(ref, used(5.0))  # its agent went on meanwhile
    world.touch(ref)
    assert (world.read(ref).status, world.effects.seen()) == ("cheap", ["push_branch"])
