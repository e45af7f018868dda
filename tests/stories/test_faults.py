"""What goes wrong around a working agent: disks, directories, branches, set-ups. Nothing is lost, the task says it."""

from __future__ import annotations

import os
import resource
import shutil
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from orange_tui.domain.errors import OrangeError
from orange_tui.orange import assemble
from support.killing import dies_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from orange_tui.store.store import TaskRef
    from support.office import Office


def working(office: Office, branch: str = "fix/fault") -> TaskRef:
    """A task whose agent waits, with a commit on its branch."""
    name = "recorder" if (office.root / "recorder").exists() else office.harness().name
    ref = office.create(branch, harness=name)
    worktree = office.worktree(ref)
    (worktree / "done.txt").write_text("committed\n")
    office.git("add", "done.txt", at=worktree)
    office.git("commit", "-qm", "Work", at=worktree)
    return ref


def end_agent(office: Office, ref: TaskRef) -> None:
    for pane in office.orange.sessions.windows(ref.id, fresh=True):
        office.tmux.cmd("kill-session", "-t", pane.session_id)
    office.supervised(lambda: office.task(ref).crash_count == 1)


def nothing_is_held(office: Office) -> None:
    assert office.orange.sessions.panes(fresh=True) == []
    assert [slot.state for slot in office.orange.pool.slots()] == ["free", "free"]


def test_a_worktree_deleted_under_its_agent_takes_no_commit_with_it(office: Office) -> None:
    ref = working(office)
    shutil.rmtree(office.worktree(ref))
    office.orange.tasks.update(ref, summary="Somebody was tidying up")
    assert office.windows(ref) == ["worker"]
    office.orange.tasks.cancel(ref)
    assert office.task(ref).attention is None
    assert office.git("show", "fix/fault:done.txt") == "committed"
    nothing_is_held(office)


def test_a_worktree_deleted_by_hand_is_there_again_when_the_agent_comes_back(office: Office) -> None:
    ref = working(office)
    worktree = office.worktree(ref)
    end_agent(office, ref)
    shutil.rmtree(worktree)
    office.orange.agents.respawn(ref)
    assert office.worktree(ref) == worktree
    office.wait(lambda: (office.root / "recorder" / "starts").read_text().count("started") == 2)
    assert (office.root / "recorder" / "directory").read_text().strip() == str(worktree)
    assert office.git("branch", "--show-current", at=worktree) == "fix/fault"
    assert (worktree / "done.txt").read_text() == "committed\n"
    assert (worktree / "TASK.md").resolve().parent.name == ref.id


def test_a_worktree_deleted_by_hand_is_watched_again_when_it_is_back(office: Office) -> None:
    ref = working(office)
    worktree = office.worktree(ref)
    end_agent(office, ref)
    steps: Iterator[Callable[[], object]] = iter(
        [
            lambda: shutil.rmtree(worktree),
            lambda: office.orange.agents.respawn(ref),
            lambda: shutil.copy(worktree / "TASK.md", worktree / "copy"),
            lambda: (worktree / "copy").rename(worktree / "TASK.md"),
        ]
    )

    def mended() -> bool:
        next(steps, lambda: None)()
        return bool(office.events(ref, "task.link_restored"))

    office.supervised(mended)
    assert (worktree / "TASK.md").is_symlink()


def test_an_agent_that_checks_out_another_branch_loses_none_of_its_work(office: Office) -> None:
    ref = working(office)
    worktree = office.worktree(ref)
    office.git("checkout", "-q", "-b", "elsewhere", at=worktree)
    (worktree / "other.txt").write_text("on another branch\n")
    office.git("add", "other.txt", at=worktree)
    office.git("commit", "-qm", "Elsewhere", at=worktree)
    office.git("checkout", "-q", "--detach", at=worktree)
    (worktree / "loose.txt").write_text("on no branch\n")
    office.git("add", "loose.txt", at=worktree)
    office.git("commit", "-qm", "Loose", at=worktree)
    end_agent(office, ref)
    office.orange.agents.respawn(ref)  # it finds everything as it was left
    assert (worktree / "loose.txt").exists()
    office.orange.tasks.cancel(ref)
    assert office.git("show", "fix/fault:done.txt") == "committed"
    assert office.git("show", "elsewhere:other.txt") == "on another branch"
    saved = office.events(ref, "work.saved")[0]["ref"]
    assert office.git("show", f"{saved}:loose.txt") == "on no branch"
    nothing_is_held(office)


def left_behind(office: Office, worktree: Path, age: float) -> Path:
    """A lock as a killed git leaves it."""
    lock = office.repository / ".git" / "worktrees" / worktree.name / "index.lock"
    lock.touch()
    os.utime(lock, (time.time() - age,) * 2)
    return lock


def a_minute_later(office: Office) -> None:
    for lock in (office.repository / ".git" / "worktrees").glob("*/*.lock"):
        os.utime(lock, (time.time() - 61,) * 2)


def test_a_lock_that_git_left_behind_long_ago_stops_no_spawn(office: Office) -> None:
    ref = working(office)
    worktree = office.worktree(ref)
    office.orange.tasks.cancel(ref)
    lock = left_behind(office, worktree, age=3600)
    again = working(office, "fix/again")
    assert office.worktree(again) == worktree
    assert not lock.exists()


def test_a_lock_that_may_be_somebodys_is_respected_and_the_spawn_can_be_tried_again(office: Office) -> None:
    office.orange.projects.update("coffee", {"pool_size": 1})
    ref = working(office)
    worktree = office.worktree(ref)
    office.orange.tasks.cancel(ref)
    lock = left_behind(office, worktree, age=1)
    again = office.create("fix/again", harness="recorder")
    assert "index.lock" in (office.task(again).attention or "")
    assert (office.task(again).workspace, office.windows(again)) == (None, [])
    lock.unlink()
    office.orange.tasks.spawn(again)
    assert office.windows(again) == ["worker"]
    assert office.task(again).attention is None


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"setup": "echo no such package >&2; exit 3"}, "no such package"),
        ({"setup": "sleep 1000", "setup_timeout": 0.3}, "took longer than 0.3 s"),
    ],
)
def test_a_set_up_that_fails_or_hangs_starts_no_agent_and_can_be_tried_again(
    office: Office, entry: dict[str, object], said: str
) -> None:
    seen = office.harness()
    office.orange.projects.update("coffee", entry)
    ref = office.create("fix/setup", harness="recorder")
    task = office.task(ref)
    assert said in (task.attention or "")
    assert (task.workspace, task.tmux_session, office.windows(ref)) == (None, None, [])
    assert not (seen / "starts").exists()
    nothing_is_held(office)
    office.orange.projects.update("coffee", {"setup": "true"})
    office.orange.tasks.spawn(ref)
    office.wait((seen / "starts").exists)
    assert (office.task(ref).status, office.task(ref).attention) == (task.status, None)
    assert office.windows(ref) == ["worker"]


def test_a_disk_that_is_full_while_an_agent_is_started_leaves_what_the_next_command_finishes(office: Office) -> None:
    """Files may grow to so many bytes and no more, for Orange and for the git and tmux that it runs."""
    seen = office.harness()
    keeps_tmux_alive = office.create("fix/first", harness="recorder")
    for number, most in enumerate((0, 64, 300, 1000, 1500, 2000, 3000)):
        ref = office.create(f"fix/{number}", harness="recorder", spawn=False)

        def spawn(ref: TaskRef = ref, most: int = most) -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
            with suppress(OrangeError):  # a sentence, never anything else
                assemble(office.orange.home).tasks.spawn(ref)

        assert not dies_at(10_000, spawn)
        with assemble(office.orange.home).engine.open(ref) as opened:
            after = opened.task
        if not office.windows(ref):
            assert after.workspace is None or after.status == "pending", most
            a_minute_later(office)  # what git leaves when a limit kills it counts as left behind by then
            office.orange.tasks.spawn(ref)
        task = office.task(ref)
        assert (task.status, office.windows(ref)) == ("planning", ["worker"]), most
        assert office.git("branch", "--show-current", at=office.worktree(ref)) == task.branch, most
        office.orange.tasks.cancel(ref)
        assert [slot.task for slot in office.orange.pool.slots() if slot.state != "free"] == [keeps_tmux_alive.id], most
    office.wait(lambda: "started" in (seen / "starts").read_text())
