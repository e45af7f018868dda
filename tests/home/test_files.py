"""Files of the home: their signatures, what a failed write leaves, and locks that are waited for, tried or given up."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from typing import TYPE_CHECKING

import pytest

from orange_tui.domain.errors import NotFound, NotSaved, Refused
from orange_tui.home.files import read_signature, replace_file
from orange_tui.home.locks import locked

if TYPE_CHECKING:
    from pathlib import Path


def test_signature_changes_whenever_the_file_is_replaced_or_grows(tmp_path: Path) -> None:
    path = tmp_path / "beans"
    assert read_signature(str(path)) is None
    seen: list[object] = []
    for text in ("one", "two", "two"):
        replace_file(str(path), text.encode(), durable=False)
        os.utime(path, ns=(0, len(seen)))  # some disks keep the time to the second only
        seen.append(read_signature(str(path)))
    with path.open("a") as file:
        file.write("more")
    seen.append(read_signature(str(path)))
    assert len(set(seen)) == 4
    assert read_signature(str(path)) == seen[-1]


def test_signature_of_a_path_through_a_file_is_none_and_of_an_endless_link_is_not(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert read_signature(str(tmp_path / "file" / "below")) is None
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert read_signature(str(tmp_path / "loop")) == (0, 0, 0)


@pytest.mark.parametrize("before", ["one", None])
def test_file_is_as_it_was_where_its_directory_cannot_be_synced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str | None
) -> None:
    path = tmp_path / "beans"
    if before is not None:
        path.write_text(before)
    sync = os.fsync

    def fails_for_directories(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", fails_for_directories)
    with pytest.raises(NotSaved, match="Its old content is unchanged"):
        replace_file(str(path), b"two")
    assert (path.read_text() if path.exists() else None) == before
    assert os.listdir(tmp_path) == (["beans"] if before else [])
    monkeypatch.undo()
    replace_file(str(path), b"two")
    assert (path.read_text(), os.listdir(tmp_path)) == ("two", ["beans"])


@pytest.mark.parametrize("present", ["one", None])
def test_copy_that_somebody_keeps_beside_a_file_survives_its_replacement(tmp_path: Path, present: str | None) -> None:
    path = tmp_path / "beans"
    if present is not None:
        path.write_text(present)
    (tmp_path / "beans.old").write_text("of last week")
    replace_file(str(path), b"two")
    assert (path.read_text(), (tmp_path / "beans.old").read_text()) == ("two", "of last week")


def test_lock_held_by_another_is_tried_refused_after_a_timeout_and_had_once_free(tmp_path: Path) -> None:
    path = str(tmp_path / ".lock")
    with open(path, "w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with locked(path, what="the beans", wait=False) as held:
            assert not held
        with pytest.raises(Refused, match="the beans is held by another command"):
            locked(path, what="the beans", timeout=0.01).__enter__()
    with locked(path, what="the beans", timeout=0.01) as held:
        assert held


def test_lock_in_a_directory_that_is_gone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="gone does not exist"):
        locked(str(tmp_path / "gone" / ".lock"), what="the beans").__enter__()
