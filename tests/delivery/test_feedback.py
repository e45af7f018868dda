"""A person wants changes: their words are under ## Feedback, the task is at work again, and the worker knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from orange_tui.delivery.feedback import request_changes
from support.driver import World, put, refusal

if TYPE_CHECKING:
    from orange_tui.store.store import TaskRef

REVIEWED = """\
name: reviewed
states: {todo: {}, working: {}, reviewing: {}, done: {terminal: true}, cancelled: {terminal: true}}
initial: {todo: {}, reviewing: {}}
transitions:
  - {from: todo, to: working, hooks: [{action: spawn_agent, prompt: go}]}
  - {from: working, to: reviewing}
  - {from: reviewing, to: done}
  - {from: reviewing, to: working, hooks: [{action: notify_worker, message: "Read ## Feedback"}]}
  - {from: [todo, working, reviewing], to: cancelled}
  - {from: [todo, working], to: done, by: force}
prompts: {go: "Go"}
"""


@pytest.fixture
def reviewed(world: World) -> TaskRef:
    world.workflow("reviewed", REVIEWED)
    return world.task("\n## Handoff\n\nDONE: all\n", workflow="reviewed", status="reviewing")


def test_feedback_is_in_the_file_before_the_worker_is_notified(world: World, reviewed: TaskRef) -> None:
    moved = request_changes(world.orange.engine, reviewed, "# Warmer\n\nThe cups are cold.\n\n## Handoff\n\nnone")
    assert (moved.source, moved.target, moved.hooks_run) == ("reviewing", "working", ("notify_worker",))
    body = world.body(reviewed)
    assert body.startswith("\n## Handoff\n\nDONE: all\n\n## Feedback\n\n**20")
    assert body.endswith(" UTC**\n\n### Warmer\n\nThe cups are cold.\n\n#### Handoff\n\nnone\n")
    types = world.types(reviewed)
    assert types.index("changes.requested") < types.index("transition.started")


def test_second_feedback_is_below_the_first(world: World, reviewed: TaskRef) -> None:
    request_changes(world.orange.engine, reviewed, "Warmer")
    world.orange.tasks.update(reviewed, status="reviewing")
    world.write_body(reviewed, "\n## Review\n\nPASS\n")
    request_changes(world.orange.engine, reviewed, "Not that warm")
    body = world.body(reviewed)
    assert body.index("Warmer") < body.index("Not that warm") < body.index("## Review")
    assert body.count("## Feedback") == 1
    assert body.count("UTC**") == 2


def test_feedback_of_a_killed_command_is_not_written_twice(world: World, reviewed: TaskRef) -> None:
    request_changes(world.orange.engine, reviewed, "Warmer")
    before = world.body(reviewed)
    with world.orange.store.open(reviewed) as opened:
        put(opened, "test", {"status": "reviewing"})
    assert request_changes(world.orange.engine, reviewed, "Warmer").target == "working"
    assert world.body(reviewed) == before


@pytest.mark.parametrize("status", ["todo", "working", "done"])
def test_state_without_a_way_back_refuses_feedback_and_writes_nothing(
    world: World, reviewed: TaskRef, status: str
) -> None:
    with world.orange.store.open(reviewed) as opened:
        put(opened, "test", {"status": status})
    before = world.contents(reviewed)
    why = refusal(lambda: request_changes(world.orange.engine, reviewed, "Warmer"))
    assert f"is {status}: changes can't be requested there (workflow reviewed)" in why
    assert world.contents(reviewed) == before


def test_empty_feedback_is_refused(world: World, reviewed: TaskRef) -> None:
    assert "feedback is empty" in refusal(lambda: request_changes(world.orange.engine, reviewed, " \n"))


def test_default_workflow_takes_feedback_only_in_reviewing(world: World) -> None:
    world.orange.projects.update("coffee", {"workflow": "default"})
    ref = world.task(workflow="default", status="reviewing")
    assert request_changes(world.orange.engine, ref, "Warmer").target == "working"
    assert world.effects.seen() == ["notify_worker"]
    for status in ("pending", "planning", "clarification", "working", "agent-review", "stuck"):
        other = world.task(workflow="default", status=status, branch=f"b-{status}")
        assert "changes can't be requested" in refusal(lambda: request_changes(world.orange.engine, other, "x"))  # noqa: B023
