"""At an agent's limit Orange itself starts none of its tasks: they wait, and have their turn when it is over."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from orange_tui.engine import starting
from orange_tui.engine.actions.tasks import SPAWN_NEXT
from orange_tui.engine.creation import NewTask
from orange_tui.engine.hooks import Actions
from orange_tui.engine.starting import advance_by_itself, start_if_possible
from orange_tui.home import clock
from orange_tui.orange import assemble
from orange_tui.supervisor import starter
from orange_tui.supervisor._states import StateTable
from support.driver import transition

if TYPE_CHECKING:
    from collections.abc import Callable

    from orange_tui.engine.engine import Engine
    from orange_tui.store.store import TaskRef
    from support.driver import World


@pytest.fixture(autouse=True)
def at_the_limit(world: World) -> None:
    limits = world.orange.engine.parts.limits
    limits.see_limit("claude", "default", "try again in 3 hours", clock.now(), "screen")


def create(world: World, branch: str, **values: object) -> TaskRef:
    new = {"project": "coffee", "summary": "Brew", "workflow": "default", "harness": "claude", "by": "agent"} | values
    return world.orange.tasks.create(NewTask(branch=branch, **new)).ref  # type: ignore[arg-type]


def is_over(world: World) -> None:
    world.orange.engine.parts.limits.end("claude", "default")


def test_task_that_an_agent_creates_waits_until_the_limit_is_over(world: World) -> None:
    ref = create(world, "one")
    assert start_if_possible(world.orange.engine, ref) is None
    assert (world.read(ref).status, world.effects.seen()) == ("pending", [])
    waiting = [event["reason"] for event in world.history(ref) if event["type"] == "task.waiting"]
    assert len(waiting) == 1
    assert f"{ref.id} waits for claude's limit, until " in waiting[0]
    assert world.orange.store.journal(ref).start().limit_of == "claude"
    is_over(world)
    assert start_if_possible(world.orange.engine, ref) is not None
    assert world.read(ref).status == "planning"


def test_person_may_try(world: World) -> None:
    assert world.read(create(world, "one", by="person")).status == "planning"


def test_task_of_another_agent_has_the_turn_and_the_first_one_keeps_its_own(world: World) -> None:
    world.effects.without.add("acquire_workspace")
    refs = [create(world, branch, by="person", harness=name) for branch, name in [("a", "claude"), ("b", "codex")]]
    world.effects.without.clear()
    finished = create(world, "finished", harness="pi", status="reviewing")
    orange = assemble(world.home, Actions({**world.effects.table(), "spawn_next": SPAWN_NEXT}))
    transition(orange, finished, "done", "person")
    assert [world.read(ref).status for ref in refs] == ["pending", "planning"]
    is_over(world)
    assert start_if_possible(orange.engine, refs[0]) is not None


def test_routed_task_waits_in_the_state_before_its_agent_is_started(world: World) -> None:
    ref = create(world, "auto", workflow="autopilot", harness=None)
    with world.orange.engine.open(ref) as opened:
        opened.change("task.updated", {"harness": "claude"})
    with pytest.raises(Exception, match="waits for claude's limit"):
        advance_by_itself(world.orange.engine, ref)
    assert world.read(ref).status == "new"
    is_over(world)
    assert advance_by_itself(world.orange.engine, ref) is not None
    assert world.read(ref).status == "routed"  # its effects are only recorded: no route, no further move


def test_tasks_that_wait_for_a_limit_are_not_tried_again_and_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[TaskRef] = []
    monkeypatch.setattr(starter, "Thread", lambda target, args, **_: SimpleNamespace(start=lambda: target(*args)))

    def note(start: Callable[..., object], engine: Engine, ref: TaskRef) -> object:
        tried.append(ref)
        return start(engine, ref)

    for name in ("start_if_possible", "advance_by_itself"):
        monkeypatch.setattr(starting, name, partial(note, getattr(starting, name)))
    waiting = create(world, "one")
    automatic = [create(world, f"auto-{number}", workflow="autopilot") for number in range(5)]
    other = create(world, "other", workflow="autopilot", harness="codex")

    def start_due() -> list[TaskRef]:
        tried.clear()
        index = world.orange.new_index()
        index.refresh_all()
        starts, states = starter.Starter(world.orange.tasks, lambda _: None), StateTable(world.orange.workflows)
        for entry in index.entries():
            assert entry.task is not None
            starts.schedule(entry, states.rules_for(entry.task))
        starts.start_due()
        return list(tried)

    assert start_due() == [other]  # the one that was told to wait when it was created is not tried, nor are the others
    is_over(world)
    assert {waiting, automatic[0]} <= set(start_due())
