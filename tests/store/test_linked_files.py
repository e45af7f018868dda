"""A link that an agent puts in the place of its own files is never followed: it may lead to what no agent may read.

An agent in a sandbox cannot read the person's keys; the engine, outside, could, and would hand them over in TASK.md.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from orange_tui.domain.errors import OrangeError
from orange_tui.home import files
from orange_tui.store import _task_links as task_links
from orange_tui.store import _task_swap as task_swap
from orange_tui.store.store import BrokenTask

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from orange_tui.store.store import TaskRef
    from support.driver import Cli, World

SECRET = "the key to the safe"


@pytest.fixture
def secret(world: World, tmp_path: Path) -> Path:
    """A file that reads like a task, so that nothing but the rule about links keeps it back."""
    ref = world.task(body=f"\n## Notes\n{SECRET}\n")
    path = tmp_path / "secret"
    world.file(ref).rename(path)
    os.rename(world.directory(ref), tmp_path / "away")
    return path


def replaced(path: Path, secret: Path) -> None:
    aside = path.with_name("aside")
    aside.symlink_to(secret)
    aside.rename(path)


def is_told(world: World, ref: TaskRef) -> bool:
    """Whether anything that the agent can read has it, but for its own link."""
    paths = [path for path in world.directory(ref).rglob("*") if path.is_file() and not path.is_symlink()]
    return any(SECRET in path.read_text() for path in paths)


def test_link_in_the_place_of_task_md_is_not_read(world: World, secret: Path, cli: Cli) -> None:
    ref = world.task()
    replaced(world.file(ref), secret)
    found = world.orange.store.read(ref)
    assert isinstance(found, BrokenTask)
    assert "TASK.md is a link" in found.error
    shown = cli("task", "show", ref.id)
    assert SECRET not in shown.out + shown.err
    assert "is a link" in cli.no("task", "update", ref.id, "--summary", "Brew two")


def test_link_in_the_place_of_an_outcome_is_not_read(world: World, tmp_path: Path) -> None:
    ref = world.task()
    (tmp_path / "outcome").write_text(SECRET)
    (world.directory(ref) / ".orange-outcome").symlink_to(tmp_path / "outcome")
    assert world.orange.store.outcome(ref) is None


@pytest.mark.parametrize("seam", ["before the swap", "at the swap"])
def test_link_that_comes_while_task_md_is_replaced_is_not_followed(
    world: World, secret: Path, monkeypatch: pytest.MonkeyPatch, seam: str
) -> None:
    ref = world.task(body="\n## Notes\nours\n")
    real_link, real_exchange = os.link, files.exchange
    linked: list[bool] = []

    def link(*words: str, **options: Any) -> None:
        if seam == "before the swap":
            replaced(world.file(ref), secret)
        real_link(*words, **options)
        linked.append(os.path.samefile(words[1], secret) and not os.path.islink(words[1]))

    def exchange(one: str, other: str) -> bool:
        if seam == "at the swap":
            replaced(world.file(ref), secret)
        return real_exchange(one, other)

    with monkeypatch.context() as patch:
        patch.setattr(os, "link", link)
        patch.setattr(task_swap, "exchange", exchange)
        with suppress(OrangeError):
            world.orange.tasks.update(ref, summary="Brew two")
    assert linked
    assert not any(linked)
    with suppress(OrangeError):
        world.touch(ref)
    assert not is_told(world, ref)
    assert SECRET in secret.read_text()


def test_link_that_comes_while_a_worktrees_file_is_taken_over_is_not_followed(
    world: World, secret: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = world.task(body="\n## Notes\nours\n", workspace="coffee--1")
    worktree = world.root / "workspaces" / "coffee--1"
    worktree.mkdir(parents=True)
    link = worktree / "TASK.md"
    link.write_bytes(world.file(ref).read_bytes())
    real: Callable[[str], bool] = vars(task_links)["_is_plain_file"]

    def is_plain(path: str) -> bool:
        found = real(path)
        if found and path == str(link):
            replaced(link, secret)
        return found

    monkeypatch.setattr(task_links, "_is_plain_file", is_plain)
    with suppress(OrangeError):
        world.touch(ref)
    assert not is_told(world, ref)


def test_link_to_itself_in_the_place_of_a_task_hides_no_other(world: World, cli: Cli) -> None:
    ref = world.task(summary="good")
    (world.root / "tasks" / ref.project / "zzzzzzz").symlink_to("zzzzzzz")
    assert ref.id in cli.ok("task", "list", "--all").out
    index = world.orange.new_index()
    index.read_newest(60)
    assert ref in index.refs()
