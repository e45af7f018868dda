"""What became of tasks is said on their issues: once, harmlessly, and labelled."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from orange_tui.issues._publisher import ResultPublisher
from support.driver import refusal

if TYPE_CHECKING:
    import pytest

    from orange_tui.store.store import TaskRef
    from support.github.server import GitHub
    from support.github.state import Issue
    from support.issue_world import IssueWorld
    from support.live_home import LiveHome


def with_task(issues: IssueWorld) -> tuple[Issue, TaskRef]:
    made = issues.github.open_issue("Brew tea")
    issues.sync()
    return made, issues.task_of(made)


def test_result_is_commented_once(issues: IssueWorld, live_home: LiveHome) -> None:
    made, ref = with_task(issues)
    assert not made.comments
    issues.report(ref, "done", model="strong-1", remaining=["Drink it"])
    assert issues.sync() == ["commented"]
    (comment,) = made.comments
    assert comment.body.startswith("🍊 **done** · `strong-1`")
    for words in ("Brewed", "- Boiled water", "- Drink it", f"task {ref.id} · attempt 1 · 1 min 5 s · 42 tokens"):
        assert words in comment.body
    (event,) = live_home.events(ref, "issue.commented")
    assert event["url"].endswith("#issuecomment-0")
    assert event["hash"] in comment.body
    assert issues.sync() == []
    assert len(made.comments) == 1
    assert len(live_home.events(ref, "issue.commented")) == 1


def test_history_that_somebody_scribbled_in_stops_no_other_issue(issues: IssueWorld, live_home: LiveHome) -> None:
    (_, mine), (theirs, other) = with_task(issues), with_task(issues)
    path = Path(live_home.orange.store.state_directory(mine)) / "history.jsonl"
    with path.open("a") as file:
        for line in (
            '{"type": "issue.labelled", "labels": [["blocked"], 7]}',
            '{"type": "task.delegated", "child": "../../tasks", "summary": 7}',
            '{"type": "agent.reported", "report": {"why": 7, "remaining": [7]}, "attempt": true, "tokens": "x"}',
        ):
            file.write(f"{line}\n")
    for ref in (mine, other):
        issues.move(ref, "blocked")
    assert not [change for change in issues.sync() if "Task" in change]
    assert len(theirs.comments) == 1


def test_same_result_is_not_commented_again_and_another_is(issues: IssueWorld) -> None:
    made, ref = with_task(issues)
    issues.report(ref, "blocked", reason="No kettle")
    issues.sync()
    issues.move(ref, "new")
    issues.report(ref, "blocked", reason="No kettle")
    issues.sync()
    assert len(made.comments) == 1
    issues.report(ref, "blocked", reason="No water")
    issues.sync()
    assert ["No kettle" in each.body for each in made.comments] == [True, False]


def test_status_labels_are_put_on_and_taken_off(issues: IssueWorld, live_home: LiveHome, github: GitHub) -> None:
    made, ref = with_task(issues)
    made.labels.append("bug")
    issues.report(ref, "blocked", reason="No kettle")
    assert issues.sync() == ["commented", "labelled"]
    assert made.labels == ["bug", "blocked"]
    assert github.labels == {"blocked": "d73a4a"}
    issues.move(ref, "new")
    assert issues.sync() == ["labelled"]
    assert made.labels == ["bug"]
    issues.report(ref, "needs_review", reason="Which tea?")
    issues.sync()
    assert made.labels == ["bug", "needs-review"]
    issues.report(ref, "done")
    issues.sync()
    assert made.labels == ["bug"]
    assert [event["labels"] for event in live_home.events(ref, "issue.labelled")] == [
        ["blocked"],
        [],
        ["needs-review"],
        [],
    ]


def test_label_that_a_person_took_off_is_not_put_back(issues: IssueWorld, github: GitHub) -> None:
    made, ref = with_task(issues)
    issues.report(ref, "blocked", reason="No kettle")
    issues.sync()
    github.edit_issue(made.number, labels=[])
    assert issues.sync() == []
    assert made.labels == []


def test_agent_text_mentions_nobody_and_links_no_other_issue(issues: IssueWorld) -> None:
    made, ref = with_task(issues)
    issues.report(ref, "done", summary="@ana closes #1 <img src=x> https://github.com/o/r/issues/2", model="`@bob`")
    issues.sync()
    (comment,) = made.comments
    for words in ("@ana", "#1", " <img", "https://", "@bob"):
        assert words not in comment.body


def test_very_long_report_fits_into_one_comment(issues: IssueWorld) -> None:
    made, ref = with_task(issues)
    items = ["#" * 2000] * 100
    issues.report(ref, "done", summary="[" * 10_000, accomplished=items, remaining=items, blockers=items)
    assert issues.sync() == ["commented"]
    assert len(made.comments) == 1


def test_comment_is_found_by_its_marker_after_the_history_was_lost(issues: IssueWorld, live_home: LiveHome) -> None:
    made, ref = with_task(issues)
    issues.report(ref, "done")
    issues.sync()
    history = Path(issues.orange.store.state_directory(ref)) / "history.jsonl"
    kept = [line for line in history.read_text().splitlines() if "issue.commented" not in line]
    history.write_text("\n".join(kept) + "\n")
    assert issues.sync() == []
    assert len(made.comments) == 1
    assert len(live_home.events(ref, "issue.commented")) == 1  # known again


def test_comment_without_a_report_gives_the_attention_as_reason(issues: IssueWorld) -> None:
    made, ref = with_task(issues)
    with issues.orange.store.open(ref) as opened:
        opened.change("task.updated", {"attention": "The agent has failed: no report"})
    issues.move(ref, "needs_review")
    issues.sync()
    assert "**Why:** The agent has failed: no report" in made.comments[0].body


def test_edited_issue_url_in_task_md_does_not_redirect_comments(issues: IssueWorld, github: GitHub) -> None:
    made, ref = with_task(issues)
    other = github.open_issue("Somebody else's", author="ana")
    path = Path(issues.orange.store.directory(ref)) / "TASK.md"
    path.write_text(path.read_text().replace(f"issues/{made.number}", f"issues/{other.number}"))
    issues.report(ref, "done")
    issues.sync()
    assert not other.comments
    assert len(made.comments) == 1


def test_deleted_issue_is_reported_and_stops_no_other_comment(issues: IssueWorld, github: GitHub) -> None:
    made, ref = with_task(issues)
    other, second = with_task(issues)
    issues.report(ref, "done")
    issues.report(second, "done")
    del github.issues[made.number]
    did = issues.sync()
    assert any(f"no issue {made.number}" in each for each in did)
    assert len(other.comments) == 1
    assert f"no issue {made.number}" in str(issues.file.problem)
    github.issues[made.number] = made
    issues.sync()
    assert issues.file.problem is None


def test_project_with_issues_switched_off_posts_nothing(issues: IssueWorld) -> None:
    made, ref = with_task(issues)
    issues.settings(issues=False)
    issues.report(ref, "done")
    assert ResultPublisher(issues.orange.tasks).pending(ref) is None
    assert not made.comments


def test_comment_links_subtasks_to_their_pull_requests(issues: IssueWorld, live_home: LiveHome) -> None:
    made, ref = with_task(issues)
    child = live_home.create("kettle", summary="Buy a kettle", parent=ref.id, spawn=False)
    with issues.orange.store.open(child) as opened:
        opened.change("pr.created", {"pr_url": "https://github.com/o/r/pull/99"}, url="")
    issues.report(ref, "blocked")
    with issues.orange.store.open(ref) as opened:
        opened.record("task.delegated", child=child.id, summary="Buy a kettle")
    issues.sync()
    assert f"- [Buy a kettle ({child.id})](https://github.com/o/r/pull/99)" in made.comments[0].body


def test_sync_without_gh_says_where_to_get_it(
    issues: IssueWorld, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "git").symlink_to(str(shutil.which("git")))
    with monkeypatch.context() as bare:
        bare.setenv("PATH", str(tmp_path / "bin"))
        assert "cli.github.com" in refusal(issues.sync)
