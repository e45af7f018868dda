"""Tasks are found by the text of their TASK.md, which is read only where the words are nowhere else."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from orange_tui.home import files
from orange_tui.home.paths import Home
from orange_tui.tui.listing import text_search
from orange_tui.tui.listing.text_search import TextSearch
from support.rows import row

if TYPE_CHECKING:
    from pathlib import Path

    from orange_tui.board.rows import TaskRow

TEXTS = {"milk": "## Plan\n\nWarm it with Cinnamon.", "tea": "Nothing of the kind", "rum": "cinnamon and CREAM"}


@pytest.fixture
def rows(tmp_path: Path) -> list[TaskRow]:
    for name, text in TEXTS.items():
        folder = tmp_path / "tasks" / "coffee" / name
        folder.mkdir(parents=True)
        (folder / "TASK.md").write_text(text)
    return [*(row(name) for name in TEXTS), row("gone")]


def found(search: TextSearch, rows: list[TaskRow], words: str) -> set[str]:
    return {key[1] for key in search.find(rows, words) or ()}


def test_words_are_found_whatever_their_case_and_some_of_them_elsewhere(tmp_path: Path, rows: list[TaskRow]) -> None:
    search = TextSearch(Home(str(tmp_path)))
    assert found(search, rows, "cinnamon") == {"milk", "rum"}
    assert found(search, rows, "CINNAMON cream") == {"rum"}
    assert found(search, rows, "milk cinnamon") == {"milk"}
    assert found(search, rows, "milk") == set()  # its branch has it: the list knows already
    assert found(search, rows, "c") == set()


def test_more_letters_are_looked_for_only_where_fewer_were_found(
    tmp_path: Path, rows: list[TaskRow], monkeypatch: pytest.MonkeyPatch
) -> None:
    search, original = TextSearch(Home(str(tmp_path))), files.read_bytes
    read: list[str] = []

    def note(path: str, **how: Any) -> bytes:
        read.append(path)
        return original(path, **how)

    monkeypatch.setattr(text_search, "read_bytes", note)
    found(search, rows, "cinn")
    read.clear()
    assert found(search, rows, "cinna") == {"milk", "rum"}
    assert sorted(os.path.basename(os.path.dirname(path)) for path in read) == ["milk", "rum"]
    (tmp_path / "tasks" / "coffee" / "tea" / "TASK.md").write_text("cinnamon after all")
    assert found(search, rows, "cinnam") == {"milk", "rum", "tea"}
    read.clear()
    assert found(search, rows, "cinnam") == {"milk", "rum", "tea"}
    assert read == []  # no text is another than before


def test_what_was_left_out_of_the_list_is_looked_at_when_it_is_in_it(tmp_path: Path, rows: list[TaskRow]) -> None:
    search = TextSearch(Home(str(tmp_path)))
    assert found(search, rows[:1], "cinnamon") == {"milk"}
    assert found(search, rows, "cinnamon") == {"milk", "rum"}
    assert found(search, rows[:1], "cinna") == {"milk"}
    assert found(search, rows, "cinnam") == {"milk", "rum"}


def test_what_the_engine_writes_above_the_text_is_no_part_of_it(tmp_path: Path, rows: list[TaskRow]) -> None:
    text = "---\nreview_round: 0\nmodel: null\n---\n## Plan\n\nA cup\n"
    (tmp_path / "tasks" / "coffee" / "milk" / "TASK.md").write_text(text)
    search = TextSearch(Home(str(tmp_path)))
    assert found(search, rows, "review") == found(search, rows, "model") == set()
    assert found(search, rows, "cup") == {"milk"}


def test_word_that_begins_like_a_branch_is_still_found_in_that_tasks_text(tmp_path: Path, rows: list[TaskRow]) -> None:
    (tmp_path / "tasks" / "coffee" / "milk" / "TASK.md").write_text("a milkshake")
    search = TextSearch(Home(str(tmp_path)))
    found(search, rows, "milk")
    assert found(search, rows, "milksh") == {"milk"}


def test_search_that_nobody_wants_any_more_ends(
    tmp_path: Path, rows: list[TaskRow], monkeypatch: pytest.MonkeyPatch
) -> None:
    search, original = TextSearch(Home(str(tmp_path))), files.read_bytes

    def read_and_type_on(path: str, **how: Any) -> bytes:
        search.cancel()
        return original(path, **how)

    monkeypatch.setattr(text_search, "read_bytes", read_and_type_on)
    assert search.find(rows, "cinnamon") is None


def test_link_that_an_agent_has_put_in_place_of_task_md_is_not_followed(tmp_path: Path, rows: list[TaskRow]) -> None:
    secret = tmp_path / "secret"
    secret.write_text("password cinnamon")
    path = tmp_path / "tasks" / "coffee" / "tea" / "TASK.md"
    path.unlink()
    path.symlink_to(secret)
    assert found(TextSearch(Home(str(tmp_path))), rows, "password") == set()
