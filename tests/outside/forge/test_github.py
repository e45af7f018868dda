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
    from support.merge_world import House

DEEP = "[" * 100_000 + "]" * 100_000


@pytest.fixture(autouse=True)
def _on_github(house: House, github: GitHub) -> None:
    github.adopt(house.main)


def test_pull_request_is_opened_against_the_default_branch_with_title_and_text(
    house: House, github: GitHub, cli: Cli
) -> None:
    house.write(house.main, {".github/pull_request_template.md": "- [ ] tasted\n"})
    ref = house.task(summary="-Offer tea", context="For the cold days")
    url = cli.ok("task", "create-pr", ref.id, "--json").json()["pr_url"]
    (made,) = github.pull_requests.values()
    assert url == github.url(made.number)
    assert (made.head, made.base, made.title) == ("feat/tea", "main", "-Offer tea")
    assert made.body == "-Offer tea\n\nFor the cold days\n\n- [ ] tasted"
    assert house.there("feat/tea") == house.tip("feat/tea")
    assert house.stored(ref).task.pr_url == url


def test_pull_request_is_opened_beside_uncommitted_changes(house: House, github: GitHub, cli: Cli) -> None:
    """Then a warning of gh stands beside the address."""
    ref = house.task()
    (house.main / "menu").write_text("only water\n")
    cli.ok("task", "create-pr", ref.id)
    assert house.stored(ref).task.pr_url == github.url(7)


def test_open_pull_request_is_adopted_and_a_closed_or_forked_one_is_not(house: House, github: GitHub, cli: Cli) -> None:
    ref = house.task()
    github.open_pull_request("feat/tea", state="CLOSED")
    github.open_pull_request("feat/tea", from_fork=True)
    mine = github.open_pull_request("feat/tea")
    cli.ok("task", "create-pr", ref.id)
    assert house.stored(ref).task.pr_url == github.url(mine.number)
    assert len(github.pull_requests) == 3


def test_rejected_login_refuses_a_pull_request_before_anything_is_pushed(
    house: House, github: GitHub, cli: Cli
) -> None:
    ref = house.task()
    github.trouble = "unauthorized"
    assert "gh auth login" in cli.no("task", "create-pr", ref.id)
    assert house.there("feat/tea") is None


def test_unreachable_github_refuses_a_pull_request_before_anything_is_pushed(
    house: House, github: GitHub, cli: Cli
) -> None:
    ref = house.task()
    github.go_offline()
    assert "GitHub cannot be reached" in cli.no("task", "create-pr", ref.id)
    assert house.there("feat/tea") is None
    github.come_back()
    cli.ok("task", "create-pr", ref.id)


def test_missing_login_is_explained_without_asking_github(
    house: House, github: GitHub, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = house.task()
    for name in [name for name in os.environ if name.startswith("GH_")]:
        monkeypatch.delenv(name)
    assert "gh is not logged in to GitHub; run `gh auth login`" in cli.no("task", "create-pr", ref.id)
    assert house.there("feat/tea") is None
    assert github.requests == []


def test_merge_follows_the_state_of_the_pull_request(house: House, github: GitHub, cli: Cli) -> None:
    ref = house.task()
    cli.ok("task", "create-pr", ref.id)
    (made,) = github.pull_requests.values()
    assert "has an open pull request; merge it there" in house.refused(ref)
    made.state = "CLOSED"
    assert "was closed without a merge" in house.refused(ref)
    made.head_commit = house.tip("feat/tea")
    github.merge(made.number, house.elsewhere({"tea": "green\n"}))
    house.merge(ref)
    assert (house.status(ref), house.there("feat/tea")) == ("done", None)


def test_task_show_prints_the_status_of_the_pull_request(house: House, github: GitHub, cli: Cli) -> None:
    ref = house.task()
    cli.ok("task", "create-pr", ref.id)
    assert "pull_request  not asked yet" in cli.ok("task", "show", ref.id).out
    github.pull_requests[7].checks = "FAILURE"
    pr_status.refresh(house.orange.tasks, ref)
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
