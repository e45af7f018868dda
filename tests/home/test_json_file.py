"""A JSON file of ours: what is read, what is refused, and that no change and no unknown content is ever lost."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orange_tui.domain.errors import NotFound, NotSaved, Refused, Unreadable
from orange_tui.domain.records import replace
from orange_tui.home import files
from orange_tui.home.json_file import JsonFile

steadily = settings(deadline=None, derandomize=True, database=None)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(st.text(max_size=12), anything, max_size=4)


def file_in(root: Path | str, **options: Any) -> JsonFile:
    return JsonFile(os.path.join(root, "beans.json"), os.path.join(root, ".beans.lock"), title="beans", **options)


@pytest.fixture
def beans(tmp_path: Path) -> JsonFile:
    return file_in(tmp_path)


def test_absent_file_reads_as_empty_and_reading_makes_none(beans: JsonFile, tmp_path: Path) -> None:
    assert (beans.read_object(), beans.read_objects()) == ({}, [])
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "beans.json:1 is not JSON: Expecting value; fix it by hand"),
        (b'{\n"a": }', "beans.json:2 is not JSON: Expecting value; fix it by hand"),
        (b'{"a": "\xff"}', "beans.json is not JSON: it is not UTF-8 text; fix it by hand"),
        (b"[" * 100_000, "beans.json is not JSON: it is nested too deeply; fix it by hand"),
        (b"null", "beans.json must be a JSON object; fix it by hand"),
        (b"[]", "beans.json must be a JSON object; fix it by hand"),
        (b'{"a": "%s"}' % (b"x" * 5_000_000), "beans.json is over 5,000,000 bytes; fix it by hand"),
    ],
)
def test_damaged_object_is_refused_with_the_place_and_left_as_it_is(
    beans: JsonFile, tmp_path: Path, data: bytes, reason: str
) -> None:
    Path(beans.path).write_bytes(data)
    with pytest.raises(Unreadable) as refused:
        beans.read_object()
    assert str(refused.value) == f"{tmp_path}/{reason}"
    with pytest.raises(Unreadable), beans.changing_object() as content:
        content["a"] = 1
    assert Path(beans.path).read_bytes() == data


@pytest.mark.parametrize("data", [b"{}", b"null", b"[1]", b'["a"]', b'[{}, "a"]'])
def test_what_is_no_list_of_objects_is_refused(beans: JsonFile, data: bytes) -> None:
    Path(beans.path).write_bytes(data)
    with pytest.raises(Unreadable, match="must be a list of beans; fix it by hand"):
        beans.read_objects()


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff", b'{"a": "' + b"x" * 200 + b'"}'])
def test_damaged_disposable_file_reads_as_empty_and_can_be_changed(tmp_path: Path, data: bytes) -> None:
    beans = file_in(tmp_path, disposable=True, max_bytes=100)
    Path(beans.path).write_bytes(data)
    assert beans.read_object() == {}
    with beans.changing_object() as content:
        content["a"] = 1
    assert beans.read_object() == {"a": 1}


def test_directory_in_place_of_the_file_is_refused(beans: JsonFile) -> None:
    os.mkdir(beans.path)
    with pytest.raises(Unreadable, match="is a directory"):
        beans.read_object()
    assert replace(beans, disposable=True).read_object() == {}


@steadily
@given(objects, st.lists(objects, max_size=3))
def test_any_content_comes_back_and_survives_a_change_beside_it(one: dict[str, Any], several: list[Any]) -> None:
    with TemporaryDirectory() as root:
        beans = file_in(root)
        beans.write(one)
        with beans.changing_object() as content:
            content["roast \ud800"] = "dark"
        assert beans.read_object() == one | {"roast \ud800": "dark"}
        beans.write(several)
        with beans.changing_objects() as entries:
            entries.append({"new": True})
        assert beans.read_objects() == [*several, {"new": True}]


def test_update_that_changes_nothing_writes_nothing(beans: JsonFile) -> None:
    with beans.changing_object():
        pass
    assert not os.path.exists(beans.path)
    Path(beans.path).write_text('{"a":    1}')
    with beans.changing_object() as content:
        content["a"] = 1
    assert Path(beans.path).read_text() == '{"a":    1}'
    with beans.changing_object() as content:
        content["a"] = True  # to Python the same as 1
    assert json.loads(Path(beans.path).read_text()) == {"a": True}


def test_refused_change_is_not_written(beans: JsonFile) -> None:
    beans.write({"a": 1})

    def change_and_refuse() -> None:
        with beans.changing_object() as content:
            content["a"] = 2
            raise Refused("no")

    with pytest.raises(Refused):
        change_and_refuse()
    assert beans.read_object() == {"a": 1}


@pytest.mark.parametrize("disposable", [False, True])
def test_full_disk_leaves_the_old_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, disposable: bool) -> None:
    beans = file_in(tmp_path, disposable=disposable)
    beans.write({"a": 1})

    def full(_descriptor: int, _data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "write_all", full)
    with pytest.raises(NotSaved, match="free some space"), beans.changing_object() as content:
        content["a"] = 2
    assert beans.read_object() == {"a": 1}
    assert sorted(os.listdir(tmp_path)) == [".beans.lock", "beans.json"]


@pytest.mark.parametrize(("disposable", "synced"), [(False, 2), (True, 0)])
def test_only_what_may_not_be_lost_is_synced_to_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, disposable: bool, synced: int
) -> None:
    calls: list[int] = []
    monkeypatch.setattr(os, "fsync", calls.append)
    file_in(tmp_path, disposable=disposable).write({"a": 1})
    assert len(calls) == synced


def test_lock_held_by_another_is_waited_for_until_the_timeout(beans: JsonFile) -> None:
    with open(beans.lock_path, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with replace(beans, lock_timeout=5.0).locked(wait=False) as held:
            assert not held
        with pytest.raises(Refused, match="beans is held by another command"):
            replace(beans, lock_timeout=0.02).changing_object().__enter__()


def test_folder_that_is_gone_is_a_refusal_and_is_not_made_again(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        file_in(tmp_path / "gone").changing_object().__enter__()
    assert not (tmp_path / "gone").exists()


def test_processes_lose_none_of_each_others_changes(tmp_path: Path) -> None:
    script = (
        "import sys; from orange_tui.home.json_file import JsonFile\n"
        "beans = JsonFile(sys.argv[1], sys.argv[2], title='beans', disposable=True)\n"
        "for _ in range(25):\n"
        "    with beans.changing_object() as content: content[sys.argv[3]] = content.get(sys.argv[3], 0) + 1\n"
    )
    beans = file_in(tmp_path)
    started = [
        subprocess.Popen([sys.executable, "-c", script, beans.path, beans.lock_path, key])
        for key in ("own", "both", "both")
    ]
    assert [process.wait(60) for process in started] == [0, 0, 0]
    assert beans.read_object() == {"own": 25, "both": 50}
