"""The link to TASK.md in a worktree, and what becomes of it when an editor puts a plain file there."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from support.driver import transition

if TYPE_CHECKING:
    from pathlib import Path

    from orange_tui.store.store import TaskRef
    from support.driver import World


def in_worktree(world: World) -> tuple[TaskRef, Path]:
    """A task with a worktree, and the link in it."""
    ref = world.task(body="\n## Notes\none\ntwo\n", workspace="coffee--1", status="doing")
    worktree = world.root / "workspaces/coffee--1"
    worktree.mkdir(parents=True)
    (worktree / "TASK.md").symlink_to(world.file(ref))
    return ref, worktree / "TASK.md"


def sed(link: Path, old: str, new: str) -> None:
    text = link.read_text()
    assert old in text
    aside = link.with_name("sedXXXX")
    aside.write_text(text.replace(old, new))
    aside.rename(link)


def test_link_replaced_by_a_plain_file_is_merged_restored_and_recorded(world: World) -> None:
    ref, link = in_worktree(world)
    sed(link, "two\n", "two\nthree\n")
    world.touch(ref)
    assert world.body(ref) == "\n## Notes\none\ntwo\nthree\n"
    assert link.is_symlink()
    assert link.samefile(world.file(ref))
    assert [e["file"] for e in world.history(ref) if e["type"] == "task.link_restored"] == ["TASK.md"]
    assert os.listdir(link.parent) == ["TASK.md"]
    assert world.read(ref).attention is None


def test_line_changed_by_sed_in_the_worktree_is_changed_in_the_task(world: World) -> None:
    ref, link = in_worktree(world)
    sed(link, "two\n", "zwei\n")
    world.touch(ref)
    assert world.body(ref) == "\n## Notes\none\nzwei\n"
    assert world.read(ref).attention is None
    assert sorted(world.contents(ref)) == ["TASK.md", "history.jsonl"]
    [event] = [e for e in world.history(ref) if e["type"] == "task.link_restored"]
    assert event["replaced"] == ["two"]


def test_written_on_both_sides_nothing_is_lost_and_a_person_is_told(world: World) -> None:
    ref, link = in_worktree(world)
    sed(link, "two\n", "zwei\n")
    world.write_body(ref, "three\n")
    os.utime(link, ns=(0, world.file(ref).stat().st_mtime_ns - 1))
    world.touch(ref)
    [kept] = world.directory(ref).glob("TASK.md.kept-*")
    assert "three" in kept.read_text()
    assert "zwei" in world.body(ref)
    assert kept.name in (world.read(ref).attention or "")


def test_what_the_engine_wrote_after_the_copy_was_made_is_kept_and_a_person_is_told(world: World) -> None:
    ref, link = in_worktree(world)
    copy = link.read_text()
    with world.orange.engine.open(ref) as opened:
        opened.edit_body("feedback.given", lambda body: body + "\n## Feedback\nmore foam\n")
    link.unlink()
    link.write_text(copy + "three\n")  # renamed over the link, later than all else
    world.touch(ref)
    world.touch(ref)
    [kept] = world.directory(ref).glob("TASK.md.kept-*")
    assert "more foam" in kept.read_text()
    assert "three" in world.body(ref)
    assert kept.name in (world.read(ref).attention or "")


def test_what_another_agent_wrote_before_the_copy_came_is_kept_and_a_person_is_told(world: World) -> None:
    ref, link = in_worktree(world)
    copy = link.read_text()
    world.write_body(ref, "from the reviewer\n")
    later = world.file(ref).stat().st_mtime_ns + 10**10  # long after the engine wrote
    os.utime(world.file(ref), ns=(0, later))
    link.unlink()
    link.write_text(copy + "three\n")
    os.utime(link, ns=(0, later + 10**10))
    world.touch(ref)
    [kept] = world.directory(ref).glob("TASK.md.kept-*")
    assert "from the reviewer" in kept.read_text()
    assert "three" in world.body(ref)
    assert kept.name in (world.read(ref).attention or "")


def test_a_replaced_link_changes_a_persons_fields_and_none_of_the_engines(world: World) -> None:
    ref, link = in_worktree(world)
    sed(link, "status: doing", "status: done")
    sed(link, "summary: ", 'summary: "By hand" # ')
    world.touch(ref)
    assert (world.read(ref).status, world.read(ref).summary) == ("doing", "By hand")


@pytest.mark.parametrize("data", [b"no frontmatter", b"\xff\xfe", b"---\na: [\n---\n"])
def test_an_unreadable_plain_file_is_left_alone_and_shown(world: World, data: bytes) -> None:
    ref, link = in_worktree(world)
    link.unlink()
    link.write_bytes(data)
    world.touch(ref)
    world.touch(ref)
    assert link.read_bytes() == data
    assert not link.is_symlink()
    assert "TASK.md in coffee--1 replaced its link and cannot be read" in (world.read(ref).attention or "")
    assert world.types(ref).count("task.updated") == 1
    transition(world.orange, ref, "todo", "agent")


def test_outcome_file_that_replaced_its_link_is_merged(world: World) -> None:
    ref, link = in_worktree(world)
    outcome = link.with_name(".orange-outcome")
    outcome.write_text('{"outcome": "passed"}')
    world.touch(ref)
    assert world.orange.store.outcome(ref) == '{"outcome": "passed"}'
    assert outcome.is_symlink()


def test_a_worktree_that_takes_no_link_is_shown_and_stops_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref, link = in_worktree(world)
    sed(link, "two\n", "two\nthree\n")

    def read_only(*_: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(os, "symlink", read_only)
    transition(world.orange, ref, "todo", "agent")
    assert "three" in world.body(ref)
    world.touch(ref)
    assert "could not be restored: Read-only" in (world.read(ref).attention or "")


def test_line_written_to_the_plain_file_after_the_link_was_restored_is_taken_over(world: World) -> None:
    ref, link = in_worktree(world)
    sed(link, "two\n", "two\nthree\n")
    with link.open("a") as editor:
        world.touch(ref)
        assert link.is_symlink()
        editor.write("four\n")
    world.touch(ref)
    assert world.body(ref) == "\n## Notes\none\ntwo\nthree\nfour\n"
    assert world.dotfiles(ref) == []


def test_plain_file_that_a_killed_command_had_swapped_out_is_not_lost(world: World) -> None:
    ref, link = in_worktree(world)
    left = link.with_name("TASK.md.orange-link")
    left.write_text(world.file(ref).read_text() + "three\n")
    world.touch(ref)
    assert not left.exists()
    assert any("three\n" in text.decode() for text in world.contents(ref).values())
    assert "written at the same time" in str(world.read(ref).attention)
