"""Merges that work: each strategy, wherever the default branch is checked out, with a remote and without."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.merge_world import MENU, House

if TYPE_CHECKING:
    from support.driver import Cli

# Somebody pushes to the task's branch just when our push of main has arrived.
MORE_IS_PUSHED = """\
case "$*" in *refs/heads/main*) ;; *) exit 0;; esac
unset GIT_DIR GIT_QUARANTINE_PATH
git -C {other} push -q origin feat/tea
"""


def test_branch_ahead_is_fast_forwarded_and_pushed_and_its_task_is_done(house: House) -> None:
    ref = house.task()
    merged = house.merge(ref)
    assert (merged.strategy, merged.pushed, merged.commit) == ("ff", True, house.tip("feat/tea"))
    assert house.is_merged(ref)
    assert (house.main / "tea").read_text() == "green\n"
    assert house.there() == merged.commit
    assert house.notes == []


def test_diverged_branch_gets_a_merge_commit_by_the_person(house: House) -> None:
    ref = house.task()
    before = house.write(house.main, {"cups": "12\n"})
    merged = house.merge(ref)
    assert merged.strategy == "merge"
    assert house.parents() == [before, house.tip("feat/tea")]
    assert house.message() == "Merge feat/tea: Offer tea"
    assert house.git("show", "--no-patch", "--format=%an %ce") == "Tester tester@example.org"
    assert house.is_merged(ref)
    assert house.notes == ["Also pushed: 1 commit of main that origin did not have"]


def test_merge_strategy_makes_a_merge_commit_where_a_fast_forward_would_do(house: House) -> None:
    ref = house.task()
    before = house.tip()
    assert house.merge(ref, strategy="merge").strategy == "merge"
    assert house.parents() == [before, house.tip("feat/tea")]
    assert house.is_merged(ref)


def test_squash_makes_one_commit_and_deletes_the_remote_branch(house: House) -> None:
    ref = house.task()
    house.git("push", "-q", "origin", "feat/tea")
    before = house.tip()
    house.merge(ref, strategy="squash")
    assert house.parents() == [before]
    assert house.message() == "Offer tea"
    assert house.is_merged(ref)
    assert house.there("feat/tea") is None
    assert house.git("rev-parse", "--verify", "feat/tea")  # the commits themselves are still here


def test_squash_deletes_a_remote_branch_that_is_behind(house: House) -> None:
    """What it has is in what was merged, though no commit of it is in the default branch."""
    ref = house.task()
    house.git("push", "-q", "origin", "feat/tea")
    house.git("switch", "-q", "feat/tea", at=house.desk)
    house.write(house.desk, {"milk": "oat\n"})
    house.merge(ref, strategy="squash")
    assert (house.main / "milk").exists()
    assert house.is_merged(ref)
    assert house.there("feat/tea") is None


def test_squash_keeps_a_remote_branch_with_more_commits(house: House) -> None:
    ref = house.task()
    house.git("switch", "-q", "feat/tea", at=house.desk)
    house.write(house.desk, {"milk": "oat\n"})
    house.git("push", "-q", "origin", "feat/tea", at=house.desk)
    house.git("reset", "-q", "--hard", "HEAD~1", at=house.desk)
    house.merge(ref, strategy="squash")
    assert house.there("feat/tea") is not None
    assert "stays on origin" in (house.attention(ref) or "")


def test_remote_branch_pushed_to_during_the_merge_is_kept(house: House) -> None:
    ref = house.task()
    house.git("push", "-q", "origin", "feat/tea")
    house.hook(house.remote, "hooks/post-update", MORE_IS_PUSHED.format(other=house.root / "late"))
    house.git("clone", "-q", "--branch", "feat/tea", str(house.remote), str(house.root / "late"), at=house.root)
    house.write(house.root / "late", {"milk": "oat\n"})
    house.merge(ref)
    assert house.there("feat/tea") == house.git("rev-parse", "HEAD", at=house.root / "late")
    assert "could not be deleted" in (house.attention(ref) or "")


def test_remote_branch_with_unmerged_commits_is_kept_and_mentioned(house: House) -> None:
    ref = house.task()
    house.git("switch", "-q", "feat/tea", at=house.desk)
    house.write(house.desk, {"milk": "oat\n"})
    house.git("push", "-q", "origin", "feat/tea", at=house.desk)
    house.git("reset", "-q", "--hard", "HEAD~1", at=house.desk)
    house.merge(ref)
    assert "origin/feat/tea has commits that feat/tea here does not have" in house.notes[0]
    assert house.there("feat/tea") is not None
    assert "stays on origin" in (house.attention(ref) or "")


def test_default_branch_that_is_checked_out_nowhere_is_moved(house: House) -> None:
    ref = house.task()
    house.git("switch", "-q", "--detach")
    (house.main / "menu").write_text("in the middle of something\n")
    house.merge(ref)
    assert house.tip() == house.there() == house.tip("feat/tea")
    assert (house.main / "menu").read_text() == "in the middle of something\n"
    assert house.status(ref) == "done"


def test_default_branch_that_is_checked_out_in_a_worktree_is_moved_there(house: House) -> None:
    ref = house.task()
    house.git("switch", "-q", "-c", "mine")
    house.git("switch", "-q", "main", at=house.desk)
    house.merge(ref)
    assert (house.desk / "tea").exists()
    assert not (house.main / "tea").exists()
    assert house.git("status", "--porcelain", at=house.desk) == ""
    assert house.is_merged(ref)


def test_default_branch_that_only_the_remote_has_is_merged_there(house: House) -> None:
    ref = house.task()
    house.git("switch", "-q", "-c", "mine")
    house.git("branch", "-q", "-D", "main")
    merged = house.merge(ref)
    assert house.there() == merged.commit
    assert house.git("branch", "--list", "main") == ""
    assert house.status(ref) == "done"


def test_merge_without_a_remote_pushes_nothing(house: House) -> None:
    house.git("remote", "remove", "origin")
    house.remote.rename(house.root / "away.git")
    ref = house.task()
    merged = house.merge(ref)
    assert (merged.pushed, house.tip()) == (False, merged.commit)
    assert house.status(ref) == "done"
    assert (house.main / "tea").exists()


def test_empty_remote_gets_the_default_branch(house: House) -> None:
    house.git("update-ref", "-d", "refs/heads/main", at=house.remote)
    house.git("update-ref", "-d", "refs/remotes/origin/main")
    ref = house.task()
    house.merge(ref)
    assert house.is_merged(ref)
    assert house.there() == house.tip()


def test_default_branch_behind_the_remote_is_merged_from_the_remote_tip(house: House) -> None:
    ref = house.task()
    theirs = house.elsewhere({"cups": "12\n"})
    house.merge(ref)
    assert house.parents()[0] == theirs
    assert (house.main / "cups").exists()
    assert house.is_merged(ref)


def test_branch_far_behind_is_merged(house: House) -> None:
    ref = house.task()
    house.elsewhere({"cups": "one\n"})
    other = house.root / "other"
    for number in range(29):
        house.git("commit", "-q", "--allow-empty", "--message", f"cup {number}", at=other)
    house.elsewhere({"cups": "two\n"})
    assert house.merge(ref).strategy == "merge"
    assert house.is_merged(ref)


def test_branch_merged_by_hand_is_not_merged_again(house: House) -> None:
    ref = house.task()
    house.write(house.main, {"cups": "12\n"})
    house.git("merge", "-q", "--no-edit", "feat/tea")
    before = house.tip()
    merged = house.merge(ref)
    assert (merged.strategy, merged.commit, merged.pushed) == (None, before, True)
    assert house.tip() == house.there() == before
    assert house.is_merged(ref)
    assert any("already" in note for note in house.notes)


def test_branch_squashed_elsewhere_is_not_merged_again(house: House) -> None:
    ref = house.task()
    theirs = house.elsewhere({"tea": "green\n"})
    assert house.merge(ref).strategy is None
    assert house.tip() == house.there() == theirs
    assert house.is_merged(ref)


def test_forced_merge_of_an_empty_branch_finishes_the_task_and_merges_nothing(house: House) -> None:
    ref = house.task(files={})
    before = house.tip()
    merged = house.merge(ref, force=True)
    assert (merged.commit, merged.strategy, merged.pushed) == (before, None, False)
    assert (house.status(ref), house.tip()) == ("done", before)
    assert house.events(ref, "task.merged") == []


def test_thousand_files_are_merged(house: House) -> None:
    files = {f"beans/{number % 40}/{number}": f"{number}\n" * 20 for number in range(1000)}
    ref = house.task(files=files)
    house.write(house.main, {"cups": "12\n"})
    house.merge(ref)
    assert len([path for path in (house.main / "beans").rglob("*") if path.is_file()]) == 1000
    assert house.is_merged(ref)


def test_unrelated_and_touched_files_do_not_refuse_the_merge(house: House) -> None:
    ref = house.task(files={"menu": MENU + "\ntea\n"})
    (house.main / "notes").write_text("mine\n")
    (house.main / "menu").write_text(MENU)
    assert house.merge(ref).pushed
    assert (house.main / "notes").read_text() == "mine\n"
    assert (house.main / "menu").read_text() == MENU + "\ntea\n"


def test_uncommitted_work_in_the_workspace_is_saved_and_reported(house: House) -> None:
    ref = house.task()
    task = house.stored(ref).task
    project = house.orange.projects.get("coffee")
    name = house.orange.pool.reserve(project, task)
    house.orange.pool.prepare(project, task, name)
    with house.orange.store.open(ref) as opened:
        opened.change("hook.done", {"workspace": name})
    (house.root / "home/workspaces" / name / "draft").write_text("half\n")
    house.merge(ref)
    assert house.notes == [f"What was not committed was saved, not merged: `orange task restore {ref.id}` restores it"]
    assert house.git("show", f"refs/orange/{ref.id}/1:draft") == "half"
    assert house.is_merged(ref)
    assert house.stored(ref).task.workspace is None


def test_failing_post_merge_hook_changes_nothing_about_the_merge(house: House) -> None:
    ref = house.task()
    for name in ("post-merge", "pre-merge-commit", "prepare-commit-msg", "commit-msg", "pre-commit"):
        house.hook(house.main / ".git/hooks", name, "exit 1")
    house.merge(ref, strategy="merge")
    assert house.is_merged(ref)


def test_merge_command_prints_commit_and_strategy(house: House, cli: Cli) -> None:
    ref = house.task()
    result = cli.ok("task", "merge", ref.id, "--json").json()
    assert (result["status"], result["strategy"], result["pushed"]) == ("done", "ff", True)
    assert result["commit"] == house.tip()
    assert "release_workspace" in result["hooks_run"]
    other = house.task("feat/milk", {"milk": "oat\n"})
    said = cli.ok("task", "merge", other.id, "--strategy", "squash").out
    what = f"merged as {house.tip()[:10]}: 1 commit, 1 file, +1 −0 into main, pushed"
    assert said == f"{other.id}  reviewing → done  {what}\n"


BAKERY = """\
name: bakery
states: {ordered: {}, baking: {}, tasting: {}, sold: {terminal: true}, thrown: {terminal: true}}
initial: {ordered: {}, tasting: {}}
transitions:
  - {from: ordered, to: baking, hooks: [acquire_workspace]}
  - {from: baking, to: tasting}
  - {from: tasting, to: sold}
  - {from: [ordered, baking, tasting], to: thrown}
"""


def test_good_end_of_any_name_is_merged_to_and_clears_what_waits_for_it(house: House, cli: Cli) -> None:
    (house.root / "home" / "workflows").mkdir()
    (house.root / "home" / "workflows" / "bakery.yml").write_text(BAKERY)
    ref = house.task(workflow="bakery", status="tasting")
    given_up = house.task("feat/mud", {}, workflow="bakery", status="tasting")
    for blocker, branch in ((ref, "next"), (given_up, "never")):
        words = ("task", "create", branch, "Next", "--project", "coffee", "--workflow", "bakery", "--no-spawn")
        cli.ok(*words, "--blocked-by", blocker.id)
    assert "merged as" in cli.ok("task", "merge", ref.id).out
    cli.ok("task", "cancel", given_up.id, "--yes")
    assert (house.status(ref), house.status(given_up)) == ("sold", "thrown")
    assert [event["commit"] for event in house.events(ref, "task.merged")] == [house.tip()]
    assert len(house.events(given_up, "task.cancelled")) == 1
    assert [task["branch"] for task in cli.ok("task", "list", "--all", "--ready", "--json").json()] == ["next"]
    assert "already thrown" in cli.no("task", "cancel", given_up.id, "--yes")


def test_of_two_good_ends_the_one_whose_condition_holds_is_merged_to(house: House) -> None:
    (house.root / "home" / "workflows").mkdir()
    ends = (
        "{from: tasting, to: eaten, when: 'review_round > 0'}\n  - {from: tasting, to: sold, when: 'review_round == 0'}"
    )
    text = BAKERY.replace("{from: tasting, to: sold}", ends).replace("sold: {", "eaten: {terminal: true}, sold: {")
    (house.root / "home" / "workflows" / "bakery.yml").write_text(text)
    ref = house.task(workflow="bakery", status="tasting")
    house.merge(ref)
    assert house.status(ref) == "sold"
    assert [event["commit"] for event in house.events(ref, "task.merged")] == [house.tip()]
