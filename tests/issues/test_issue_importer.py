"""Issues on GitHub become tasks: whose, how, once, and what happens to them afterwards."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from orange_tui.domain.text.sections import find_section
from orange_tui.issues.sync import ProjectSync
from support.driver import refusal

if TYPE_CHECKING:
    from support.driver import Cli
    from support.github.server import GitHub
    from support.issue_world import IssueWorld
    from support.live_home import LiveHome


def test_own_issue_becomes_a_task(issues: IssueWorld, live_home: LiveHome, github: GitHub) -> None:
    made = github.open_issue("Brew \u202etea", body="Hot.\n\n## Plan\n\nnone", labels=["bug", "priority:1"])
    assert issues.sync() == ["created"]
    task = live_home.task(issues.task_of(made))
    assert (task.summary, task.status, task.workflow) == ("Brew tea", "new", "autopilot")
    assert (task.branch, task.labels) == (f"gh-task-{made.number}-brew-tea", ("bug", "priority:1"))
    assert task.extra["issue_url"] == github.url(made.number, "issues")
    body = issues.orange.store.read(issues.task_of(made)).body  # type: ignore[union-attr]
    context = find_section(body, "Context")
    assert context is not None
    assert "Hot." in context.text
    assert find_section(body, "Plan") is None


def test_project_without_issues_is_refused_and_github_not_asked(issues: IssueWorld, github: GitHub) -> None:
    github.open_issue("Brew tea")
    issues.settings(issues=False)
    assert "--issues on" in refusal(issues.sync)
    assert not github.requests


def test_issues_of_others_become_tasks_only_when_their_author_is_named(
    issues: IssueWorld, live_home: LiveHome, github: GitHub
) -> None:
    mine, hers, his = (github.open_issue(f"By {name}", author=name) for name in ("tester", "ana", "bob"))
    issues.sync()
    assert [live_home.task(ref).summary for ref in issues.tasks()] == ["By tester"]
    issues.settings(issue_authors=["Ana"])
    issues.sync()
    assert issues.task_of(hers)
    assert len(issues.tasks()) == 2
    issues.settings(issue_authors=["@me", "bob"], issue_labels=["orange"])
    issues.sync()
    assert len(issues.tasks()) == 2
    github.edit_issue(his.number, labels=["Orange"])
    issues.sync()
    assert issues.task_of(his)
    assert issues.task_of(mine)


def test_pull_request_does_not_become_a_task(issues: IssueWorld, github: GitHub) -> None:
    github.open_pull_request("feat/tea", title="Tea")
    assert issues.sync() == []
    assert issues.tasks() == []


def test_labels_set_agent_model_effort_and_workflow(issues: IssueWorld, live_home: LiveHome, github: GitHub) -> None:
    labels = ["agent:demo", "model:strong-1", "effort:high", "workflow:solo"]
    made = github.open_issue("Brew tea", labels=labels)
    issues.sync()
    task = live_home.task(issues.task_of(made))
    assert (task.harness, task.model, task.effort, task.workflow) == ("demo", "strong-1", "high", "solo")
    assert task.labels == tuple(labels)
    assert task.tmux_session is None  # a workflow that does not start by itself waits for a person


def test_labels_with_unknown_values_set_nothing(issues: IssueWorld, live_home: LiveHome, github: GitHub) -> None:
    made = github.open_issue("Brew", labels=["agent:nobody", "model:--evil", "effort:$(x)", "workflow:../../x"])
    assert issues.sync() == ["created"]
    task = live_home.task(issues.task_of(made))
    assert (task.harness, task.model, task.effort, task.workflow) == (None, None, None, "autopilot")


def test_issues_on_several_pages_all_become_tasks(
    issues: IssueWorld, github: GitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("orange_tui.outside.forge._github_issues.PAGE_SIZE", 2)
    for number in range(5):
        github.open_issue(f"Cup {number}")
    assert issues.sync() == ["created"] * 5


def test_issue_makes_no_second_task_after_cancel_delete_or_a_lost_file(
    issues: IssueWorld, live_home: LiveHome, github: GitHub
) -> None:
    made = github.open_issue("Brew tea")
    issues.sync()
    os.unlink(issues.file.path)
    assert issues.sync() == []  # found by its address
    ref = issues.task_of(made)
    issues.orange.tasks.cancel(ref)
    assert issues.sync() == []
    issues.orange.tasks.delete(ref)
    assert issues.sync() == []
    assert issues.tasks() == []


def test_renamed_repository_makes_no_second_task(issues: IssueWorld, live_home: LiveHome, github: GitHub) -> None:
    github.open_issue("Brew tea")
    issues.sync()
    github.rename("o", "renamed")
    assert issues.sync() == []
    assert len(issues.tasks()) == 1


def test_task_that_has_not_started_follows_its_issue(issues: IssueWorld, live_home: LiveHome, github: GitHub) -> None:
    made = github.open_issue("Brew tea", labels=["bug"])
    issues.sync()
    github.edit_issue(made.number, title="Brew green tea", labels=["bug", "model:fine"], body="Not too hot")
    assert issues.sync() == ["updated"]
    task = live_home.task(issues.task_of(made))
    assert (task.summary, task.labels, task.model) == ("Brew green tea", ("bug", "model:fine"), "fine")
    assert "Not too hot" in issues.orange.store.read(issues.task_of(made)).body  # type: ignore[union-attr]
    assert issues.sync() == []


def test_summary_that_a_person_changed_stays_until_the_issue_changes(
    issues: IssueWorld, live_home: LiveHome, github: GitHub
) -> None:
    made = github.open_issue("Brew tea")
    issues.sync()
    ref = issues.task_of(made)
    issues.orange.tasks.update(ref, summary="Brew mate")
    github.edit_issue(made.number, labels=["bug"])
    issues.sync()
    assert (live_home.task(ref).summary, live_home.task(ref).labels) == ("Brew mate", ("bug",))


def test_started_task_does_not_follow_its_issue(issues: IssueWorld, live_home: LiveHome, github: GitHub) -> None:
    made = github.open_issue("Brew tea")
    issues.sync()
    ref = issues.task_of(made)
    issues.move(ref, "routed")
    github.edit_issue(made.number, title="Brew green tea")
    assert issues.sync() == []
    assert live_home.task(ref).summary == "Brew tea"


def test_closed_issue_cancels_a_task_that_has_not_started(
    issues: IssueWorld, live_home: LiveHome, github: GitHub
) -> None:
    made = github.open_issue("Brew tea")
    issues.sync()
    ref = issues.task_of(made)
    github.edit_issue(made.number, state="CLOSED")
    assert issues.sync() == ["cancelled"]
    assert live_home.status(ref) == "cancelled"
    (event,) = live_home.events(ref, "issue.closed")
    assert event["url"] == github.url(made.number, "issues")
    assert not github.issues[made.number].comments
    github.edit_issue(made.number, state="OPEN")
    assert issues.sync() == []  # one issue, one task


def test_closed_issue_of_a_task_that_its_workflow_lets_nobody_cancel_asks_the_person_once(
    issues: IssueWorld, live_home: LiveHome, github: GitHub
) -> None:
    own = Path(live_home.orange.workflows.copy("autopilot", "autopilot"))
    own.write_text(own.read_text().replace("from: [new, routed, in_progress", "from: [routed, in_progress"))
    made = github.open_issue("Brew tea")
    issues.sync()
    github.edit_issue(made.number, state="CLOSED")
    assert issues.sync() == ["marked"]
    assert f"Issue #{made.number} was closed" in str(live_home.task(issues.task_of(made)).attention)
    assert issues.sync() == []


def test_closed_issue_of_a_started_task_asks_the_person_until_it_is_reopened(
    issues: IssueWorld, live_home: LiveHome, github: GitHub
) -> None:
    made = github.open_issue("Brew tea")
    issues.sync()
    ref = issues.task_of(made)
    issues.move(ref, "in_progress")
    github.edit_issue(made.number, state="CLOSED")
    assert issues.sync() == ["marked"]
    assert f"Issue #{made.number} was closed" in str(live_home.task(ref).attention)
    assert issues.sync() == []
    github.edit_issue(made.number, state="OPEN")
    issues.sync()
    assert live_home.task(ref).attention is None
    assert live_home.status(ref) == "in_progress"


def test_deleted_issue_cancels_its_task(issues: IssueWorld, live_home: LiveHome, github: GitHub) -> None:
    made = github.open_issue("Brew tea")
    issues.sync()
    ref = issues.task_of(made)
    del github.issues[made.number]
    assert issues.sync() == ["cancelled"]
    assert live_home.status(ref) == "cancelled"


def test_issue_whose_branch_is_taken_is_reported_and_stops_no_other(
    issues: IssueWorld, live_home: LiveHome, github: GitHub
) -> None:
    live_home.create("gh-task-7-brew-tea", spawn=False)
    github.open_issue("Brew tea")
    github.open_issue("Brew coffee")
    did = issues.sync()
    assert any("has a task already" in each for each in did)
    assert "created" in did
    assert "has a task already" in str(issues.file.problem)


def test_next_round_asks_one_query_and_only_for_what_has_changed(issues: IssueWorld, github: GitHub) -> None:
    github.open_issue("Brew tea")
    rounds = ProjectSync(issues.orange.tasks, "coffee")
    rounds.import_issues()
    asked = len(github.requests)
    github.open_issue("Brew coffee")
    rounds.import_issues()
    assert len(github.requests) == asked + 1
    assert "since" in github.requests[-1].query
    assert len(issues.tasks()) == 2
    issues.settings(issue_authors=["ana"])  # now others count, that may have been there for long
    rounds.import_issues()
    assert "since" not in github.requests[-1].query


@pytest.mark.parametrize(
    ("trouble", "sentence"),
    [
        ("rate limited", "rate limit"),
        ("slow down", "rate limit"),
        ("unauthorized", "gh auth login"),
        ("broken", "gh says"),
    ],
)
def test_problem_with_github_is_shown_until_the_next_round_succeeds(
    issues: IssueWorld, github: GitHub, cli: Cli, trouble: str, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORANGE_HOME", issues.orange.home.root)
    github.trouble = trouble
    assert sentence in cli.no("issue", "sync", "--project", "coffee")
    assert sentence in cli.ok("project", "list").out
    assert sentence in str(cli.ok("project", "list", "--json").json()[0]["issue_problem"])
    github.trouble = None
    cli.ok("issue", "sync")
    assert cli.ok("project", "list", "--json").json()[0]["issue_problem"] is None


def test_sync_offline_or_without_a_login_is_refused_with_the_way_out(
    issues: IssueWorld, github: GitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    github.go_offline()
    assert "GitHub cannot be reached" in refusal(issues.sync)
    github.come_back()
    monkeypatch.delenv("GH_TOKEN")
    monkeypatch.setenv("GH_CONFIG_DIR", str(issues.live_home.root / "nobody"))
    assert "gh auth login" in refusal(issues.sync)


def test_sync_of_a_repository_that_is_not_on_github_is_refused(issues: IssueWorld, live_home: LiveHome) -> None:
    live_home.git("remote", "remove", "github")
    assert "not on GitHub" in refusal(issues.sync)


def test_sync_command_prints_what_it_changed(
    issues: IssueWorld, github: GitHub, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORANGE_HOME", issues.orange.home.root)
    issues.settings(issues=False)
    assert "orange project update NAME --issues on" in cli.no("issue", "sync")
    shown = cli.ok("project", "update", "coffee", "--issues", "on", "--issue-author", "@ana", "--json").json()
    assert (shown["issues"], shown["issue_authors"], shown["default_branch"]) == (True, ["ana"], "main")
    made = github.open_issue("Brew tea", author="ana")
    (round_,) = cli.ok("issue", "sync", "--json").json()
    assert (round_["project"], round_["problem"]) == ("coffee", None)
    assert [(did["did"], did["issue"]) for did in round_["did"]] == [("created", made.number)]
    assert cli.ok("issue", "sync").out == "Nothing new.\n"
    cli.ok("project", "update", "coffee", "--issue-author", "")
    entry = json.loads((issues.live_home.root / "home/projects.json").read_text())[0]
    assert entry["issue_authors"] == []


def test_broken_links_file_is_named_and_left_alone(issues: IssueWorld, github: GitHub) -> None:
    github.open_issue("Brew tea")
    issues.sync()
    path = issues.live_home.root / "home/tasks/coffee/.issues.json"
    for text in ("{", "[]", '{"issues": {"x": 1}}', '{"issues": {"x": {}}}'):
        path.write_text(text)
        with pytest.raises(Exception, match=r"\.issues\.json"):
            issues.sync()
        assert path.read_text() == text
    assert len(issues.tasks()) == 1
