"""Merging a task that has a pull request, and opening one: what GitHub's `gh` says decides, or says what is missing."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from orange_tui.branches.task_diff import TaskDiffs
from orange_tui.delivery import pr_status
from support.driver import put

if TYPE_CHECKING:
    from orange_tui.store.store import TaskRef
    from support.driver import Cli
    from support.merge_world import MergeWorld


URL = "https://github.com/o/r/pull/7"


@pytest.fixture(autouse=True)
def _without_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GH_HOST", "GH_REPO"):
        monkeypatch.delenv(name, raising=False)


def with_pull_request(merge_world: MergeWorld, status: str = "reviewing") -> TaskRef:
    ref = merge_world.forced_into(status)
    with merge_world.orange.store.open(ref) as opened:
        put(opened, "task.updated", {"pr_url": URL})
    return ref


def gh(merge_world: MergeWorld, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """A `gh` of our own; what it was told is in `told`."""
    merge_world.hook(merge_world.root / "bin", "gh", f'echo "$*" >>"$(dirname "$0")/told"\n{text}')
    monkeypatch.setenv("PATH", str(merge_world.root / "bin"), prepend=":")


def says(merge_world: MergeWorld, monkeypatch: pytest.MonkeyPatch, state: str, commit: str | None = None) -> None:
    merged = {"oid": commit} if commit else None
    found = {"url": URL, "state": state, "mergeCommit": merged, "headRefOid": merge_world.tip("feat/tea")}
    answer = json.dumps({"data": {"p0": {"pullRequest": found}}})
    gh(merge_world, monkeypatch, f"cat <<'END'\nHTTP/2.0 200 OK\n\n{answer}\nEND")


def without_gh(merge_world: MergeWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = merge_world.root / "few"
    programs.mkdir()
    for name in ("git", "tmux"):
        (programs / name).symlink_to(shutil.which(name) or "")
    monkeypatch.setenv("PATH", str(programs))


def test_open_pull_request_refuses_a_merge_unless_local(
    merge_world: MergeWorld, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    ref = with_pull_request(merge_world)
    says(merge_world, monkeypatch, "OPEN")
    why = merge_world.refused(ref)
    assert why == (
        f"{ref.id} has an open pull request; merge it there: {URL}."
        f" `orange task merge {ref.id} --local` merges it here anyway"
    )
    cli.ok("task", "merge", ref.id, "--local")
    assert merge_world.is_merged(ref)


def test_closed_pull_request_refuses_a_merge(merge_world: MergeWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    ref = with_pull_request(merge_world)
    says(merge_world, monkeypatch, "CLOSED")
    assert "closed without a merge" in merge_world.refused(ref)


@pytest.mark.parametrize("status", ["reviewing", "working"])
def test_merged_pull_request_is_not_merged_again_and_its_task_is_finished(
    merge_world: MergeWorld, monkeypatch: pytest.MonkeyPatch, status: str
) -> None:
    """Squashed on GitHub; nobody is asked whether it was reviewed, since it is in."""
    ref = with_pull_request(merge_world, status)
    merge_world.git("push", "-q", "origin", "feat/tea")
    theirs = merge_world.elsewhere({"tea": "green\n"})
    says(merge_world, monkeypatch, "MERGED", theirs)
    before = merge_world.tip()
    merged = merge_world.merge(ref)
    assert (merged.commit, merged.pushed) == (theirs, False)
    assert (merge_world.tip(), merge_world.there()) == (before, theirs)
    assert (merge_world.status(ref), merge_world.attention(ref)) == ("done", None)
    assert merge_world.events(ref, "task.merged")[0]["commit"] == theirs
    assert merge_world.there("feat/tea") is None


def test_without_gh_a_task_with_a_pull_request_merges_only_locally(
    merge_world: MergeWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = with_pull_request(merge_world)
    without_gh(merge_world, monkeypatch)
    why = merge_world.refused(ref)
    assert "gh is not installed" in why
    assert "--local" in why
    merge_world.merge(ref, local=True)
    assert merge_world.is_merged(ref)


@pytest.mark.skipif(shutil.which("gh") is None, reason="gh is not installed")
def test_gh_without_a_login_refuses_merge_and_pull_request_before_any_push(merge_world: MergeWorld, cli: Cli) -> None:
    ref = with_pull_request(merge_world)
    assert "gh is not logged in to GitHub; run `gh auth login`" in merge_world.refused(ref)
    other = merge_world.task("feat/milk", {"milk": "oat\n"})
    assert "gh is not logged in" in cli.no("task", "create-pr", other.id)
    assert merge_world.there("feat/milk") is None  # asked before anything was pushed


@pytest.mark.skipif(shutil.which("gh") is None, reason="gh is not installed")
def test_remote_that_is_not_on_github_gets_no_pull_request(
    merge_world: MergeWorld, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = merge_world.task()
    monkeypatch.setenv("GH_TOKEN", "anything")
    assert "origin is not on GitHub" in cli.no("task", "create-pr", ref.id)


def test_pull_request_without_gh_or_remote_is_refused_with_the_way_out(
    merge_world: MergeWorld, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = merge_world.task()
    with monkeypatch.context() as changed:
        without_gh(merge_world, changed)
        assert "gh is not installed" in cli.no("task", "create-pr", ref.id)
    merge_world.git("remote", "remove", "origin")
    said = cli.no("task", "create-pr", ref.id)
    assert said == f"coffee has no remote origin; `git -C {merge_world.main} remote add origin …` adds one"
    assert merge_world.there("feat/tea") is None


def test_pull_request_has_summary_context_and_template_and_is_opened_once(
    merge_world: MergeWorld, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    merge_world.write(merge_world.main, {".github/pull_request_template.md": "- [ ] tasted\n"})
    ref = merge_world.task(summary="-Offer tea", context="For the cold days")
    text = f'case "$2" in list) echo "[]";; create) cat >"$(dirname "$0")/text"; echo {URL};; esac'
    gh(merge_world, monkeypatch, text)
    assert cli.ok("task", "create-pr", ref.id, "--json").json()["pr_url"] == URL
    assert merge_world.stored(ref).task.pr_url == URL
    assert merge_world.there("feat/tea") == merge_world.tip("feat/tea")
    assert (merge_world.root / "bin/text").read_text() == "-Offer tea\n\nFor the cold days\n\n- [ ] tasted"
    assert "--base main --head feat/tea --title -Offer tea" in (merge_world.root / "bin/told").read_text()
    assert cli.ok("task", "create-pr", ref.id).out == f"{ref.id}  {URL}\n"
    assert (merge_world.root / "bin/told").read_text().count("pr create") == 1


def test_what_is_not_in_the_pull_request_yet_is_told_and_pushed_and_nothing_is_overwritten(
    merge_world: MergeWorld, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = with_pull_request(merge_world)
    merge_world.git("push", "-q", "origin", "feat/tea")
    merge_world.git("fetch", "-q", "origin")
    says(merge_world, monkeypatch, "OPEN")
    assert pr_status.refresh(merge_world.orange.tasks, ref) == "Pull request #7: open"
    at = merge_world.branches
    merge_world.git("switch", "-q", "feat/tea", at=at)
    for name in ("cup", "pot"):
        merge_world.write(at, {name: "1\n"})
    assert pr_status.refresh(merge_world.orange.tasks, ref) == "Pull request #7: open · 2 commits not pushed"
    status = pr_status.read_status(merge_world.orange.store.state_directory(ref), URL)
    assert status.unpushed_sentence() == "2 commits are not in pull request #7 yet: p pushes"
    refused = cli.no("task", "merge", ref.id)
    assert f"`orange task create-pr {ref.id}` pushes what is not in it yet, then merge it there" in refused
    assert cli.ok("task", "create-pr", ref.id).out == f"{ref.id}  {URL}\n"
    assert merge_world.there("feat/tea") == merge_world.tip("feat/tea")
    assert pr_status.read_status(merge_world.orange.store.state_directory(ref), URL).unpushed_sentence() is None

    merge_world.git("commit", "-q", "--amend", "-m", "rewritten", at=at)
    there = merge_world.there("feat/tea")
    assert "the push was rejected" in cli.no("task", "create-pr", ref.id)
    assert merge_world.there("feat/tea") == there


def test_open_pull_request_of_the_branch_is_adopted(
    merge_world: MergeWorld, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = merge_world.task()
    others = [{"url": "https://github.com/o/r/pull/6", "isCrossRepository": True}]
    known = json.dumps([*others, {"url": URL, "isCrossRepository": False}])
    gh(merge_world, monkeypatch, f"cat <<'END'\n{known}\nEND")
    cli.ok("task", "create-pr", ref.id)
    assert merge_world.stored(ref).task.pr_url == URL
    assert "pr create" not in (merge_world.root / "bin/told").read_text()


def test_pull_request_that_somebody_opened_meanwhile_is_adopted(
    merge_world: MergeWorld, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = merge_world.task()
    there = f'printf "a pull request for branch feat/tea already exists:\\n{URL}\\n" >&2; exit 1'
    gh(merge_world, monkeypatch, f'case "$2" in list) echo "[]";; create) {there};; esac')
    cli.ok("task", "create-pr", ref.id)
    assert merge_world.stored(ref).task.pr_url == URL


@pytest.mark.parametrize(
    ("words", "meaning"),
    [
        ("error connecting to api.github.com", "GitHub cannot be reached"),
        ("API rate limit exceeded for user", "rate limit"),
        ("GraphQL: Could not resolve to a PullRequest with the number of 7.", "pull request is no longer on GitHub"),
        ("GraphQL: Could not resolve to a Repository with the name 'o/r'.", "repository is no longer on GitHub"),
        ("something new", "gh says: something new"),
    ],
)
def test_failure_of_gh_is_explained_in_a_sentence(
    merge_world: MergeWorld, monkeypatch: pytest.MonkeyPatch, words: str, meaning: str
) -> None:
    ref = with_pull_request(merge_world)
    gh(merge_world, monkeypatch, f'echo "{words}" >&2; exit 1')
    assert meaning in merge_world.refused(ref)


def test_finished_task_gets_no_pull_request(merge_world: MergeWorld, cli: Cli) -> None:
    ref = merge_world.task()
    merge_world.merge(ref)
    assert "done; there is nothing to open a pull request for" in cli.no("task", "create-pr", ref.id)


def test_diff_and_lines_of_a_pull_request_that_was_merged_there_stay(
    merge_world: MergeWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = with_pull_request(merge_world)
    merge_world.git("switch", "-q", "--detach", "origin/main", at=merge_world.branches)
    merge_world.git("merge", "-q", "--squash", "feat/tea", at=merge_world.branches)
    merge_world.git("commit", "-q", "-m", "Offer tea (#7)", at=merge_world.branches)
    squashed = merge_world.git("rev-parse", "HEAD", at=merge_world.branches)
    merge_world.git("push", "-q", "origin", "HEAD:main", at=merge_world.branches)
    says(merge_world, monkeypatch, "MERGED", squashed)
    merge_world.merge(ref)
    merge_world.git("branch", "-q", "-D", "feat/tea")
    (made,) = merge_world.events(ref, "task.merged")
    assert (made["commits"], made["added"], made["removed"]) == (1, 1, 0)
    diffs = TaskDiffs(merge_world.orange.projects, merge_world.orange.store, merge_world.orange.pool)
    assert "+green" in diffs.read(ref, merge_world.stored(ref).task, finished=True)
