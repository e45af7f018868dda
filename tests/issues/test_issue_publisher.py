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
    from support.issue_world import Desk
    from support.office import Office


def with_task(desk: Desk) -> tuple[Issue, TaskRef]:
    made = desk.github.open_issue("Brew tea")
    desk.sync()
    return made, desk.task_of(made)


def test_result_is_commented_once(desk: Desk, office: Office) -> None:
    made, ref = with_task(desk)
    assert not made.comments
    desk.report(ref, "done", model="strong-1", remaining=["Drink it"])
    assert desk.sync() == ["commented"]
    (comment,) = made.comments
    assert comment.body.startswith("🍊 **done** · `strong-1`")
    for words in ("Brewed", "- Boiled water", "- Drink it", f"task {ref.id} · attempt 1 · 1 min 5 s · 42 tokens"):
        assert words in comment.body
    (event,) = office.events(ref, "issue.commented")
    assert event["url"].endswith("#issuecomment-0")
    assert event["hash"] in comment.body
    assert desk.sync() == []
    assert len(made.comments) == 1
    assert len(office.events(ref, "issue.commented")) == 1


def test_history_that_somebody_scribbled_in_stops_no_other_issue(desk: Desk, office: Office) -> None:
    (_, mine), (theirs, other) = with_task(desk), with_task(desk)
    path = Path(office.orange.store.state_directory(mine)) / "history.jsonl"
    with path.open("a") as file:
        for line in (
            '{"type": "issue.labelled", "labels": [["blocked"], 7]}',
            '{"type": "task.delegated", "child": "../../tasks", "summary": 7}',
            '{"type": "agent.reported", "report": {"why": 7, "remaining": [7]}, "attempt": true, "tokens": "x"}',
        ):
            file.write(f"{line}\n")
    for ref in (mine, other):
        desk.move(ref, "blocked")
    assert not [change for change in desk.sync() if "Task" in change]
    assert len(theirs.comments) == 1


def test_same_result_is_not_commented_again_and_another_is(desk: Desk) -> None:
    made, ref = with_task(desk)
    desk.report(ref, "blocked", reason="No kettle")
    desk.sync()
    desk.move(ref, "new")
    desk.report(ref, "blocked", reason="No kettle")
    desk.sync()
    assert len(made.comments) == 1
    desk.report(ref, "blocked", reason="No water")
    desk.sync()
    assert ["No kettle" in each.body for each in made.comments] == [True, False]


def test_status_labels_are_put_on_and_taken_off(desk: Desk, office: Office, github: GitHub) -> None:
    made, ref = with_task(desk)
    made.labels.append("bug")
    desk.report(ref, "blocked", reason="No kettle")
    assert desk.sync() == ["commented", "labelled"]
    assert made.labels == ["bug", "blocked"]
    assert github.labels == {"blocked": "d73a4a"}
    desk.move(ref, "new")
    assert desk.sync() == ["labelled"]
    assert made.labels == ["bug"]
    desk.report(ref, "needs_review", reason="Which tea?")
    desk.sync()
    assert made.labels == ["bug", "needs-review"]
    desk.report(ref, "done")
    desk.sync()
    assert made.labels == ["bug"]
    assert [event["labels"] for event in office.events(ref, "issue.labelled")] == [
        ["blocked"],
        [],
        ["needs-review"],
        [],
    ]


def test_label_that_a_person_took_off_is_not_put_back(desk: Desk, github: GitHub) -> None:
    made, ref = with_task(desk)
    desk.report(ref, "blocked", reason="No kettle")
    desk.sync()
    github.edit_issue(made.number, labels=[])
    assert desk.sync() == []
    assert made.labels == []


def test_agent_text_mentions_nobody_and_links_no_other_issue(desk: Desk) -> None:
    made, ref = with_task(desk)
    desk.report(ref, "done", summary="@ana closes #1 <img src=x> https://github.com/o/r/issues/2", model="`@bob`")
    desk.sync()
    (comment,) = made.comments
    for words in ("@ana", "#1", " <img", "https://", "@bob"):
        assert words not in comment.body


def test_very_long_report_fits_into_one_comment(desk: Desk) -> None:
    made, ref = with_task(desk)
    items = ["#" * 2000] * 100
    desk.report(ref, "done", summary="[" * 10_000, accomplished=items, remaining=items, blockers=items)
    assert desk.sync() == ["commented"]
    assert len(made.comments) == 1


def test_comment_is_found_by_its_marker_after_the_history_was_lost(desk: Desk, office: Office) -> None:
    made, ref = with_task(desk)
    desk.report(ref, "done")
    desk.sync()
    history = Path(desk.orange.store.state_directory(ref)) / "history.jsonl"
    kept = [line for line in history.read_text().splitlines() if "issue.commented" not in line]
    history.write_text("\n".join(kept) + "\n")
    assert desk.sync() == []
    assert len(made.comments) == 1
    assert len(office.events(ref, "issue.commented")) == 1  # known again


def test_comment_without_a_report_gives_the_attention_as_reason(desk: Desk) -> None:
    made, ref = with_task(desk)
    with desk.orange.store.open(ref) as opened:
        opened.change("task.updated", {"attention": "The agent has failed: no report"})
    desk.move(ref, "needs_review")
    desk.sync()
    assert "**Why:** The agent has failed: no report" in made.comments[0].body


def test_edited_issue_url_in_task_md_does_not_redirect_comments(desk: Desk, github: GitHub) -> None:
    made, ref = with_task(desk)
    other = github.open_issue("Somebody else's", author="ana")
    path = Path(desk.orange.store.directory(ref)) / "TASK.md"
    path.write_text(path.read_text().replace(f"issues/{made.number}", f"issues/{other.number}"))
    desk.report(ref, "done")
    desk.sync()
    assert not other.comments
    assert len(made.comments) == 1


def test_deleted_issue_is_reported_and_stops_no_other_comment(desk: Desk, github: GitHub) -> None:
    made, ref = with_task(desk)
    other, second = with_task(desk)
    desk.report(ref, "done")
    desk.report(second, "done")
    del github.issues[made.number]
    did = desk.sync()
    assert any(f"no issue {made.number}" in each for each in did)
    assert len(other.comments) == 1
    assert f"no issue {made.number}" in str(desk.file.problem)
    github.issues[made.number] = made
    desk.sync()
    assert desk.file.problem is None


def test_project_with_issues_switched_off_posts_nothing(desk: Desk) -> None:
    made, ref = with_task(desk)
    desk.settings(issues=False)
    desk.report(ref, "done")
    assert ResultPublisher(desk.orange.tasks).pending(ref) is None
    assert not made.comments


def test_comment_links_subtasks_to_their_pull_requests(desk: Desk, office: Office) -> None:
    made, ref = with_task(desk)
    child = office.create("kettle", summary="Buy a kettle", parent=ref.id, spawn=False)
    with desk.orange.store.open(child) as opened:
        opened.change("pr.created", {"pr_url": "https://github.com/o/r/pull/99"}, url="")
    desk.report(ref, "blocked")
    with desk.orange.store.open(ref) as opened:
        opened.record("task.delegated", child=child.id, summary="Buy a kettle")
    desk.sync()
    assert f"- [Buy a kettle ({child.id})](https://github.com/o/r/pull/99)" in made.comments[0].body


def test_sync_without_gh_says_where_to_get_it(desk: Desk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "git").symlink_to(str(shutil.which("git")))
    with monkeypatch.context() as bare:
        bare.setenv("PATH", str(tmp_path / "bin"))
        assert "cli.github.com" in refusal(desk.sync)
