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
    from support.live_home import LiveHome


def working(live_home: LiveHome, branch: str = "fix/fault") -> TaskRef:
    """A task whose agent waits, with a commit on its branch."""
    name = "recorder" if (live_home.root / "recorder").exists() else live_home.harness().name
    ref = live_home.create(branch, harness=name)
    worktree = live_home.worktree(ref)
    (worktree / "done.txt").write_text("committed\n")
    live_home.git("add", "done.txt", at=worktree)
    live_home.git("commit", "-qm", "Work", at=worktree)
    return ref


def end_agent(live_home: LiveHome, ref: TaskRef) -> None:
    for pane in live_home.orange.sessions.windows(ref.id, fresh=True):
        live_home.tmux.cmd("kill-session", "-t", pane.session_id)
    live_home.supervised(lambda: live_home.task(ref).crash_count == 1)


def nothing_is_held(live_home: LiveHome) -> None:
    assert live_home.orange.sessions.panes(fresh=True) == []
    assert [slot.state for slot in live_home.orange.pool.slots()] == ["free", "free"]


def test_a_worktree_deleted_under_its_agent_takes_no_commit_with_it(live_home: LiveHome) -> None:
    ref = working(live_home)
    shutil.rmtree(live_home.worktree(ref))
    live_home.orange.tasks.update(ref, summary="Somebody was tidying up")
    assert live_home.windows(ref) == ["worker"]
    live_home.orange.tasks.cancel(ref)
    assert live_home.task(ref).attention is None
    assert live_home.git("show", "fix/fault:done.txt") == "committed"
    nothing_is_held(live_home)


def test_a_worktree_deleted_by_hand_is_there_again_when_the_agent_comes_back(live_home: LiveHome) -> None:
    ref = working(live_home)
    worktree = live_home.worktree(ref)
    end_agent(live_home, ref)
    shutil.rmtree(worktree)
    live_home.orange.agents.respawn(ref)
    assert live_home.worktree(ref) == worktree
    live_home.wait(lambda: (live_home.root / "recorder" / "starts").read_text().count("started") == 2)
    assert (live_home.root / "recorder" / "directory").read_text().strip() == str(worktree)
    assert live_home.git("branch", "--show-current", at=worktree) == "fix/fault"
    assert (worktree / "done.txt").read_text() == "committed\n"
    assert (worktree / "TASK.md").resolve().parent.name == ref.id


def test_a_worktree_deleted_by_hand_is_watched_again_when_it_is_back(live_home: LiveHome) -> None:
    ref = working(live_home)
    worktree = live_home.worktree(ref)
    end_agent(live_home, ref)
    steps: Iterator[Callable[[], object]] = iter(
        [
            lambda: shutil.rmtree(worktree),
            lambda: live_home.orange.agents.respawn(ref),
            lambda: shutil.copy(worktree / "TASK.md", worktree / "copy"),
            lambda: (worktree / "copy").rename(worktree / "TASK.md"),
        ]
    )

    def mended() -> bool:
        next(steps, lambda: None)()
        return bool(live_home.events(ref, "task.link_restored"))

    live_home.supervised(mended)
    assert (worktree / "TASK.md").is_symlink()


def test_an_agent_that_checks_out_another_branch_loses_none_of_its_work(live_home: LiveHome) -> None:
    ref = working(live_home)
    worktree = live_home.worktree(ref)
    live_home.git("checkout", "-q", "-b", "elsewhere", at=worktree)
    (worktree / "other.txt").write_text("on another branch\n")
    live_home.git("add", "other.txt", at=worktree)
    live_home.git("commit", "-qm", "Elsewhere", at=worktree)
    live_home.git("checkout", "-q", "--detach", at=worktree)
    (worktree / "loose.txt").write_text("on no branch\n")
    live_home.git("add", "loose.txt", at=worktree)
    live_home.git("commit", "-qm", "Loose", at=worktree)
    end_agent(live_home, ref)
    live_home.orange.agents.respawn(ref)  # it finds everything as it was left
    assert (worktree / "loose.txt").exists()
    live_home.orange.tasks.cancel(ref)
    assert live_home.git("show", "fix/fault:done.txt") == "committed"
    assert live_home.git("show", "elsewhere:other.txt") == "on another branch"
    saved = live_home.events(ref, "work.saved")[0]["ref"]
    assert live_home.git("show", f"{saved}:loose.txt") == "on no branch"
    nothing_is_held(live_home)


def left_behind(live_home: LiveHome, worktree: Path, age: float) -> Path:
    """A lock as a killed git leaves it."""
    lock = live_home.repository / ".git" / "worktrees" / worktree.name / "index.lock"
    lock.touch()
    os.utime(lock, (time.time() - age,) * 2)
    return lock


def a_minute_later(live_home: LiveHome) -> None:
    for lock in (live_home.repository / ".git" / "worktrees").glob("*/*.lock"):
        os.utime(lock, (time.time() - 61,) * 2)


def test_a_lock_that_git_left_behind_long_ago_stops_no_spawn(live_home: LiveHome) -> None:
    ref = working(live_home)
    worktree = live_home.worktree(ref)
    live_home.orange.tasks.cancel(ref)
    lock = left_behind(live_home, worktree, age=3600)
    again = working(live_home, "fix/again")
    assert live_home.worktree(again) == worktree
    assert not lock.exists()


def test_a_lock_that_may_be_somebodys_is_respected_and_the_spawn_can_be_tried_again(live_home: LiveHome) -> None:
    live_home.orange.projects.update("coffee", {"pool_size": 1})
    ref = working(live_home)
    worktree = live_home.worktree(ref)
    live_home.orange.tasks.cancel(ref)
    lock = left_behind(live_home, worktree, age=1)
    again = live_home.create("fix/again", harness="recorder")
    assert "index.lock" in (live_home.task(again).attention or "")
    assert (live_home.task(again).workspace, live_home.windows(again)) == (None, [])
    lock.unlink()
    live_home.orange.tasks.spawn(again)
    assert live_home.windows(again) == ["worker"]
    assert live_home.task(again).attention is None


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"setup": "echo no such package >&2; exit 3"}, "no such package"),
        ({"setup": "sleep 1000", "setup_timeout": 0.3}, "took longer than 0.3 s"),
    ],
)
def test_a_set_up_that_fails_or_hangs_starts_no_agent_and_can_be_tried_again(
    live_home: LiveHome, entry: dict[str, object], said: str
) -> None:
    seen = live_home.harness()
    live_home.orange.projects.update("coffee", entry)
    ref = live_home.create("fix/setup", harness="recorder")
    task = live_home.task(ref)
    assert said in (task.attention or "")
    assert (task.workspace, task.tmux_session, live_home.windows(ref)) == (None, None, [])
    assert not (seen / "starts").exists()
    nothing_is_held(live_home)
    live_home.orange.projects.update("coffee", {"setup": "true"})
    live_home.orange.tasks.spawn(ref)
    live_home.wait((seen / "starts").exists)
    assert (live_home.task(ref).status, live_home.task(ref).attention) == (task.status, None)
    assert live_home.windows(ref) == ["worker"]


def test_a_disk_that_is_full_while_an_agent_is_started_leaves_what_the_next_command_finishes(
    live_home: LiveHome,
) -> None:
    """Files may grow to so many bytes and no more, for Orange and for the git and tmux that it runs."""
    seen = live_home.harness()
    keeps_tmux_alive = live_home.create("fix/first", harness="recorder")
    for number, most in enumerate((0, 64, 300, 1000, 1500, 2000, 3000)):
        ref = live_home.create(f"fix/{number}", harness="recorder", spawn=False)

        def spawn(ref: TaskRef = ref, most: int = most) -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
            with suppress(OrangeError):  # a sentence, never anything else
                assemble(live_home.orange.home).tasks.spawn(ref)

        assert not dies_at(10_000, spawn)
        with assemble(live_home.orange.home).engine.open(ref) as opened:
            after = opened.task
        if not live_home.windows(ref):
            assert after.workspace is None or after.status == "pending", most
            a_minute_later(live_home)  # what git leaves when a limit kills it counts as left behind by then
            live_home.orange.tasks.spawn(ref)
        task = live_home.task(ref)
        assert (task.status, live_home.windows(ref)) == ("planning", ["worker"]), most
        assert live_home.git("branch", "--show-current", at=live_home.worktree(ref)) == task.branch, most
        live_home.orange.tasks.cancel(ref)
        assert [slot.task for slot in live_home.orange.pool.slots() if slot.state != "free"] == [keeps_tmux_alive.id], (
            most
        )
    live_home.wait(lambda: "started" in (seen / "starts").read_text())
