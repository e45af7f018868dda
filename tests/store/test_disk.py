"""Disks that are full, read-only or hold something else than expected: an error with a reason, and nothing spoilt."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import subprocess
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import pytest

from orange_tui.domain.errors import NotSaved, OrangeError
from orange_tui.home import files
from orange_tui.store import _task_directories as task_directories
from orange_tui.store import _task_swap as task_swap
from orange_tui.store.store import BrokenTask
from support.driver import STEPS, Cli, World, recorded, transition
from support.no_skips import NOT_TO_BE_HAD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from orange_tui.store.store import TaskRef

BODY = "\n## Notes\n" + "Ground the beans.\n" * 300


@contextmanager
def full_after(writes: int) -> Iterator[list[int]]:
    """A disk that takes so many writes, half of the next one, and no more."""
    real, left, refused = os.write, [writes], list[int]()

    def write(descriptor: int, data: Any) -> int:
        left[0] -= 1
        if left[0] == 0 and len(data) > 1:
            return real(descriptor, data[: len(data) // 2])
        if left[0] <= 0:
            refused.append(descriptor)
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(descriptor, data)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "write", write)
        yield refused


def test_a_disk_that_fills_up_at_any_write_leaves_the_old_state_or_one_that_the_next_command_finishes(
    world: World,
) -> None:
    for writes in range(1, 60):
        ref = world.task(body=BODY)
        world.touch(ref)
        before = world.contents(ref)
        with full_after(writes) as refused, suppress(NotSaved):
            world.orange.tasks.update(ref, status="doing", summary="Brew two")
        if not refused:
            assert writes > 10
            return
        assert world.body(ref) == BODY
        if world.read(ref).status == "todo":
            assert world.contents(ref) == before, writes
            world.orange.tasks.update(ref, status="doing", summary="Brew two")
        world.touch(ref)
        now = world.read(ref)
        assert (now.status, now.summary, now.review_round, now.extra["attempts"]) == ("doing", "Brew two", 1, 3), writes
        assert world.types(ref)[-1] == "status.changed"
        assert world.dotfiles(ref) == []
        world.effects.path.unlink()
    raise AssertionError("the disk never sufficed")


def test_a_create_on_a_full_disk_leaves_nothing(world: World, cli: Cli) -> None:
    with world.orange.store.project_lock("coffee"):
        pass  # the home has had a task before
    for writes in (1, 2):
        with full_after(writes):
            why = cli.no("task", "create", "brew", "Brew", "--no-spawn", "--project", "coffee")
        assert "free some space and try again" in why
        assert os.listdir(world.root / "tasks/coffee") == []
        assert os.listdir(world.root / "state/coffee") == [".lock"]
    cli.ok("task", "create", "brew", "Brew", "--no-spawn", "--project", "coffee")


def test_a_create_whose_last_sync_fails_leaves_nothing(world: World, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = str(world.root / "tasks" / "coffee")

    def ref_there() -> bool:
        return any(name[0] != "." for name in os.listdir(folder))

    def fail(path: str) -> None:
        if path == folder and ref_there():
            raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(task_directories, "sync_directory", fail)
        assert "was not saved" in cli.no("task", "create", "brew", "Brew", "--no-spawn", "--project", "coffee")
    assert os.listdir(folder) == []
    cli.ok("task", "create", "brew", "Brew", "--no-spawn", "--project", "coffee")


def test_a_limit_on_file_sizes_is_a_full_disk_too(world: World, cli: Cli) -> None:
    ref = world.task(body=BODY)
    world.touch(ref)
    before = world.contents(ref)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, limits[1]))
    try:
        why = cli.no("task", "update", ref.id, "--summary", "Brew two")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert "was not saved" in why
    assert "Its old content is unchanged" in why
    assert world.contents(ref) == before


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "small"
    place.mkdir()
    mounted = shutil.which("mount") and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "none", str(place)], capture_output=True, check=False, timeout=30
    )
    if not mounted or mounted.returncode != 0:
        pytest.skip(f"{NOT_TO_BE_HAD} right for us to mount a small disk; the other tests here do without")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True, timeout=30)


def test_a_really_full_disk_loses_nothing_and_works_again_when_there_is_space(
    small_disk: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORANGE_HOME", str(small_disk / "home"))
    (small_disk / "home").mkdir()
    world = World(small_disk / "home")
    recorded(monkeypatch, world.effects.table())
    world.workflow("steps", STEPS)
    world.project()
    ref = world.task(body=BODY)
    world.touch(ref)
    filler = small_disk / "filler"
    with suppress(OSError), filler.open("wb", buffering=0) as file:
        while True:
            file.write(b"x" * 4096)
    before = world.contents(ref)
    assert "free some space" in cli.no("task", "update", ref.id, "--status", "doing")
    assert "free some space" in cli.no("task", "create", "x", "y", "--no-spawn", "--project", "coffee")
    assert "free some space" in cli.no("project", "update", "coffee", "--pool-size", "3")
    assert world.contents(ref) == before
    assert [row["status"] for row in cli.ok("task", "list", "--all", "--json").json()] == ["todo"]
    filler.unlink()
    cli.ok("task", "update", ref.id, "--status", "doing")
    assert world.body(ref) == BODY


def test_tasks_on_a_read_only_disk_can_be_listed_and_shown(
    world: World, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = world.task()
    before, real = world.contents(ref), os.open

    def read_only(path: Any, flags: int, *rest: Any, **options: Any) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR):
            raise OSError(errno.EROFS, "Read-only file system", path)
        return real(path, flags, *rest, **options)

    monkeypatch.setattr(os, "open", read_only)
    assert "the disk is read-only" in cli.no("task", "update", ref.id, "--status", "doing")
    assert cli.ok("task", "list", "--all", "--json").json()[0]["id"] == ref.id
    cli.ok("task", "show", ref.id)
    monkeypatch.undo()
    assert world.contents(ref) == before


def as_directory(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.mkdir()
    (path / "inside").write_text("x")


def as_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def as_dead_link(path: Path) -> None:
    path.unlink()
    path.symlink_to("/nowhere/at/all")


BROKEN: dict[str, tuple[Callable[[Path], object], str]] = {
    "a directory": (as_directory, "is a directory"),
    "a pipe": (as_pipe, "is not a regular file"),
    "gone": (lambda path: path.unlink(), "is gone"),
    "a link to nothing": (as_dead_link, "is a link"),
    "empty": (lambda path: path.write_text(""), "TASK.md:1: there is no frontmatter"),
    "zeros": (lambda path: path.write_bytes(b"\x00" * 100), "TASK.md:1: there is no frontmatter"),
    "a zero inside": (lambda path: path.write_bytes(b"---\nsummary: a\x00b\n---\n"), "TASK.md:2:"),
    "not UTF-8": (lambda path: path.write_bytes(b"---\nid: x\n---\n\xff\n"), "TASK.md:4: this is not UTF-8"),
    "too long": (lambda path: path.write_bytes(b"---\n---\n" + b"x" * 5_000_000), "over 5 MB"),
    "bad YAML": (lambda path: path.write_text("---\nid: x\nlabels: [a\n---\n"), "TASK.md:"),
    "never closed": (lambda path: path.write_text("---\nid: x\n"), "TASK.md:2: the frontmatter is never closed"),
    "a wrong kind": (
        lambda path: path.write_text("---\nreview_round: two\n---\n"),
        "TASK.md:2: `review_round` must be",
    ),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_task_that_cannot_be_read_is_one_row_with_the_reason_and_stops_nothing(
    world: World, cli: Cli, kind: str
) -> None:
    spoil, reason = BROKEN[kind]
    good, bad = world.task(summary="Good one"), world.task()
    spoil(world.file(bad))
    before = world.contents(bad)
    rows = cli.ok("task", "list", "--all", "--json").json()
    assert [row["id"] for row in rows] == [bad.id, good.id]
    assert set(rows[0]) == {"id", "project", "error"}
    assert reason in rows[0]["error"]
    text = cli.ok("task", "list", "--all").out
    assert reason in text
    assert "Good one" in text
    assert reason in cli.no("task", "show", bad.id)
    for words in (["update", bad.id, "--status", "doing"], ["complete", bad.id], ["stuck", bad.id]):
        result = cli("task", *words, "--json")
        assert result.code == 1
        assert result.json()["error"]
    cli.ok("task", "update", good.id, "--status", "doing")
    assert world.contents(bad) == before


def test_branch_of_an_unreadable_task_is_still_taken(world: World, cli: Cli) -> None:
    bad = world.task(branch="brew")
    world.file(bad).write_text("spoilt")
    assert bad.id in cli.no("task", "create", "brew", "Again", "--no-spawn", "--project", "coffee")


@pytest.mark.parametrize("name", ["history.jsonl", ".lock"])
def test_a_directory_in_place_of_a_file_stops_that_task_only(world: World, cli: Cli, name: str) -> None:
    good, bad = world.task(), world.task()
    as_directory(world.state(bad) / name)
    assert "s a directory" in cli.no("task", "update", bad.id, "--status", "doing")
    rows = {row["id"]: row for row in cli.ok("task", "list", "--all", "--json").json()}
    assert ("error" in rows[bad.id]) == (name == "history.jsonl")
    cli.ok("task", "update", good.id, "--status", "doing")
    (world.directory(bad) / "TASK.md").rename(world.directory(bad) / "away")
    cli.ok("task", "create", "brew", "Brew", "--no-spawn", "--project", "coffee")
    (world.directory(bad) / "away").rename(world.directory(bad) / "TASK.md")
    assert "status: todo" in world.file(bad).read_text()


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (as_directory, "is a directory"),
        (lambda path: path.write_text("[{"), "projects.json:1 is not JSON"),
        (lambda path: path.write_text('{"a": 1}'), "must be a list of projects"),
        (lambda path: path.write_text('[{"name": 7}]'), "project 1: `name` must be text"),
        (lambda path: path.write_text('[{"name": "a/b", "path": "/"}]'), "is not a project name"),
        (lambda path: path.write_bytes(b"\xff"), "is not JSON"),
    ],
)
def test_unreadable_projects_file_is_reported_and_agents_go_on(
    world: World, cli: Cli, spoil: Callable[[Path], object], reason: str
) -> None:
    ref = world.task()
    directory = world.root / "tasks/coffee/abc23"
    directory.mkdir()
    (directory / "TASK.md").write_text("---\nsummary: says no workflow\n---\n")
    spoil(world.root / "projects.json")
    assert reason in cli.no("project", "list")
    cli.ok("task", "update", ref.id, "--status", "doing")
    assert len(cli.ok("task", "list", "--all", "--json").json()) == 2


def test_files_are_synced_before_they_are_swapped_in(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The new TASK.md and the journal's line are synced before the names are swapped, the directory after."""
    ref = world.task(status="stuck")
    world.touch(ref)
    steps: list[str] = []
    monkeypatch.setattr(os, "fsync", lambda fd: steps.append(os.path.basename(os.readlink(f"/proc/self/fd/{fd}"))))

    def exchange(one: str, other: str) -> bool:
        steps.append("swap")
        return files.exchange(one, other)

    monkeypatch.setattr(task_swap, "exchange", exchange)
    transition(world.orange, ref, "doing", "agent")
    names = [name.split("-")[0] for name in steps]
    assert names == [".TASK.md.new", "history.jsonl", "swap", ref.id, "history.jsonl"]


def test_a_body_that_is_almost_too_long_is_refused_before_anything_is_written(world: World) -> None:
    ref: TaskRef = world.task(summary="")
    text = world.file(ref).read_bytes()
    world.file(ref).write_bytes(text + b"x" * (5_000_000 - len(text)))
    world.touch(ref)
    before = world.contents(ref)
    with pytest.raises(OrangeError, match="grow over 5 MB"):
        world.orange.tasks.update(ref, summary="One that makes it longer")
    assert world.contents(ref) == before
    assert not isinstance(world.orange.store.read(ref), BrokenTask)
