"""Agents that opened TASK.md before it was replaced, and write to what they have: they are heard all the same."""

from __future__ import annotations

import fcntl
import os
from typing import TYPE_CHECKING

from orange_tui.home import files
from orange_tui.store import _task_swap as task_swap

if TYPE_CHECKING:
    import pytest

    from support.driver import World


def test_an_agent_that_has_the_old_file_open_and_writes_later_is_not_lost(world: World) -> None:
    ref = world.task(body="\n## Notes\n")
    with world.file(ref).open("a") as held:
        world.orange.tasks.update(ref, summary="Brew two")
        held.write("Written after the rename.\n")
    world.orange.tasks.update(ref, summary="Brew three")
    assert world.body(ref) == "\n## Notes\nWritten after the rename.\n"
    assert world.dotfiles(ref) == []


def test_agent_that_never_closes_the_old_file_has_each_whole_line_merged(world: World) -> None:
    ref = world.task(body="\n## Notes\n")
    with world.file(ref).open("a", buffering=1) as held:
        world.orange.tasks.update(ref, summary="Brew two")
        for count in range(1, 4):
            held.write(f"Line {count}.\n")
            world.touch(ref)
            assert world.body(ref).endswith(f"Line {count}.\n")
        os.write(held.fileno(), b"Half a li")
        world.touch(ref)
        assert "Half" not in world.body(ref)
        os.write(held.fileno(), b"ne.\n")
    world.touch(ref)
    assert world.body(ref) == "\n## Notes\nLine 1.\nLine 2.\nLine 3.\nHalf a line.\n"
    assert world.dotfiles(ref) == []


def test_an_old_file_that_was_rewritten_altogether_is_kept_for_a_person(world: World) -> None:
    ref = world.task(body="\n## Notes\nours\n")
    with world.file(ref).open("r+") as held:
        world.orange.tasks.update(ref, summary="Brew two")
        held.truncate(0)
        held.write("something else\n")
    world.touch(ref)
    [kept] = world.directory(ref).glob("TASK.md.kept-*")
    assert kept.read_text() == "something else\n"
    assert kept.name in (world.read(ref).attention or "")
    assert world.body(ref) == "\n## Notes\nours\n"


def test_without_an_exchange_of_names_appended_lines_are_safe_too(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task_swap, "exchange", lambda _one, _other: False)
    ref = world.task(body="\n")
    with world.file(ref).open("a") as held:
        world.orange.tasks.update(ref, summary="Brew two")
        held.write("late\n")
    world.touch(ref)
    assert world.body(ref) == "\nlate\n"
    assert world.dotfiles(ref) == []


def test_where_open_files_cannot_be_listed_the_old_file_is_kept_for_a_while(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fcntl, "F_SETLEASE", 9999)
    ref = world.task(body="\n")
    held = world.file(ref).open("a")
    world.orange.tasks.update(ref, summary="Brew two")
    held.write("late\n")
    held.close()
    world.touch(ref)
    assert world.body(ref) == "\nlate\n"
    assert len(world.dotfiles(ref)) > 0
    monkeypatch.setattr(task_swap, "_OPEN_FILE_GRACE_SECONDS", -1.0)
    world.touch(ref)
    assert world.dotfiles(ref) == []
    assert world.body(ref) == "\nlate\n"


def test_agent_that_reads_our_file_while_anothers_was_swapped_out_loses_no_line(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two agents, each with `sed -i`; the second has read what we swapped in and took back at once."""
    ref, read = world.task(body="\n## Notes\n"), list[bytes]()
    path, real = world.file(ref), files.exchange

    def put(data: bytes) -> None:
        path.with_name("sedXXXX").write_bytes(data)
        path.with_name("sedXXXX").rename(path)

    def exchange(one: str, other: str) -> bool:
        if not read:
            put(path.read_bytes() + b"line 1\n")
        done = real(one, other)
        read.append(path.read_bytes())
        return done

    monkeypatch.setattr(task_swap, "exchange", exchange)
    world.orange.tasks.update(ref, summary="Brew two")
    assert world.body(ref).endswith("line 1\n")
    assert b"line 1" not in read[0]
    put(read[0] + b"line 2\n")
    world.touch(ref)
    assert {"line 1", "line 2"} <= set(world.body(ref).splitlines())
    assert world.read(ref).summary == "Brew two"
