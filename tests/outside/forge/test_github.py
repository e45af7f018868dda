"""Pull requests with the real `gh`: what it makes of our words, and what we make of its answers."""

from __future__ import annotations

import os
from contextlib import nullcontext
from typing import TYPE_CHECKING

import pytest

from orange_tui.delivery import pr_status
from orange_tui.delivery.pull_requests import read_pull_request
from orange_tui.outside.forge.interface import ForgeUnavailable
from orange_tui.outside.forge.registry import FORGES, find_issue

if TYPE_CHECKING:
    from pathlib import Path

    from support.driver import Cli
    from support.github.server import GitHub
    from support.merge_world import MergeWorld

DEEP = "[" * 100_000 + "]" * 100_000


@pytest.fixture(autouse=True)
def _on_github(merge_world: MergeWorld, github: GitHub) -> None:
    github.adopt(merge_world.main)


def test_pull_request_is_opened_against_the_default_branch_with_title_and_text(
    merge_world: MergeWorld, github: GitHub, cli: Cli
) -> None:
    merge_world.write(merge_world.main, {".github/pull_request_template.md": "- [ ] tasted\n"})
    ref = merge_world.task(summary="-Offer tea", context="For the cold days")
    url = cli.ok("task", "create-pr", ref.id, "--json").json()["pr_url"]
    (made,) = github.pull_requests.values()
    assert url == github.url(made.number)
    assert (made.head, made.base, made.title) == ("feat/tea", "main", "-Offer tea")
    assert made.body == "-Offer tea\n\nFor the cold days\n\n- [ ] tasted"
    assert merge_world.there("feat/tea") == merge_world.tip("feat/tea")
    assert merge_world.stored(ref).task.pr_url == url


def test_pull_request_is_opened_beside_uncommitted_changes(merge_world: MergeWorld, github: GitHub, cli: Cli) -> None:
    """Then a warning of gh stands beside the address."""
    ref = merge_world.task()
    (merge_world.main / "menu").write_text("only water\n")
    cli.ok("task", "create-pr", ref.id)
    assert merge_world.stored(ref).task.pr_url == github.url(7)


def test_open_pull_request_is_adopted_and_a_closed_or_forked_one_is_not(
    merge_world: MergeWorld, github: GitHub, cli: Cli
) -> None:
    ref = merge_world.task()
    github.open_pull_request("feat/tea", state="CLOSED")
    github.open_pull_request("feat/tea", from_fork=True)
    mine = github.open_pull_request("feat/tea")
    cli.ok("task", "create-pr", ref.id)
    assert merge_world.stored(ref).task.pr_url == github.url(mine.number)
    assert len(github.pull_requests) == 3


def test_rejected_login_refuses_a_pull_request_before_anything_is_pushed(
    merge_world: MergeWorld, github: GitHub, cli: Cli
) -> None:
    ref = merge_world.task()
    github.trouble = "unauthorized"
    assert "gh auth login" in cli.no("task", "create-pr", ref.id)
    assert merge_world.there("feat/tea") is None


def test_unreachable_github_refuses_a_pull_request_before_anything_is_pushed(
    merge_world: MergeWorld, github: GitHub, cli: Cli
) -> None:
    ref = merge_world.task()
    github.go_offline()
    assert "GitHub cannot be reached" in cli.no("task", "create-pr", ref.id)
    assert merge_world.there("feat/tea") is None
    github.come_back()
    cli.ok("task", "create-pr", ref.id)


def test_missing_login_is_explained_without_asking_github(
    merge_world: MergeWorld, github: GitHub, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = merge_world.task()
    for name in [name for name in os.environ if name.startswith("GH_")]:
        monkeypatch.delenv(name)
    assert "gh is not logged in to GitHub; run `gh auth login`" in cli.no("task", "create-pr", ref.id)
    assert merge_world.there("feat/tea") is None
    assert github.requests == []


def test_merge_follows_the_state_of_the_pull_request(merge_world: MergeWorld, github: GitHub, cli: Cli) -> None:
    ref = merge_world.task()
    cli.ok("task", "create-pr", ref.id)
    (made,) = github.pull_requests.values()
    assert "has an open pull request; merge it there" in merge_world.refused(ref)
    made.state = "CLOSED"
    assert "was closed without a merge" in merge_world.refused(ref)
    made.head_commit = merge_world.tip("feat/tea")
    github.merge(made.number, merge_world.elsewhere({"tea": "green\n"}))
    merge_world.merge(ref)
    assert (merge_world.status(ref), merge_world.there("feat/tea")) == ("done", None)


def test_task_show_prints_the_status_of_the_pull_request(merge_world: MergeWorld, github: GitHub, cli: Cli) -> None:
    ref = merge_world.task()
    cli.ok("task", "create-pr", ref.id)
    assert "pull_request  not asked yet" in cli.ok("task", "show", ref.id).out
    github.pull_requests[7].checks = "FAILURE"
    pr_status.refresh(merge_world.orange.tasks, ref)
    assert "pull_request  open · checks failed" in cli.ok("task", "show", ref.id).out


def test_unavailable_github_says_how_many_seconds_to_wait(github: GitHub) -> None:
    github.trouble, github.retry_after = "slow down", 120
    with pytest.raises(ForgeUnavailable, match="rate limit") as refused:
        read_pull_request(github.url(7))
    assert refused.value.retry_after == 120.0


@pytest.mark.parametrize(
    "garbage", [DEEP, f'{{"data": {DEEP}}}', "<html>" * 1000, ""], ids=["deep", "data", "html", "none"]
)
def test_garbage_instead_of_an_answer_refuses_with_a_sentence(
    github: GitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, garbage: str
) -> None:
    """What a proxy makes of it, for instance; whoever polls would end with any other error, for all tasks."""
    (tmp_path / "garbage").write_text(f"HTTP/2.0 200 OK\r\nServer: x\r\n\r\n{garbage}")
    (tmp_path / "gh").write_text(f"#!/bin/sh\nexec cat '{tmp_path}/garbage'\n")
    (tmp_path / "gh").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    with pytest.raises(ForgeUnavailable, match="gh gave an answer that is not JSON") as refused:
        read_pull_request(github.url(7))
    assert len(str(refused.value)) < 100
    with pytest.raises(ForgeUnavailable):
        FORGES[-1].repository_of(str(tmp_path))
    issue = find_issue(github.url(7, "issues"))
    assert issue is not None
    with pytest.raises(ForgeUnavailable) if garbage else nullcontext():
        FORGES[-1].post_comment(issue[1], "hello")
