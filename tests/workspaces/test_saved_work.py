"""Saved work outlives its task by thirty days, can be had back all the while, and nobody else's ever goes."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orange_tui.home import clock
from orange_tui.workspaces.saved_work import DeletedTask, deleted_tasks, is_expired
from support.git import git

if TYPE_CHECKING:
    from pathlib import Path

    from orange_tui.store.store import TaskRef
    from support.driver import Cli
    from support.live_home import LiveHome


def refs(live_home: LiveHome) -> list[str]:
    return live_home.git("for-each-ref", "--format=%(refname)", "refs/orange").split()


def with_saved_work(live_home: LiveHome, branch: str = "oat-milk") -> TaskRef:
    """A cancelled task that has left something behind which was never committed."""
    live_home.harness(f"idle-{branch}")
    ref = live_home.create(branch, harness=f"idle-{branch}", review_harness=f"idle-{branch}")
    (live_home.worktree(ref) / "draft").write_text(f"{branch}, half-way\n")
    live_home.orange.tasks.cancel(ref)
    assert refs(live_home) == [*(name for name in refs(live_home) if ref.id not in name), f"refs/orange/{ref.id}/1"]
    return ref


def days_later(monkeypatch: pytest.MonkeyPatch, days: int) -> None:
    from datetime import UTC, datetime, timedelta

    then = (datetime.now(UTC) + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    monkeypatch.setattr(clock, "now", lambda: then)


def day_by_day(live_home: LiveHome, monkeypatch: pytest.MonkeyPatch, days: int) -> list[str]:
    """Orange looks through saved work on each of these days; returns what it said."""
    said = []
    for day in range(1, days + 1):
        days_later(monkeypatch, day)
        said += list(live_home.orange.saved_work.expire())
    return said


def test_deleted_task_is_listed_with_its_saved_work(live_home: LiveHome) -> None:
    ref = with_saved_work(live_home)
    live_home.orange.tasks.delete(ref)
    (snapshot,) = live_home.orange.saved_work.snapshots()
    assert (snapshot.ref, snapshot.number, snapshot.task) == (ref, 1, None)
    assert snapshot.deleted is not None
    assert (snapshot.deleted.branch, snapshot.deleted.summary) == ("oat-milk", "Brew oat-milk")


def test_restore_finds_a_deleted_task_by_the_beginning_of_its_id_from_anywhere(
    live_home: LiveHome, cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ref = with_saved_work(live_home)
    live_home.orange.tasks.delete(ref)
    monkeypatch.setenv("ORANGE_HOME", live_home.orange.home.root)
    monkeypatch.chdir(tmp_path)
    cli.ok("task", "restore", ref.id[:5], "--branch", "rescued")
    assert git(live_home.repository, "show", "rescued:draft") == "oat-milk, half-way"
    assert f"refs/orange/{ref.id}/1" in refs(live_home)


def test_restoring_is_in_the_history_of_a_task_that_is_still_there(live_home: LiveHome) -> None:
    ref = with_saved_work(live_home)
    project = live_home.orange.projects.get("coffee")
    branch = live_home.orange.saved_work.restore(project, ref.id, None, None)
    assert branch == f"orange-restored/{ref.id}-1"
    assert [event["branch"] for event in live_home.events(ref, "work.restored")] == [branch]


def test_saved_work_expires_thirty_days_after_the_deletion_and_not_before(
    live_home: LiveHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = with_saved_work(live_home)
    commit = live_home.git("rev-parse", f"refs/orange/{ref.id}/1")
    live_home.orange.tasks.delete(ref)
    assert day_by_day(live_home, monkeypatch, 29) == []
    assert refs(live_home)
    days_later(monkeypatch, 31)
    (sentence,) = live_home.orange.recover()
    assert sentence.startswith(f"{ref.id}: deleted refs/orange/{ref.id}/1")
    assert commit in sentence
    assert refs(live_home) == []
    assert live_home.orange.recover() == []
    assert live_home.git("cat-file", "-t", commit) == "commit"  # git itself still has it for a while


@pytest.mark.parametrize("wrong", [40, -20_000])
def test_a_clock_that_jumps_does_not_make_saved_work_expire(
    live_home: LiveHome, monkeypatch: pytest.MonkeyPatch, wrong: int
) -> None:
    """Whether it is wrong now or was wrong at the deletion."""
    ref = with_saved_work(live_home)
    days_later(monkeypatch, min(wrong, 0))
    live_home.orange.tasks.delete(ref)
    for day in range(3):  # and nobody mends it for some days
        days_later(monkeypatch, max(wrong, 0) + day)
        assert live_home.orange.recover() == []
    monkeypatch.undo()
    assert live_home.orange.recover() == []
    assert refs(live_home) == [f"refs/orange/{ref.id}/1"]


def test_age_of_the_saved_commit_does_not_count(live_home: LiveHome, monkeypatch: pytest.MonkeyPatch) -> None:
    ref = with_saved_work(live_home)
    days_later(monkeypatch, 300)
    live_home.orange.tasks.delete(ref)
    assert live_home.orange.recover() == []
    assert refs(live_home) == [f"refs/orange/{ref.id}/1"]


def test_work_of_an_existing_task_never_expires(live_home: LiveHome, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even with a note about it: a deletion that was killed after the note is no deletion."""
    ref = with_saved_work(live_home)
    kept = live_home.root / "kept"
    shutil.copytree(live_home.orange.store.directory(ref), kept)
    live_home.orange.tasks.delete(ref)
    shutil.copytree(kept, live_home.orange.store.directory(ref))
    days_later(monkeypatch, 400)
    assert live_home.orange.recover() == []
    assert refs(live_home) == [f"refs/orange/{ref.id}/1"]


def test_work_of_tasks_not_deleted_here_never_expires(live_home: LiveHome, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another home may share the repository, and a directory may have gone by hand."""
    by_hand = with_saved_work(live_home)
    shutil.rmtree(live_home.orange.store.directory(by_hand))
    live_home.git("update-ref", "refs/orange/elsewhere/1", "HEAD")
    days_later(monkeypatch, 400)
    assert live_home.orange.recover() == []
    assert refs(live_home) == sorted([f"refs/orange/{by_hand.id}/1", "refs/orange/elsewhere/1"])


def test_missing_repository_delays_expiry_and_stops_nothing(
    live_home: LiveHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = with_saved_work(live_home)
    live_home.orange.tasks.delete(ref)
    day_by_day(live_home, monkeypatch, 29)
    live_home.repository.rename(live_home.root / "away")
    days_later(monkeypatch, 31)
    assert any("was not checked" in sentence for sentence in live_home.orange.recover())
    assert live_home.orange.saved_work.snapshots() == []
    (live_home.root / "away").rename(live_home.repository)
    assert any("deleted refs" in sentence for sentence in live_home.orange.recover())


def test_deletion_of_a_task_without_saved_work_is_not_recorded(live_home: LiveHome) -> None:
    ref = live_home.create("plain", status=None, spawn=False)
    live_home.orange.tasks.cancel(ref)
    live_home.orange.tasks.delete(ref)
    assert deleted_tasks(live_home.orange.home, "coffee") == {}


@given(lines=st.lists(st.one_of(st.text(), st.dictionaries(st.text(), st.integers() | st.text() | st.none()))))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None)
def test_damaged_deletion_records_break_nothing(tmp_path: Path, lines: list[object]) -> None:
    from orange_tui.home.paths import Home

    notes = tmp_path / "tasks" / "coffee" / ".saved.jsonl"
    notes.parent.mkdir(parents=True, exist_ok=True)
    notes.write_text(
        "\n".join(json.dumps({"type": "task.deleted", **line} if isinstance(line, dict) else line) for line in lines)
    )
    for each in deleted_tasks(Home(str(tmp_path)), "coffee").values():
        assert isinstance(is_expired(each, clock.now()), bool)


@pytest.mark.parametrize("at", ["", "None", "yesterday", "9999-12-31T00:00:00Z"])
def test_unreadable_deletion_time_never_expires(at: str) -> None:
    assert not is_expired(DeletedTask("x", "x", "", at), clock.now())
