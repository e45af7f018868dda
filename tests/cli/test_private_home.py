"""Nobody but the person reads a home: what a new one looks like, and what becomes of an older one."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.driver import Cli, World


def open_to_others(root: Path, *, without: str = "") -> list[str]:
    found = [path for path in (root, *root.rglob("*")) if not path.is_symlink() and path.stat().st_mode & 0o077]
    return [str(path) for path in found if not without or without not in str(path)]


@pytest.fixture(autouse=True)
def _usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def test_new_home_is_the_persons_alone(cli: Cli, repository: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    cli.ok("project", "add", str(repository))
    cli.ok("task", "create", "brew", "Brew it", "--no-spawn", "--project", "coffee")
    cli.ok("task", "list", "--all")
    cli("job", "add", "@daily", "Brew", "--project", "coffee")
    assert (home / "projects.json").exists()
    assert open_to_others(home) == []


def test_older_home_is_closed_when_it_is_first_used_but_no_worktree(world: World, cli: Cli) -> None:
    worktree = world.root / "workspaces/coffee--1"
    worktree.mkdir(parents=True)
    for path in (worktree / "run.sh", world.root / "config.yml", world.root / "workspaces/.pool.json"):
        path.write_text("{}")
        path.chmod(0o755)
    ref = world.task()
    (world.root / "letters").mkdir()
    letter = world.root / "letters" / "letter.txt"
    letter.write_text("not ours")
    letter.chmod(0o644)
    outside = world.root.parent / "outside"
    outside.write_text("not ours")
    outside.chmod(0o644)
    (world.directory(ref) / "link").symlink_to(outside)
    for path in (world.root, world.root / "tasks", world.directory(ref), world.file(ref)):
        path.chmod(0o755)
    cli.ok("project", "list")
    ours = [path for path in open_to_others(world.root, without="coffee--1") if "/letters" not in path]
    assert ours == []
    kept = [stat.S_IMODE(path.stat().st_mode) for path in (worktree / "run.sh", outside, letter)]
    assert kept == [0o755, 0o644, 0o644]


def test_home_behind_a_link_is_closed_once_and_not_looked_through_again(
    world: World, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.root.chmod(0o755)
    (tmp_path / "link").symlink_to(world.root)
    monkeypatch.setenv("ORANGE_HOME", str(tmp_path / "link"))
    cli.ok("project", "list")
    assert open_to_others(world.root) == []
    monkeypatch.setattr(os, "walk", lambda *_words, **_options: pytest.fail("it was looked through again"))
    cli.ok("project", "list")


def test_home_of_somebody_else_is_not_looked_through_for_each_command(
    world: World, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.root.chmod(0o755)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    monkeypatch.setattr(os, "walk", lambda *_words, **_options: pytest.fail("nothing there can be closed"))
    cli.ok("project", "list")


def test_repository_with_a_line_end_in_its_path_is_refused_in_a_sentence(cli: Cli, tmp_path: Path) -> None:
    from support.git import make_repository

    for name in ("two\nlines", "ends\n"):
        path = make_repository(tmp_path / name)
        assert "control character in its path" in cli.no("project", "add", str(path), "--name", "lines")
