"""Another thing in place of a task's file (a pipe, a device, a link, far too much): it stops no other task."""

from __future__ import annotations

import os
import signal
import socket
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from orange_tui.outside.tmux.server import Tmux
from support.live_board import LiveBoard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from orange_tui.store.store import TaskRef
    from support.driver import Cli, World

PATIENCE = 60  # seconds; all of it takes one, and what blocks would do so for ever
HUGE = 1_000_000_000  # bytes; the disk holds none of them
NUMBERS = '7\n[7]\n{"type": 7}\n{"worker": 7, "type": "engine", "engine": 7}\n'
NAMES = (
    "TASK.md",
    "history.jsonl",
    ".lock",
    ".orange-outcome",
    ".orange-status",
    ".orange-status/worker.usage.jsonl",
    ".TASK.md.old-5-00000000-beef",
    ".TASK.md.new-00000000-beef",
    ".TASK.md.seen-beef",
    "TASK.md.kept-00000000",
)
# The engine's own files: an agent with full permission can do this to them, too.
STATE_NAMES = ("history.jsonl", "runtime.json", ".lock", ".runtime.lock", "logs", "logs/worker.exit", "logs/worker.log")


def pipe(path: Path) -> None:
    os.mkfifo(path)


def open_socket(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # the name of a socket may not be long
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path.name)
    os.chdir(here)


def link_to_a_pipe(path: Path) -> None:
    pipe(path.with_name("a pipe"))
    path.symlink_to("a pipe")


def huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(HUGE)


def link_to_huge(path: Path) -> None:
    target = path.with_name("huge")
    huge(target)
    path.symlink_to(target)


def another_tasks(path: Path) -> None:
    path.symlink_to(path.parents[2] / "good" / path.name)


THINGS: dict[str, Callable[[Path], object]] = {
    "pipe": pipe,
    "socket": open_socket,
    "directory": lambda path: path.mkdir(),
    "endless device": lambda path: path.symlink_to("/dev/zero"),
    "link to a pipe": link_to_a_pipe,
    "link to itself": lambda path: path.symlink_to(path.name),
    "link to nothing": lambda path: path.symlink_to("nothing"),
    "link to another task's": another_tasks,
    "huge": huge,
    "link to something huge": link_to_huge,
    "bytes": lambda path: path.write_bytes(bytes(range(256)) * 9),
    "numbers": lambda path: path.write_text(NUMBERS),
}


class TooLateError(BaseException):
    """Time is up; nothing under test may take this for a problem of its own."""


@contextmanager
def in_time(root: Path) -> Iterator[None]:
    """What hangs on a pipe is let go when time is up, and the test fails."""

    def let_go(*_signal: object) -> None:
        for path in root.rglob("*"):
            if path.is_fifo():
                os.close(os.open(path, os.O_RDWR | os.O_NONBLOCK))
        signal.alarm(1)
        raise TooLateError

    before = signal.signal(signal.SIGALRM, let_go)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def damaged(world: World, tree: str, name: str, put: Callable[[Path], object]) -> TaskRef:
    """A task at work, with another thing in place of one of its files."""
    branch = f"brew-{tree}-{len(name)}"
    ref = world.task(status="doing", workspace="coffee--9", tmux_session="coffee/brew", branch=branch)
    (world.state(ref) / "logs").mkdir()
    (world.directory(ref) / ".orange-status").mkdir()
    path = world.root / tree / ref.project / ref.id / name
    if path.is_dir():
        path.rmdir()
    path.unlink(missing_ok=True)
    put(path)
    return ref


@pytest.mark.parametrize("thing", THINGS)
def test_other_thing_in_place_of_a_tasks_file_stops_no_other_task(
    world: World, cli: Cli, monkeypatch: pytest.MonkeyPatch, thing: str
) -> None:
    monkeypatch.setattr(Tmux, "panes", lambda _tmux: [])
    good = world.task(id="good", summary="Brew well")
    names = [("tasks", name) for name in NAMES] + [("state", name) for name in STATE_NAMES]
    bad = {each: damaged(world, *each, THINGS[thing]) for each in names}
    with world.orange.store.open(good) as opened:  # a command that was killed in the middle
        opened.change(
            "transition.started", {"status": "doing"}, **{"from": "todo", "to": "doing", "by": "agent", "hooks": []}
        )
    with in_time(world.root):
        listed = {each["id"]: each for each in cli.ok("task", "list", "--json").json()}
        shown = {row.ref.id for row in LiveBoard(world.orange).refresh(None).rows}
        supervisor = world.orange.new_supervisor()
        assert supervisor.run_until(lambda: world.types(good)[-1] == "status.changed", PATIENCE)
        cli("doctor")
        for ref in bad.values():
            cli("task", "show", ref.id, "--json")
            cli("task", "update", ref.id, "--summary", "Brew on")
            cli("task", "logs", ref.id)
    assert listed.keys() == shown == {"good", *(ref.id for ref in bad.values())}
    assert listed["good"]["summary"] == "Brew well"
