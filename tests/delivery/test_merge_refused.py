"""Merges that are refused: nothing has changed, here or there, and the reason names the way out."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from orange_tui.branches.rename import update_with_branch
from orange_tui.delivery.merging.merge import NotReviewed
from orange_tui.domain.errors import OrangeError
from support.merge_world import MENU, House

if TYPE_CHECKING:
    from support.driver import Cli


TEA = MENU.replace("filter", "tea")
COCOA = MENU.replace("filter", "cocoa")


@pytest.mark.parametrize("staged", [False, True])
def test_uncommitted_changes_in_the_checkout_refuse_the_merge(house: House, staged: bool) -> None:
    ref = house.task()
    (house.main / "menu").write_text("half a thought\n")
    if staged:
        house.git("add", "menu")
    why = house.refused(ref)
    assert why.startswith(f"main is checked out in {house.main} with changes in menu.")
    assert "stash" in why
    house.git("stash", "-q")
    house.merge(ref)
    assert house.is_merged(ref)


@pytest.mark.parametrize("name", ["tea", "tea.log"])
def test_file_outside_git_that_would_be_overwritten_refuses_the_merge(house: House, name: str) -> None:
    house.git("switch", "-q", "-c", "feat/tea", "main", at=house.desk)
    (house.desk / name).write_text("green\n")
    house.git("add", "--force", name, at=house.desk)
    house.git("commit", "-q", "-m", "tea", at=house.desk)
    house.git("switch", "-q", "--detach", at=house.desk)
    ref = house.task("feat/milk", {"milk": "oat\n"})
    update_with_branch(house.orange.tasks, ref, "feat/tea", str(house.main))
    (house.main / name).write_text("mine\n")
    assert f"The merge would overwrite {name} in {house.main}" in house.refused(ref)
    assert (house.main / name).read_text() == "mine\n"


def test_directory_in_place_of_a_merged_file_refuses_the_merge(house: House) -> None:
    ref = house.task()
    (house.main / "tea").mkdir()
    (house.main / "tea/mine").write_text("mine\n")
    assert "in the way of the merge" in house.refused(ref)


def test_unfinished_merge_in_the_checkout_refuses_the_merge(house: House) -> None:
    ref = house.task()
    house.branch("other", {"milk": "oat\n"})
    house.git("merge", "-q", "--no-ff", "--no-commit", "-s", "ours", "other")
    assert "in the middle of a merge" in house.refused(ref)


def test_unfinished_rebase_of_the_default_branch_refuses_the_merge(house: House) -> None:
    ref = house.task()
    house.branch("other", {"menu": COCOA})
    house.write(house.main, {"menu": TEA})
    house.git("rebase", "-q", "other", code=1)
    why = house.refused(ref)
    assert "A rebase of main is under way" in why
    house.git("rebase", "--abort")
    house.merge(ref)
    assert house.is_merged(ref)


def test_diverged_default_branch_refuses_the_merge(house: House) -> None:
    ref = house.task()
    house.elsewhere({"cups": "12\n"})
    house.write(house.main, {"spoons": "6\n"})
    why = house.refused(ref)
    assert "diverged from origin/main: 1 commit only here, 1 commit only there" in why
    assert "rebase origin/main" in why
    assert "merge origin/main" in why
    house.git("merge", "-q", "--no-edit", "origin/main")
    house.merge(ref)
    assert house.is_merged(ref)


def test_protected_remote_branch_refuses_the_merge_and_names_create_pr(house: House) -> None:
    ref = house.task()
    house.hook(house.remote / "hooks", "pre-receive", "echo 'main is protected: use a pull request' >&2; exit 1")
    why = house.refused(ref)
    assert "was rejected, so nothing was merged" in why
    assert "main is protected: use a pull request" in why
    assert f"orange task create-pr {ref.id}" in why
    assert house.events(ref, "merge.failed")
    assert house.events(ref, "task.merged") == []
    (house.remote / "hooks/pre-receive").unlink()
    house.merge(ref)
    assert house.is_merged(ref)


def test_failing_pre_push_hook_refuses_the_merge(house: House) -> None:
    ref = house.task()
    house.hook(house.main / ".git/hooks", "pre-push", "echo 'tests fail' >&2; exit 1")
    assert "tests fail" in house.refused(ref, strategy="squash")


def test_remote_that_moves_during_the_merge_rejects_it_and_the_next_merge_lands(house: House) -> None:
    ref = house.task()
    theirs = house.git("commit-tree", "-p", "main", "-m", "quick", "main^{tree}")
    house.git("push", "-q", "origin", f"{theirs}:refs/heads/aside")
    move = f"git --git-dir={house.remote} update-ref refs/heads/main {theirs}"
    house.hook(house.main / ".git/hooks", "pre-push", move)
    before = house.tip()
    with pytest.raises(OrangeError, match="rejected"):
        house.merge(ref)
    assert (house.tip(), house.there(), house.status(ref)) == (before, theirs, "reviewing")
    (house.main / ".git/hooks/pre-push").unlink()
    house.merge(ref)
    assert house.is_merged(ref)
    house.git("merge-base", "--is-ancestor", theirs, "main")


def test_unreachable_remote_refuses_the_merge(house: House) -> None:
    ref = house.task()
    house.git("remote", "set-url", "origin", str(house.root / "nowhere.git"))
    assert "Fetching main from origin failed" in house.refused(ref)


def test_conflict_refuses_the_merge_and_names_its_files(house: House, cli: Cli) -> None:
    ref = house.task(files={"menu": TEA, "prices": "tea 3\n", "fine": "yes\n"})
    house.write(house.main, {"menu": COCOA, "prices": "cocoa 4\n"})
    why = house.refused(ref)
    assert why.startswith("feat/tea conflicts with main in menu, prices. Nothing was changed.")
    assert cli.no("task", "merge", ref.id) == why
    assert house.events(ref, "merge.started") == []


def test_refusal_names_only_the_first_of_many_conflicts(house: House) -> None:
    ref = house.task(files={f"cup-{number:02}": "tea\n" for number in range(30)})
    house.write(house.main, {f"cup-{number:02}": "cocoa\n" for number in range(30)})
    assert "cup-19 and 10 more." in house.refused(ref)


def test_fast_forward_of_a_branch_that_is_behind_is_refused(house: House) -> None:
    ref = house.task()
    house.write(house.main, {"cups": "12\n"})
    assert "1 commit behind main, so it cannot be fast-forwarded" in house.refused(ref, strategy="ff")


def test_empty_branch_refuses_the_merge_unless_forced(house: House) -> None:
    ref = house.task(files={})
    why = house.refused(ref)
    assert why.startswith("There is nothing to merge: feat/tea has no commits of its own.")
    assert "--force" in why
    house.write(house.main, {"cups": "12\n"})
    house.git("push", "-q")
    assert "has no commits of its own" in house.refused(ref)


def test_unreviewed_task_merges_only_when_forced(house: House, cli: Cli) -> None:
    ref = house.forced_into("working")
    assert house.refused(ref) == f"{ref.id} is working. Not reviewed. Force merge?"
    with pytest.raises(NotReviewed):
        house.merge(ref)
    said = cli.no("task", "merge", ref.id)
    assert said == f"{ref.id} is working. Not reviewed. Force merge? There is no terminal to ask on; add --force"
    cli.ok("task", "merge", ref.id, "--force")
    assert house.is_merged(ref)
    assert house.events(ref, "transition.started")[-1]["by"] == "force"


@pytest.mark.parametrize("status", ["pending", "cancelled"])
def test_task_that_has_not_started_or_is_cancelled_cannot_be_merged(house: House, status: str) -> None:
    ref = house.forced_into(status)
    assert ref.id in house.refused(ref, force=True)


def test_done_task_cannot_be_merged_again(house: House) -> None:
    ref = house.task()
    house.merge(ref)
    assert house.refused(ref) == f"{ref.id} is already done; there is nothing left to merge"


def test_missing_branch_or_default_branch_refuses_the_merge(house: House) -> None:
    ref = house.task()
    house.git("branch", "-q", "-D", "feat/tea")
    with pytest.raises(OrangeError, match="There is no branch feat/tea"):
        house.merge(ref)
    house.branch("feat/tea", {"tea": "green\n"})
    house.orange.projects.update("coffee", {"default_branch": "trunk"})
    assert "has no branch trunk to merge into" in house.refused(ref)


def test_unrelated_history_refuses_the_merge(house: House) -> None:
    ref = house.task()
    house.git("switch", "-q", "--orphan", "alone", at=house.desk)
    house.write(house.desk, {"tea": "black\n"})
    house.git("switch", "-q", "--detach", at=house.desk)
    house.git("branch", "-q", "-f", "feat/tea", "alone")
    assert "unrelated histories" in house.refused(ref)


def test_git_without_an_identity_refuses_a_merge_commit_and_fast_forwards(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = house.task()
    house.git("config", "user.useConfigOnly", "true")
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.delenv(f"GIT_{role}_NAME")
        monkeypatch.delenv(f"GIT_{role}_EMAIL")
    assert "user.email" in house.refused(ref, strategy="merge")
    assert house.merge(ref).strategy == "ff"


def test_git_that_is_too_old_refuses_the_merge(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    ref = house.task()
    real = shutil.which("git")
    house.hook(house.root / "old", "git", f'case "$*" in *merge-tree*) exit 129;; esac; exec {real} "$@"')
    monkeypatch.setenv("PATH", str(house.root / "old"), prepend=":")
    assert "git 2.38 or later" in house.refused(ref)


def test_checkout_changed_after_the_push_stays_behind_and_the_person_is_told(house: House) -> None:
    """What is pushed is merged: the person's checkout stays as it is, and they are told."""
    ref = house.task()
    before = house.tip()
    house.hook(house.main / ".git/hooks", "pre-push", f"echo changed >{house.main}/menu")
    merged = house.merge(ref)
    assert (house.tip(), house.there()) == (before, merged.commit)
    assert (house.main / "menu").read_text() == "changed\n"
    assert house.status(ref) == "done"
    assert house.notes[0].startswith("main here was not updated and is behind origin: main is checked out in")
