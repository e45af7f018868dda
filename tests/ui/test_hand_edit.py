"""What a person edits in TASK.md is taken over, whatever others write to it meanwhile, and nothing is lost."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orange_tui.domain.errors import Refused, Unreadable
from orange_tui.store.store import BrokenTask
from orange_tui.tui.session.hand_edit import HandEdit
from orange_tui.tui.session.merge_text import merge_text
from support.driver import transition

if TYPE_CHECKING:
    from orange_tui.store.store import TaskRef
    from support.driver import World

BODY = "\n## Context\n\nBrew it.\n\n## Notes\n\nNone yet.\n"
TEXTS = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "d\n"]), max_size=6).map("".join)


class Editing:
    """A person with TASK.md in an editor, who has not closed it yet."""

    def __init__(self, world: World, ref: TaskRef) -> None:
        self._edit = HandEdit(world.orange.engine, ref)
        with self._edit.editing() as path:
            self.path = Path(path)

    def change(self, old: str, new: str) -> None:
        """As most editors do it: another file is put in the place of the one that was read."""
        text = self.path.read_text()
        assert old in text
        other = self.path.with_suffix(".tmp")
        other.write_text(text.replace(old, new, 1))
        os.replace(other, self.path)

    def close(self) -> str:
        return self._edit.finish()

    def is_refused(self) -> str:
        with pytest.raises(Refused) as refused:
            self.close()
        return str(refused.value)


def test_what_is_edited_is_there_with_what_an_agent_and_the_engine_wrote_meanwhile(world: World) -> None:
    ref = world.task(BODY)
    editing = Editing(world, ref)
    editing.change("Brew it.", "Brew it [bold]hot[/].")
    editing.change('summary: "Brew"', "summary: Brew tea")
    world.write_body(ref, "\n## Plan\n\nBy an agent.\n")
    transition(world.orange, ref, "doing", "person")
    assert editing.close() == "TASK.md was changed."
    task = world.read(ref)
    assert (task.status, task.summary, task.attention) == ("doing", "Brew tea", None)
    assert world.body(ref) == BODY.replace("it.", "it [bold]hot[/].") + "\n## Plan\n\nBy an agent.\n"
    assert {"task.edited", "task.updated"} < set(world.types(ref))
    assert "task.tampered" not in world.types(ref)
    assert not editing.path.exists()
    assert Editing(world, ref).close() == "Nothing was changed."


def test_fields_of_the_engine_stay_as_they_are_and_the_person_is_told(world: World) -> None:
    ref = world.task(BODY)
    editing = Editing(world, ref)
    editing.change("status: todo", "status: done")
    editing.change("None yet.", "One.")
    assert editing.close() == "TASK.md was changed; status stayed as it was: only Orange changes that."
    assert (world.read(ref).status, "One." in world.body(ref)) == ("todo", True)


def test_a_field_of_a_workflow_that_is_deleted_has_no_value_any_more_and_the_person_is_told(world: World) -> None:
    ref = world.task(BODY)
    world.edit(ref, "status: todo\n", "status: todo\nestimate: 3\ncolour: red\n")
    editing = Editing(world, ref)
    editing.change("estimate: 3\ncolour: red\n", "colour: blue\n")
    assert editing.close() == "TASK.md was changed; estimate has no value any more."
    assert world.read(ref).extra == {"estimate": None, "colour": "blue"}
    deleted = Editing(world, ref)
    deleted.change("estimate: null\n", "")
    assert deleted.close() == "Nothing was changed."


def test_a_broken_edit_is_told_with_file_and_line_and_opened_again(world: World) -> None:
    ref = world.task(BODY)
    editing = Editing(world, ref)
    editing.change('summary: "Brew"', "summary: [Brew")
    told = editing.is_refused()
    line = editing.path.read_text().splitlines().index("summary: [Brew") + 1
    assert told.startswith(f"{editing.path}:")
    assert f"TASK.md:{line}" in told or f"TASK.md:{line + 1}" in told
    assert "e opens your text again" in told
    assert world.read(ref).summary == "Brew"
    again = Editing(world, ref)
    again.change("summary: [Brew", "summary: Brewed")
    again.close()
    assert world.read(ref).summary == "Brewed"


def test_lines_that_an_agent_has_changed_too_are_shown_both_and_neither_is_lost(world: World) -> None:
    ref = world.task(BODY)
    editing = Editing(world, ref)
    editing.change("None yet.", "Mine.")
    world.edit(ref, "None yet.", "The agent's.")
    assert "e opens both versions, marked" in editing.is_refused()
    assert "The agent's." in world.body(ref)
    assert "task.edited" not in world.types(ref)
    again = Editing(world, ref)
    assert "both versions still stand there" in again.is_refused()
    again.change("<<<<<<< yours\nMine.\n=======\nThe agent's.\n>>>>>>> written meanwhile\n", "Ours.\n")
    again.close()
    assert world.body(ref) == BODY.replace("None yet.", "Ours.")


def test_a_task_md_that_cannot_be_read_is_mended_in_the_editor(world: World) -> None:
    ref = world.task(BODY)
    world.edit(ref, 'summary: "Brew"', "summary: [")
    assert isinstance(world.orange.store.read(ref), BrokenTask)
    editing = Editing(world, ref)
    kept, base = editing.path.read_bytes(), editing.path.with_name("base").read_bytes()
    editing.change("summary: [", "summary: Mended")
    world.write_body(ref, "By an agent.\n")  # before it is closed
    assert editing.close() == "TASK.md can be read again."
    assert (world.read(ref).summary, world.body(ref)) == ("Mended", f"{BODY}By an agent.\n")
    editing.path.with_name("base").write_bytes(base)  # it was killed before this was cleared away
    editing.path.write_bytes(kept.replace(b"summary: [", b"summary: Mended"))
    assert Editing(world, ref).close() == "TASK.md can be read again."
    assert world.body(ref) == f"{BODY}By an agent.\n"


@pytest.mark.parametrize("way", ["to the file", "another file"])
def test_what_an_agent_writes_in_the_moment_in_which_a_broken_task_md_is_replaced_is_not_lost(
    world: World, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    ref = world.task(BODY)
    world.edit(ref, 'summary: "Brew"', "summary: [")
    editing = Editing(world, ref)
    editing.change("summary: [", "summary: Mended")
    path, sync = Path(world.orange.store.directory(ref)) / "TASK.md", os.fsync

    def agent_writes(descriptor: int) -> None:
        """The mended text has just been written, and is about to get its place."""
        monkeypatch.setattr(os, "fsync", sync)
        text = f"{path.read_text()}By an agent.\n"
        if way == "to the file":
            path.write_text(text)
        else:
            path.with_name("other").write_text(text)
            path.with_name("other").replace(path)
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", agent_writes)
    assert editing.close() == "TASK.md can be read again."
    assert (world.read(ref).summary, world.body(ref)) == ("Mended", f"{BODY}By an agent.\n")


def test_a_broken_task_md_that_another_has_mended_meanwhile_is_shown_in_both_versions(world: World) -> None:
    ref = world.task(BODY)
    world.edit(ref, 'summary: "Brew"', "summary: [")
    editing = Editing(world, ref)
    editing.change("summary: [", "summary: Mine")
    world.edit(ref, "summary: [", "summary: Theirs")
    assert "e opens both versions, marked" in editing.is_refused()
    again = Editing(world, ref)
    again.change(
        "<<<<<<< yours\nsummary: Mine\n=======\nsummary: Theirs\n>>>>>>> written meanwhile\n", "summary: Ours\n"
    )
    again.close()
    assert world.read(ref).summary == "Ours"


def test_a_link_in_place_of_task_md_gives_an_agent_nothing_to_read(world: World) -> None:
    ref = world.task(BODY)
    path = Path(world.orange.store.directory(ref)) / "TASK.md"
    path.unlink()
    path.symlink_to("/etc/passwd")
    with pytest.raises(Unreadable, match="is a link"):
        Editing(world, ref)


def test_one_editor_at_a_time_and_what_an_editor_saves_later_is_taken_over_with_the_next_edit(world: World) -> None:
    ref = world.task(BODY)
    with HandEdit(world.orange.engine, ref).editing(), pytest.raises(Refused, match="open in an editor already"):
        Editing(world, ref)
    editing = Editing(world, ref)
    editing.change("None yet.", "One.")
    text = editing.path.read_text()
    editing.close()
    world.edit(ref, "Brew it.", "Brew it hot.")
    editing.path.write_text(text.replace("One.", "One.\nTwo."))  # an editor that did not say when it was closed
    assert Editing(world, ref).close() == "TASK.md was changed."
    assert world.body(ref) == BODY.replace("None yet.", "One.\nTwo.").replace("it.", "it hot.")


def test_an_edit_that_was_killed_before_it_was_cleared_away_is_taken_over_once(world: World) -> None:
    ref = world.task(BODY)
    editing = Editing(world, ref)
    editing.change("None yet.", "Mine.")
    kept, base = editing.path.read_bytes(), editing.path.with_name("base").read_bytes()
    editing.close()
    editing.path.with_name("base").write_bytes(base)
    editing.path.write_bytes(kept)
    assert Editing(world, ref).close() == "TASK.md was changed."
    assert world.body(ref) == BODY.replace("None yet.", "Mine.")


@given(TEXTS, TEXTS)
def test_what_one_side_has_made_alone_is_the_result(base: str, other: str) -> None:
    assert merge_text(base, other, base).text == merge_text(base, base, other).text == other
    assert merge_text(base, other, other).text == other


@given(TEXTS, TEXTS, TEXTS)
def test_no_line_of_either_side_is_lost_that_the_other_has_not_taken_out(base: str, mine: str, theirs: str) -> None:
    merged = merge_text(base, mine, theirs).text.splitlines()
    for one in (mine, theirs):
        assert {line for line in one.splitlines() if line not in base.splitlines()} <= set(merged)


def test_what_is_edited_is_taken_over_though_a_program_was_just_being_started_beside_it(world: World) -> None:
    """Between fork and exec, that program has all that we have open, the editor's lock too."""
    ref = world.task(BODY)
    edit = HandEdit(world.orange.engine, ref)
    reads, writes = os.pipe()
    with edit.editing() as path:
        child = os.fork()
        if child == 0:
            os.read(reads, 1)
            os._exit(0)
        Path(path).write_text(Path(path).read_text().replace("Brew it.", "Brew it hot."))
    try:
        assert edit.finish() == "TASK.md was changed."
    finally:
        os.write(writes, b"x")
        os.waitpid(child, 0)
        os.close(reads)
        os.close(writes)
