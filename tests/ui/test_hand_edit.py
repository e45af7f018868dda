"""What a person edits in TASK.md is taken over, whatever others write to it meanwhile, and nothing is lost."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orange_tui.domain.errors import Refused
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
        self.path = Path(self._edit.begin())

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
    editing.change("summary: [", "summary: Mended")
    assert editing.close() == "TASK.md can be read again."
    assert world.read(ref).summary == "Mended"


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
