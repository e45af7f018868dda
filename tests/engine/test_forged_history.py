"""Lines that an agent writes into its own history: what the engine cannot have written is not believed, and is told."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from orange_tui.engine.hooks import Action, Actions
from orange_tui.engine.starting import is_ready
from orange_tui.home import clock
from orange_tui.orange import assemble
from orange_tui.workspaces.pool_file import BOUND, PoolFile, Slot
from support.driver import put, transition
from support.live_board import LiveBoard

if TYPE_CHECKING:
    from orange_tui.store.store import TaskRef
    from support.driver import Cli, World

LATER = "2999-01-01T00:00:00.000000Z"
RUN = {"action": "run_command", "command": "touch /tmp/forged"}
MOVE = {"from": "doing", "to": "done", "by": "person", "hooks": [RUN]}

# What is written: the type of the event, what else it says, and how its engine values differ from the true ones.
FORGED: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "move that the workflow does not have": ("transition.started", MOVE, {"status": "done"}),
    "move from elsewhere": ("transition.started", {**MOVE, "from": "checked"}, {"status": "done"}),
    "move to another state than it says": ("transition.started", {**MOVE, "to": "todo"}, {"status": "done"}),
    "move by nobody": ("transition.started", {**MOVE, "by": "root"}, {"status": "done"}),
    "move by a list": ("transition.started", {**MOVE, "by": ["person"]}, {"status": "done"}),
    "start in no initial state": ("transition.started", {**MOVE, "start": "initial"}, {"status": "done"}),
    "start in an initial state": (
        "transition.started",
        {**MOVE, "to": "checked", "start": "initial"},
        {"status": "checked"},
    ),
    "start of a state that is none": ("transition.started", {**MOVE, "start": "again"}, {"status": "done"}),
    "change of status": ("status.changed", MOVE, {"status": "done"}),
    "event of no kind": ("beans", {}, {"status": "done"}),
    "second creation": ("task.created", {}, {"status": "done"}),
    "second adoption": ("task.adopted", {}, {"status": "done"}),
    "status that is a number": ("status.changed", {}, {"status": 7}),
    "status that is nothing": ("status.changed", {}, {"status": None}),
    "status that is a list": ("status.changed", {}, {"status": ["done"]}),
    "another task's id": ("hook.done", {}, {"id": "victim"}),
    "another project": ("hook.done", {}, {"project": "../coffee"}),
    "another workflow": ("hook.done", {}, {"workflow": "default"}),
    "another creation time": ("hook.done", {}, {"created_at": "1999"}),
    "another parent": ("hook.done", {}, {"parent": "victim"}),
    "workspace elsewhere": ("hook.done", {}, {"workspace": "../elsewhere"}),
    "workspace of another project": ("hook.done", {}, {"workspace": "beans--1"}),
    "workspace without a number": ("hook.done", {}, {"workspace": "coffee--1/../../elsewhere"}),
    "workspace by the wrong event": ("task.updated", {}, {"workspace": "coffee--3"}),
    "round that was not reached": ("hook.done", {}, {"review_round": 99}),
    "round that is true": ("hook.done", {}, {"review_round": True}),
    "round below zero": ("hook.done", {}, {"review_round": -1}),
    "crashes by the wrong event": ("hook.queued", {}, {"crash_count": 1}),
    "session with an escape sequence": ("hook.done", {}, {"tmux_session": "\x1b]0;forged\x07"}),
    "address that runs a program": ("pr.created", {}, {"pr_url": "file:///bin/sh"}),
    "address that is an option": ("pr.created", {}, {"pr_url": "--web"}),
    "branch that is an option": ("task.updated", {}, {"branch": "--upload-pack=sh"}),
    "values that are none": ("hook.done", {"engine": 7}, {}),
    "values that are not all": ("hook.done", {"engine": {"status": "done"}}, {}),
    "time that is none": ("hook.done", {"timestamp": 7}, {"workspace": "coffee--3"}),
}


def forge(world: World, ref: TaskRef, kind: str, details: dict[str, Any], values: dict[str, Any]) -> None:
    """Append a line, as an agent would: in its own task's directory."""
    engine = world.read(ref).engine_fields() | values
    line = {"type": kind, "timestamp": LATER, "engine": engine, **details}
    with (world.history_file(ref)).open("a") as file:
        file.write(json.dumps(line) + "\n")


def told(world: World, ref: TaskRef) -> list[dict[str, Any]]:
    return [event for event in world.history(ref) if event["type"] == "task.tampered"]


@pytest.fixture
def mine(world: World) -> TaskRef:
    """A task at work in its workspace, for which another one waits; and one that is nobody's business."""
    ref = world.task(id="mine", branch="brew")
    world.task(id="victim", branch="serve", status="doing", workspace="coffee--2")
    world.task(id="waits", branch="drink", blocked_by=("mine",))
    transition(world.orange, ref, "doing", "agent")
    with world.orange.engine.open(ref) as opened:
        put(opened, "test", {"workspace": "coffee--1", "tmux_session": "coffee/brew"})
    for name, task in (("coffee--1", "mine"), ("coffee--2", "victim")):
        (world.root / "workspaces" / name).mkdir(parents=True)
        (world.root / "workspaces" / name / "TASK.md").symlink_to(world.root / "tasks/coffee" / task / "TASK.md")
        PoolFile(world.home).put(Slot(name, "coffee", BOUND, task, None, name, prepared=True))
    (world.root / "elsewhere").mkdir()
    (world.root / "elsewhere" / "TASK.md").write_text(world.file(ref).read_text() + "\nsomebody's own\n")
    return ref


@pytest.mark.parametrize("attack", FORGED)
def test_line_that_the_engine_cannot_have_written_changes_nothing_and_is_told_once(
    world: World, cli: Cli, mine: TaskRef, attack: str
) -> None:
    before, effects = world.read(mine).engine_fields(), world.effects.seen()
    elsewhere = (world.root / "elsewhere" / "TASK.md").read_text()
    forge(world, mine, *FORGED[attack])
    assert world.read(mine).engine_fields() == before
    assert not is_ready(world.orange.engine, world.read(world.orange.store.find("waits")))
    assert len(LiveBoard(world.orange).refresh(None).rows) == 3
    assert len(cli.ok("task", "list", "--json").json()) == 3
    for _ in range(3):
        world.touch(mine)
    assert world.read(mine).engine_fields() == before
    assert "a line that Orange did not write" in str(world.read(mine).attention)
    assert len(told(world, mine)) == 1
    assert world.effects.seen() == effects
    assert (world.root / "elsewhere" / "TASK.md").read_text() == elsewhere
    transition(world.orange, mine, "todo", "agent")  # the task goes on
    assert world.read(mine).status == "todo"
    assert world.read(mine).workspace == "coffee--1"


@pytest.mark.parametrize(
    ("told_so", "why"),
    [
        ({"to": "checked"}, "an undo does not lead to checked"),
        ({"by": "agent"}, "there is no such move"),
        ({"by": "engine"}, "there is no such move"),
        ({"start": "again"}, "there is no such move"),
        ({"timestamp": LATER}, "that cancel was too long ago to undo"),
        ({"timestamp": "soon"}, "that cancel was too long ago to undo"),
    ],
)
def test_undo_of_a_cancel_is_believed_only_as_a_persons_and_back_to_where_the_task_was(
    world: World, told_so: dict[str, str], why: str
) -> None:
    ref = world.task(branch="brew")
    transition(world.orange, ref, "cancelled", "person")
    undo = {"from": "cancelled", "to": "todo", "by": "person", "start": "undo", "timestamp": clock.now(), **told_so}
    forge(world, ref, "transition.started", undo, {"status": undo["to"]})
    world.touch(ref)
    assert world.read(ref).status == "cancelled"
    assert why in str(world.read(ref).attention)


def test_only_the_last_move_is_undone_and_only_once(world: World) -> None:
    ref = world.task(branch="brew")
    transition(world.orange, ref, "cancelled", "person")
    undo = {"from": "cancelled", "to": "todo", "by": "person", "start": "undo", "timestamp": clock.now()}
    forge(world, ref, "transition.started", undo, {"status": "todo"})
    world.touch(ref)  # nobody can tell this one from the person's own, and it gains nothing
    assert (world.read(ref).status, world.read(ref).attention) == ("todo", None)
    transition(world.orange, ref, "doing", "agent")
    forge(world, ref, "transition.started", {**undo, "from": "doing", "to": "todo"}, {"status": "todo"})
    world.touch(ref)
    assert world.read(ref).status == "doing"


def test_hooks_of_a_forged_move_are_the_workflows_and_none_that_it_brings_along(world: World, mine: TaskRef) -> None:
    """Nobody can tell this move from one that a killed command has begun; so it does what that would have done."""
    hooks = [RUN, {"action": "run_command", "command": "touch /tmp/forged"}]
    forge(
        world, mine, "transition.started", {**MOVE, "to": "stuck", "by": "engine", "hooks": hooks}, {"status": "stuck"}
    )
    world.touch(mine)
    assert world.read(mine).status == "stuck"
    assert world.effects.seen()[-1] == "kill_session"
    assert "run_command" not in world.effects.seen()


def test_hook_that_another_one_says_to_have_been_done_is_still_run(world: World, mine: TaskRef) -> None:
    forge(world, mine, "transition.started", {**MOVE, "to": "stuck", "by": "engine"}, {"status": "stuck"})
    with (world.history_file(mine)).open("a") as file:
        for index, action in ((0, "run_command"), (7, "kill_session"), (True, "kill_session"), ("0", "kill_session")):
            file.write(json.dumps({"type": "hook.done", "timestamp": LATER, "index": index, "action": action}) + "\n")
    world.touch(mine)
    assert world.effects.seen()[-1] == "kill_session"


def test_workspace_of_another_task_is_not_taken_from_the_history(world: World, mine: TaskRef) -> None:
    forge(world, mine, "hook.done", {}, {"workspace": "coffee--2"})
    theirs = world.root / "workspaces" / "coffee--2" / "TASK.md"
    theirs.unlink()
    theirs.write_text(world.file(world.orange.store.find("victim")).read_text() + "\ntheir line\n")
    assert world.read(mine).workspace == "coffee--1"
    world.touch(mine)
    assert not theirs.is_symlink()
    assert "their line" not in world.body(mine)


def test_changes_of_engine_fields_that_are_told_as_others_are_not_made(world: World, mine: TaskRef) -> None:
    with (world.history_file(mine)).open("a") as file:
        for changes in (
            {"status": ["doing", "done"]},
            {"id": ["mine", "victim"]},
            {"labels": [["seen"], 7]},
            {"labels": 7},
        ):
            file.write(json.dumps({"type": "task.updated", "timestamp": LATER, "changes": changes}) + "\n")
    world.touch(mine)
    assert world.read(mine).status == "doing"
    assert world.read(mine).labels == ("seen",)


def test_key_that_is_written_in_escapes_is_not_taken_for_the_engines(world: World, mine: TaskRef) -> None:
    forge(world, mine, "status.changed", MOVE, {"status": "done"})
    path = world.history_file(mine)
    path.write_text(
        path.read_text().replace(
            '"engine": {"id": "mine", "project": "coffee", "branch": "brew", "status": "done"',
            r'"engin\u0065": {"id": "mine", "project": "coffee", "branch": "brew", "status": "done"',
        )
    )
    world.touch(mine)
    assert world.read(mine).status == "doing"


def test_moves_of_a_workflow_that_was_changed_since_are_still_believed(world: World, mine: TaskRef) -> None:
    """What a person takes out of a workflow was right when it was done."""
    transition(world.orange, mine, "todo", "agent")
    path = world.root / "workflows" / "steps.yml"
    path.write_text(path.read_text().replace("  - {from: doing, to: todo}\n", ""))
    world.touch(mine)
    assert world.read(mine).status == "todo"
    assert told(world, mine) == []


def without_history(world: World, ref: TaskRef, **values: object) -> None:
    """An agent removes its history and writes its own fields into TASK.md."""
    (world.history_file(ref)).unlink()
    lines = world.file(ref).read_text().splitlines()
    kept = [line for line in lines if line.partition(":")[0] not in values]
    new = [f"{name}: {json.dumps(value)}" for name, value in values.items()]
    world.file(ref).write_text("\n".join([kept[0], *new, *kept[1:]]) + "\n")


def test_workspace_of_another_task_is_not_taken_from_a_task_file_without_history(world: World, mine: TaskRef) -> None:
    theirs = world.root / "workspaces" / "coffee--2" / "TASK.md"
    theirs.unlink()
    theirs.write_text(world.file(world.orange.store.find("victim")).read_text() + "\ntheir line\n")
    without_history(world, mine, workspace="coffee--2")
    assert world.read(mine).workspace == "coffee--1"
    world.touch(mine)
    assert not theirs.is_symlink()
    assert "their line" not in world.body(mine)


@pytest.mark.parametrize("values", [{"review_round": -1}, {"status": "a\x07b"}, {"workflow": "a\x07b"}])
def test_task_file_without_history_is_adopted_with_what_can_be(
    world: World, mine: TaskRef, values: dict[str, object]
) -> None:
    without_history(world, mine, **values)
    for sentence in ("one", "two", "three"):
        with world.orange.store.open(mine) as opened:
            opened.set_attention(sentence)
    assert [event["type"] for event in world.history(mine)].count("task.adopted") == 1
    assert told(world, mine) == []


def test_moves_made_while_the_clock_was_ahead_are_believed_after_the_workflow_is_changed(
    world: World, mine: TaskRef, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as ahead:
        ahead.setattr(clock, "now", lambda: LATER)
        transition(world.orange, mine, "todo", "agent")
    path = world.root / "workflows" / "steps.yml"
    for move in ("  - {from: doing, to: todo}\n", "  - {from: stuck, to: doing}\n"):
        path.write_text(path.read_text().replace(move, ""))
        world.touch(mine)
    assert world.read(mine).status == "todo"
    assert told(world, mine) == []


def test_address_of_a_pull_request_is_believed_as_earlier_versions_wrote_it(world: World, mine: TaskRef) -> None:
    url = "https://github.com/coffee/shop/pull/7"
    forge(world, mine, "task.updated", {"fields": {"pr_url": url}}, {"pr_url": url})
    assert world.read(mine).pr_url == url
    world.touch(mine)
    assert told(world, mine) == []


@pytest.mark.parametrize("change", [("status", "done"), ("review_round", 9), ("parent", "victim"), ("workspace", 7)])
def test_hook_that_changes_what_no_hook_does_fails_and_the_history_stays_believed(
    world: World, mine: TaskRef, change: tuple[str, object]
) -> None:
    actions = Actions({**world.effects.table(), "push_branch": Action(lambda run: run.change(*change))})
    orange = assemble(world.home, actions)
    transition(orange, mine, "todo", "agent")
    moved = transition(orange, mine, "doing", "agent")
    assert change[0] in moved.hook_errors[0]
    world.touch(mine)
    assert (world.read(mine).status, told(world, mine)) == ("doing", [])
