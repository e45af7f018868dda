"""A task follows its branch, in a real worktree of a real repository."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from orange_tui.branches import _left_commits
from orange_tui.branches.rename import update_with_branch
from orange_tui.domain.errors import Refused
from orange_tui.outside.git import Repository
from orange_tui.outside.git_saved import save_commit
from orange_tui.store.open_task import OpenTask
from support.git import commit, git

if TYPE_CHECKING:
    from collections.abc import Callable

    from orange_tui.store.store import TaskRef
    from support.driver import Cli, World
    from support.live_home import LiveHome


def in_worktree(world: World, cli: Cli, repository: Path, branch: str = "orange-tasks/x") -> TaskRef:
    """A task in a real worktree of a real repository, on its branch."""
    cli.ok("project", "add", str(repository), "--name", "beans", "--workflow", "steps")
    git(repository, "worktree", "add", "--quiet", "-b", branch, str(world.root / "workspaces/beans--1"))
    return world.task(project="beans", branch=branch, workspace="beans--1", status="doing")


def test_a_task_follows_the_branch_its_agent_has_renamed(
    world: World, cli: Cli, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = in_worktree(world, cli, repository)
    monkeypatch.chdir(world.root / "workspaces/beans--1")
    git(world.root / "workspaces/beans--1", "branch", "-m", "fix/grinder")
    assert cli.ok("task", "update", "--branch", "--json").json()["branch"] == "fix/grinder"
    assert world.read(ref).branch == "fix/grinder"
    assert world.read(ref).status == "doing"
    world.touch(ref)
    assert "task.tampered" not in world.types(ref)


def test_a_task_does_not_follow_a_detached_head(world: World, cli: Cli, repository: Path) -> None:
    """In mid-rebase the first Orange called the task's branch HEAD."""
    ref = in_worktree(world, cli, repository)
    git(world.root / "workspaces/beans--1", "switch", "--quiet", "--detach")
    assert "the task keeps the one it has" in cli.no("task", "update", ref.id, "--branch")
    assert world.read(ref).branch == "orange-tasks/x"


def test_a_task_is_refused_the_default_branch(world: World, cli: Cli, repository: Path) -> None:
    ref = in_worktree(world, cli, repository)
    git(repository, "switch", "--quiet", "--detach")
    git(world.root / "workspaces/beans--1", "switch", "--quiet", "main")
    assert "main is the default branch" in cli.no("task", "update", ref.id, "--branch")
    assert "main is the default branch" in cli.no("task", "update", ref.id, "--branch", "main")


def test_with_a_name_the_branch_is_checked_out_if_it_exists_and_else_renamed(
    world: World, cli: Cli, repository: Path
) -> None:
    ref = in_worktree(world, cli, repository)
    worktree = world.root / "workspaces/beans--1"
    git(repository, "branch", "there-already")
    cli.ok("task", "update", ref.id, "--branch", "there-already")
    assert git(worktree, "symbolic-ref", "--short", "HEAD") == "there-already"
    assert git(repository, "branch", "--list", "orange-tasks/x") != ""
    cli.ok("task", "update", ref.id, "--branch=new-name")
    assert git(worktree, "symbolic-ref", "--short", "HEAD") == "new-name"
    assert git(repository, "branch", "--list", "there-already") == ""
    assert world.read(ref).branch == "new-name"
    assert "is not a branch name" in cli.no("task", "update", ref.id, "--branch", "a..b")


def test_commits_on_a_detached_head_are_saved_before_another_branch_is_checked_out(
    world: World, cli: Cli, repository: Path
) -> None:
    ref = in_worktree(world, cli, repository)
    worktree = world.root / "workspaces/beans--1"
    git(repository, "branch", "other")
    git(worktree, "switch", "--quiet", "--detach")
    made = commit(worktree, "loose")
    cli.ok("task", "update", ref.id, "--branch", "other")
    assert git(worktree, "symbolic-ref", "--short", "HEAD") == "other"
    assert git(repository, "rev-parse", f"refs/orange/{ref.id}/1") == made
    assert world.types(ref).count("work.saved") == 1


@pytest.mark.parametrize("wanted", ["other", "new-name", "orange-tasks/x/more"])
@pytest.mark.parametrize("checked_out", ["orange-tasks/x", "elsewhere"])
@pytest.mark.parametrize("moment", range(1, 4))
@pytest.mark.parametrize("fails", [False, True])
def test_a_commit_on_a_head_that_an_agent_detaches_at_any_moment_is_kept(
    world: World,
    cli: Cli,
    repository: Path,
    monkeypatch: pytest.MonkeyPatch,
    wanted: str,
    checked_out: str,
    moment: int,
    fails: bool,
) -> None:
    ref = in_worktree(world, cli, repository)
    worktree = world.root / "workspaces/beans--1"
    git(repository, "branch", "other")
    if checked_out == "elsewhere":
        git(worktree, "switch", "--quiet", "--create", "elsewhere")
    made: list[str] = []
    real, moves = Repository.must, 0

    def must(self: Repository, *words: str, **more: Any) -> str:
        nonlocal moves
        moves += words[0] in {"symbolic-ref", "switch"}
        if moves == moment and not made:
            git(worktree, "switch", "--quiet", "--detach")
            made.append(commit(worktree, "loose"))
        return real(self, *words, **more)

    def full(*_args: object, **_more: object) -> None:
        raise Refused("No space left on device")

    monkeypatch.setattr(Repository, "must", must)
    if fails:
        monkeypatch.setattr(OpenTask, "change", full)
    cli("task", "update", ref.id, "--branch", wanted)

    assert all(git(repository, "for-each-ref", "--contains", each) for each in made)
    assert made or moves < moment


def detaching_before_the_first_move(
    monkeypatch: pytest.MonkeyPatch, worktree: Path, then: Callable[[], object] = lambda: None
) -> list[str]:
    """An agent that detaches HEAD and commits just before it is moved; returns what it has made by then."""
    made: list[str] = []
    real = Repository.must

    def must(self: Repository, *words: str, **more: Any) -> str:
        if words[0] in {"symbolic-ref", "switch"} and not made:
            git(worktree, "switch", "--quiet", "--detach")
            made.append(commit(worktree, "loose"))
            then()
        return real(self, *words, **more)

    monkeypatch.setattr(Repository, "must", must)
    return made


@pytest.mark.parametrize("wanted", ["other", "new-name"])
def test_a_commit_that_head_leaves_is_kept_where_git_is_told_to_keep_no_log(
    world: World, cli: Cli, repository: Path, monkeypatch: pytest.MonkeyPatch, wanted: str
) -> None:
    git(repository, "config", "core.logAllRefUpdates", "false")
    ref = in_worktree(world, cli, repository)
    git(repository, "branch", "other")
    made = detaching_before_the_first_move(monkeypatch, world.root / "workspaces/beans--1")
    cli("task", "update", ref.id, "--branch", wanted)
    assert git(repository, "for-each-ref", "--contains", made[0])


@pytest.mark.parametrize("wanted", ["other", "new-name", "orange-tasks/x/more"])
def test_a_commit_that_head_leaves_is_kept_where_gits_log_is_no_file(
    world: World, cli: Cli, repository: Path, monkeypatch: pytest.MonkeyPatch, wanted: str
) -> None:
    """A repository with a reftable has none of these files."""
    ref = in_worktree(world, cli, repository)
    git(repository, "branch", "other")
    made = detaching_before_the_first_move(monkeypatch, world.root / "workspaces/beans--1")
    monkeypatch.setattr(_left_commits, "_head_log", lambda _worktree: str(world.root / "missing"))
    cli("task", "update", ref.id, "--branch", wanted)
    assert git(repository, "for-each-ref", "--contains", made[0])


def test_a_commit_that_head_leaves_is_kept_where_git_shortens_its_log_meanwhile(
    world: World, cli: Cli, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = in_worktree(world, cli, repository)
    worktree = world.root / "workspaces/beans--1"
    git(repository, "branch", "other")
    log = Path(git(worktree, "rev-parse", "--absolute-git-dir")) / "logs/HEAD"
    for number in range(5):
        git(worktree, "commit", "--quiet", "--allow-empty", "-m", f"{number}")
    start = log.stat().st_size

    def collect() -> None:
        """As git does it, with a new file in place of the old one; what is left is a little shorter than before."""
        lines = log.read_text().splitlines(keepends=True)[-3:]
        lines[0] = lines[0].rstrip("\n").ljust(start - 11 - sum(map(len, lines[1:])), ".") + "\n"
        log.with_suffix(".lock").write_text("".join(lines))
        log.with_suffix(".lock").replace(log)

    made = detaching_before_the_first_move(monkeypatch, worktree, collect)
    cli.ok("task", "update", ref.id, "--branch", "other")
    assert git(repository, "for-each-ref", "--contains", made[0])


@pytest.mark.parametrize("times", [1, 2])
def test_one_commit_that_cannot_be_saved_does_not_keep_the_others_from_it(
    world: World, cli: Cli, repository: Path, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    """A ref may be locked for a moment, and a commit that an agent made may lack what it stands on."""
    ref = in_worktree(world, cli, repository)
    worktree = world.root / "workspaces/beans--1"
    git(repository, "branch", "other")

    def make_more() -> None:
        for number in range(2):
            git(worktree, "switch", "--quiet", "--detach", "other")
            made.append(commit(worktree, f"more {number}"))

    made = detaching_before_the_first_move(monkeypatch, worktree, make_more)
    failed: list[str] = []

    def save(worktree: Repository, task: str, revision: str) -> str | None:
        if revision in made and len(failed) < times:
            failed.append(revision)
            raise Refused("cannot lock ref")
        return save_commit(worktree, task, revision)

    monkeypatch.setattr(_left_commits, "save_commit", save)
    cli("task", "update", ref.id, "--branch", "other")
    assert len(failed) == times
    assert [each for each in made if not git(repository, "for-each-ref", "--contains", each)] == []


def test_names_that_an_agent_writes_into_gits_log_do_not_hold_the_project_up(
    world: World, cli: Cli, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The task and the names of its project are locked meanwhile, and each question to git takes its time."""
    ref = in_worktree(world, cli, repository)
    worktree = world.root / "workspaces/beans--1"
    git(repository, "branch", "other")
    log = Path(git(worktree, "rev-parse", "--absolute-git-dir")) / "logs/HEAD"

    def scribble() -> None:
        with log.open("a") as file:
            file.writelines(f"{number:040x} {number:040x} \n" for number in range(1, 200))

    made = detaching_before_the_first_move(monkeypatch, worktree, scribble)
    real, asked = Repository.ask, []

    def ask(self: Repository, *words: str, **more: Any) -> Any:
        asked.append(words)
        return real(self, *words, **more)

    monkeypatch.setattr(Repository, "ask", ask)
    cli.ok("task", "update", ref.id, "--branch", "other")
    assert git(repository, "for-each-ref", "--contains", made[0])
    assert len(asked) < 100


def test_commits_by_the_thousand_that_an_agent_writes_into_gits_log_do_not_hold_the_project_up_either(
    world: World, cli: Cli, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are real, and on no branch; what HEAD has left because of us is among the last."""
    ref = in_worktree(world, cli, repository)
    worktree = world.root / "workspaces/beans--1"
    git(repository, "branch", "other")
    log = Path(git(worktree, "rev-parse", "--absolute-git-dir")) / "logs/HEAD"
    loose = loose_commits(repository, 1000)

    def scribble() -> None:
        with log.open("a") as file:
            file.writelines(f"{each} {each} \n" for each in loose)

    made = detaching_before_the_first_move(monkeypatch, worktree, scribble)
    real, asked = Repository.ask, []

    def ask(self: Repository, *words: str, **more: Any) -> Any:
        asked.append(words)
        return real(self, *words, **more)

    monkeypatch.setattr(Repository, "ask", ask)
    cli.ok("task", "update", ref.id, "--branch", "other")
    assert git(repository, "for-each-ref", "--contains", made[0])
    assert len(asked) < 500  # each of a hundred takes four


def loose_commits(repository: Path, count: int) -> list[str]:
    """So many commits that no branch leads to."""
    made = "".join(
        f"commit refs/made/{number}\nmark :{number}\ncommitter A <a@a> {number} +0000\ndata 1\nx\n"
        for number in range(1, count + 1)
    )
    words = ("git", "fast-import", "--quiet", "--export-marks=.git/marks")
    subprocess.run(words, cwd=repository, input=made, text=True, check=True, timeout=60)
    lines = (repository / ".git/marks").read_text().splitlines()
    gone = "".join(f"delete refs/made/{number}\n" for number in range(1, count + 1))
    subprocess.run(("git", "update-ref", "--stdin"), cwd=repository, input=gone, text=True, check=True, timeout=60)
    return [line.split()[1] for line in lines]


@pytest.mark.parametrize("is_detached", [False, True])
@pytest.mark.parametrize("fails", [False, True])
def test_a_branch_that_an_agent_checks_out_at_the_last_moment_keeps_its_name(
    world: World, cli: Cli, repository: Path, monkeypatch: pytest.MonkeyPatch, is_detached: bool, fails: bool
) -> None:
    """It may be anybody's."""
    ref = in_worktree(world, cli, repository)
    worktree = world.root / "workspaces/beans--1"
    git(repository, "branch", "anybodys")
    if is_detached:
        git(worktree, "switch", "--quiet", "--detach")
    real = Repository.has_branch

    def has_branch(self: Repository, name: str) -> bool:
        git(worktree, "switch", "--quiet", "anybodys")
        return real(self, name)

    def full(*_args: object, **_more: object) -> None:
        raise Refused("No space left on device")

    monkeypatch.setattr(Repository, "has_branch", has_branch)
    if fails:
        monkeypatch.setattr(OpenTask, "change", full)
    cli("task", "update", ref.id, "--branch", "new-name")
    names = git(repository, "for-each-ref", "--format=%(refname:short)", "refs/heads").split()
    assert {"anybodys", "None"} & {*names} == {"anybodys"}


def test_failed_update_goes_back_to_the_detached_commit(
    world: World, cli: Cli, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = in_worktree(world, cli, repository)
    worktree = world.root / "workspaces/beans--1"
    git(repository, "branch", "other")
    git(worktree, "switch", "--quiet", "--detach")
    made = commit(worktree, "loose")

    def full(*_args: object, **_more: object) -> None:
        raise Refused("No space left on device")

    monkeypatch.setattr(OpenTask, "change", full)
    assert "No space left" in cli.no("task", "update", ref.id, "--branch", "other")
    assert git(worktree, "rev-parse", "HEAD") == made
    assert git(worktree, "symbolic-ref", "--quiet", "HEAD", code=1) == ""


def test_ignored_file_is_not_overwritten_by_the_branch_that_tracks_it(world: World, cli: Cli, repository: Path) -> None:
    ref = in_worktree(world, cli, repository)
    worktree = world.root / "workspaces/beans--1"
    git(repository, "switch", "--quiet", "--create", "other")
    commit(repository, "notes", "the branch's\n")
    git(repository, "switch", "--quiet", "main")
    (repository / ".git/info").mkdir(exist_ok=True)
    (repository / ".git/info/exclude").write_text("notes\n")
    (worktree / "notes").write_text("the agent's\n")
    assert "notes" in cli.no("task", "update", ref.id, "--branch", "other")
    assert (worktree / "notes").read_text() == "the agent's\n"


def test_a_branch_of_another_task_is_refused_before_git_is_asked_to_do_anything(
    world: World, cli: Cli, repository: Path
) -> None:
    ref = in_worktree(world, cli, repository)
    git(repository, "branch", "taken")
    other = world.task(project="beans", branch="taken")
    assert f"has a task already: {other.id}" in cli.no("task", "update", ref.id, "--branch", "taken")
    assert git(world.root / "workspaces/beans--1", "symbolic-ref", "--short", "HEAD") == "orange-tasks/x"
    assert world.read(ref).branch == "orange-tasks/x"


def test_a_checkout_that_git_refuses_changes_nothing(world: World, cli: Cli, repository: Path) -> None:
    ref = in_worktree(world, cli, repository)
    worktree = world.root / "workspaces/beans--1"
    git(repository, "switch", "--quiet", "--create", "other")
    (repository / "README").write_text("changed\n")
    git(repository, "commit", "--quiet", "--all", "--message=second")
    git(repository, "switch", "--quiet", "main")
    (worktree / "README").write_text("not committed\n")
    assert "git switch" in cli.no("task", "update", ref.id, "--branch", "other")
    assert (worktree / "README").read_text() == "not committed\n"
    assert world.read(ref).branch == "orange-tasks/x"


def everything(world: World, repository: Path, ref: TaskRef) -> tuple[object, ...]:
    """Where the branches are, what is checked out, and what the task says."""
    worktree = world.root / "workspaces/beans--1"
    refs = git(repository, "for-each-ref", "refs/heads")
    return refs, git(worktree, "symbolic-ref", "HEAD"), world.read(ref).branch, world.read(ref).status


def test_a_branch_does_not_change_when_the_status_is_refused(world: World, cli: Cli, repository: Path) -> None:
    ref = in_worktree(world, cli, repository)
    git(repository, "branch", "there-already")
    before, journal = everything(world, repository, ref), world.types(ref)
    for branch in ("new-name", "there-already"):
        for status, why in (("nowhere", "has no state nowhere"), ("done", "does not finish"), ("doing", "already")):
            assert why in cli.no("task", "update", ref.id, "--branch", branch, "--status", status)
            assert everything(world, repository, ref) == before
    assert "needs more" in cli.no("task", "update", ref.id, "--branch", "new-name", "--status", "checked")
    assert everything(world, repository, ref) == before
    assert world.types(ref) == journal


def test_the_branch_the_agent_has_renamed_is_not_followed_when_the_status_is_refused(
    world: World, cli: Cli, repository: Path
) -> None:
    ref = in_worktree(world, cli, repository)
    git(world.root / "workspaces/beans--1", "branch", "-m", "fix/grinder")
    cli.no("task", "update", ref.id, "--branch", "--status", "nowhere")
    assert world.read(ref).branch == "orange-tasks/x"


def test_a_status_does_not_change_when_the_branch_is_refused(world: World, cli: Cli, repository: Path) -> None:
    ref = in_worktree(world, cli, repository)
    world.write_body(ref, "\n## Handoff\n\nDONE: all\n")
    worktree = world.root / "workspaces/beans--1"
    git(repository, "switch", "--quiet", "--create", "other")
    (repository / "README").write_text("changed\n")
    git(repository, "commit", "--quiet", "--all", "--message=second")
    git(repository, "switch", "--quiet", "main")
    (worktree / "README").write_text("not committed\n")
    before = everything(world, repository, ref)
    assert "git switch" in cli.no("task", "update", ref.id, "--branch", "other", "--status", "checked")
    assert "a..b" in cli.no("task", "update", ref.id, "--branch", "a..b", "--status", "checked")
    assert everything(world, repository, ref) == before


def test_branch_status_and_summary_change_together(world: World, cli: Cli, repository: Path) -> None:
    ref = in_worktree(world, cli, repository)
    world.write_body(ref, "\n## Handoff\n\nDONE: all\n")
    cli.ok("task", "update", ref.id, "--branch", "new", "--status", "checked", "--summary", "Grind finer")
    found = world.read(ref)
    assert (found.branch, found.status, found.summary) == ("new", "checked", "Grind finer")
    assert git(world.root / "workspaces/beans--1", "symbolic-ref", "--short", "HEAD") == "new"


def test_a_task_that_cannot_be_saved_gives_the_branch_its_name_back(
    world: World, cli: Cli, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = in_worktree(world, cli, repository)
    git(repository, "branch", "there-already")
    before = everything(world, repository, ref)

    def full(*_args: object, **_more: object) -> None:
        raise Refused("No space left on device")

    monkeypatch.setattr(OpenTask, "change", full)
    for branch in ("new-name", "there-already"):
        assert "No space left" in cli.no("task", "update", ref.id, "--branch", branch)
        assert everything(world, repository, ref) == before


def test_the_session_follows_and_its_agent_lives_on(live_home: LiveHome) -> None:
    """The first Orange called a live agent crashed when its branch had got another name."""
    live_home.harness()
    ref = live_home.create("fix/one", harness="recorder", review_harness="recorder")
    (pane,) = live_home.orange.sessions.windows(ref.id, fresh=True)
    assert pane.session == "coffee/fix/one"
    update_with_branch(live_home.orange.tasks, ref, "fix/v1.2", str(live_home.root))
    assert live_home.task(ref).tmux_session == "coffee/fix/v1_2"
    assert [session.name for session in live_home.tmux.sessions] == ["coffee/fix/v1_2"]
    (now,) = live_home.orange.sessions.windows(ref.id, fresh=True)
    assert (now.pid, now.session) == (pane.pid, "coffee/fix/v1_2")
    assert live_home.git("symbolic-ref", "--short", "HEAD", at=live_home.worktree(ref)) == "fix/v1.2"
    assert live_home.orange.tasks.session_state(live_home.task(ref)) == "active"


def test_a_session_whose_new_name_is_taken_gets_its_tasks_id_added(live_home: LiveHome) -> None:
    live_home.harness()
    other = live_home.create("fix/v1_2", harness="recorder", review_harness="recorder")
    ref = live_home.create("fix/one", harness="recorder", review_harness="recorder")
    update_with_branch(live_home.orange.tasks, ref, "fix/v1.2", str(live_home.root))
    assert live_home.task(other).tmux_session == "coffee/fix/v1_2"
    assert live_home.task(ref).tmux_session == f"coffee/fix/v1_2~{ref.id}"
    assert sorted(session.name or "" for session in live_home.tmux.sessions) == [
        "coffee/fix/v1_2",
        f"coffee/fix/v1_2~{ref.id}",
    ]


def test_agent_that_stands_on_somebody_elses_branch_has_none_but_its_own_renamed(
    world: World, cli: Cli, repository: Path
) -> None:
    """What is checked out is its to write, also in a sandbox: that takes the default branch away from nobody."""
    ref = in_worktree(world, cli, repository)
    worktree = world.root / "workspaces/beans--1"
    main = git(repository, "rev-parse", "main")
    git(worktree, "symbolic-ref", "HEAD", "refs/heads/main")
    cli.ok("task", "update", ref.id, "--branch", "orange-tasks/y")
    assert git(repository, "rev-parse", "main") == main
    assert git(repository, "symbolic-ref", "--short", "HEAD") == "main"
    assert git(worktree, "symbolic-ref", "--short", "HEAD") == "orange-tasks/y"
    assert git(repository, "rev-parse", "orange-tasks/x") == main
    git(worktree, "symbolic-ref", "HEAD", "refs/heads/main")
    assert "never" in cli.no("task", "update", ref.id, "--branch", "orange-tasks/z", "--status", "never")
    assert git(worktree, "symbolic-ref", "--short", "HEAD") == "main"
    assert git(repository, "branch", "--list", "orange-tasks/z") == ""


@pytest.mark.parametrize("wanted", ["other", "new-name"])
@pytest.mark.parametrize("fails", [False, True])
def test_a_tag_with_the_name_of_the_branch_is_not_taken_for_another_branch(
    world: World, cli: Cli, repository: Path, monkeypatch: pytest.MonkeyPatch, wanted: str, fails: bool
) -> None:
    """Git says `heads/…` of a branch then, and that would be one of its own."""
    ref = in_worktree(world, cli, repository)
    worktree = world.root / "workspaces/beans--1"
    git(repository, "branch", "other")
    git(repository, "tag", "orange-tasks/x")
    cli.ok("task", "update", ref.id, "--branch")
    before = everything(world, repository, ref)
    if fails:
        failing_to_save(monkeypatch)
        assert "No space left" in cli.no("task", "update", ref.id, "--branch", wanted)
        assert everything(world, repository, ref) == before
    else:
        cli.ok("task", "update", ref.id, "--branch", wanted)
        assert git(worktree, "symbolic-ref", "HEAD") == f"refs/heads/{wanted}"
        old = git(repository, "branch", "--list", "orange-tasks/x")
        assert bool(old) == (wanted == "other")
    assert "heads/" not in world.read(ref).branch


def test_what_is_checked_out_and_is_no_branch_is_not_followed_as_one(world: World, cli: Cli, repository: Path) -> None:
    ref = in_worktree(world, cli, repository)
    git(world.root / "workspaces/beans--1", "symbolic-ref", "HEAD", "refs/stage/main")
    assert "the task keeps the one it has" in cli.no("task", "update", ref.id, "--branch")


def test_a_branch_that_an_agent_goes_on_with_before_an_undo_is_not_deleted_by_it(
    world: World, cli: Cli, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is at the same commit, as the branch that the undo takes away."""
    ref = in_worktree(world, cli, repository)
    worktree = world.root / "workspaces/beans--1"
    git(worktree, "switch", "--quiet", "--create", "elsewhere")

    def change(*_args: object, **_more: object) -> None:
        git(worktree, "switch", "--quiet", "--create", "anybodys")
        raise Refused("No space left on device")

    monkeypatch.setattr(OpenTask, "change", change)
    cli("task", "update", ref.id, "--branch", "new-name")
    assert git(repository, "branch", "--list", "anybodys") != ""
    assert git(worktree, "symbolic-ref", "--short", "HEAD") == "anybodys"


def test_a_branch_that_an_agent_checks_out_between_the_two_steps_of_a_rename_keeps_its_name(
    world: World, cli: Cli, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One below the other cannot be there at once, so there is a name in between."""
    ref = in_worktree(world, cli, repository)
    worktree = world.root / "workspaces/beans--1"
    git(repository, "branch", "anybodys")
    real, asked = Repository.current_branch, 0

    def current_branch(self: Repository) -> str | None:
        nonlocal asked
        asked += 1
        if asked == 3:  # once for the task, once for each step
            git(worktree, "switch", "--quiet", "anybodys")
        return real(self)

    monkeypatch.setattr(Repository, "current_branch", current_branch)
    cli.no("task", "update", ref.id, "--branch", "orange-tasks/x/more")
    assert asked >= 3
    assert git(repository, "branch", "--list", "anybodys") != ""
    assert git(repository, "branch", "--list", "orange-tasks/x") != ""


def test_a_rename_that_fails_after_its_first_step_gives_the_branch_its_name_back(
    world: World, cli: Cli, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = in_worktree(world, cli, repository)
    before = everything(world, repository, ref)
    real = Repository.must

    def must(self: Repository, *words: str, **more: Any) -> str:
        if words[0] == "branch" and words[-1] == "orange-tasks/x/more":
            raise Refused("git branch: No space left on device")
        return real(self, *words, **more)

    monkeypatch.setattr(Repository, "must", must)
    assert "No space left" in cli.no("task", "update", ref.id, "--branch", "orange-tasks/x/more")
    assert everything(world, repository, ref) == before


def failing_to_save(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_args: object, **_more: object) -> None:
        raise Refused("No space left on device")

    monkeypatch.setattr(OpenTask, "change", full)
