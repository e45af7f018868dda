"""A task follows its branch, in a real worktree of a real repository."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driver import git

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from driver import Cli, World
    from orange_tui.services.store import TaskRef


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


def test_a_detached_head_is_no_branch(world: World, cli: Cli, repository: Path) -> None:
    """In mid-rebase the first Orange called the task's branch HEAD."""
    ref = in_worktree(world, cli, repository)
    git(world.root / "workspaces/beans--1", "switch", "--quiet", "--detach")
    assert "the task keeps the one it has" in cli.no("task", "update", ref.id, "--branch")
    assert world.read(ref).branch == "orange-tasks/x"


def test_the_default_branch_is_nobodys_own(world: World, cli: Cli, repository: Path) -> None:
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
