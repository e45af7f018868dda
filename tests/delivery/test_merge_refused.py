"""Merges that are refused: nothing has changed, here or there, and the reason names the way out."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from orange_tui.branches.rename import update_with_branch
from orange_tui.delivery.merging.merge import NotReviewed
from orange_tui.domain.errors import OrangeError
from support.merge_world import MENU, MergeWorld

if TYPE_CHECKING:
    from support.driver import Cli


TEA = MENU.replace("filter", "tea")
COCOA = MENU.replace("filter", "cocoa")


@pytest.mark.parametrize("staged", [False, True])
def test_uncommitted_changes_in_the_checkout_refuse_the_merge(merge_world: MergeWorld, staged: bool) -> None:
    ref = merge_world.task()
    (merge_world.main / "menu").write_text("half a thought\n")
    if staged:
        merge_world.git("add", "menu")
    why = merge_world.refused(ref)
    assert why.startswith(f"main is checked out in {merge_world.main} with changes in menu.")
    assert "stash" in why
    merge_world.git("stash", "-q")
    merge_world.merge(ref)
    assert merge_world.is_merged(ref)


@pytest.mark.parametrize("name", ["tea", "tea.log"])
def test_file_outside_git_that_would_be_overwritten_refuses_the_merge(merge_world: MergeWorld, name: str) -> None:
    merge_world.git("switch", "-q", "-c", "feat/tea", "main", at=merge_world.branches)
    (merge_world.branches / name).write_text("green\n")
    merge_world.git("add", "--force", name, at=merge_world.branches)
    merge_world.git("commit", "-q", "-m", "tea", at=merge_world.branches)
    merge_world.git("switch", "-q", "--detach", at=merge_world.branches)
    ref = merge_world.task("feat/milk", {"milk": "oat\n"})
    update_with_branch(merge_world.orange.tasks, ref, "feat/tea", str(merge_world.main))
    (merge_world.main / name).write_text("mine\n")
    assert f"The merge would overwrite {name} in {merge_world.main}" in merge_world.refused(ref)
    assert (merge_world.main / name).read_text() == "mine\n"


def test_directory_in_place_of_a_merged_file_refuses_the_merge(merge_world: MergeWorld) -> None:
    ref = merge_world.task()
    (merge_world.main / "tea").mkdir()
    (merge_world.main / "tea/mine").write_text("mine\n")
    assert "in the way of the merge" in merge_world.refused(ref)


def test_unfinished_merge_in_the_checkout_refuses_the_merge(merge_world: MergeWorld) -> None:
    ref = merge_world.task()
    merge_world.branch("other", {"milk": "oat\n"})
    merge_world.git("merge", "-q", "--no-ff", "--no-commit", "-s", "ours", "other")
    assert "in the middle of a merge" in merge_world.refused(ref)


def test_unfinished_rebase_of_the_default_branch_refuses_the_merge(merge_world: MergeWorld) -> None:
    ref = merge_world.task()
    merge_world.branch("other", {"menu": COCOA})
    merge_world.write(merge_world.main, {"menu": TEA})
    merge_world.git("rebase", "-q", "other", code=1)
    why = merge_world.refused(ref)
    assert "A rebase of main is under way" in why
    merge_world.git("rebase", "--abort")
    merge_world.merge(ref)
    assert merge_world.is_merged(ref)


def test_diverged_default_branch_refuses_the_merge(merge_world: MergeWorld) -> None:
    ref = merge_world.task()
    merge_world.elsewhere({"cups": "12\n"})
    merge_world.write(merge_world.main, {"spoons": "6\n"})
    why = merge_world.refused(ref)
    assert "diverged from origin/main: 1 commit only here, 1 commit only there" in why
    assert "rebase origin/main" in why
    assert "merge origin/main" in why
    merge_world.git("merge", "-q", "--no-edit", "origin/main")
    merge_world.merge(ref)
    assert merge_world.is_merged(ref)


def test_protected_remote_branch_refuses_the_merge_and_names_create_pr(merge_world: MergeWorld) -> None:
    ref = merge_world.task()
    merge_world.hook(
        merge_world.remote / "hooks", "pre-receive", "echo 'main is protected: use a pull request' >&2; exit 1"
    )
    why = merge_world.refused(ref)
    assert "was rejected, so nothing was merged" in why
    assert "main is protected: use a pull request" in why
    assert f"orange task create-pr {ref.id}" in why
    assert merge_world.events(ref, "merge.failed")
    assert merge_world.events(ref, "task.merged") == []
    (merge_world.remote / "hooks/pre-receive").unlink()
    merge_world.merge(ref)
    assert merge_world.is_merged(ref)


def test_failing_pre_push_hook_refuses_the_merge(merge_world: MergeWorld) -> None:
    ref = merge_world.task()
    merge_world.hook(merge_world.main / ".git/hooks", "pre-push", "echo 'tests fail' >&2; exit 1")
    assert "tests fail" in merge_world.refused(ref, strategy="squash")


def test_remote_that_moves_during_the_merge_rejects_it_and_the_next_merge_lands(merge_world: MergeWorld) -> None:
    ref = merge_world.task()
    theirs = merge_world.git("commit-tree", "-p", "main", "-m", "quick", "main^{tree}")
    merge_world.git("push", "-q", "origin", f"{theirs}:refs/heads/aside")
    move = f"git --git-dir={merge_world.remote} update-ref refs/heads/main {theirs}"
    merge_world.hook(merge_world.main / ".git/hooks", "pre-push", move)
    before = merge_world.tip()
    with pytest.raises(OrangeError, match="rejected"):
        merge_world.merge(ref)
    assert (merge_world.tip(), merge_world.there(), merge_world.status(ref)) == (before, theirs, "reviewing")
    (merge_world.main / ".git/hooks/pre-push").unlink()
    merge_world.merge(ref)
    assert merge_world.is_merged(ref)
    merge_world.git("merge-base", "--is-ancestor", theirs, "main")


def test_unreachable_remote_refuses_the_merge(merge_world: MergeWorld) -> None:
    ref = merge_world.task()
    merge_world.git("remote", "set-url", "origin", str(merge_world.root / "nowhere.git"))
    assert "Fetching main from origin failed" in merge_world.refused(ref)


def test_conflict_refuses_the_merge_and_names_its_files(merge_world: MergeWorld, cli: Cli) -> None:
    ref = merge_world.task(files={"menu": TEA, "prices": "tea 3\n", "fine": "yes\n"})
    merge_world.write(merge_world.main, {"menu": COCOA, "prices": "cocoa 4\n"})
    why = merge_world.refused(ref)
    assert why.startswith("feat/tea conflicts with main in menu, prices. Nothing was changed.")
    assert cli.no("task", "merge", ref.id) == why
    assert merge_world.events(ref, "merge.started") == []


def test_refusal_names_only_the_first_of_many_conflicts(merge_world: MergeWorld) -> None:
    ref = merge_world.task(files={f"cup-{number:02}": "tea\n" for number in range(30)})
    merge_world.write(merge_world.main, {f"cup-{number:02}": "cocoa\n" for number in range(30)})
    assert "cup-19 and 10 more." in merge_world.refused(ref)


def test_fast_forward_of_a_branch_that_is_behind_is_refused(merge_world: MergeWorld) -> None:
    ref = merge_world.task()
    merge_world.write(merge_world.main, {"cups": "12\n"})
    assert "1 commit behind main, so it cannot be fast-forwarded" in merge_world.refused(ref, strategy="ff")


def test_empty_branch_refuses_the_merge_unless_forced(merge_world: MergeWorld) -> None:
    ref = merge_world.task(files={})
    why = merge_world.refused(ref)
    assert why.startswith("There is nothing to merge: feat/tea has no commits of its own.")
    assert "--force" in why
    merge_world.write(merge_world.main, {"cups": "12\n"})
    merge_world.git("push", "-q")
    assert "has no commits of its own" in merge_world.refused(ref)


def test_unreviewed_task_merges_only_when_forced(merge_world: MergeWorld, cli: Cli) -> None:
    ref = merge_world.forced_into("working")
    assert merge_world.refused(ref) == f"{ref.id} is working. Not reviewed. Force merge?"
    with pytest.raises(NotReviewed):
        merge_world.merge(ref)
    said = cli.no("task", "merge", ref.id)
    assert said == f"{ref.id} is working. Not reviewed. Force merge? There is no terminal to ask on; add --force"
    cli.ok("task", "merge", ref.id, "--force")
    assert merge_world.is_merged(ref)
    assert merge_world.events(ref, "transition.started")[-1]["by"] == "force"


@pytest.mark.parametrize("status", ["pending", "cancelled"])
def test_task_that_has_not_started_or_is_cancelled_cannot_be_merged(merge_world: MergeWorld, status: str) -> None:
    ref = merge_world.forced_into(status)
    assert ref.id in merge_world.refused(ref, force=True)


def test_done_task_cannot_be_merged_again(merge_world: MergeWorld) -> None:
    ref = merge_world.task()
    merge_world.merge(ref)
    assert merge_world.refused(ref) == f"{ref.id} is already done; there is nothing left to merge"


def test_missing_branch_or_default_branch_refuses_the_merge(merge_world: MergeWorld) -> None:
    ref = merge_world.task()
    merge_world.git("branch", "-q", "-D", "feat/tea")
    with pytest.raises(OrangeError, match="There is no branch feat/tea"):
        merge_world.merge(ref)
    merge_world.branch("feat/tea", {"tea": "green\n"})
    merge_world.orange.projects.update("coffee", {"default_branch": "trunk"})
    assert "has no branch trunk to merge into" in merge_world.refused(ref)


def test_unrelated_history_refuses_the_merge(merge_world: MergeWorld) -> None:
    ref = merge_world.task()
    merge_world.git("switch", "-q", "--orphan", "alone", at=merge_world.branches)
    merge_world.write(merge_world.branches, {"tea": "black\n"})
    merge_world.git("switch", "-q", "--detach", at=merge_world.branches)
    merge_world.git("branch", "-q", "-f", "feat/tea", "alone")
    assert "unrelated histories" in merge_world.refused(ref)


def test_git_without_an_identity_refuses_a_merge_commit_and_fast_forwards(
    merge_world: MergeWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = merge_world.task()
    merge_world.git("config", "user.useConfigOnly", "true")
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.delenv(f"GIT_{role}_NAME")
        monkeypatch.delenv(f"GIT_{role}_EMAIL")
    assert "user.email" in merge_world.refused(ref, strategy="merge")
    assert merge_world.merge(ref).strategy == "ff"


def test_git_that_is_too_old_refuses_the_merge(merge_world: MergeWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    ref = merge_world.task()
    real = shutil.which("git")
    merge_world.hook(merge_world.root / "old", "git", f'case "$*" in *merge-tree*) exit 129;; esac; exec {real} "$@"')
    monkeypatch.setenv("PATH", str(merge_world.root / "old"), prepend=":")
    assert "git 2.38 or later" in merge_world.refused(ref)


def test_checkout_changed_after_the_push_stays_behind_and_the_person_is_told(merge_world: MergeWorld) -> None:
    """What is pushed is merged: the person's checkout stays as it is, and they are told."""
    ref = merge_world.task()
    before = merge_world.tip()
    merge_world.hook(merge_world.main / ".git/hooks", "pre-push", f"echo changed >{merge_world.main}/menu")
    merged = merge_world.merge(ref)
    assert (merge_world.tip(), merge_world.there()) == (before, merged.commit)
    assert (merge_world.main / "menu").read_text() == "changed\n"
    assert merge_world.status(ref) == "done"
    assert merge_world.notes[0].startswith("main here was not updated and is behind origin: main is checked out in")
