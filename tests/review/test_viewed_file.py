"""viewed.json: marks of two apps at once are all kept, a damaged file is put aside, and its size has a limit."""

from __future__ import annotations

import base64
import json
import os
import stat
import threading
import zlib
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orange_tui.domain.errors import NotSaved
from orange_tui.domain.review.diff import parse_diff
from orange_tui.domain.review.hunks import fingerprints
from orange_tui.home import files as home_files
from orange_tui.home.paths import Home
from orange_tui.review import viewed_file
from orange_tui.review.viewed_file import SeenFile, Viewed, ViewedFile
from support.diffs import diff_files
from support.looking import nasty_text, steadily

if TYPE_CHECKING:
    from pathlib import Path

FILES = diff_files("a.py", ["one", "two"], ["one", "three"])


@pytest.fixture
def file(tmp_path: Path) -> ViewedFile:
    return ViewedFile(Home(str(tmp_path)), "coffee", "ab12")


@pytest.mark.parametrize("packed", ["", "?", "AAAA", base64.b64encode(zlib.compress(b"@@ -1 +1 @@\n+\xff\n")).decode()])
def test_hunks_that_are_not_as_they_were_written_are_none(packed: str) -> None:
    assert SeenFile("a.py", "a.py", (), packed).hunks() == ()


def test_of_nothing_stored_nothing_is_viewed(file: ViewedFile) -> None:
    assert file.read() == Viewed({})
    assert not os.path.exists(file.path)


def test_marks_are_kept_until_they_are_taken_back(file: ViewedFile) -> None:
    file.mark(["a.1.2", "b.1.2"], viewed=True)
    file.mark(["a.1.2"], viewed=False)
    assert dict(file.read().marks) == {"b.1.2": 0}
    file.mark(["b.1.9"], viewed=False)  # the same change, with other lines after it
    assert dict(file.read().marks) == {}
    assert stat.S_IMODE(os.stat(file.path).st_mode) == 0o600


def test_the_diff_that_was_looked_at_is_there_again_as_it_was(file: ViewedFile) -> None:
    file.looked(FILES)
    viewed = file.read()
    (seen,) = viewed.files
    assert seen.hunks() == FILES[0].hunks
    assert [seen.fingerprints] == fingerprints(FILES[0])
    assert viewed.looked_at.endswith("Z")
    assert [*viewed.fresh()] == []


def test_what_was_marked_since_the_last_look_is_told_apart(file: ViewedFile) -> None:
    file.mark(["old"], viewed=True)
    file.looked(FILES)
    file.mark(["new"], viewed=True)
    assert [*file.read().fresh()] == ["new"]
    assert set(file.read().marks) == {"old", "new"}


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b"\xff", b"[" * 100_000, b"x" * 20_000_001])
def test_a_damaged_file_is_put_aside_said_and_begun_anew(file: ViewedFile, damage: bytes) -> None:
    os.makedirs(os.path.dirname(file.path))
    with open(file.path, "wb") as stream:
        stream.write(damage)
    problem = file.read().problem
    assert "viewed.json" in problem
    assert "begun anew" in problem
    file.mark(["a"], viewed=True)
    assert file.read() == Viewed({"a": 0})
    with open(f"{file.path}.damaged", "rb") as stream:
        assert stream.read() == damage


@pytest.mark.parametrize(
    "content",
    [
        {"viewed": 1, "looks": "x", "looked": 3},
        {"viewed": {"a": "x", "b": True, "c": None}, "looks": True, "looked": {"at": 1, "files": [1, {}, {"name": 1}]}},
        {"looked": {"at": "x", "files": [{"name": "a", "path": "a", "fingerprints": "x", "hunks": "not base64 ☕"}]}},
        {"looked": {"at": "x", "files": [{"name": "a", "path": "a", "fingerprints": "x", "hunks": "aGFsbG8="}]}},
    ],
)
def test_an_entry_that_is_none_counts_for_nothing(file: ViewedFile, content: object) -> None:
    os.makedirs(os.path.dirname(file.path))
    with open(file.path, "w", encoding="utf-8") as stream:
        json.dump(content, stream)
    viewed = file.read()
    assert (viewed.marks, viewed.looks) == ({}, 0)
    assert all(seen.hunks() == () for seen in viewed.files)
    file.looked(FILES)
    file.mark(["a"], viewed=True)
    assert [*file.read().fresh()] == ["a"]


def test_keys_of_a_newer_orange_stay(file: ViewedFile) -> None:
    os.makedirs(os.path.dirname(file.path))
    with open(file.path, "w", encoding="utf-8") as stream:
        json.dump({"later": [1], "viewed": {}}, stream)
    file.mark(["a"], viewed=True)
    with open(file.path, encoding="utf-8") as stream:
        assert json.load(stream)["later"] == [1]


def test_two_apps_that_mark_at_once_lose_nothing(file: ViewedFile) -> None:
    def mark(name: str) -> None:
        for number in range(20):
            file.mark([f"{name}{number}"], viewed=True)
            file.looked(FILES)

    threads = [threading.Thread(target=mark, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(file.read().marks) == {f"{name}{number}" for name in "ab" for number in range(20)}
    assert file.read().looks == 40


def test_on_a_full_disk_the_old_marks_stay(file: ViewedFile, monkeypatch: pytest.MonkeyPatch) -> None:
    file.mark(["a"], viewed=True)

    def full(_descriptor: int, _data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(home_files, "write_all", full)
    with pytest.raises(NotSaved, match="free some space"):
        file.mark(["b"], viewed=True)
    assert set(file.read().marks) == {"a"}


def test_the_size_has_a_limit_and_what_is_over_it_counts_as_new(
    file: ViewedFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(viewed_file, "_MAX_VIEWED", 3)
    monkeypatch.setattr(viewed_file, "_MAX_SEEN", 2)
    monkeypatch.setattr(viewed_file, "_MAX_TEXT_BYTES", 60)
    file.mark("abcde", viewed=True)
    file.mark("c", viewed=True)
    assert list(file.read().marks) == ["d", "e", "c"]
    file.looked([each for name in "abcd" for each in diff_files(name, ["one"], ["two"])])
    assert [(bool(each.fingerprints), bool(each.hunks())) for each in file.read().files] == [
        *((True, True), (True, True), (False, False), (False, False))
    ]


@steadily
@given(st.lists(st.tuples(st.sampled_from(["mark", "unmark", "look"]), st.sampled_from("abcd")), max_size=12))
def test_any_order_of_marks_and_looks_of_two_apps_is_what_it_says(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str]]
) -> None:
    home = Home(str(tmp_path_factory.mktemp("home")))
    apps = [ViewedFile(home, "coffee", "ab12") for _ in range(2)]
    marks: dict[str, int] = {}
    looks = 0
    for number, (step, name) in enumerate(steps):
        app = apps[number % 2]
        if step == "look":
            app.looked(FILES)
            looks += 1
        else:
            app.mark([name], viewed=step == "mark")
            marks.pop(name, None)
            if step == "mark":
                marks[name] = looks
    assert all((app.read().marks, app.read().looks) == (marks, looks) for app in apps)


@steadily
@given(nasty_text)
def test_any_diff_can_be_looked_at(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    file = ViewedFile(Home(str(tmp_path_factory.mktemp("home"))), "coffee", "ab12")
    diff = parse_diff(f"diff --git a/x b/x\n@@ -1 +1 @@\n{text}")
    file.looked(diff)
    assert len(file.read().files) == len(diff)
    for seen, each in zip(file.read().files, diff, strict=True):
        assert seen.hunks() in (each.hunks, ())
