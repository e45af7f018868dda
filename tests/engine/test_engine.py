"""The eight steps of a move: in this order, all of them or none."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from orange_tui.domain.errors import Refused
from orange_tui.engine.hooks import Action, Actions
from orange_tui.orange import assemble
from support.driver import refusal, transition

if TYPE_CHECKING:
    from collections.abc import Iterator

    from orange_tui.domain.workflow import Actor
    from orange_tui.engine.hooks import HookRun
    from orange_tui.store.store import TaskRef
    from support.driver import World

HANDOFF = "\n## Handoff\nDONE: brewed\n"


def test_a_move_runs_its_hooks_in_order_and_is_journaled_from_start_to_end(world: World) -> None:
    task = world.task()
    moved = transition(world.orange, task, "doing", "agent")
    assert (moved.source, moved.target, moved.hook_errors) == ("todo", "doing", ())
    assert moved.hooks_run == ("push_branch", "increment", "set_field", "create_pr", "set_field", "spawn_next")
    assert world.effects.seen() == ["push_branch", "create_pr", "spawn_next"]
    now = world.read(task)
    assert (now.status, now.review_round, now.labels, now.extra["attempts"]) == ("doing", 1, ("seen",), 3)
    assert world.types(task) == ["task.created", "transition.started", *["hook.done"] * 6, "status.changed"]
    last = world.history(task)[-1]
    assert (last["from"], last["to"], last["by"]) == ("todo", "doing", "agent")


def test_the_new_status_is_on_disk_before_the_first_hook_and_the_journal_before_that(world: World) -> None:
    seen: list[tuple[str, str]] = []

    def look(run: HookRun) -> None:
        ref = world.orange.store.ref_of(run.task)
        seen.append((run.action, f"{world.types(ref)[-1]} {world.file(ref).read_text().count('status: doing')}"))

    table = dict(world.effects.table()) | {"push_branch": Action(look)}
    orange = assemble(world.home, Actions(table))
    transition(orange, world.task(), "doing", "agent")
    assert seen == [("push_branch", "transition.started 1")]


@pytest.mark.parametrize(
    ("status", "target", "actor", "words"),
    [
        ("todo", "checked", "agent", ["todo", "steps has no move todo → checked", "it can go to doing"]),
        ("todo", "todo", "agent", ["is todo already", "it can go to doing"]),
        ("todo", "brewing", "agent", ["steps has no state brewing", "todo, doing, checked, stuck, done, cancelled"]),
        (
            "doing",
            "stuck",
            "agent",
            ["no move doing → stuck here", "checked (review_round < 3, needs ## Handoff with DONE or REMAINING), todo"],
        ),
        ("doing", "stuck", "person", ["no move doing → stuck here"]),
        ("todo", "done", "person", ["no move todo → done here"]),
        ("checked", "stuck", "agent", ["is for review_round >= 2, and review_round is 0", "it can go to doing"]),
        ("doing", "checked", "agent", ["has no section ## Handoff", "  ## Handoff\n  DONE: what you have to say"]),
        ("done", "doing", "agent", ["From done an agent cannot move it on"]),
    ],
)
def test_a_refusal_says_where_the_task_is_and_where_it_could_go_and_changes_nothing(
    world: World, status: str, target: str, actor: Actor, words: list[str]
) -> None:
    task = world.task(status=status)
    world.touch(task)
    before = world.contents(task)
    why = refusal(lambda: transition(world.orange, task, target, actor, changes={"summary": "Another"}))
    assert task.id in why
    for part in words:
        assert part in why
    assert world.contents(task) == before
    assert world.effects.seen() == []


def test_move_whose_gate_is_satisfied_is_made(world: World) -> None:
    task = world.task(status="doing", body=HANDOFF)
    transition(world.orange, task, "checked", "agent")
    assert world.read(task).status == "checked"
    assert world.body(task) == HANDOFF


def test_a_handoff_in_a_code_fence_does_not_pass(world: World) -> None:
    task = world.task(status="doing", body="\n```\n## Handoff\nDONE: brewed\n```\n")
    why = refusal(lambda: transition(world.orange, task, "checked", "agent"))
    assert "looks like one, but it is inside a code block" in why


def test_when_is_checked_before_the_gate(world: World) -> None:
    task = world.task(status="doing", review_round=3)
    why = refusal(lambda: transition(world.orange, task, "checked", "agent"))
    assert "is for review_round < 3, and review_round is 3" in why
    assert "Handoff" not in why


def test_the_engine_itself_escalates_past_gate_and_when(world: World) -> None:
    task = world.task(status="checked", review_round=0)
    with world.orange.engine.open(task) as opened:
        world.orange.engine.transition(opened, "stuck", "engine", is_escalation=True)
    assert world.read(task).status == "stuck"


def test_engine_and_forced_moves_run_their_own_hooks_and_are_journaled_by_actor(world: World) -> None:
    escalated, forced = world.task(status="doing"), world.task(status="doing")
    transition(world.orange, escalated, "stuck", "engine")
    assert world.effects.seen() == ["kill_session"]
    transition(world.orange, forced, "done", "force")
    assert (world.read(escalated).status, world.read(forced).status) == ("stuck", "done")
    assert world.history(forced)[-1]["by"] == "force"


def test_move_without_a_free_workspace_is_refused_before_anything_is_written(world: World) -> None:
    task = world.task(status="checked")
    world.touch(task)
    before = world.contents(task)
    world.effects.without.add("acquire_workspace")
    why = refusal(lambda: transition(world.orange, task, "doing", "agent"))
    assert "Nothing is free for acquire_workspace" in why
    assert world.contents(task) == before
    world.effects.without.clear()
    transition(world.orange, task, "doing", "agent")
    assert world.read(task).status == "doing"


def test_work_around_a_move_is_done_after_every_check_and_before_the_journal(world: World) -> None:
    seen: list[str] = []

    @contextmanager
    def work(ref: TaskRef) -> Iterator[None]:
        seen.append(world.types(ref)[-1])
        yield
        seen.append(world.types(ref)[-1])

    refused, moved = world.task(status="doing"), world.task(status="checked")
    with world.orange.engine.open(refused) as opened, pytest.raises(Refused):
        world.orange.engine.transition(opened, "checked", "agent", around=work(refused))
    assert seen == []
    with world.orange.engine.open(moved) as opened:
        world.orange.engine.transition(opened, "doing", "agent", around=work(moved))
    assert seen == ["task.created", "transition.started"]


def test_work_around_a_move_that_fails_leaves_the_task_as_it_was(world: World) -> None:
    task = world.task(status="checked")
    world.touch(task)
    before = world.contents(task)

    def push() -> None:
        raise Refused("The push was rejected")

    @contextmanager
    def work() -> Iterator[None]:
        push()
        yield

    with world.orange.engine.open(task) as opened, pytest.raises(Refused, match="rejected"):
        world.orange.engine.transition(opened, "doing", "agent", around=work())
    assert world.contents(task) == before


def test_asking_whether_a_move_is_possible_changes_nothing(world: World) -> None:
    task = world.task(status="doing")
    with world.orange.engine.open(task) as opened:
        before = world.contents(task)
        assert "has no section ## Handoff" in str(world.orange.engine.why_not(opened, "checked", "agent"))
        assert world.orange.engine.why_not(opened, "todo", "agent") is None
    assert world.contents(task) == before


def test_a_hook_that_fails_stops_neither_the_move_nor_the_others(world: World) -> None:
    task = world.task()
    world.effects.failing.add("create_pr")
    moved = transition(world.orange, task, "doing", "agent")
    assert moved.hook_errors == ("create_pr: no luck with create_pr",)
    assert world.effects.seen() == ["push_branch", "spawn_next"]
    now = world.read(task)
    assert (now.status, now.attention) == ("doing", "create_pr failed: no luck with create_pr")
    assert [(e["action"], e["reason"]) for e in world.history(task) if e["type"] == "hook.failed"] == [
        ("create_pr", "no luck with create_pr")
    ]
    assert world.types(task)[-1] == "status.changed"


def test_two_failed_hooks_are_both_in_attention_and_the_next_move_clears_it(world: World) -> None:
    task = world.task()
    world.effects.failing |= {"push_branch", "create_pr"}
    transition(world.orange, task, "doing", "agent")
    attention = world.read(task).attention or ""
    assert "push_branch failed" in attention
    assert "create_pr failed" in attention
    transition(world.orange, task, "todo", "agent")
    assert world.read(task).attention is None


def test_a_hook_with_a_bug_is_a_failed_hook(world: World) -> None:
    def buggy(_run: HookRun) -> None:
        raise ZeroDivisionError("by zero")

    task = world.task()
    table = dict(world.effects.table()) | {"push_branch": Action(buggy)}
    moved = transition(assemble(world.home, Actions(table)), task, "doing", "agent")
    assert moved.hook_errors == ("push_branch: ZeroDivisionError: by zero",)
    assert world.types(task)[-1] == "status.changed"


def test_counting_a_field_that_is_no_number_is_a_failed_hook_and_never_strands_the_task(world: World) -> None:
    world.workflow(
        "rounds",
        "name: rounds\nstates: {a: {}, b: {}, z: {terminal: true}}\nprompts: {p: go}\ntransitions:\n"
        "  - {from: a, to: b, hooks: [{action: spawn_agent, prompt: p, increment: tries}]}\n"
        "  - {from: b, to: a}\n  - {from: b, to: z}\n",
    )
    task = world.task(workflow="rounds", status="a")
    world.edit(task, "---\nid:", "---\ntries: three\nid:")
    moved = transition(world.orange, task, "b", "agent")
    assert "tries is not a number" in moved.hook_errors[0]
    transition(world.orange, task, "a", "agent")
    assert world.read(task).status == "a"


def test_a_completed_move_forgets_earlier_crashes(world: World) -> None:
    task = world.task(status="stuck", crash_count=2)
    transition(world.orange, task, "doing", "agent")
    assert world.read(task).crash_count == 0
    assert world.history(task)[-1]["engine"]["crash_count"] == 0


def test_a_summary_given_with_a_status_comes_with_the_move_or_not_at_all(world: World) -> None:
    task = world.task()
    world.touch(task)
    before = world.contents(task)
    with pytest.raises(Refused):
        world.orange.tasks.update(task, status="checked", summary="Brew two")
    assert world.contents(task) == before
    with pytest.raises(Refused):
        world.orange.tasks.update(task, status="doing", summary="Brew\ntwo")
    assert world.contents(task) == before
    world.orange.tasks.update(task, status="doing", summary="Brew two")
    assert (world.read(task).status, world.read(task).summary) == ("doing", "Brew two")


@pytest.mark.parametrize("terminal", ["done", "cancelled"])
def test_update_never_finishes_a_task(world: World, terminal: str) -> None:
    task = world.task(status="checked")
    world.touch(task)
    before = world.contents(task)
    why = refusal(lambda: world.orange.tasks.update(task, status=terminal))
    assert "orange task merge" in why
    assert "orange task cancel" in why
    assert world.contents(task) == before


def test_an_unknown_status_in_the_file_is_shown_and_leads_nowhere(world: World) -> None:
    task = world.task(status="brewing")
    assert "From brewing" in refusal(lambda: transition(world.orange, task, "doing", "agent"))


def test_a_broken_workflow_refuses_its_tasks_with_the_reason_and_no_others(world: World) -> None:
    world.workflow("broken", "name: broken\nstates: {a: {}}\ntransitions: []\n")
    broken, good = world.task(workflow="broken", status="a"), world.task()
    with pytest.raises(Exception, match=r"broken\.yml"):
        transition(world.orange, broken, "b", "agent")
    transition(world.orange, good, "doing", "agent")
