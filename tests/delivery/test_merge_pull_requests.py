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
    from support.merge_world import House


URL = "https://github.com/o/r/pull/7"


@pytest.fixture(autouse=True)
def _without_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GH_HOST", "GH_REPO"):
        monkeypatch.delenv(name, raising=False)


def with_pull_request(house: House, status: str = "reviewing") -> TaskRef:
    ref = house.forced_into(status)
    with house.orange.store.open(ref) as opened:
        put(opened, "task.updated", {"pr_url": URL})
    return ref


def gh(house: House, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """A `gh` of our own; what it was told is in `told`."""
    house.hook(house.root / "bin", "gh", f'echo "$*" >>"$(dirname "$0")/told"\n{text}')
    monkeypatch.setenv("PATH", str(house.root / "bin"), prepend=":")


def says(house: House, monkeypatch: pytest.MonkeyPatch, state: str, commit: str | None = None) -> None:
    merged = {"oid": commit} if commit else None
    found = {"url": URL, "state": state, "mergeCommit": merged, "headRefOid": house.tip("feat/tea")}
    answer = json.dumps({"data": {"p0": {"pullRequest": found}}})
    gh(house, monkeypatch, f"cat <<'END'\nHTTP/2.0 200 OK\n\n{answer}\nEND")


def without_gh(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = house.root / "few"
    programs.mkdir()
    for name in ("git", "tmux"):
        (programs / name).symlink_to(shutil.which(name) or "")
    monkeypatch.setenv("PATH", str(programs))


def test_open_pull_request_refuses_a_merge_unless_local(
    house: House, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    ref = with_pull_request(house)
    says(house, monkeypatch, "OPEN")
    why = house.refused(ref)
    assert why == (
        f"{ref.id} has an open pull request; merge it there: {URL}."
        f" `orange task merge {ref.id} --local` merges it here anyway"
    )
    cli.ok("task", "merge", ref.id, "--local")
    assert house.is_merged(ref)


def test_closed_pull_request_refuses_a_merge(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    ref = with_pull_request(house)
    says(house, monkeypatch, "CLOSED")
    assert "closed without a merge" in house.refused(ref)


@pytest.mark.parametrize("status", ["reviewing", "working"])
def test_merged_pull_request_is_not_merged_again_and_its_task_is_finished(
    house: House, monkeypatch: pytest.MonkeyPatch, status: str
) -> None:
    """Squashed on GitHub; nobody is asked whether it was reviewed, since it is in."""
    ref = with_pull_request(house, status)
    house.git("push", "-q", "origin", "feat/tea")
    theirs = house.elsewhere({"tea": "green\n"})
    says(house, monkeypatch, "MERGED", theirs)
    before = house.tip()
    merged = house.merge(ref)
    assert (merged.commit, merged.pushed) == (theirs, False)
    assert (house.tip(), house.there()) == (before, theirs)
    assert (house.status(ref), house.attention(ref)) == ("done", None)
    assert house.events(ref, "task.merged")[0]["commit"] == theirs
    assert house.there("feat/tea") is None


def test_without_gh_a_task_with_a_pull_request_merges_only_locally(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = with_pull_request(house)
    without_gh(house, monkeypatch)
    why = house.refused(ref)
    assert "gh is not installed" in why
    assert "--local" in why
    house.merge(ref, local=True)
    assert house.is_merged(ref)


@pytest.mark.skipif(shutil.which("gh") is None, reason="gh is not installed")
def test_gh_without_a_login_refuses_merge_and_pull_request_before_any_push(house: House, cli: Cli) -> None:
    ref = with_pull_request(house)
    assert "gh is not logged in to GitHub; run `gh auth login`" in house.refused(ref)
    other = house.task("feat/milk", {"milk": "oat\n"})
    assert "gh is not logged in" in cli.no("task", "create-pr", other.id)
    assert house.there("feat/milk") is None  # asked before anything was pushed


@pytest.mark.skipif(shutil.which("gh") is None, reason="gh is not installed")
def test_remote_that_is_not_on_github_gets_no_pull_request(
    house: House, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = house.task()
    monkeypatch.setenv("GH_TOKEN", "anything")
    assert "origin is not on GitHub" in cli.no("task", "create-pr", ref.id)


def test_pull_request_without_gh_or_remote_is_refused_with_the_way_out(
    house: House, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = house.task()
    with monkeypatch.context() as changed:
        without_gh(house, changed)
        assert "gh is not installed" in cli.no("task", "create-pr", ref.id)
    house.git("remote", "remove", "origin")
    said = cli.no("task", "create-pr", ref.id)
    assert said == f"coffee has no remote origin; `git -C {house.main} remote add origin …` adds one"
    assert house.there("feat/tea") is None


def test_pull_request_has_summary_context_and_template_and_is_opened_once(
    house: House, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.write(house.main, {".github/pull_request_template.md": "- [ ] tasted\n"})
    ref = house.task(summary="-Offer tea", context="For the cold days")
    text = f'case "$2" in list) echo "[]";; create) cat >"$(dirname "$0")/text"; echo {URL};; esac'
    gh(house, monkeypatch, text)
    assert cli.ok("task", "create-pr", ref.id, "--json").json()["pr_url"] == URL
    assert house.stored(ref).task.pr_url == URL
    assert house.there("feat/tea") == house.tip("feat/tea")
    assert (house.root / "bin/text").read_text() == "-Offer tea\n\nFor the cold days\n\n- [ ] tasted"
    assert "--base main --head feat/tea --title -Offer tea" in (house.root / "bin/told").read_text()
    assert cli.ok("task", "create-pr", ref.id).out == f"{ref.id}  {URL}\n"
    assert (house.root / "bin/told").read_text().count("pr create") == 1


def test_what_is_not_in_the_pull_request_yet_is_told_and_pushed_and_nothing_is_overwritten(
    house: House, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = with_pull_request(house)
    house.git("push", "-q", "origin", "feat/tea")
    house.git("fetch", "-q", "origin")
    says(house, monkeypatch, "OPEN")
    assert pr_status.refresh(house.orange.tasks, ref) == "Pull request #7: open"
    at = house.desk
    house.git("switch", "-q", "feat/tea", at=at)
    for name in ("cup", "pot"):
        house.write(at, {name: "1\n"})
    assert pr_status.refresh(house.orange.tasks, ref) == "Pull request #7: open · 2 commits not pushed"
    status = pr_status.read_status(house.orange.store.state_directory(ref), URL)
    assert status.unpushed_sentence() == "2 commits are not in pull request #7 yet: p pushes"
    refused = cli.no("task", "merge", ref.id)
    assert f"`orange task create-pr {ref.id}` pushes what is not in it yet, then merge it there" in refused
    assert cli.ok("task", "create-pr", ref.id).out == f"{ref.id}  {URL}\n"
    assert house.there("feat/tea") == house.tip("feat/tea")
    assert pr_status.read_status(house.orange.store.state_directory(ref), URL).unpushed_sentence() is None

    house.git("commit", "-q", "--amend", "-m", "rewritten", at=at)
    there = house.there("feat/tea")
    assert "the push was rejected" in cli.no("task", "create-pr", ref.id)
    assert house.there("feat/tea") == there


def test_open_pull_request_of_the_branch_is_adopted(house: House, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    ref = house.task()
    others = [{"url": "https://github.com/o/r/pull/6", "isCrossRepository": True}]
    known = json.dumps([*others, {"url": URL, "isCrossRepository": False}])
    gh(house, monkeypatch, f"cat <<'END'\n{known}\nEND")
    cli.ok("task", "create-pr", ref.id)
    assert house.stored(ref).task.pr_url == URL
    assert "pr create" not in (house.root / "bin/told").read_text()


def test_pull_request_that_somebody_opened_meanwhile_is_adopted(
    house: House, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = house.task()
    there = f'printf "a pull request for branch feat/tea already exists:\\n{URL}\\n" >&2; exit 1'
    gh(house, monkeypatch, f'case "$2" in list) echo "[]";; create) {there};; esac')
    cli.ok("task", "create-pr", ref.id)
    assert house.stored(ref).task.pr_url == URL


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
    house: House, monkeypatch: pytest.MonkeyPatch, words: str, meaning: str
) -> None:
    ref = with_pull_request(house)
    gh(house, monkeypatch, f'echo "{words}" >&2; exit 1')
    assert meaning in house.refused(ref)


def test_finished_task_gets_no_pull_request(house: House, cli: Cli) -> None:
    ref = house.task()
    house.merge(ref)
    assert "done; there is nothing to open a pull request for" in cli.no("task", "create-pr", ref.id)


def test_diff_and_lines_of_a_pull_request_that_was_merged_there_stay(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = with_pull_request(house)
    house.git("switch", "-q", "--detach", "origin/main", at=house.desk)
    house.git("merge", "-q", "--squash", "feat/tea", at=house.desk)
    house.git("commit", "-q", "-m", "Offer tea (#7)", at=house.desk)
    squashed = house.git("rev-parse", "HEAD", at=house.desk)
    house.git("push", "-q", "origin", "HEAD:main", at=house.desk)
    says(house, monkeypatch, "MERGED", squashed)
    house.merge(ref)
    house.git("branch", "-q", "-D", "feat/tea")
    (made,) = house.events(ref, "task.merged")
    assert (made["commits"], made["added"], made["removed"]) == (1, 1, 0)
    diffs = TaskDiffs(house.orange.projects, house.orange.store, house.orange.pool)
    assert "+green" in diffs.read(ref, house.stored(ref).task, finished=True)
