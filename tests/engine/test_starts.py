"""Starts: each happens once, as the task was created for, and by itself only where nobody has to ask for it."""

from __future__ import annotations

from threading import Thread
from typing import TYPE_CHECKING

import pytest

from orange_tui.agents.harnesses import Harnesses
from orange_tui.engine.actions.tasks import SPAWN_NEXT
from orange_tui.engine.creation import NewTask
from orange_tui.engine.hooks import Actions
from orange_tui.engine.starting import advance_by_itself, start_by_itself, start_if_possible
from orange_tui.orange import assemble
from orange_tui.supervisor._states import StateTable
from orange_tui.supervisor.starter import Starter, wait_for_starts
from support.driver import put, refusal, transition
from support.live_board import LiveBoard
from support.live_home import started, wait_for

if TYPE_CHECKING:
    from orange_tui.board.rows import Snapshot
    from orange_tui.orange import Orange
    from orange_tui.store.store import TaskRef
    from support.driver import Cli, World
    from support.live_home import LiveHome

OPEN = """\
name: open
states:
  open: {respawn_prompt: go}
  checked: {}
  done: {terminal: true}
initial:
  open: {hooks: [acquire_workspace, {action: spawn_agent, prompt: go}]}
transitions:
  - {from: open, to: checked}
  - {from: checked, to: done}
prompts: {go: Go}
"""
# The first state has hooks, and an agent is started on the way out of it.
ANNOUNCED = """\
name: announced
states:
  todo: {}
  doing: {}
  done: {terminal: true}
initial:
  todo: {hooks: [push_branch]}
transitions:
  - {from: todo, to: doing, hooks: [acquire_workspace, {action: spawn_agent, prompt: go}]}
  - {from: doing, to: done}
prompts: {go: Go}
"""
ASKED = (
    ANNOUNCED.replace("announced", "asked").replace("{hooks: [push_branch]}", "{}").replace("g, h", "g, by: person, h")
)

HOW = ["initial", "again", "again", "again"]


def create(world: World, **values: object) -> TaskRef:
    new = {"project": "coffee", "summary": "Brew", "workflow": "default"} | values
    return world.orange.tasks.create(NewTask(**new)).ref  # type: ignore[arg-type]


def scheduled(orange: Orange) -> Starter:
    """A starter that has seen everything."""
    starter = Starter(orange.tasks, lambda _refs: None)
    index, states = orange.new_index(), StateTable(orange.workflows)
    index.refresh_all()
    for entry in index.entries():
        assert entry.task is not None
        starter.schedule(entry, states.rules_for(entry.task))
    return starter


def moves(world: World, ref: TaskRef) -> list[tuple[str, str, str]]:
    events = world.history(ref)
    return [(e["from"], e["to"], e["by"]) for e in events if e["type"] == "transition.started"]


@pytest.mark.parametrize("status", ["agent-review", "clarification"])
@pytest.mark.parametrize("workflow", ["default", "classic"])
def test_task_that_waits_starts_in_the_state_it_was_created_for(world: World, workflow: str, status: str) -> None:
    world.effects.without.add("acquire_workspace")
    ref = create(world, workflow=workflow, status=status)
    assert (world.read(ref).status, world.effects.seen()) == ("pending", [])
    world.edit(ref, "status: pending", "status: planning")  # whatever is written to its file
    world.effects.without.clear()
    assert start_if_possible(world.orange.engine, ref) is not None
    assert moves(world, ref) == [("pending", status, "engine")]
    hooks = world.orange.workflows.load(workflow).initial[status]
    assert world.effects.seen() == [hook.action for hook in hooks]


def test_task_created_for_a_state_that_its_workflow_has_no_more_says_so(world: World) -> None:
    world.effects.without.add("acquire_workspace")
    ref = create(world, status="agent-review")
    with open(world.orange.workflows.path("default")) as file:
        world.workflow("default", file.read().replace("  agent-review:                 # a branch", "  stuck: # a"))
    world.effects.without.clear()
    why = refusal(lambda: world.orange.tasks.spawn(ref))
    assert f"{ref.id} was created for agent-review; in default a task can start as pending, clarification, stuck" in why


@pytest.mark.parametrize("status", ["agent-review", "clarification", "pending"])
def test_task_that_others_see_while_it_is_created_starts_once(world: World, status: str) -> None:
    def watch() -> None:
        orange = assemble(world.home, world.orange.engine.actions)
        wait_for(lambda: bool(orange.store.refs()))
        start_if_possible(orange.engine, orange.store.refs()[0])

    threads = [Thread(target=watch) for _ in range(3)]
    for thread in threads:
        thread.start()
    ref = create(world, status=status)
    for thread in threads:
        thread.join()
    target = "planning" if status == "pending" else status
    assert moves(world, ref) == [("pending", target, "person")]  # it is its creator's, from the first moment
    assert "task.waiting" not in world.types(ref)


def test_person_who_starts_a_task_that_runs_is_refused_and_nothing_is_started_again(world: World) -> None:
    for status in ("agent-review", "clarification"):
        ref = create(world, status=status)
        with world.orange.engine.open(ref) as opened:
            put(opened, "test", {"workspace": "coffee--1", "tmux_session": "coffee/brew"})
        assert "`orange task restart" in refusal(lambda ref=ref: world.orange.tasks.spawn(ref))  # type: ignore[misc]
        assert len(moves(world, ref)) == 1


def test_task_created_not_to_start_is_started_by_a_person_alone(world: World) -> None:
    ref, auto = create(world, spawn=False), create(world, workflow="autopilot", spawn=False)
    engine = world.orange.engine
    assert start_by_itself(engine, ref) is start_by_itself(engine, ref, is_next=True) is None
    assert advance_by_itself(engine, auto) is None
    assert scheduled(world.orange).waiting() == set()
    world.orange.tasks.spawn(ref)
    world.orange.tasks.spawn(auto)
    assert moves(world, ref) == [("pending", "planning", "person")]
    assert moves(world, auto)[0] == ("new", "routed", "person")
    with engine.open(auto) as opened:
        put(opened, "test", {"status": "new"})
    assert advance_by_itself(engine, auto) is not None  # its next attempt needs nobody


@pytest.mark.parametrize("workflow", ["default", "autopilot"])
def test_task_created_not_to_start_hears_of_a_cancelled_blocker_and_waits_on(world: World, workflow: str) -> None:
    first, other = create(world, spawn=False), create(world, branch="other", spawn=False)
    held = create(world, branch="held", workflow=workflow, blocked_by=(first.id, other.id), spawn=False)
    world.orange.tasks.cancel(first)
    start_due(world.orange)
    assert (world.read(held).attention or "").startswith(f"It waits for {first.id}, which was cancelled")
    for ref in (first, other):
        with world.orange.engine.open(ref) as opened:
            put(opened, "test", {"status": "done"})
    start_due(world.orange)
    assert moves(world, held) == []


def test_task_whose_creator_was_killed_is_started_as_it_was_to_be(world: World) -> None:
    given = {"workflow": "default", "status": "pending", "summary": "Brew"}
    with world.orange.store.project_lock("coffee"):
        ref = world.orange.store.add("coffee", given, "", start=True, initial="agent-review")
    start_due(world.orange)
    start_due(world.orange)
    assert moves(world, ref) == [("pending", "agent-review", "engine")]


def test_no_spawn_says_nothing_of_a_start_by_itself(world: World, cli: Cli) -> None:
    words = ("task", "create", "--project", "coffee", "--workflow", "autopilot")
    assert "starts by itself" in cli.ok(*words, "one", "Brew").err
    assert "starts by itself" not in cli.ok(*words, "two", "Brew", "--no-spawn").err


def test_hooks_of_the_first_state_run_when_the_task_starts(world: World) -> None:
    world.workflow("open", OPEN)
    world.effects.without.add("acquire_workspace")
    ref = create(world, workflow="open")
    assert world.types(ref)[-1] == "task.waiting"
    world.effects.without.clear()
    assert start_if_possible(world.orange.engine, ref) is not None
    assert moves(world, ref) == [("open", "open", "engine")]
    assert world.effects.seen() == ["acquire_workspace", "spawn_agent"]


@pytest.mark.parametrize(("workflow", "status", "spawn"), [("open", "open", True), ("default", "agent-review", False)])
def test_start_that_fails_where_the_task_is_can_be_tried_until_it_succeeds(
    world: World, workflow: str, status: str, spawn: bool
) -> None:
    world.workflow("open", OPEN)
    hooks = world.orange.workflows.load(workflow).initial[status]
    world.effects.failing.add(hooks[-1].action)
    ref = create(world, workflow=workflow, status=status, spawn=spawn)
    for _ in range(3 - spawn):
        world.orange.tasks.spawn(ref)
    world.effects.failing.clear()
    assert world.orange.tasks.spawn(ref).hooks_run == tuple(hook.action for hook in hooks)
    assert [event.get("start") for event in world.history(ref) if event["type"] == "transition.started"] == HOW
    assert world.read(ref).attention is None


def test_hooks_of_the_first_state_run_once_and_before_the_move_that_starts_the_agent(world: World) -> None:
    world.workflow("announced", ANNOUNCED)
    world.effects.without.add("acquire_workspace")
    ref = create(world, workflow="announced")
    assert (world.read(ref).status, world.effects.seen()) == ("todo", ["push_branch"])
    world.effects.without.clear()
    assert start_if_possible(world.orange.engine, ref) is not None
    assert moves(world, ref) == [("todo", "todo", "person"), ("todo", "doing", "engine")]
    held = create(world, workflow="announced", branch="held", spawn=False)
    world.orange.tasks.spawn(held)
    assert moves(world, held) == [("todo", "todo", "person"), ("todo", "doing", "person")]


def test_task_does_not_start_before_the_last_move_of_its_blocker_is_over(world: World) -> None:
    """Until then the blocker holds its workspace: the one that waits for it would find none, and start no more."""
    blocker = create(world, status="reviewing")
    ref = create(world, branch="next", blocked_by=(blocker.id,))
    with world.orange.store.open(blocker) as opened:
        about, held = {"from": "reviewing", "to": "done", "by": "person"}, {"workspace": "coffee--1"}
        put(opened, "transition.started", {"status": "done", **held}, **about)
    start_due(world.orange)
    assert (moves(world, ref), world.types(ref).count("task.waiting")) == ([], 1)
    assert "task.updated" not in world.types(ref)  # nobody is told that its blocker was cancelled
    with world.orange.engine.open(blocker):  # what is left of its move is done
        pass
    start_due(world.orange)
    assert moves(world, ref) == [("pending", "planning", "engine")]


def test_next_task_is_the_oldest_that_can_start_without_a_person(world: World) -> None:
    world.workflow("asked", ASKED)
    held, asked = create(world, spawn=False), create(world, branch="asked", workflow="asked", spawn=False)
    with world.orange.engine.open(asked) as opened:
        opened.record("task.waiting", reason="Nothing is free")
    world.effects.without.add("acquire_workspace")
    waiting = [create(world, branch=f"next/{number}") for number in range(2)]
    world.effects.without.clear()
    finished = create(world, branch="finished", status="reviewing")
    orange = assemble(world.home, Actions({**world.effects.table(), "spawn_next": SPAWN_NEXT}))
    transition(orange, finished, "done", "person")
    assert [world.read(ref).status for ref in (held, asked, *waiting)] == ["pending", "todo", "planning", "pending"]
    assert moves(world, waiting[0]) == [("pending", "planning", "engine")]


@pytest.mark.parametrize("session", ["coffee/open", None])
def test_next_task_is_none_that_was_started_in_its_first_state(world: World, session: str | None) -> None:
    world.workflow("open", OPEN)
    ref = create(world, workflow="open")
    with world.orange.engine.open(ref) as opened:
        put(opened, "test", {"tmux_session": session})
    assert start_by_itself(world.orange.engine, ref, is_next=True) is None
    assert len(moves(world, ref)) == 1


def waits(snapshot: Snapshot, ref: TaskRef) -> str | None:
    return next(row.waits for row in snapshot.rows if row.ref == ref)


def start_due(orange: Orange) -> None:
    """What a supervisor does in each of its rounds."""
    scheduled(orange).start_due()
    wait_for_starts()


def test_cancelling_starts_nothing_and_the_row_says_what_could_start(live_home: LiveHome, cli: Cli) -> None:
    one, two = started(live_home, "one"), started(live_home, "two")
    waiting = live_home.create("three", harness="recorder", status="agent-review")
    last = live_home.create("four", harness="recorder")
    boards = LiveBoard(live_home.orange)
    assert waits(list(boards.scan())[-1], waiting) == "waits for a workspace"
    live_home.orange.tasks.cancel(one)
    start_due(live_home.orange)
    assert [live_home.status(ref) for ref in (waiting, last)] == ["pending", "pending"]
    assert waits(boards.refresh([one]), waiting) == "could start: a workspace is free"
    assert cli.ok("task", "list", "--project", "coffee").out.count("! It could start: a workspace is free") == 2
    live_home.orange.tasks.spawn(last)
    assert waits(boards.refresh([last]), waiting) == "waits for a workspace"
    live_home.orange.projects.update("coffee", {"pool_size": 3})
    start_due(live_home.orange)
    assert (live_home.status(waiting), live_home.windows(waiting)) == ("agent-review", ["review-1"])
    assert [event["by"] for event in live_home.events(waiting, "status.changed")] == ["engine"]
    start_due(live_home.orange)
    assert live_home.task(waiting).review_round == 1
    assert live_home.status(two) == "planning"


def test_task_created_for_review_gets_a_worker_when_it_is_sent_back(live_home: LiveHome, cli: Cli) -> None:
    seen = live_home.harness()
    live_home.git("branch", "brew")
    ref = live_home.create("brew", harness="recorder", status="reviewing")
    live_home.orange.projects.update("coffee", {"pool_size": 1})
    other = live_home.create("other", harness="recorder")
    why = cli.no("task", "update", ref.id, "--status", "working")
    assert "no free workspace" in why
    assert live_home.status(ref) == "reviewing"
    live_home.orange.tasks.cancel(other)
    cli.ok("task", "update", ref.id, "--status", "working")
    assert (live_home.status(ref), live_home.windows(ref)) == ("working", ["worker"])
    assert live_home.task(ref).attention is None
    here = seen / "directory"
    wait_for(lambda: here.exists() and here.read_text().strip() == str(live_home.worktree(ref)))


def test_task_without_a_workspace_in_a_state_where_an_agent_works_is_started_there(
    live_home: LiveHome, cli: Cli
) -> None:
    """As an earlier Orange left it: moved to working, and nobody to work."""
    live_home.harness()
    ref = live_home.create("brew", harness="recorder", status="reviewing")
    with live_home.orange.engine.open(ref) as opened:
        put(opened, "test", {"status": "working"})
    assert f"`orange task start {ref.id}` starts it" in cli.no("task", "respawn", ref.id)
    cli.ok("task", "spawn", ref.id)
    assert (live_home.status(ref), live_home.windows(ref)) == ("working", ["worker"])
    assert "has a live agent" in cli.no("task", "spawn", ref.id)


def test_task_waits_in_its_first_state_until_there_is_an_agent_and_says_so(
    live_home: LiveHome, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as nothing:
        nothing.setattr(Harnesses, "installed", lambda *_: None)
        made = cli.ok("task", "create", "brew", "Brew", "--project", "coffee")
        task_id = made.out.split()[0]
        assert f"{task_id} waits in pending: No agent is installed. `orange doctor` says how to get one" in made.err
        assert "No agent is installed" in cli.no("task", "spawn", task_id)
        named = cli.ok("task", "create", "tea", "Tea", "--project", "coffee", "--harness", "codex", "--json")
        assert named.json()["attention"].startswith("codex is not installed. ")
    ref = live_home.orange.store.find(task_id)
    assert (live_home.status(ref), live_home.task(ref).workspace) == ("pending", None)
    assert {slot.state for slot in live_home.orange.pool.slots()} == {"free"}
    assert "! No agent is installed" in cli.ok("task", "list", "--all").out
    live_home.harness()
    live_home.supervised(lambda: live_home.windows(ref) == ["worker"])
    assert (live_home.task(ref).harness, live_home.task(ref).attention) == ("recorder", None)
