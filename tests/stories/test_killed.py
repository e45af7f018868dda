"""`kill -9` at any point: the next command finishes what was begun, and nothing shows that it was ever interrupted."""

from __future__ import annotations

import os
import shutil
import signal
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.engine.creation import NewTask
from orange_tui.engine.hooks import Action, Actions
from orange_tui.home import files
from orange_tui.orange import assemble
from orange_tui.store import _task_swap as task_swap
from orange_tui.store import task_text
from support.driver import transition
from support.killing import Countdown, every_death, killed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from orange_tui.engine.hooks import HookRun
    from orange_tui.store.store import TaskRef
    from support.driver import World

BODY = "\n## Notes\nGround the beans.\n"


def outcome(world: World, ref: TaskRef) -> dict[str, Any]:
    """All that a move leaves behind, without the times at which it happened."""
    stored = world.stored(ref)
    told = {name: value for name, value in stored.task.as_json().items() if name != "updated_at"}
    events = [
        {key: value for key, value in event.items() if key not in {"timestamp", "engine"}}
        for event in world.history(ref)
    ]
    return {
        "task": told,
        "file": stored.task.engine_fields() == world.stored(ref).task.engine_fields() and not stored.tampered,
        "body": stored.body,
        "history": events,
        "effects": world.effects.seen(),
        "files": sorted(world.contents(ref)),
    }


def undisturbed(world: World, ref: TaskRef, act: Callable[[], object]) -> dict[str, Any]:
    """What comes of it when nobody is killed; the home is as it was before afterwards."""
    aside = world.root.with_name("aside")
    shutil.copytree(world.root, aside)
    act()
    expected = outcome(world, ref)
    shutil.rmtree(world.root)
    aside.rename(world.root)
    world.effects.path.unlink(missing_ok=True)
    return expected


def crashed_once(world: World) -> TaskRef:
    ref = world.task(body=BODY, status="todo")
    with world.orange.engine.open(ref) as opened:
        opened.change("agent.crashed", {"crash_count": 1, "attention": "It crashed"})
    return ref


def test_a_move_killed_anywhere_is_finished_by_the_next_command(world: World) -> None:
    ref = crashed_once(world)
    world.effects.failing.add("create_pr")

    def act() -> None:
        world.orange.tasks.update(ref, status="doing", summary="Brew two")

    expected = undisturbed(world, ref, act)
    assert expected["task"]["crash_count"] == 0
    for steps in every_death(world.task_files, act):
        seen = world.stored(ref)  # a reader, before anybody has mended anything
        assert seen.body == BODY, steps
        assert seen.task.status in {"todo", "doing"}, steps
        world.touch(ref)
        if world.read(ref).status == "todo":
            assert world.types(ref)[-1] == "agent.crashed", steps
            act()
        assert outcome(world, ref) == expected, steps
        world.effects.path.unlink()


def test_a_move_killed_before_or_after_any_hook_runs_each_hook_once(world: World, tmp_path: Path) -> None:
    """The hooks die here, not the engine: right before they act, or right after, before anybody has noted it."""
    ref = crashed_once(world)
    expected = undisturbed(world, ref, lambda: transition(world.orange, ref, "doing", "agent"))
    marks = tmp_path / "marks"

    def deadly(run: HookRun) -> None:
        os.write(marks_descriptor, b".")  # a step before
        world.effects(run)
        os.write(marks_descriptor, b".")  # and a step after

    table = {name: Action(deadly) for name in ("push_branch", "create_pr", "spawn_next")}
    orange = assemble(world.home, Actions(dict(world.effects.table()) | table))
    marks_descriptor = os.open(marks, os.O_WRONLY | os.O_CREAT)
    for steps in every_death(world.task_files, lambda: transition(orange, ref, "doing", "agent")):
        world.touch(ref)
        if world.read(ref).status == "todo":
            transition(world.orange, ref, "doing", "agent")
        assert outcome(world, ref) == expected, steps
        world.effects.path.unlink()
    os.close(marks_descriptor)


def test_summary_update_killed_anywhere_leaves_the_old_or_the_new_summary(world: World) -> None:
    ref = world.task(body=BODY)
    world.touch(ref)

    def act() -> None:
        world.orange.tasks.update(ref, summary="Brew two")

    expected = undisturbed(world, ref, act)
    for steps in every_death(world.task_files, act):
        assert world.stored(ref).body == BODY
        world.touch(ref)
        noted = "task.updated" in world.types(ref)
        assert world.read(ref).summary == ("Brew two" if noted else "Brew"), steps
        act()
        assert outcome(world, ref) == expected, steps


def test_creation_killed_anywhere_leaves_a_whole_task_or_none(world: World) -> None:
    new = NewTask(project="coffee", branch="brew", summary="Brew", context="## Why\nThirst.", spawn=False)

    def act() -> None:
        world.orange.tasks.create(new)

    for steps in every_death(world.task_files, act):
        for ref in world.orange.store.refs():
            assert world.read(ref).branch == "brew"
            assert world.types(ref) == ["task.created"]
        with suppress(Refused):  # it was made before the command was killed
            act()
        assert len(world.orange.store.refs()) == 1, steps
        world.orange.tasks.create(NewTask(project="coffee", summary="Any other", spawn=False))
        hidden = {name for name in os.listdir(world.root / "tasks/coffee") if name[0] == "."}
        assert hidden <= {".saved.jsonl", ".saved.jsonl.lock"}
        assert {".lock", *(r.id for r in world.orange.store.refs())} == set(os.listdir(world.root / "state/coffee")), (
            steps
        )


def test_a_created_task_whose_start_was_killed_is_started_by_the_next_command(world: World) -> None:
    world.workflow(
        "asking",
        "name: asking\nstates: {todo: {}, clarification: {}, done: {terminal: true}}\n"
        "initial: {todo: {}, clarification: {hooks: [acquire_workspace, push_branch]}}\n"
        "transitions: [{from: [todo, clarification], to: done}]\n",
    )
    new = NewTask(project="coffee", workflow="asking")
    for steps in every_death(world.task_files, lambda: world.orange.tasks.create(new)):
        for ref in world.orange.store.refs():
            world.touch(ref)
            if world.read(ref).status == "todo":
                world.orange.tasks.spawn(ref)
            assert world.read(ref).status == "clarification", steps
            assert world.effects.seen() == ["acquire_workspace", "push_branch"], steps
        world.effects.path.unlink(missing_ok=True)


def test_a_deletion_killed_anywhere_leaves_the_whole_task_or_none(world: World) -> None:
    ref = world.task(status="done", body=BODY)
    for steps in every_death(world.task_files, lambda: world.orange.tasks.delete(ref)):
        if world.orange.store.refs():
            assert world.stored(ref).body == BODY, steps
            world.orange.tasks.delete(ref)
        world.task()
        hidden = {name for name in os.listdir(world.root / "tasks/coffee") if name[0] == "."}
        assert hidden <= {".saved.jsonl", ".saved.jsonl.lock"}
        assert {".lock", *(r.id for r in world.orange.store.refs())} == set(os.listdir(world.root / "state/coffee")), (
            steps
        )


def appends(path: Path) -> None:
    with path.open("a") as file:
        file.write("An agent was here.\n")


def replaces(path: Path) -> None:
    aside = path.with_name("sed-XXXX")
    aside.write_text(path.read_text() + "An agent was here.\n")
    aside.rename(path)


@pytest.mark.parametrize("agent", [appends, replaces])
def test_what_an_agent_writes_in_the_last_moment_outlives_the_command_that_is_killed_then(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, agent: Callable[[Path], None]
) -> None:
    ref = world.task(body=BODY)
    world.touch(ref)
    real, parent, written = files.exchange, os.getpid(), tmp_path / "written"

    def exchange(one: str, other: str) -> bool:
        if os.getpid() != parent and not written.exists():
            agent(world.file(ref))  # between our last look and the swap
            written.touch()
        return real(one, other)

    monkeypatch.setattr(task_swap, "exchange", exchange)
    monkeypatch.setattr(task_text, "_SEEN_KEPT_SECONDS", -1.0)
    deaths = 0
    for steps in every_death(world.task_files, lambda: world.orange.tasks.update(ref, status="doing")):
        world.touch(ref)
        if written.exists():
            deaths += 1
            assert world.body(ref) == BODY + "An agent was here.\n", steps
            assert sorted(os.listdir(world.directory(ref))) == ["TASK.md"], steps
            assert world.read(ref).status == "doing", steps
            assert world.read(ref).attention is None, steps
            written.unlink()
        world.effects.path.unlink(missing_ok=True)
    assert deaths > 6


def test_a_second_death_during_the_repair_is_repaired_too(world: World) -> None:
    ref = crashed_once(world)
    expected = undisturbed(world, ref, lambda: transition(world.orange, ref, "doing", "agent"))
    deadly = Action(lambda _run: os.kill(os.getpid(), signal.SIGKILL))
    orange = assemble(world.home, Actions(dict(world.effects.table()) | {"push_branch": deadly}))
    assert killed(lambda: transition(orange, ref, "doing", "agent"), Countdown(10_000))
    for steps in every_death(world.task_files, lambda: world.touch(ref)):
        world.touch(ref)
        assert outcome(world, ref) == expected, steps
        world.effects.path.unlink()


def test_refused_move_killed_anywhere_changes_nothing(world: World) -> None:
    ref = world.task(status="doing", body=BODY)
    world.touch(ref)
    before = world.contents(ref)

    def act() -> None:
        try:
            transition(world.orange, ref, "checked", "agent")
        except OrangeError:
            for _ in range(4):
                os.write(1, b"")  # there is nothing to be killed in but these

    for _ in every_death(world.task_files, act):
        assert world.contents(ref) == before
