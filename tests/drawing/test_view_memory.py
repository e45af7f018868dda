"""How the list was left is there again at the next start, and a broken file keeps nobody from working."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

from orange_tui.home.log import Log
from orange_tui.home.paths import Home
from orange_tui.tui.listing.model import ListModel
from orange_tui.tui.listing.view_memory import ViewMemory

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def memory(home: Path) -> ViewMemory:
    found = ViewMemory(Home(str(home)), Log(str(home / "orange.log")))
    found.read()
    return found


def test_what_was_chosen_is_chosen_again_and_nobody_else_can_read_it(tmp_path: Path) -> None:
    first, model = memory(tmp_path), ListModel()
    model.choose(filter="active", order="cost", grouping="project", is_tree=True, search="milk")
    first.note(**model.to_remember(), tab="Diff")
    first.write()
    again = ListModel()
    again.restore(memory(tmp_path))
    assert again.choices.sentence == "active · tree · by cost"  # words to look for are not remembered
    assert memory(tmp_path).chosen("tab", ("Task", "Diff")) == "Diff"
    assert stat.S_IMODE(os.stat(tmp_path / "view.json").st_mode) == 0o600


@pytest.mark.parametrize(
    "content", ["{", "[]", "\xff", '{"order": 3, "filter": "none such", "scopes": [1]}', "{}" * 99_999]
)
def test_broken_file_is_ignored_and_replaced_by_the_next_choice(tmp_path: Path, content: str) -> None:
    (tmp_path / "view.json").write_text(content, encoding="latin-1")
    found, model = memory(tmp_path), ListModel()
    model.restore(found)
    assert model.choices == ListModel().choices
    assert found.scope("coffee") == (False, None)
    is_logged = any(
        "was chosen in the list" in str(entry["message"]) for entry in Log(str(tmp_path / "orange.log")).entries()
    )
    assert is_logged == (not content.startswith('{"order"'))
    found.note(order="name")
    found.write()
    model.restore(memory(tmp_path))
    assert model.choices.order == "name"


def test_of_two_apps_at_once_each_keeps_what_was_chosen_in_it(tmp_path: Path) -> None:
    one, other = memory(tmp_path), memory(tmp_path)
    one.note(order="cost")
    one.note_scope("coffee", None)
    other.note(theme="nord")
    other.note_scope("tea", "coffee")
    other.write()
    one.write()
    after = memory(tmp_path)
    assert (after.chosen("order", ("cost",)), after.chosen("theme", ("nord",))) == ("cost", "nord")
    assert (after.scope("coffee"), after.scope("tea"), after.scope(None)) == (
        (True, None),
        (True, "coffee"),
        (False, None),
    )


def test_home_that_cannot_be_written_is_said_in_the_log_and_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "view.json.lock").mkdir()
    found = memory(tmp_path)
    found.note(order="cost")
    found.write()
    assert "not remembered" in (tmp_path / "orange.log").read_text()
    (tmp_path / "view.json.lock").rmdir()
    found.note(theme="nord")
    found.write()
    after = memory(tmp_path)
    assert (after.chosen("order", ("cost",)), after.chosen("theme", ("nord",))) == ("cost", "nord")


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: os.symlink("/dev/zero", path)])
def test_what_is_no_file_is_neither_waited_for_nor_read(tmp_path: Path, make: Callable[[str], None]) -> None:
    make(str(tmp_path / "view.json"))
    found = memory(tmp_path)
    assert found.chosen("order", ("cost",)) is None
    found.note(order="cost")
    found.write()
    assert "not known" in (tmp_path / "orange.log").read_text()
