"""Submodules are not lost, and do not stand in the way."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from support.git import commit, git

if TYPE_CHECKING:
    from support.pool_world import Cafe


@pytest.fixture
def nested(cafe: Cafe) -> Cafe:
    """The project has a submodule, which set-up checks out."""
    library = cafe.root / "library"
    git(cafe.root, "init", "--quiet", "--initial-branch=main", str(library))
    commit(library, "book")
    git(cafe.main, "submodule", "--quiet", "add", str(library), "library")
    git(cafe.main, "commit", "--quiet", "--message=library")
    git(cafe.main, "push", "--quiet")
    cafe.register(setup="git -c protocol.file.allow=always submodule --quiet update --init")
    return cafe


def test_workspace_with_a_clean_submodule_is_released(nested: Cafe) -> None:
    task = nested.task()
    workspace = nested.spawn(task)
    assert (workspace / "library/book").exists()
    assert nested.release(task, workspace) == nested.release(task, workspace)
    assert nested.states()[0] == "free"
    assert (nested.spawn(nested.task("b")) / "library/book").exists()


@pytest.mark.parametrize("name", ["book", "new"])
def test_uncommitted_work_in_a_submodule_keeps_the_workspace(nested: Cafe, name: str) -> None:
    task = nested.task()
    workspace = nested.spawn(task)
    (workspace / "library" / name).write_text("changed\n")
    assert "The submodule library has uncommitted work" in str(nested.release(task, workspace).quarantined)
    assert (workspace / "library" / name).read_text() == "changed\n"


@pytest.mark.parametrize("flag", ["--skip-worktree", "--assume-unchanged"])
def test_flagged_edit_in_a_submodule_keeps_the_workspace(nested: Cafe, flag: str) -> None:
    task = nested.task()
    workspace = nested.spawn(task)
    git(workspace / "library", "update-index", flag, "book")
    (workspace / "library/book").write_text("hidden\n")
    assert "The submodule library has uncommitted work" in str(nested.release(task, workspace).quarantined)
    assert (workspace / "library/book").read_text() == "hidden\n"


def test_ignored_files_of_a_submodule_are_not_handed_on_but_for_what_is_kept(nested: Cafe) -> None:
    task = nested.task("a")
    workspace = nested.spawn(task)
    library = workspace / "library"
    exclude = library / git(library, "rev-parse", "--git-path", "info/exclude")
    exclude.write_text(".env\nnode_modules\nout\n")
    (library / ".env").write_text("KEY=secret\n")
    for name in ("node_modules", "out"):
        (library / name).mkdir()
        (library / name / "file").write_text("made\n")
    assert nested.release(task, workspace).quarantined is None
    assert nested.spawn(nested.task("b")) == workspace
    assert sorted(os.listdir(library)) == [".git", "book", "node_modules"]


def test_repository_that_a_submodule_ignores_keeps_the_workspace(nested: Cafe) -> None:
    task = nested.task()
    workspace = nested.spawn(task)
    library = workspace / "library"
    (library / git(library, "rev-parse", "--git-path", "info/exclude")).write_text("out\n")
    git(library, "init", "--quiet", "out/own")
    commit(library / "out/own", "work")
    assert "library/out/own is a git repository of its own" in str(nested.release(task, workspace).quarantined)
    assert (library / "out/own/work").exists()


def test_looking_for_work_in_a_submodule_runs_nothing_that_it_configures(nested: Cafe) -> None:
    task = nested.task()
    workspace = nested.spawn(task)
    inner, trap = workspace / "library", nested.root / "sprung"
    (inner / ".gitattributes").write_text("* filter=trap\n")
    git(inner, "config", "filter.trap.clean", f"touch {trap}; cat")
    os.utime(inner / "book", (1, 1))  # git then compares what is in it
    assert "The submodule library has uncommitted work" in str(nested.release(task, workspace).quarantined)
    assert not trap.exists()


def test_commits_in_a_submodule_are_kept_there(nested: Cafe) -> None:
    task = nested.task()
    workspace = nested.spawn(task)
    made = commit(workspace / "library", "chapter")
    git(workspace, "commit", "--quiet", "--all", "--message=new chapter")
    assert nested.release(task, workspace).quarantined is None
    assert git(workspace / "library", "rev-parse", f"refs/orange/{task.id}/1") == made


def test_workspace_with_a_submodule_of_another_branch_is_released(nested: Cafe) -> None:
    git(nested.main, "branch", "bare", "HEAD~1")
    git(nested.main, "push", "--quiet", "--force", "origin", "bare:main")
    nested.register(setup="git -c protocol.file.allow=always submodule --quiet update --init || true")
    git(nested.main, "branch", "feat/x", "main")
    task = nested.task("feat/x")
    workspace = nested.spawn(task)
    assert nested.release(task, workspace).quarantined is None
    assert (workspace / "library/book").exists()
    second = nested.task("b")
    nested.spawn(second)
    (workspace / "draft").write_text("x\n")
    released = nested.release(second, workspace)
    assert (released.quarantined, nested.in_saved(str(released.saved), "draft")) == (None, "x")
