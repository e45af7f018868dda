"""A workspace made ready: the branch, the links, and that doing it again changes nothing."""

from __future__ import annotations

import os
import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest

from orange_tui.domain.errors import Refused
from support.git import branch_of, commit, git
from support.pool_world import Cafe, git_calls


def test_a_new_branch_starts_from_what_the_remote_has_now(cafe: Cafe) -> None:
    elsewhere = cafe.root / "elsewhere"
    git(cafe.root, "clone", "--quiet", str(cafe.remote), str(elsewhere))
    newest = commit(elsewhere, "news")
    git(elsewhere, "push", "--quiet")
    workspace = cafe.spawn(cafe.task("feat/x"))
    assert (branch_of(workspace), git(workspace, "rev-parse", "HEAD")) == ("feat/x", newest)
    assert git(workspace, "config", "--get", "branch.feat/x.merge", code=1) == ""


@pytest.mark.parametrize("packed", [False, True])
def test_existing_local_branch_is_checked_out_as_it_is(cafe: Cafe, packed: bool) -> None:
    git(cafe.main, "switch", "--quiet", "--create", "feat/x")
    tip = commit(cafe.main, "begun")
    git(cafe.main, "switch", "--quiet", "main")
    if packed:
        git(cafe.main, "pack-refs", "--all")
    workspace = cafe.spawn(cafe.task("feat/x"))
    assert (branch_of(workspace), git(workspace, "rev-parse", "HEAD")) == ("feat/x", tip)


def test_branch_that_only_the_remote_has_is_tracked(cafe: Cafe) -> None:
    elsewhere = cafe.root / "elsewhere"
    git(cafe.root, "clone", "--quiet", str(cafe.remote), str(elsewhere))
    git(elsewhere, "switch", "--quiet", "--create", "feat/x")
    tip = commit(elsewhere, "theirs")
    git(elsewhere, "push", "--quiet", "origin", "feat/x")
    workspace = cafe.spawn(cafe.task("feat/x"))
    assert git(workspace, "rev-parse", "HEAD") == tip
    assert git(workspace, "rev-parse", "--abbrev-ref", "feat/x@{upstream}") == "origin/feat/x"


def test_a_branch_that_the_person_has_checked_out_is_refused_with_where(cafe: Cafe) -> None:
    git(cafe.main, "switch", "--quiet", "--create", "feat/x")
    assert str(cafe.main) in cafe.refusal(cafe.task("feat/x"))


def test_a_branch_in_another_workspace_is_refused_with_where(cafe: Cafe) -> None:
    first = cafe.spawn(cafe.task("feat/x"))
    assert str(first) in cafe.refusal(cafe.task("feat/x"))


def test_a_branch_in_a_worktree_that_is_gone_says_how_to_forget_it(cafe: Cafe) -> None:
    git(cafe.main, "worktree", "add", "--quiet", "-b", "feat/x", str(cafe.root / "own"))
    shutil.rmtree(cafe.root / "own")
    assert "git worktree prune" in cafe.refusal(cafe.task("feat/x"))


def test_task_on_the_default_branch_is_refused(cafe: Cafe) -> None:
    git(cafe.main, "switch", "--quiet", "--create", "own")
    assert "default branch" in cafe.refusal(cafe.task("main"))


def test_a_branch_that_git_cannot_make_is_refused_in_its_words(cafe: Cafe) -> None:
    git(cafe.main, "branch", "feat")
    assert "refs/heads/feat" in cafe.refusal(cafe.task("feat/x"))


def test_odd_but_legal_branch_names_are_checked_out(cafe: Cafe) -> None:
    git(cafe.main, "tag", "v1")
    git(cafe.main, "branch", "origin/main")  # would be taken for the remote's, by its short name
    for name in ("v1", "ünï/côdé", "a'b\"c", "x.y"):
        task = cafe.task(name)
        workspace = cafe.spawn(task)
        assert branch_of(workspace) in {name, f"heads/{name}"}
        cafe.release(task, workspace)


# Links


def test_links_lead_to_the_task_and_git_ignores_them(cafe: Cafe) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    directory = cafe.task_directory(task)
    assert os.readlink(workspace / "TASK.md") == str(directory / "TASK.md")
    assert os.readlink(workspace / ".orange-outcome") == str(directory / ".orange-outcome")
    assert (workspace / ".orange-outcome").read_text() == ""
    assert git(workspace, "status", "--porcelain") == ""


def test_each_exclusion_is_written_once(cafe: Cafe) -> None:
    exclude = cafe.main / ".git/info/exclude"
    exclude.parent.mkdir()
    exclude.write_text("mine")
    for number in range(3):
        task = cafe.task(f"feat/{number}")
        cafe.release(task, cafe.spawn(task))
    assert exclude.read_text() == "mine\n/TASK.md\n/.orange-outcome\n"


def test_existing_outcome_file_is_kept(cafe: Cafe) -> None:
    task = cafe.task()
    (cafe.task_directory(task) / ".orange-outcome").write_text("passed")
    assert (cafe.spawn(task) / ".orange-outcome").read_text() == "passed"


@pytest.mark.parametrize("name", ["TASK.md", ".orange-outcome"])
def test_repository_with_a_task_file_of_its_own_is_refused(cafe: Cafe, name: str) -> None:
    commit(cafe.main, name, "the repository's own\n")
    git(cafe.main, "push", "--quiet")
    task = cafe.task()
    assert f"coffee has a {name} of its own" in cafe.refusal(task)
    cafe.pool.release(cafe.project, task.id, "coffee--1")
    assert (cafe.root / "home/workspaces/coffee--1" / name).read_text() == "the repository's own\n"


# Again


def test_preparing_twice_changes_nothing(cafe: Cafe) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    commit(workspace, "done")
    (workspace / "README").write_text("changed\n")
    (workspace / "draft").write_text("new\n")
    before = git(workspace, "status", "--porcelain"), git(workspace, "rev-parse", "HEAD")
    assert git_calls(lambda: cafe.spawn(task)) == []
    assert (git(workspace, "status", "--porcelain"), git(workspace, "rev-parse", "HEAD")) == before


def test_an_agent_that_went_to_another_branch_or_rebases_is_not_disturbed(cafe: Cafe) -> None:
    task = cafe.task("feat/x")
    workspace = cafe.spawn(task)
    git(workspace, "switch", "--quiet", "--create", "other")
    cafe.spawn(task)
    assert branch_of(workspace) == "other"
    git(workspace, "switch", "--quiet", "--detach")
    cafe.spawn(task)
    assert git(workspace, "symbolic-ref", "--quiet", "HEAD", code=1) == ""
    assert cafe.logged("another branch checked out than feat/x")


def test_a_missing_link_is_put_back(cafe: Cafe) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    (workspace / "TASK.md").unlink()
    cafe.spawn(task)
    assert (workspace / "TASK.md").is_symlink()


def test_reused_workspace_needs_few_git_processes(cafe: Cafe) -> None:
    first = cafe.task("a")
    cafe.release(first, cafe.spawn(first))
    second = cafe.task("b")
    assert git_calls(lambda: cafe.spawn(second)) == ["fetch", "status", "switch"]


def test_files_a_person_left_in_a_free_workspace_are_not_lost(cafe: Cafe) -> None:
    first = cafe.task("a")
    workspace = cafe.spawn(first)
    cafe.release(first, workspace)
    made = commit(workspace, "tried-out")  # on a detached HEAD, where the next checkout would leave it behind
    second = cafe.task("b")
    cafe.spawn(second)
    assert git(cafe.main, "rev-parse", f"refs/orange/{second.id}/1") == made


def test_preparing_another_tasks_workspace_is_refused(cafe: Cafe) -> None:
    cafe.spawn(cafe.task("a"))
    with pytest.raises(Refused, match="is not"):
        cafe.pool.prepare(cafe.project, cafe.task("b"), "coffee--1")


# Several at once


def test_many_tasks_at_once_acquire_and_release_in_one_repository(cafe: Cafe) -> None:
    cafe.register(pool_size=3)

    def life(number: int) -> str:
        task = cafe.task(f"feat/{number}")
        workspace = cafe.spawn(task)
        cafe.hold(task, workspace.name)
        commit(workspace, f"file{number}")
        (workspace / "draft").write_text(f"{number}\n")
        saved = str(cafe.release(task, workspace).saved)
        cafe.hold(task, None)
        return cafe.in_saved(saved, "draft") + git(cafe.main, "log", "-1", "--format=%s", f"feat/{number}")

    with ThreadPoolExecutor(3) as workers:
        assert list(workers.map(life, range(6))) == [f"{number}add file{number}" for number in range(6)]
    assert cafe.states() == ["free", "free", "free"]


def test_init_creates_only_missing_worktrees(cafe: Cafe) -> None:
    cafe.register(pool_size=3)
    cafe.spawn(cafe.task())
    assert cafe.pool.init(cafe.project) == ["coffee--2", "coffee--3"]
    assert cafe.pool.init(cafe.project) == []
    assert cafe.is_clean(cafe.root / "home/workspaces/coffee--3")
    assert cafe.states() == ["bound", "free", "free"]
