"""Somebody writes in a workspace while it is given back, from elsewhere: an editor, a container."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from orange_tui.outside.git_saved import hash_files
from orange_tui.workspaces import _removal
from orange_tui.workspaces import pool as pool_seam
from orange_tui.workspaces.saved_work import saved_of
from support.git import commit, git

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.pool_world import Cafe


@pytest.fixture
def after_saving(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
    """Have something happen when the work is saved and nothing is removed yet."""

    def arrange(act: Callable[[], object]) -> None:
        real = vars(pool_seam)["save_work"]

        def saving(*args: Any) -> Any:
            found = real(*args)
            act()
            monkeypatch.setattr(pool_seam, "save_work", real)
            return found

        monkeypatch.setattr(pool_seam, "save_work", saving)

    return arrange


def test_file_that_appears_meanwhile_stays_and_quarantines(
    cafe: Cafe, after_saving: Callable[[Callable[[], object]], None]
) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    (workspace / "draft").write_text("saved\n")
    after_saving(lambda: (workspace / "late").write_text("late\n"))
    released = cafe.release(task, workspace)
    assert "late appeared while" in str(released.quarantined)
    assert cafe.in_saved(str(released.saved), "draft") == "saved"
    assert (workspace / "late").read_text() == "late\n"
    assert "free again" in cafe.gc()[0]
    assert cafe.in_saved(f"refs/orange/{task.id}/2", "late") == "late"
    assert cafe.is_clean(workspace)


@pytest.mark.parametrize("name", ["draft", "README", "tracked-on-branch"])
def test_file_that_is_changed_meanwhile_stays_and_quarantines(
    cafe: Cafe, after_saving: Callable[[Callable[[], object]], None], name: str
) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    commit(workspace, "tracked-on-branch")
    (workspace / "draft").write_text("early\n")
    after_saving(lambda: (workspace / name).write_text("later\n"))
    assert name in str(cafe.release(task, workspace).quarantined)
    assert (workspace / name).read_text() == "later\n"
    assert cafe.release(task, workspace).quarantined is None
    assert cafe.in_saved(f"refs/orange/{task.id}/1", "draft") == "early"
    assert cafe.in_saved(f"refs/orange/{task.id}/2", name) == "later"
    assert cafe.is_clean(workspace)


def test_link_to_a_directory_that_is_changed_meanwhile_stays(
    cafe: Cafe, after_saving: Callable[[Callable[[], object]], None]
) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    (workspace / "link").symlink_to("/tmp")

    def change() -> None:
        (workspace / "link").unlink()
        (workspace / "link").symlink_to("/usr")

    after_saving(change)
    assert "link was written to" in str(cafe.release(task, workspace).quarantined)
    assert (workspace / "link").readlink() == Path("/usr")
    assert cafe.release(task, workspace).quarantined is None
    assert cafe.in_saved(f"refs/orange/{task.id}/2", "link") == "/usr"
    assert cafe.is_clean(workspace)


def test_file_that_somebody_has_open_for_writing_is_not_deleted(cafe: Cafe) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    with (workspace / "log").open("w") as log:
        log.write("first\n")
        log.flush()
        assert "log was written to" in str(cafe.release(task, workspace).quarantined)
        log.write("second\n")
    assert (workspace / "log").read_text() == "first\nsecond\n"


def test_commit_that_is_made_meanwhile_is_not_lost(
    cafe: Cafe, after_saving: Callable[[Callable[[], object]], None]
) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    git(workspace, "switch", "--quiet", "--detach")
    after_saving(lambda: git(workspace, "commit", "--quiet", "--allow-empty", "--message=late"))
    assert cafe.release(task, workspace).quarantined is not None
    made = git(workspace, "rev-parse", "HEAD")
    assert cafe.release(task, workspace).quarantined is None
    assert git(cafe.main, "rev-parse", f"refs/orange/{task.id}/1") == made


def test_quarantined_workspace_is_prepared_anew_for_its_task(
    cafe: Cafe, after_saving: Callable[[Callable[[], object]], None]
) -> None:
    task = cafe.task("feat/x")
    workspace = cafe.spawn(task)
    (workspace / "draft").write_text("early\n")
    after_saving(lambda: (workspace / "draft").write_text("later\n"))
    assert cafe.release(task, workspace).quarantined is not None
    assert cafe.spawn(task) == workspace
    assert git(workspace, "status", "--porcelain") == ""
    assert git(workspace, "symbolic-ref", "--short", "HEAD") == "feat/x"
    assert cafe.in_saved(f"refs/orange/{task.id}/2", "draft") == "later"


def test_nothing_is_lost_of_a_stream_of_files(cafe: Cafe) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    (workspace / "deep").mkdir()
    stop = threading.Event()
    written: list[Path] = []

    def write() -> None:
        while not stop.is_set():
            path = workspace / f"deep/{len(written)}"
            path.parent.mkdir(exist_ok=True)
            path.write_text("x")
            written.append(path)
            time.sleep(0.002)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        while len(written) < 3:
            time.sleep(0.002)
        for _ in range(2):
            cafe.release(task, workspace)
    finally:
        stop.set()
        writer.join()
    saved = {
        name
        for each in saved_of(cafe.project, task.id)
        for name in git(cafe.main, "ls-tree", "-r", "--name-only", each.name).split()
    }
    assert [path for path in written if not path.exists() and f"deep/{path.name}" not in saved] == []


def test_line_that_is_written_just_after_the_comparison_is_not_lost(
    cafe: Cafe, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    log = (workspace / "log").open("w")

    def compare(*args: Any, **options: Any) -> Any:
        found = hash_files(*args, **options)
        log.write("last\n")
        log.close()
        return found

    monkeypatch.setattr(_removal, "hash_files", compare)
    assert "log was written to" in str(cafe.release(task, workspace).quarantined)
    assert (workspace / "log").read_text() == "last\n"


def test_directory_that_becomes_a_link_meanwhile_leads_nothing_out_of_the_workspace(
    cafe: Cafe, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = cafe.task()
    workspace, outside = cafe.spawn(task), cafe.root / "outside"
    (workspace / "deep").mkdir()
    (workspace / "deep/draft").write_text("work\n")
    outside.mkdir()

    def compare(*_args: Any, **_options: Any) -> Any:
        (workspace / "deep").rmdir()
        (workspace / "deep").symlink_to(outside)
        return {}

    monkeypatch.setattr(_removal, "hash_files", compare)
    assert "deep/draft was written to" in str(cafe.release(task, workspace).quarantined)
    assert list(outside.iterdir()) == []
    assert (workspace / "deep-draft").read_text() == "work\n"


def test_ignored_directory_that_becomes_a_link_meanwhile_is_not_emptied_where_it_leads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner, outside = tmp_path / "root/ignored/inner", tmp_path / "outside"
    inner.mkdir(parents=True)
    outside.mkdir()
    (outside / "mine").touch()

    def swap(path: str, _keep: object) -> bool:
        if path == "ignored/inner":
            inner.rmdir()
            inner.symlink_to(outside)
        return False

    monkeypatch.setattr(_removal, "is_kept", swap)
    _removal.delete_ignored(str(tmp_path / "root"), ["ignored/"], [])
    assert (outside / "mine").exists()


def test_link_where_files_are_put_aside_brings_in_nobodys_files(cafe: Cafe) -> None:
    task = cafe.task()
    workspace, outside = cafe.spawn(task), cafe.root / "outside"
    outside.mkdir()
    (outside / "mine").touch()
    (workspace.parent / f".{workspace.name}.aside").symlink_to(outside)
    assert "is a link" in str(cafe.release(task, workspace).quarantined)
    assert (outside / "mine").exists()
