"""A git that is killed while it moves the default branch in the person's checkout: the move is finished, or told."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from orange_tui.domain.errors import Refused, Unreadable
from orange_tui.orange import assemble
from orange_tui.outside.git import Repository
from orange_tui.outside.git_guard.locks import begin, clear, end
from orange_tui.supervisor.doctor import examine
from support.git import git
from support.killing import Countdown, killed

if TYPE_CHECKING:
    from orange_tui.store.store import TaskRef
    from orange_tui.supervisor.doctor import Finding
    from support.merge_world import MergeWorld

GIT = shutil.which("git") or "/usr/bin/git"
HALVES = {
    "first files": "rm gone; touch .git/index.lock",
    "half a file": "rm gone; printf 'all' >menu; mkdir -p new; printf 'o' >new/file; touch .git/index.lock",
    "all files": "rm gone; echo 'all new' >menu; mkdir -p new; echo one >new/file; touch .git/index.lock",
    "index too": f"{GIT} read-tree -m -u HEAD feat/tea; touch .git/HEAD.lock .git/refs/heads/main.lock",
}


class Killer:
    """A git on the path that does half of its work when it is asked for something, and is killed."""

    def __init__(self, merge_world: MergeWorld, monkeypatch: pytest.MonkeyPatch) -> None:
        self._house, self._monkeypatch = merge_world, monkeypatch

    def arm(self, command: str, half: str, *, both: bool) -> None:
        """Both: Orange is killed with it."""
        victims = "$PPID $$" if both else "$$"
        script = f'case " $* " in *" {command} "*) cd "$2" && {{ {half}; }}; kill -9 {victims};; esac\nexec {GIT} "$@"'
        self._house.hook(self._house.root / "bin", "git", script)
        self._monkeypatch.setenv("PATH", f"{self._house.root / 'bin'}:{os.environ['PATH']}")

    def disarm(self) -> None:
        (self._house.root / "bin/git").unlink(missing_ok=True)


@pytest.fixture
def killer(merge_world: MergeWorld, monkeypatch: pytest.MonkeyPatch) -> Killer:
    return Killer(merge_world, monkeypatch)


@pytest.fixture
def ref(merge_world: MergeWorld) -> TaskRef:
    merge_world.write(merge_world.main, {"gone": "soon\n", "kept": "1\n"})
    merge_world.git("push", "-q")
    ref = merge_world.task("feat/tea", {"menu": "all new\n", "new/file": "one\n"})
    merge_world.git("switch", "-q", "feat/tea", at=merge_world.branches)
    merge_world.git("rm", "-q", "gone", at=merge_world.branches)
    merge_world.git("commit", "-q", "--amend", "--no-edit", at=merge_world.branches)
    merge_world.git("switch", "-q", "--detach", at=merge_world.branches)
    return ref


def locks(merge_world: MergeWorld) -> list[str]:
    return [str(path) for path in (merge_world.main / ".git").rglob("*.lock")]


def merge(ref: TaskRef) -> int:
    """The command, in a process of its own."""
    command = [sys.executable, "-m", "orange_tui", "task", "merge", ref.id]
    return subprocess.run(command, capture_output=True, timeout=60, check=False).returncode


def doctor(merge_world: MergeWorld) -> list[Finding]:
    return [
        each
        for each in examine(assemble(merge_world.orange.home).doctor)
        if any(word in each.what for word in ("update", ".lock"))
    ]


@pytest.mark.parametrize("half", HALVES)
def test_a_git_that_is_killed_alone_leaves_a_checkout_that_is_whole(
    merge_world: MergeWorld, ref: TaskRef, killer: Killer, half: str
) -> None:
    killer.arm("merge --ff-only", HALVES[half], both=False)
    merge_world.merge(ref)
    assert merge_world.is_merged(ref)
    assert merge_world.tip() == merge_world.there()
    assert (merge_world.notes, locks(merge_world)) == ([], [])


@pytest.mark.parametrize("half", HALVES)
def test_a_git_that_is_killed_together_with_orange_leaves_what_doctor_finishes(
    merge_world: MergeWorld, ref: TaskRef, killer: Killer, half: str
) -> None:
    (merge_world.main / "kept").write_text("mine, and no part of the merge\n")
    merge_world.git("update-index", "--assume-unchanged", "kept")
    killer.arm("merge --ff-only", HALVES[half], both=True)
    assert killed(lambda: merge_world.merge(ref), Countdown(0), watch=lambda _: None)
    killer.disarm()
    assert merge_world.git("status", "--porcelain") != ""
    assert [each.what.partition(":")[2] for each in doctor(merge_world)] == [
        " finished the update that a killed merge had begun"
    ]
    assert (merge_world.tip(), locks(merge_world), merge_world.git("status", "--porcelain")) == (
        merge_world.there(),
        [],
        "",
    )
    assert (merge_world.main / "kept").read_text() == "mine, and no part of the merge\n"
    assert doctor(merge_world) == []
    merge_world.merge(ref)
    assert merge_world.is_merged(ref)


def test_files_that_somebody_has_changed_since_are_left_alone_and_told(
    merge_world: MergeWorld, ref: TaskRef, killer: Killer
) -> None:
    killer.arm("merge --ff-only", HALVES["all files"], both=True)
    assert merge(ref) == -signal.SIGKILL
    killer.disarm()
    (merge_world.main / "menu").write_text("all mine\n")
    told, bad = doctor(merge_world)
    assert "since then menu was changed" in told.what
    assert (bad.level, str(merge_world.main) in bad.what) == ("bad", True)
    assert (merge_world.main / "menu").read_text() == "all mine\n"
    assert merge(ref) == 1
    merge_world.git("checkout", "HEAD", "--", "menu")
    assert merge(ref) == 0
    assert merge_world.is_merged(ref)


def note(merge_world: MergeWorld, **values: object) -> Path:
    """A note of a move under way, as somebody has written it."""
    path = Path(merge_world.orange.home.tasks) / "coffee/.moving.json"
    path.write_text(
        json.dumps({"checkout": str(merge_world.main), "branch": "main", "old": merge_world.tip(), **values})
    )
    return path


def test_a_note_about_another_repository_is_not_believed(merge_world: MergeWorld, ref: TaskRef) -> None:
    other = merge_world.root / "theirs"
    merge_world.git("clone", "-q", str(merge_world.main), str(other), at=merge_world.root)
    old, new = merge_world.tip(), merge_world.tip("feat/tea")
    merge_world.git("fetch", "-q", "origin", "feat/tea", at=other)
    path = note(merge_world, checkout=str(other), old=old, new=new)
    assert [each.what.partition(": ")[2] for each in doctor(merge_world)] == ["no update is left to be finished"]
    assert (merge_world.git("rev-parse", "HEAD", at=other), path.exists()) == (old, False)
    assert merge(ref) == 0


@pytest.mark.parametrize("new", ["--output=stolen", 7, ["x"]])
def test_a_note_that_names_no_commit_is_told_and_nothing_is_done(
    merge_world: MergeWorld, ref: TaskRef, new: object
) -> None:
    path = note(merge_world, new=new)
    whys = [each.what for each in examine(assemble(merge_world.orange.home).doctor) if str(path) in each.what]
    assert all("look at your checkout" in why for why in whys)
    assert whys
    with pytest.raises(Unreadable, match="look at your checkout"):
        merge_world.merge(ref)
    assert merge_world.git("status", "--porcelain") == ""


def test_a_note_that_goes_back_is_not_believed(merge_world: MergeWorld, ref: TaskRef) -> None:
    tip = merge_world.tip()
    note(merge_world, new=merge_world.tip("main~1"))
    assert "no update is left" in doctor(merge_world)[0].what
    assert (merge_world.tip(), merge_world.git("status", "--porcelain")) == (tip, "")


@pytest.mark.parametrize("half", ["rm gone; mkdir gone", "rm gone; mkdir gone; printf o >gone/file", "rm way/was"])
def test_a_file_that_becomes_a_directory_and_one_that_was_one_are_finished(
    merge_world: MergeWorld, killer: Killer, half: str
) -> None:
    ref = swapped(merge_world)
    killer.arm("merge --ff-only", half, both=False)
    merge_world.merge(ref)
    assert merge_world.notes == []
    assert merge_world.is_merged(ref)


def swapped(merge_world: MergeWorld) -> TaskRef:
    """A task that makes a directory of a file, and a file of a directory."""
    merge_world.write(merge_world.main, {"gone": "soon\n", "way/was": "1\n"})
    merge_world.git("push", "-q")
    ref = merge_world.task("feat/tea", {"new/file": "one\n"})
    merge_world.git("switch", "-q", "feat/tea", at=merge_world.branches)
    merge_world.git("rm", "-q", "gone", "way/was", at=merge_world.branches)
    merge_world.write(merge_world.branches, {"gone/file": "one\n", "way": "2\n"})
    merge_world.git("switch", "-q", "--detach", at=merge_world.branches)
    return ref


@pytest.mark.parametrize("mine", ["way/mine", "new"])
def test_a_file_of_somebodys_where_the_move_needs_the_place_is_not_replaced(
    merge_world: MergeWorld, killer: Killer, mine: str
) -> None:
    ref = swapped(merge_world)
    killer.arm("merge --ff-only", f"rm gone; echo mine >{mine}", both=False)
    merge_world.merge(ref)
    assert f"since then {mine} was changed" in merge_world.notes[0]
    assert (merge_world.main / mine).read_text() == "mine\n"


@pytest.mark.parametrize("obstacle", ["a filter", "a lock"])
def test_a_git_that_fails_on_the_way_leaves_the_checkout_as_it_was(
    merge_world: MergeWorld, ref: TaskRef, obstacle: str
) -> None:
    """As with a full disk, git has written files by then, or also the index."""
    merge_world.git("remote", "remove", "origin")
    lock = merge_world.main / ".git/refs/heads/main.lock"
    (merge_world.main / ".git/info").mkdir(exist_ok=True)
    (merge_world.main / ".git/info/attributes").write_text("new/file filter=away\n")
    for name, value in {"required": "true", "clean": "cat", "smudge": "cat"}.items():
        merge_world.git("config", f"filter.away.{name}", value)
    if obstacle == "a lock":
        lock.touch()
    else:
        merge_world.git("config", "filter.away.smudge", "false")
    merge_world.trust()
    assert "could not be moved" in merge_world.refused(ref)
    lock.unlink(missing_ok=True)
    merge_world.git("config", "filter.away.smudge", "cat")
    merge_world.trust()
    merge_world.merge(ref)
    assert (merge_world.status(ref), merge_world.git("status", "--porcelain")) == ("done", "")


def test_a_lock_that_belongs_to_nobody_is_told_and_one_that_may_is_not(merge_world: MergeWorld) -> None:
    old, young, held = (merge_world.main / ".git" / f"{name}.lock" for name in ("HEAD", "index", "config"))
    with held.open("w"):
        for path in (old, young, held):
            path.touch()
        for path in (old, held):
            os.utime(path, (time.time() - 100, time.time() - 100))
        (finding,) = doctor(merge_world)
    assert (finding.level, finding.repair) == ("bad", f"rm {old}")
    assert sorted(locks(merge_world)) == sorted(map(str, (old, young, held)))


def test_a_lock_that_is_taken_long_after_a_git_of_ours_was_killed_is_somebody_elses(merge_world: MergeWorld) -> None:
    lock, killed = merge_world.main / ".git/index.lock", merge_world.main / ".git/orange-git" / f"{time.time_ns()}-1-1"
    killed.parent.mkdir(exist_ok=True)
    for seconds, is_left in ((100_000, True), (0, False)):
        killed.touch()
        lock.touch()
        os.utime(lock, (time.time() + seconds, time.time() + seconds))
        clear(str(merge_world.main), None)
        assert (lock.exists(), killed.exists()) == (is_left, False)


def test_a_git_of_ours_that_takes_too_long_leaves_no_lock(merge_world: MergeWorld, killer: Killer) -> None:
    killer.arm("update-index", "touch .git/index.lock; exec sleep 60", both=False)
    with pytest.raises(Refused, match="was ended"):
        Repository(str(merge_world.main)).ask("update-index", "-q", "--refresh", timeout=0.3)
    assert locks(merge_world) == []


def test_a_killed_git_of_ours_leaves_no_lock_though_a_program_was_just_being_started_beside_it(
    merge_world: MergeWorld,
) -> None:
    """Between fork and exec, that program has all that we have open, the lock of our note too."""
    reads, writes = os.pipe()
    note = begin(str(merge_world.main), None, "update-index")
    (merge_world.main / ".git/index.lock").touch()
    child = os.fork()
    if child == 0:
        os.read(reads, 1)
        os._exit(0)
    try:
        end(note, was_killed=True)
        assert locks(merge_world) == []
    finally:
        os.write(writes, b"x")
        os.waitpid(child, 0)
        os.close(reads)
        os.close(writes)


def test_a_lock_is_not_taken_from_a_git_that_is_at_work(merge_world: MergeWorld, killer: Killer) -> None:
    """It may have taken it while ours was killed."""
    killer.arm("update-index", "touch .git/index.lock", both=False)
    command = [GIT, "cat-file", "--batch"]
    with subprocess.Popen(command, cwd=merge_world.main, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as other:
        assert Repository(str(merge_world.main)).ask("update-index", "-q", "--refresh").code == -signal.SIGKILL
        assert len(locks(merge_world)) == 1
        other.communicate()
    killer.disarm()
    assert Repository(str(merge_world.main)).ask("update-index", "-q", "--refresh").code == 0
    assert locks(merge_world) == []


@pytest.mark.parametrize("neighbour", ["coffee-2", "coffee.bare", "other"])
def test_git_at_work_in_another_repository_keeps_no_lock_of_a_killed_one(
    merge_world: MergeWorld, killer: Killer, neighbour: str
) -> None:
    """Its path may begin alike, and of a worktree that was only begun the path may not be written yet."""
    git(merge_world.root, "init", "-q", neighbour)
    begun = "mkdir .git/worktrees/x; echo initializing >.git/worktrees/x/locked; >.git/worktrees/x/gitdir"
    killer.arm("worktree add", f"{begun}; touch .git/index.lock", both=False)
    command = [GIT, "-C", str(merge_world.root / neighbour), "cat-file", "--batch"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, cwd="/") as other:
        ours = Repository(str(merge_world.main))
        assert ours.ask("worktree", "add", "-q", "--detach", str(merge_world.root / "x")).code == -signal.SIGKILL
        left = locks(merge_world)
        other.communicate()
    assert left == []


def test_a_worktree_that_a_killed_git_had_only_begun_stops_no_other_git(
    merge_world: MergeWorld, killer: Killer
) -> None:
    """While nothing is in its `commondir`, every git that lists worktrees fails."""
    begun = f"""mkdir .git/worktrees/x; cd .git/worktrees/x
        echo initializing >locked; echo '{merge_world.root}/x/.git' >gitdir; >commondir"""
    killer.arm("worktree add", begun, both=False)
    git = Repository(str(merge_world.main))
    assert git.ask("worktree", "add", "-q", "--detach", str(merge_world.root / "x")).code == -signal.SIGKILL
    killer.disarm()
    assert "branches" in merge_world.git("worktree", "list")
    assert not (merge_world.main / ".git/worktrees/x").exists()


@pytest.mark.parametrize("name", ["feat/coffee", "feat/tea/green", "feat"])
def test_a_branch_that_is_renamed_has_a_name_at_every_moment(
    merge_world: MergeWorld, killer: Killer, name: str
) -> None:
    """`git branch -m` deletes the old name first: killed then, it leaves the commits on no branch."""
    tip = merge_world.branch("feat/tea", {"tea": "green\n"})
    merge_world.git("switch", "-q", "feat/tea", at=merge_world.branches)
    killer.arm("branch -m", f"{GIT} update-ref -d refs/heads/feat/tea", both=False)
    git = Repository(str(merge_world.branches))
    git.rename_current_branch(name)
    assert (git.current_branch(), git.head(), git.has_branch("feat/tea")) == (name, tip, False)
    assert merge_world.git("status", "--porcelain", at=merge_world.branches) == ""
