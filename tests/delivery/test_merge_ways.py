"""Merges that work: each strategy, wherever the default branch is checked out, with a remote and without."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.merge_world import MENU, MergeWorld

if TYPE_CHECKING:
    from support.driver import Cli

# Somebody pushes to the task's branch just when our push of main has arrived.
MORE_IS_PUSHED = """\
case "$*" in *refs/heads/main*) ;; *) exit 0;; esac
unset GIT_DIR GIT_QUARANTINE_PATH
git -C {other} push -q origin feat/tea
"""


def test_branch_ahead_is_fast_forwarded_and_pushed_and_its_task_is_done(merge_world: MergeWorld) -> None:
    ref = merge_world.task()
    merged = merge_world.merge(ref)
    assert (merged.strategy, merged.pushed, merged.commit) == ("ff", True, merge_world.tip("feat/tea"))
    assert merge_world.is_merged(ref)
    assert (merge_world.main / "tea").read_text() == "green\n"
    assert merge_world.there() == merged.commit
    assert merge_world.notes == []


def test_diverged_branch_gets_a_merge_commit_by_the_person(merge_world: MergeWorld) -> None:
    ref = merge_world.task()
    before = merge_world.write(merge_world.main, {"cups": "12\n"})
    merged = merge_world.merge(ref)
    assert merged.strategy == "merge"
    assert merge_world.parents() == [before, merge_world.tip("feat/tea")]
    assert merge_world.message() == "Merge feat/tea: Offer tea"
    assert merge_world.git("show", "--no-patch", "--format=%an %ce") == "Tester tester@example.org"
    assert merge_world.is_merged(ref)
    assert merge_world.notes == ["Also pushed: 1 commit of main that origin did not have"]


def test_merge_strategy_makes_a_merge_commit_where_a_fast_forward_would_do(merge_world: MergeWorld) -> None:
    ref = merge_world.task()
    before = merge_world.tip()
    assert merge_world.merge(ref, strategy="merge").strategy == "merge"
    assert merge_world.parents() == [before, merge_world.tip("feat/tea")]
    assert merge_world.is_merged(ref)


def test_squash_makes_one_commit_and_deletes_the_remote_branch(merge_world: MergeWorld) -> None:
    ref = merge_world.task()
    merge_world.git("push", "-q", "origin", "feat/tea")
    before = merge_world.tip()
    merge_world.merge(ref, strategy="squash")
    assert merge_world.parents() == [before]
    assert merge_world.message() == "Offer tea"
    assert merge_world.is_merged(ref)
    assert merge_world.there("feat/tea") is None
    assert merge_world.git("rev-parse", "--verify", "feat/tea")  # the commits themselves are still here


def test_squash_deletes_a_remote_branch_that_is_behind(merge_world: MergeWorld) -> None:
    """What it has is in what was merged, though no commit of it is in the default branch."""
    ref = merge_world.task()
    merge_world.git("push", "-q", "origin", "feat/tea")
    merge_world.git("switch", "-q", "feat/tea", at=merge_world.branches)
    merge_world.write(merge_world.branches, {"milk": "oat\n"})
    merge_world.merge(ref, strategy="squash")
    assert (merge_world.main / "milk").exists()
    assert merge_world.is_merged(ref)
    assert merge_world.there("feat/tea") is None


def test_squash_keeps_a_remote_branch_with_more_commits(merge_world: MergeWorld) -> None:
    ref = merge_world.task()
    merge_world.git("switch", "-q", "feat/tea", at=merge_world.branches)
    merge_world.write(merge_world.branches, {"milk": "oat\n"})
    merge_world.git("push", "-q", "origin", "feat/tea", at=merge_world.branches)
    merge_world.git("reset", "-q", "--hard", "HEAD~1", at=merge_world.branches)
    merge_world.merge(ref, strategy="squash")
    assert merge_world.there("feat/tea") is not None
    assert "stays on origin" in (merge_world.attention(ref) or "")


def test_remote_branch_pushed_to_during_the_merge_is_kept(merge_world: MergeWorld) -> None:
    ref = merge_world.task()
    merge_world.git("push", "-q", "origin", "feat/tea")
    merge_world.hook(merge_world.remote, "hooks/post-update", MORE_IS_PUSHED.format(other=merge_world.root / "late"))
    merge_world.git(
        "clone",
        "-q",
        "--branch",
        "feat/tea",
        str(merge_world.remote),
        str(merge_world.root / "late"),
        at=merge_world.root,
    )
    merge_world.write(merge_world.root / "late", {"milk": "oat\n"})
    merge_world.merge(ref)
    assert merge_world.there("feat/tea") == merge_world.git("rev-parse", "HEAD", at=merge_world.root / "late")
    assert "could not be deleted" in (merge_world.attention(ref) or "")


def test_remote_branch_with_unmerged_commits_is_kept_and_mentioned(merge_world: MergeWorld) -> None:
    ref = merge_world.task()
    merge_world.git("switch", "-q", "feat/tea", at=merge_world.branches)
    merge_world.write(merge_world.branches, {"milk": "oat\n"})
    merge_world.git("push", "-q", "origin", "feat/tea", at=merge_world.branches)
    merge_world.git("reset", "-q", "--hard", "HEAD~1", at=merge_world.branches)
    merge_world.merge(ref)
    assert "origin/feat/tea has commits that feat/tea here does not have" in merge_world.notes[0]
    assert merge_world.there("feat/tea") is not None
    assert "stays on origin" in (merge_world.attention(ref) or "")


def test_default_branch_that_is_checked_out_nowhere_is_moved(merge_world: MergeWorld) -> None:
    ref = merge_world.task()
    merge_world.git("switch", "-q", "--detach")
    (merge_world.main / "menu").write_text("in the middle of something\n")
    merge_world.merge(ref)
    assert merge_world.tip() == merge_world.there() == merge_world.tip("feat/tea")
    assert (merge_world.main / "menu").read_text() == "in the middle of something\n"
    assert merge_world.status(ref) == "done"


def test_default_branch_that_is_checked_out_in_a_worktree_is_moved_there(merge_world: MergeWorld) -> None:
    ref = merge_world.task()
    merge_world.git("switch", "-q", "-c", "mine")
    merge_world.git("switch", "-q", "main", at=merge_world.branches)
    merge_world.merge(ref)
    assert (merge_world.branches / "tea").exists()
    assert not (merge_world.main / "tea").exists()
    assert merge_world.git("status", "--porcelain", at=merge_world.branches) == ""
    assert merge_world.is_merged(ref)


def test_default_branch_that_only_the_remote_has_is_merged_there(merge_world: MergeWorld) -> None:
    ref = merge_world.task()
    merge_world.git("switch", "-q", "-c", "mine")
    merge_world.git("branch", "-q", "-D", "main")
    merged = merge_world.merge(ref)
    assert merge_world.there() == merged.commit
    assert merge_world.git("branch", "--list", "main") == ""
    assert merge_world.status(ref) == "done"


def test_merge_without_a_remote_pushes_nothing(merge_world: MergeWorld) -> None:
    merge_world.git("remote", "remove", "origin")
    merge_world.remote.rename(merge_world.root / "away.git")
    ref = merge_world.task()
    merged = merge_world.merge(ref)
    assert (merged.pushed, merge_world.tip()) == (False, merged.commit)
    assert merge_world.status(ref) == "done"
    assert (merge_world.main / "tea").exists()


def test_empty_remote_gets_the_default_branch(merge_world: MergeWorld) -> None:
    merge_world.git("update-ref", "-d", "refs/heads/main", at=merge_world.remote)
    merge_world.git("update-ref", "-d", "refs/remotes/origin/main")
    ref = merge_world.task()
    merge_world.merge(ref)
    assert merge_world.is_merged(ref)
    assert merge_world.there() == merge_world.tip()


def test_default_branch_behind_the_remote_is_merged_from_the_remote_tip(merge_world: MergeWorld) -> None:
    ref = merge_world.task()
    theirs = merge_world.elsewhere({"cups": "12\n"})
    merge_world.merge(ref)
    assert merge_world.parents()[0] == theirs
    assert (merge_world.main / "cups").exists()
    assert merge_world.is_merged(ref)


def test_branch_far_behind_is_merged(merge_world: MergeWorld) -> None:
    ref = merge_world.task()
    merge_world.elsewhere({"cups": "one\n"})
    other = merge_world.root / "other"
    for number in range(29):
        merge_world.git("commit", "-q", "--allow-empty", "--message", f"cup {number}", at=other)
    merge_world.elsewhere({"cups": "two\n"})
    assert merge_world.merge(ref).strategy == "merge"
    assert merge_world.is_merged(ref)


def test_branch_merged_by_hand_is_not_merged_again(merge_world: MergeWorld) -> None:
    ref = merge_world.task()
    merge_world.write(merge_world.main, {"cups": "12\n"})
    merge_world.git("merge", "-q", "--no-edit", "feat/tea")
    before = merge_world.tip()
    merged = merge_world.merge(ref)
    assert (merged.strategy, merged.commit, merged.pushed) == (None, before, True)
    assert merge_world.tip() == merge_world.there() == before
    assert merge_world.is_merged(ref)
    assert any("already" in note for note in merge_world.notes)


def test_branch_squashed_elsewhere_is_not_merged_again(merge_world: MergeWorld) -> None:
    ref = merge_world.task()
    theirs = merge_world.elsewhere({"tea": "green\n"})
    assert merge_world.merge(ref).strategy is None
    assert merge_world.tip() == merge_world.there() == theirs
    assert merge_world.is_merged(ref)


def test_forced_merge_of_an_empty_branch_finishes_the_task_and_merges_nothing(merge_world: MergeWorld) -> None:
    ref = merge_world.task(files={})
    before = merge_world.tip()
    merged = merge_world.merge(ref, force=True)
    assert (merged.commit, merged.strategy, merged.pushed) == (before, None, False)
    assert (merge_world.status(ref), merge_world.tip()) == ("done", before)
    assert merge_world.events(ref, "task.merged") == []


def test_thousand_files_are_merged(merge_world: MergeWorld) -> None:
    files = {f"beans/{number % 40}/{number}": f"{number}\n" * 20 for number in range(1000)}
    ref = merge_world.task(files=files)
    merge_world.write(merge_world.main, {"cups": "12\n"})
    merge_world.merge(ref)
    assert len([path for path in (merge_world.main / "beans").rglob("*") if path.is_file()]) == 1000
    assert merge_world.is_merged(ref)


def test_unrelated_and_touched_files_do_not_refuse_the_merge(merge_world: MergeWorld) -> None:
    ref = merge_world.task(files={"menu": MENU + "\ntea\n"})
    (merge_world.main / "notes").write_text("mine\n")
    (merge_world.main / "menu").write_text(MENU)
    assert merge_world.merge(ref).pushed
    assert (merge_world.main / "notes").read_text() == "mine\n"
    assert (merge_world.main / "menu").read_text() == MENU + "\ntea\n"


def test_uncommitted_work_in_the_workspace_is_saved_and_reported(merge_world: MergeWorld) -> None:
    ref = merge_world.task()
    task = merge_world.stored(ref).task
    project = merge_world.orange.projects.get("coffee")
    name = merge_world.orange.pool.reserve(project, task)
    merge_world.orange.pool.prepare(project, task, name)
    with merge_world.orange.store.open(ref) as opened:
        opened.change("hook.done", {"workspace": name})
    (merge_world.root / "home/workspaces" / name / "draft").write_text("half\n")
    merge_world.merge(ref)
    assert merge_world.notes == [
        f"What was not committed was saved, not merged: `orange task restore {ref.id}` restores it"
    ]
    assert merge_world.git("show", f"refs/orange/{ref.id}/1:draft") == "half"
    assert merge_world.is_merged(ref)
    assert merge_world.stored(ref).task.workspace is None


def test_failing_post_merge_hook_changes_nothing_about_the_merge(merge_world: MergeWorld) -> None:
    ref = merge_world.task()
    for name in ("post-merge", "pre-merge-commit", "prepare-commit-msg", "commit-msg", "pre-commit"):
        merge_world.hook(merge_world.main / ".git/hooks", name, "exit 1")
    merge_world.merge(ref, strategy="merge")
    assert merge_world.is_merged(ref)


def test_merge_command_prints_commit_and_strategy(merge_world: MergeWorld, cli: Cli) -> None:
    ref = merge_world.task()
    result = cli.ok("task", "merge", ref.id, "--json").json()
    assert (result["status"], result["strategy"], result["pushed"]) == ("done", "ff", True)
    assert result["commit"] == merge_world.tip()
    assert "release_workspace" in result["hooks_run"]
    other = merge_world.task("feat/milk", {"milk": "oat\n"})
    said = cli.ok("task", "merge", other.id, "--strategy", "squash").out
    what = f"merged as {merge_world.tip()[:10]}: 1 commit, 1 file, +1 −0 into main, pushed"
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


def test_good_end_of_any_name_is_merged_to_and_clears_what_waits_for_it(merge_world: MergeWorld, cli: Cli) -> None:
    (merge_world.root / "home" / "workflows").mkdir()
    (merge_world.root / "home" / "workflows" / "bakery.yml").write_text(BAKERY)
    ref = merge_world.task(workflow="bakery", status="tasting")
    given_up = merge_world.task("feat/mud", {}, workflow="bakery", status="tasting")
    for blocker, branch in ((ref, "next"), (given_up, "never")):
        words = ("task", "create", branch, "Next", "--project", "coffee", "--workflow", "bakery", "--no-spawn")
        cli.ok(*words, "--blocked-by", blocker.id)
    assert "merged as" in cli.ok("task", "merge", ref.id).out
    cli.ok("task", "cancel", given_up.id, "--yes")
    assert (merge_world.status(ref), merge_world.status(given_up)) == ("sold", "thrown")
    assert [event["commit"] for event in merge_world.events(ref, "task.merged")] == [merge_world.tip()]
    assert len(merge_world.events(given_up, "task.cancelled")) == 1
    assert [task["branch"] for task in cli.ok("task", "list", "--all", "--ready", "--json").json()] == ["next"]
    assert "already thrown" in cli.no("task", "cancel", given_up.id, "--yes")


def test_of_two_good_ends_the_one_whose_condition_holds_is_merged_to(merge_world: MergeWorld) -> None:
    (merge_world.root / "home" / "workflows").mkdir()
    ends = (
        "{from: tasting, to: eaten, when: 'review_round > 0'}\n  - {from: tasting, to: sold, when: 'review_round == 0'}"
    )
    text = BAKERY.replace("{from: tasting, to: sold}", ends).replace("sold: {", "eaten: {terminal: true}, sold: {")
    (merge_world.root / "home" / "workflows" / "bakery.yml").write_text(text)
    ref = merge_world.task(workflow="bakery", status="tasting")
    merge_world.merge(ref)
    assert merge_world.status(ref) == "sold"
    assert [event["commit"] for event in merge_world.events(ref, "task.merged")] == [merge_world.tip()]
