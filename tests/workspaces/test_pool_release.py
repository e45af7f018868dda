"""A workspace given back: whatever is in it is saved first."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from orange_tui.workspaces.saved_work import restore_to_branch, saved_of
from support.git import commit, git

if TYPE_CHECKING:
    import pytest

    from support.pool_world import Cafe


def test_a_clean_workspace_is_free_again_and_nothing_was_saved(cafe: Cafe) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    released = cafe.release(task, workspace)
    assert (released.saved, released.quarantined) == (None, None)
    assert cafe.is_clean(workspace)
    assert cafe.states() == ["free", "free"]


def test_the_tasks_own_branch_keeps_its_commits(cafe: Cafe) -> None:
    task = cafe.task("feat/x")
    workspace = cafe.spawn(task)
    tip = commit(workspace, "work")
    assert cafe.release(task, workspace).saved is None
    assert git(cafe.main, "rev-parse", "feat/x") == tip
    assert cafe.is_clean(workspace)


def test_changed_staged_deleted_and_new_files_are_saved(cafe: Cafe) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    tip = commit(workspace, "gone", "soon deleted\n")
    (workspace / "README").write_text("changed\n")
    (workspace / "new file ü").write_text("never added\n")
    (workspace / "staged").write_text("staged\n")
    git(workspace, "add", "staged")
    (workspace / "gone").unlink()
    (workspace / "ignored").mkdir()
    (workspace / "ignored/cache").write_text("nobody's work\n")
    released = cafe.release(task, workspace)
    assert released.saved == f"refs/orange/{task.id}/1"
    assert cafe.in_saved(released.saved, "README") == "changed"
    assert cafe.in_saved(released.saved, "new file ü") == "never added"
    assert cafe.in_saved(released.saved, "staged") == "staged"
    assert git(cafe.main, "ls-tree", released.saved, "gone", "ignored", "TASK.md") == ""
    assert git(cafe.main, "rev-parse", f"{released.saved}^1") == tip
    assert git(cafe.main, "rev-parse", "feat/x") == tip
    assert cafe.is_clean(workspace)
    assert not (workspace / "ignored").exists()


def test_what_was_staged_and_then_changed_is_saved_in_both_versions(cafe: Cafe) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    (workspace / "README").write_text("staged version\n")
    git(workspace, "add", "README")
    (workspace / "README").write_text("later version\n")
    saved = str(cafe.release(task, workspace).saved)
    assert cafe.in_saved(saved, "README") == "later version"
    assert cafe.in_saved(f"{saved}^2", "README") == "staged version"


def test_commits_on_no_branch_are_saved(cafe: Cafe) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    git(workspace, "switch", "--quiet", "--detach")
    tip = commit(workspace, "loose")
    saved = str(cafe.release(task, workspace).saved)
    assert git(cafe.main, "rev-parse", saved) == tip


def test_commits_on_a_branch_of_any_name_need_no_saving(cafe: Cafe) -> None:
    task = cafe.task("feat/x")
    workspace = cafe.spawn(task)
    git(workspace, "branch", "--move", "renamed")
    tip = commit(workspace, "work")
    assert cafe.release(task, workspace).saved is None
    assert git(cafe.main, "rev-parse", "renamed") == tip


def test_a_branch_without_a_commit_yet_is_saved(cafe: Cafe) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    git(workspace, "switch", "--quiet", "--orphan", "fresh")
    (workspace / "start").write_text("from nothing\n")
    saved = str(cafe.release(task, workspace).saved)
    assert cafe.in_saved(saved, "start") == "from nothing"
    assert cafe.is_clean(workspace)


def test_each_release_saves_under_the_next_number(cafe: Cafe) -> None:
    task = cafe.task()
    for number in (1, 2, 3):
        workspace = cafe.spawn(task)
        (workspace / "draft").write_text(f"{number}\n")
        assert cafe.release(task, workspace).saved == f"refs/orange/{task.id}/{number}"
    assert [saved.number for saved in saved_of(cafe.project, task.id)] == [1, 2, 3]
    assert cafe.in_saved(f"refs/orange/{task.id}/2", "draft") == "2"


def test_a_second_release_does_nothing_even_when_the_slot_has_a_new_holder(cafe: Cafe) -> None:
    first = cafe.task("a")
    workspace = cafe.spawn(first)
    cafe.release(first, workspace)
    assert cafe.release(first, workspace).saved is None
    second = cafe.task("b")
    assert cafe.spawn(second) == workspace
    (workspace / "draft").write_text("b's\n")
    assert cafe.release(first, workspace).saved is None
    assert (workspace / "draft").exists()
    assert cafe.slot().task == second.id


def test_releasing_a_free_workspace_does_nothing(cafe: Cafe) -> None:
    assert cafe.pool.release(cafe.project, "k3x9", "coffee--1").quarantined is None


def test_work_is_saved_without_a_git_identity(cafe: Cafe, monkeypatch: pytest.MonkeyPatch) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    (workspace / "draft").write_text("x\n")
    for name in [name for name in os.environ if name.startswith(("GIT_AUTHOR", "GIT_COMMITTER"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "user.useConfigOnly")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "true")
    assert cafe.release(task, workspace).saved is not None


def test_a_task_file_that_replaced_its_link_is_saved(cafe: Cafe) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    (workspace / "TASK.md").unlink()
    (workspace / "TASK.md").write_text("## Handoff\nDONE: by sed -i\n")
    saved = str(cafe.release(task, workspace).saved)
    assert "DONE: by sed -i" in cafe.in_saved(saved, "TASK.md")
    assert cafe.is_clean(workspace)


def test_copied_file_is_saved_only_once_it_was_changed(cafe: Cafe) -> None:
    (cafe.main / "local.cfg").write_text("a=1\n")
    cafe.register(copy=["local.cfg"])
    task = cafe.task()
    assert cafe.release(task, cafe.spawn(task)).saved is None
    workspace = cafe.spawn(task)
    (workspace / "local.cfg").write_text("a=2\n")
    assert cafe.in_saved(str(cafe.release(task, workspace).saved), "local.cfg") == "a=2"


# Deleted directories


def test_deleted_directory_is_restored_and_saved_from_the_index(cafe: Cafe) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    git(workspace, "switch", "--quiet", "--detach")
    loose = commit(workspace, "loose")
    (workspace / "staged").write_text("staged\n")
    git(workspace, "add", "staged")
    shutil.rmtree(workspace)
    saved = str(cafe.release(task, workspace).saved)
    assert cafe.in_saved(saved, "staged") == "staged"
    assert git(cafe.main, "rev-parse", f"{saved}^1") == loose
    assert cafe.is_clean(workspace)


def test_a_deleted_directory_that_git_has_forgotten_is_free(cafe: Cafe) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    shutil.rmtree(workspace)
    git(cafe.main, "worktree", "prune")
    assert cafe.release(task, workspace).quarantined is None
    assert cafe.spawn(cafe.task("b")) == workspace


# Put back


def test_saved_work_is_put_on_a_new_branch(cafe: Cafe) -> None:
    task = cafe.task()
    for text in ("first", "second"):
        workspace = cafe.spawn(task)
        (workspace / "draft").write_text(f"{text}\n")
        cafe.release(task, workspace)
    restore = restore_to_branch
    assert restore(cafe.project, task.id, None, None) == f"orange-restored/{task.id}-2"
    assert restore(cafe.project, task.id, None, None) == f"orange-restored/{task.id}-2"
    assert restore(cafe.project, task.id, 1, "rescued") == "rescued"
    assert git(cafe.main, "show", "rescued:draft") == "first"
    assert git(cafe.main, "show", f"orange-restored/{task.id}-2:draft") == "second"
