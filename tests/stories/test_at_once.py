"""Several processes at once on the same files: nobody's change is lost, and of two that cannot both be, one is."""

from __future__ import annotations

import contextlib
import fcntl
import multiprocessing
import os
import subprocess
import sys
import warnings
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from orange_tui.domain.errors import NotFound, OrangeError, Refused
from orange_tui.engine.creation import NewTask
from orange_tui.home import locks
from support.driver import Cli, World

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from orange_tui.store.store import TaskRef

ROUNDS, PAIRS = (300, 5) if os.environ.get("THOROUGH") else (100, 3)
ENOUGH = 12  # moves, to be a story about two commands
_processes = multiprocessing.get_context("fork")  # each of its own, with everything imported already


def in_parallel(*jobs: tuple[Callable[..., None], tuple[Any, ...]]) -> None:
    """Let all of them begin at one moment, and wait for all of them to end well."""
    everybody = _processes.Barrier(len(jobs))

    def together(run: Callable[..., None], arguments: tuple[Any, ...]) -> None:
        everybody.wait(60)
        run(*arguments)

    started = [_processes.Process(target=together, args=job) for job in jobs]
    for process in started:
        begin(process)
    for process in started:
        process.join(120)
    assert [process.exitcode for process in started] == [0] * len(started)


def begin(process: multiprocessing.process.BaseProcess) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # pytest-xdist has threads; the child does not need them
        process.start()


def moves_it_about(root: Path, ref: TaskRef, busy: Path) -> None:
    os.fsync = lambda fd: None
    world, there, moves = World(root), "doing", 0
    while busy.exists() or moves < ENOUGH:  # the other command may have had the task for most of the time
        moves += 1
        world.orange.tasks.update(ref, status=there)
        there = "todo" if there == "doing" else "doing"


def renames_it(root: Path, ref: TaskRef, busy: Path) -> None:
    os.fsync = lambda fd: None
    world, count = World(root), 0
    while busy.exists():
        count += 1
        world.orange.tasks.update(ref, summary=f"Brew {count}")


def rounds(path: Path) -> Iterator[bytes]:
    """A line at a time, and each only when a command has been at work again since the last."""
    history, seen = path.parents[3] / "state" / path.parent.relative_to(path.parents[2]) / "history.jsonl", 0
    for number in range(ROUNDS):
        while (size := history.stat().st_size) == seen:
            os.sched_yield()
        seen = size
        yield f"line {number}\n".encode()


def appends(path: Path, busy: Path) -> None:
    """`echo … >> TASK.md`."""
    for line in rounds(path):
        with path.open("ab") as file:
            file.write(line)
    busy.unlink()


def replaces(path: Path, busy: Path) -> None:
    """`sed -i`: write beside it, and rename."""
    for line in rounds(path):
        aside = path.with_name("sedXXXX")
        aside.write_bytes(path.read_bytes() + line)
        aside.rename(path)
    busy.unlink()


def rewrites(path: Path, busy: Path) -> None:
    """Read, truncate, write: all through one open file, or it could lose lines all by itself."""
    for line in rounds(path):
        with path.open("r+b", buffering=0) as file:
            text = file.read()
            file.seek(0)
            file.truncate()
            file.write(text + line)
    busy.unlink()


def numbers(text: str) -> list[int]:
    return [int(line.removeprefix("line ")) for line in text.splitlines() if line.startswith("line ")]


@pytest.mark.parametrize("agent", [appends, replaces, rewrites])
def test_every_line_of_an_agent_survives_two_commands_that_change_the_task_all_the_time(
    world: World, tmp_path: Path, agent: Callable[..., None]
) -> None:
    ref = world.task(body="\n## Notes\n")
    busy = tmp_path / "busy"
    busy.touch()
    in_parallel(
        (moves_it_about, (world.root, ref, busy)),
        (renames_it, (world.root, ref, busy)),
        (agent, (world.file(ref), busy)),
    )
    world.touch(ref)
    while world.dotfiles(ref):  # what agents may still be writing to is looked at for a moment longer
        world.touch(ref)
    kept = [path.read_text() for path in world.directory(ref).glob("TASK.md.kept-*")]
    found = {number for text in (world.body(ref), *kept) for number in numbers(text)}
    assert sorted(found) == list(range(ROUNDS))
    changes = [event for event in world.history(ref) if event["type"] == "status.changed"]
    assert len(changes) >= ENOUGH
    assert all(later["from"] == earlier["to"] for earlier, later in pairwise(changes))
    assert world.read(ref).status == changes[-1]["to"]
    if agent is appends:
        assert kept == []
        assert len(numbers(world.body(ref))) == ROUNDS


def creates(root: Path, branch: str | None, results: Path, number: int) -> None:
    world = World(root)
    try:
        created = world.orange.tasks.create(NewTask(project="coffee", branch=branch, spawn=False))
        (results / str(number)).write_text(created.ref.id)
    except Refused as refusal:
        (results / str(number)).write_text(str(refusal))


def test_of_two_that_create_a_task_on_one_branch_exactly_one_does(world: World, tmp_path: Path) -> None:
    results = tmp_path / "results"
    results.mkdir()
    in_parallel(*((creates, (world.root, "brew", results, number)) for number in range(4)))
    said = [path.read_text() for path in results.iterdir()]
    [ref] = world.orange.store.refs()
    assert sorted(text == ref.id for text in said) == [False, False, False, True]
    assert all(f"Branch brew has a task already: {ref.id}" in text for text in said if text != ref.id)


def test_eight_tasks_created_at_once_have_eight_ids(world: World, tmp_path: Path) -> None:
    results = tmp_path / "results"
    results.mkdir()
    in_parallel(*((creates, (world.root, None, results, number)) for number in range(8)))
    assert {path.read_text() for path in results.iterdir()} == {ref.id for ref in world.orange.store.refs()}
    assert len(world.orange.store.refs()) == 8


def starts(root: Path, ref: TaskRef, results: Path, number: int) -> None:
    try:
        World(root).orange.tasks.spawn(ref)
        (results / str(number)).write_text("started")
    except Refused as refusal:
        (results / str(number)).write_text(str(refusal))


def test_of_two_that_start_one_task_exactly_one_does(world: World, tmp_path: Path) -> None:
    """The first Orange started both, in two workspaces."""
    results = tmp_path / "results"
    results.mkdir()
    ref = world.task(workflow="minimal", status="pending")
    in_parallel(*((starts, (world.root, ref, results, number)) for number in range(3)))
    said = sorted(path.read_text() for path in results.iterdir())
    assert said.count("started") == 1
    assert "is working: no agent is started from there" in "".join(said)
    assert world.types(ref).count("transition.started") == 1


def test_a_status_and_a_summary_set_by_two_commands_at_once_are_both_set(world: World) -> None:
    """The first Orange lost one of them fifteen times in twenty."""
    for number in range(PAIRS):
        ref = world.task()
        commands = [["--status", "doing"], ["--summary", f"Brew {number}"]]
        started = [
            subprocess.Popen(
                [sys.executable, "-m", "orange_tui", "task", "update", ref.id, *words], stderr=-1, stdout=-1
            )
            for words in commands
        ]
        assert [process.wait(60) for process in started] == [0, 0]
        for process in started:
            process.communicate()
        assert (world.read(ref).status, world.read(ref).summary) == ("doing", f"Brew {number}")


def test_a_second_command_waits_for_the_first_and_says_so(
    world: World, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = world.task()
    monkeypatch.setattr(locks, "_WAIT_NOTICE_SECONDS", 0.0)
    ready, done = _processes.Event(), _processes.Event()
    process = _processes.Process(target=holds_it, args=(world.root, ref, ready, done))
    begin(process)
    assert ready.wait(60)
    with pytest.raises(Refused, match="is busy"), world.orange.engine.open(ref, wait=False):
        pass
    real = fcntl.flock

    def flock(descriptor: int, how: int) -> None:
        if how == fcntl.LOCK_EX:  # it waits
            done.set()  # we are waiting now: let the other one finish
        real(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", flock)
    said = cli.ok("task", "update", ref.id, "--summary", "Brew two").err
    process.join(60)
    assert f"waiting for another command on task {ref.id}" in said
    assert world.read(ref).summary == "Brew two"


def holds_it(root: Path, ref: TaskRef, ready: Any, done: Any) -> None:
    with World(root).orange.engine.open(ref):
        ready.set()
        done.wait(60)


def test_a_task_deleted_while_somebody_waits_for_it_is_gone_and_not_revived(world: World) -> None:
    ref = world.task(status="done")
    lock = str(world.state(ref) / ".lock")
    with contextlib.ExitStack() as stack:
        stack.enter_context(pytest.raises(NotFound, match="deleted in the meantime"))
        descriptor = locks._open_lock(lock)
        world.orange.tasks.delete(ref)
        stack.callback(os.close, descriptor)
        stack.enter_context(_waiting(descriptor, lock))
    assert world.orange.store.refs() == []
    with pytest.raises(OrangeError):
        world.touch(ref)


@contextlib.contextmanager
def _waiting(descriptor: int, path: str) -> Any:
    """The half of `locked` that comes after somebody has opened the lock's file."""
    real = locks._open_lock
    locks._open_lock = lambda _path: os.dup(descriptor)  # type: ignore[assignment]
    try:
        with locks.locked(path, what="the task"):
            yield
    finally:
        locks._open_lock = real
