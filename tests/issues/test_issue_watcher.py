"""Issues under a supervisor: from issue to comment (that with the real `gh`), and what happens while GitHub is away."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unittest.mock import Mock

import pytest

from orange_tui.domain.workflow import Hook
from orange_tui.engine.hooks import HookRun
from orange_tui.issues import watcher
from orange_tui.issues.hooks import register_branch
from orange_tui.outside.forge import github as forge
from orange_tui.outside.forge.interface import ForgeUnavailable

if TYPE_CHECKING:
    from support.github.server import GitHub
    from support.issue_world import IssueWorld
    from support.live_home import LiveHome


@pytest.fixture(autouse=True)
def _restless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits a minute here."""
    monkeypatch.setattr(watcher, "ROUND_SECONDS", 0.2)
    monkeypatch.setattr(watcher, "MAX_BACKOFF_SECONDS", 0.8)


@pytest.mark.usefixtures("real_gh")
def test_supervisor_takes_an_issue_to_a_pushed_branch_a_comment_and_labels(
    issues: IssueWorld, live_home: LiveHome, github: GitHub
) -> None:
    """The whole way, by itself: issue, task, route, worktree, agent, push, comment."""
    good = github.open_issue("Brew tea", body="demo: good", labels=["agent:demo"])
    bad = github.open_issue("Brew coffee", body="demo: blocked")
    live_home.supervised(lambda: len(good.comments) == 1 and bad.labels == ["blocked"] and len(bad.comments) == 1)
    done, blocked = issues.task_of(good), issues.task_of(bad)
    assert (live_home.status(done), live_home.status(blocked)) == ("done", "blocked")
    assert live_home.task(done).number("lane") == 1
    branch = f"gh-task-{good.number}-brew-tea"
    assert good.branches == [branch]
    assert [event["branch"] for event in live_home.events(done, "branch.registered")] == [branch]
    assert live_home.git("log", "--format=%s", "-1", branch, at=live_home.remote) == "Brew tea"
    said = good.comments[0].body
    assert said.startswith("🍊 **done** · `demo`")
    assert f"[`{branch}`](https://github.com/o/r/tree/{branch})" in said
    assert "attempt 1" in said
    assert "No key for the coffee machine" in bad.comments[0].body
    assert good.labels == ["agent:demo"]
    assert len(issues.tasks()) == 2


def test_label_is_taken_off_when_the_task_is_no_longer_blocked(
    issues: IssueWorld, live_home: LiveHome, github: GitHub
) -> None:
    made = github.open_issue("Brew tea", body="demo: blocked")
    live_home.supervised(lambda: made.labels == ["blocked"])
    ref = issues.task_of(made)
    issues.orange.tasks.cancel(ref)
    live_home.supervised(lambda: made.labels == [])
    assert len(made.comments) == 1


def test_branch_is_registered_once_however_often_the_hook_runs(
    issues: IssueWorld, live_home: LiveHome, github: GitHub
) -> None:
    made = github.open_issue("Brew tea")
    issues.sync()
    ref = issues.task_of(made)
    with issues.orange.store.open(ref) as opened:
        for _ in range(2):
            register_branch(HookRun(issues.orange.engine, opened, Hook("register_branch", {}), "token"))
    assert made.branches == [live_home.task(ref).branch]
    assert len(live_home.events(ref, "branch.registered")) == 1
    assert issues.logged("not registered") == 0


def test_branch_that_cannot_be_registered_stops_nothing(
    issues: IssueWorld, live_home: LiveHome, github: GitHub
) -> None:
    made = github.open_issue("Brew tea", body="demo: good", branches=["gh-task-7-brew-tea"])
    live_home.supervised(lambda: len(made.comments) == 1)
    assert live_home.status(issues.task_of(made)) == "done"
    assert issues.logged("the branch was not registered") == 1
    assert not live_home.events(issues.task_of(made), "branch.registered")


def test_unavailable_github_is_logged_once_and_asked_less_often(
    issues: IssueWorld, live_home: LiveHome, github: GitHub
) -> None:
    github.trouble = "slow down"
    live_home.supervised(lambda: len(github.requests) > 4)
    assert issues.logged("The issues of coffee cannot be followed") == 1
    assert "rate limit" in str(issues.file.problem)
    github.trouble = None
    made = github.open_issue("Brew tea", body="demo: good")
    live_home.supervised(lambda: len(made.comments) == 1)
    assert issues.file.problem is None


def test_result_while_github_is_away_is_posted_when_it_is_back(
    issues: IssueWorld, live_home: LiveHome, github: GitHub
) -> None:
    """All under one supervisor, which has to remember it."""
    made = github.open_issue("Brew tea", body="demo: good")
    stages = iter(
        (
            (lambda: len(issues.tasks()) == 1, github.go_offline),
            (
                lambda: live_home.rests(issues.tasks()[0], "done") and issues.logged("cannot be reached") > 0,
                github.come_back,
            ),
            (lambda: len(made.comments) == 1, list),
        )
    )
    stage = [next(stages)]

    def is_over() -> bool:
        while stage and stage[0][0]():
            stage.pop()[1]()
            stage.extend(each for each in [next(stages, None)] if each is not None)
        return not stage

    live_home.supervised(is_over)
    assert len(made.comments) == 1


def test_failed_post_is_repeated_in_the_next_round(
    issues: IssueWorld, live_home: LiveHome, github: GitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = github.open_issue("Brew tea", body="demo: good")
    answers = Mock(side_effect=[*[ForgeUnavailable("GitHub hiccups")] * 3, *[True] * 9])
    real = forge.GitHub.read_thread
    monkeypatch.setattr(forge.GitHub, "read_thread", lambda *words: answers() and real(*words))
    live_home.supervised(lambda: len(made.comments) == 1)
    assert issues.logged("GitHub hiccups") >= 1


def test_supervisor_asks_nothing_for_a_project_without_issues(
    issues: IssueWorld, live_home: LiveHome, github: GitHub
) -> None:
    issues.settings(issues=False)
    github.open_issue("Brew tea")
    ref = live_home.create("feat/tea", workflow="autopilot", harness=None)
    live_home.supervised(lambda: live_home.rests(ref, "done"))
    assert not github.requests
