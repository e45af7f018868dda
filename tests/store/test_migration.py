"""A home of version 0.8 is moved over by whatever comes first: no line is lost, and no forged one believed."""

from __future__ import annotations

import errno
import json
import multiprocessing
import os
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from orange_tui.domain.errors import NotFound, NotSaved, OrangeError, Refused, Unreadable
from orange_tui.home.locks import locked
from orange_tui.sessions.runtime import Runtime
from orange_tui.store import migration
from orange_tui.store.migration import move_over
from support.driver import World
from support.killing import every_death
from support.live_home import wait_for
from support.old_home import TORN, as_in_0_8, task_of_0_8

if TYPE_CHECKING:
    from pathlib import Path

    from orange_tui.store.store import TaskRef
    from support.driver import Cli


def old_history(world: World, ref: TaskRef) -> Path:
    return world.directory(ref) / "history.jsonl"


def check_moved(world: World, ref: TaskRef, history: bytes) -> None:
    """All of a task is where it belongs, and nothing of the engine's is where agents write."""
    assert world.history_file(ref).read_bytes() == history
    assert sorted(path.name for path in (world.state(ref) / "logs").iterdir()) == [
        "worker.exit",
        "worker.log",
        "worker.sh",
    ]
    assert (world.state(ref) / "logs" / "worker.log").read_text() == "brewing\n"
    assert Runtime(str(world.state(ref))).window("worker") == {"state": "busy", "session_id": "s1"}
    assert (world.state(ref) / "usage.json").read_text() == "{}"
    assert sorted(os.listdir(world.directory(ref))) == [".lock", ".orange-status", "TASK.md"]
    assert sorted(os.listdir(world.directory(ref) / ".orange-status")) == ["worker.json", "worker.usage.jsonl"]
    assert not [path for path in world.state(ref).iterdir() if path.name.endswith((".moving", ".new"))]


def test_first_command_moves_a_home_over_and_says_so(world: World, cli: Cli) -> None:
    ref = task_of_0_8(world)
    history = old_history(world, ref).read_bytes()
    assert history.endswith(TORN)
    result = cli("task", "show", ref.id, "--json")
    assert "moving what an earlier version wrote of one task" in result.err
    check_moved(world, ref, history)
    shown = json.loads(result.out)
    assert (shown["status"], shown["summary"]) == ("doing", "Brew two")
    assert shown["history"][0]["type"] == "task.created"
    cli.ok("task", "update", ref.id, "--summary", "Brew three")
    assert world.history_file(ref).read_bytes().startswith(history.removesuffix(TORN))
    assert world.read(ref).attention is None
    assert cli("task", "list").err == ""


def test_move_killed_anywhere_is_finished_by_the_next_command(world: World) -> None:
    refs = [task_of_0_8(world)]
    history = old_history(world, refs[0]).read_bytes()
    for steps in every_death(world.task_files, lambda: move_over(world.orange.store)):
        assert not os.path.exists(world.home.layout_file), steps
        move_over(world.orange.store)
        check_moved(world, refs[0], history)
        world.touch(refs[0])
        assert world.read(refs[0]).status == "doing", steps


def test_line_that_an_old_app_appends_between_two_attempts_is_not_lost(world: World) -> None:
    """Killed before the earlier version was shut out, what it writes then is moved; afterwards it can write nothing."""
    ref = task_of_0_8(world)
    lock, history = world.directory(ref) / ".lock", old_history(world, ref).read_bytes()
    late = b'\n{"type": "agent.notified", "timestamp": "2026-11-17T00:00:00.000000Z"}\n'
    seen = set()
    for steps in every_death(world.task_files, lambda: move_over(world.orange.store)):
        expected = history
        with suppress(Unreadable), locked(str(lock), what="the task"), old_history(world, ref).open("ab") as file:
            file.write(late)  # what version 0.8 does: under its lock
            expected += late
        seen.add(len(expected))
        move_over(world.orange.store)
        assert world.history_file(ref).read_bytes() == expected, steps
    assert len(seen) == 2


def moves_when_told(root: Path, barrier: multiprocessing.synchronize.Barrier) -> None:
    world = World(root)
    barrier.wait()
    move_over(world.orange.store)


def test_two_commands_at_once_move_it_once(world: World) -> None:
    refs = [world.task() for _ in range(20)]
    histories = [world.history_file(ref).read_bytes() for ref in refs]
    as_in_0_8(world, *refs)
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(3)
    movers = [context.Process(target=moves_when_told, args=(world.root, barrier)) for _ in range(3)]
    for mover in movers:
        mover.start()
    for mover in movers:
        mover.join(60)
    assert [mover.exitcode for mover in movers] == [0, 0, 0]
    assert [world.history_file(ref).read_bytes() for ref in refs] == histories


def test_command_of_the_earlier_version_is_waited_for_and_then_refused(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = task_of_0_8(world)
    lock = str(world.directory(ref) / ".lock")
    monkeypatch.setattr(migration, "_LOCK_WAIT_SECONDS", 0.05)
    with locked(lock, what="the task"):
        with pytest.raises(Refused, match=f"{ref.id} of an earlier version is held by another command"):
            move_over(world.orange.store)
        assert old_history(world, ref).exists()
        assert not os.path.exists(world.home.layout_file)
    with open(lock) as waiting:  # one that has opened it by now, and gets it afterwards
        move_over(world.orange.store)
        assert not os.path.exists(lock) or not os.path.samestat(os.fstat(waiting.fileno()), os.stat(lock))
    for shut in (lock, str(world.root / "tasks" / "coffee" / ".lock")):  # neither changed nor created there any more
        with pytest.raises(Unreadable, match="is a link"), locked(shut, what="the task or project"):
            pass


def test_agent_that_runs_meanwhile_goes_on_logging_and_notes_its_end(world: World, tmp_path: Path) -> None:
    ref = task_of_0_8(world)
    logs, go = world.directory(ref) / "logs", tmp_path / "go"
    (logs / "worker.exit").unlink()
    script = (
        f'exec 3>"{logs}/worker.exit"; cd "{logs}"; : >"{tmp_path}/ready"; until [ -e "{go}" ]; do sleep 0.01; done;'
    )
    script += " echo more >>worker.log; echo 7 >&3"
    with subprocess.Popen(["sh", "-c", script]) as running:
        wait_for((tmp_path / "ready").exists)
        move_over(world.orange.store)
        go.touch()
        assert running.wait(60) == 0
    assert (world.state(ref) / "logs" / "worker.log").read_text() == "brewing\nmore\n"
    assert (world.state(ref) / "logs" / "worker.exit").read_text() == "7\n"


def test_logs_on_another_disk_stay_there_and_stop_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    ref = task_of_0_8(world)
    history, real = old_history(world, ref).read_bytes(), os.rename

    def rename(one: str, other: str, **options: Any) -> None:
        if os.path.basename(one) == "logs":
            raise OSError(errno.EXDEV, "Invalid cross-device link")
        real(one, other, **options)

    monkeypatch.setattr(os, "rename", rename)
    move_over(world.orange.store)
    assert world.history_file(ref).read_bytes() == history
    assert (world.directory(ref) / "logs" / "worker.log").read_text() == "brewing\n"


def test_link_in_the_place_of_the_logs_is_not_taken_over(world: World, tmp_path: Path) -> None:
    ref = task_of_0_8(world)
    logs, elsewhere = world.directory(ref) / "logs", tmp_path / "elsewhere"
    logs.rename(elsewhere)
    before = sorted(os.listdir(elsewhere))
    logs.symlink_to(elsewhere)
    move_over(world.orange.store)
    assert not os.path.lexists(world.state(ref) / "logs")
    assert logs.is_symlink()
    assert sorted(os.listdir(elsewhere)) == before


def test_agent_that_has_the_old_history_open_cannot_write_the_new_one(world: World) -> None:
    ref = task_of_0_8(world)
    history = old_history(world, ref).read_bytes()
    os.link(old_history(world, ref), world.directory(ref) / "mine")
    with old_history(world, ref).open("ab") as held:
        move_over(world.orange.store)
        held.write(b"forged\n")
    with (world.directory(ref) / "mine").open("ab") as file:
        file.write(b"forged\n")
    assert world.history_file(ref).read_bytes() == history


@pytest.mark.parametrize("has_state", [True, False])
def test_history_that_an_agent_writes_after_the_move_is_not_believed_and_told(world: World, has_state: bool) -> None:
    ref = task_of_0_8(world)
    move_over(world.orange.store)
    event = world.history(ref)[0]
    if not has_state:  # a task that is new, or was copied in
        (world.root / "tasks" / "coffee" / "mine").mkdir()
        (world.root / "tasks" / "coffee" / "mine" / "TASK.md").write_text("---\nworkflow: steps\nstatus: todo\n---\n")
        ref = type(ref)("coffee", "mine")
    event["engine"] |= {"status": "done", "id": ref.id}
    old_history(world, ref).write_text(json.dumps(event) + "\n")
    before = world.read(ref).status
    move_over(world.orange.store)
    world.touch(ref)
    assert world.read(ref).status == before != "done"
    assert "history.jsonl beside TASK.md" in str(world.read(ref).attention)
    assert old_history(world, ref).exists()


def test_history_that_is_not_the_one_below_state_is_neither_believed_nor_removed(world: World) -> None:
    """As in a home that was put together of two; or where an agent was quick, between two attempts."""
    ref = task_of_0_8(world)
    world.state(ref).mkdir(exist_ok=True)
    ours = old_history(world, ref).read_bytes().removesuffix(TORN)
    world.history_file(ref).write_bytes(ours)
    with old_history(world, ref).open("ab") as file:
        file.write(b"other lines\n")
    theirs = old_history(world, ref).read_bytes()
    move_over(world.orange.store)
    assert world.history_file(ref).read_bytes() == ours
    assert old_history(world, ref).read_bytes() == theirs
    world.touch(ref)
    assert "history.jsonl beside TASK.md" in str(world.read(ref).attention)


@pytest.mark.parametrize("make", [lambda path: path.symlink_to("/dev/zero"), lambda path: path.mkdir(), os.mkfifo])
@pytest.mark.parametrize("name", ["history.jsonl", "runtime.json", ".lock"])
def test_other_things_in_the_place_of_files_stop_no_move(world: World, name: str, make: object) -> None:
    other = world.task()
    ref = task_of_0_8(world)
    as_in_0_8(world, other)
    (world.directory(ref) / name).unlink()
    assert callable(make)
    make(world.directory(ref) / name)
    move_over(world.orange.store)
    assert world.types(other) == ["task.created"]
    world.touch(other)
    assert not os.path.lexists(world.state(ref) / name) or name == ".lock"
    assert (name == "history.jsonl") == (not world.types(ref))


def test_home_without_tasks_is_of_this_version_before_it_has_its_first(world: World) -> None:
    assert not os.path.exists(world.home.layout_file)
    world.task()
    assert os.path.exists(world.home.layout_file)


def test_full_disk_stops_the_move_with_a_sentence_and_loses_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = task_of_0_8(world)
    history = old_history(world, ref).read_bytes()

    def full(_descriptor: int, _data: bytes) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(migration, "write_all", full)
        with pytest.raises(NotSaved, match="free some space"):
            move_over(world.orange.store)
    assert old_history(world, ref).read_bytes() == history
    move_over(world.orange.store)
    check_moved(world, ref, history)


def test_task_deleted_while_somebody_waits_for_it_is_gone(world: World) -> None:
    ref = world.task(status="done")
    world.orange.tasks.delete(ref)
    with pytest.raises(NotFound), world.orange.store.open(ref):
        pass
    assert not world.state(ref).exists()


def test_deleted_task_leaves_what_was_used_and_nothing_else(world: World) -> None:
    ref = world.task(status="done")
    world.use(ref)
    (world.state(ref) / "logs").mkdir()
    (world.state(ref) / "threads.json").write_text("[]")
    world.orange.tasks.delete(ref)
    assert set(os.listdir(world.state(ref))) <= {"usage.json", "usage.seen", ".usage.lock"}
    assert (world.state(ref) / "usage.json").exists()
    assert not world.orange.store.has(ref)
    world.task()
    assert (world.state(ref) / "usage.json").exists()


def test_new_task_does_not_take_over_the_history_of_one_that_is_gone(world: World) -> None:
    ref = world.task()
    world.directory(ref).rename(world.root / "away")  # by hand
    with world.orange.store.project_lock("coffee"), pytest.raises(OrangeError, match="move it away"):
        world.orange.store.add("coffee", {"id": ref.id, "workflow": "steps", "status": "todo"}, "")
    (world.root / "away").rename(world.directory(ref))
    assert world.types(ref) == ["task.created"]
