"""The autopilot lifecycle, with demo agents as router, worker and delegating parent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from orange_tui.agents import reports
from orange_tui.autopilot import attempts, delegation
from orange_tui.domain.errors import Refused
from orange_tui.domain.text.sections import find_section
from orange_tui.store.subtasks import subtasks_of
from orange_tui.supervisor.exit_rules import ExitRules
from support.driver import put

if TYPE_CHECKING:
    from orange_tui.store.store import TaskRef
    from support.driver import Cli
    from support.office import Office


ISSUE = {"issue": 7}


@pytest.fixture(autouse=True)
def router(office: Office) -> None:
    """The demo agent routes, and does what nobody was chosen for."""
    (office.root / "home").mkdir(exist_ok=True)
    (office.root / "home" / "config.yml").write_text("router: demo\nrouter_fallback: demo\n")


def autopilot(office: Office, demo: str = "good", **more: Any) -> TaskRef:
    values = {"workflow": "autopilot", "harness": None, "fields": ISSUE, **more}
    return office.create(f"gh-task-7-{demo}", demo=demo, **values)


def report(office: Office, ref: TaskRef) -> dict[str, Any]:
    return dict(office.events(ref, "agent.reported")[-1]["report"])


def on_remote(office: Office, branch: str) -> str:
    return office.git("log", "--format=%s", "-1", branch, at=office.remote)


def test_a_task_is_routed_done_committed_and_pushed_by_itself(office: Office) -> None:
    ref = autopilot(office)
    assert office.status(ref) == "new"
    assert office.task(ref).harness is None
    office.supervised(lambda: office.rests(ref, "done"))
    task = office.task(ref)
    assert (task.harness, task.number("lane"), task.number("attempts")) == ("demo", 1, 1)
    assert (task.workspace, task.tmux_session, task.attention) == (None, None, None)
    assert report(office, ref)["status"] == "done"
    assert on_remote(office, task.branch) == "Brew gh-task-7-good"
    body = office.orange.store.read(ref).body  # type: ignore[union-attr]
    section = find_section(body, "Report")
    assert section is not None
    assert "Did it: Brew gh-task-7-good" in section.text


def test_what_a_person_calls_a_question_is_answered_without_a_worktree(office: Office, cli: Cli) -> None:
    words = ("task", "create", "gh-task-7-good", "Brew?", "--project", "coffee", "--no-worktree", "--json")
    assert "always works in a worktree" in cli.no(*words[:-1], "--workflow", "default")
    ref = office.orange.store.find(cli.ok(*words, "--workflow", "autopilot").json()["id"])
    office.supervised(lambda: office.rests(ref, "done"))
    assert office.task(ref).number("lane") == 2
    assert not office.events(ref, "workspace.acquired")
    assert office.git("status", "--porcelain") == ""
    assert office.git("branch", "--list", "gh-task-7-good") == ""
    assert office.task(ref).attention is None
    assert not office.events(ref, "hook.failed")  # there is no branch to push


@pytest.mark.parametrize(
    ("demo", "status", "sentence"),
    [
        ("blocked", "blocked", "The agent is blocked: No key for the coffee machine"),
        ("needs-review", "needs_review", "The agent asks for you: Tea or coffee? I cannot tell"),
        ("needs-help", "needs_review", "The agent asks for you: I do not understand the question"),
        ("no-status", "needs_review", "The agent asks for you: The agent's report has no status"),
    ],
)
def test_report_status_decides_the_next_state(office: Office, demo: str, status: str, sentence: str) -> None:
    ref = autopilot(office, demo)
    office.supervised(lambda: office.rests(ref, status))
    assert office.task(ref).attention == sentence
    assert (office.task(ref).workspace, office.windows(ref)) == (None, [])
    assert on_remote(office, f"gh-task-7-{demo}") == f"Brew gh-task-7-{demo}"  # what there is of it is not lost


def test_done_report_with_work_left_and_no_changes_is_not_done(office: Office) -> None:
    config = office.root / "home" / "config.yml"
    config.write_text(config.read_text() + "max_attempts: 2\n")
    ref = autopilot(office, "not-done")
    office.supervised(lambda: office.rests(ref, "blocked"))
    assert office.task(ref).number("attempts") == 2
    assert len(office.events(ref, "agent.reported")) == 2
    assert office.task(ref).attention == (
        "The agent has not finished: The agent says done, but it changed no file and left 1 to do"
    )


def test_the_same_error_three_times_asks_for_a_person(office: Office) -> None:
    ref = autopilot(office, "crash")
    office.supervised(lambda: office.rests(ref, "needs_review"))
    assert office.task(ref).number("attempts") == 3
    assert [event["repeats"] for event in office.events(ref, "agent.failed")] == [1, 2, 3]
    assert office.task(ref).attention == "The agent has failed: the agent has left no report (exit code 3)"


def test_a_failed_attempt_is_followed_by_another_in_the_same_workspace(office: Office) -> None:
    ref = autopilot(office, "crash-once")
    office.supervised(lambda: office.rests(ref, "done"))
    assert office.task(ref).number("attempts") == 2
    places = [e for e in office.events(ref, "hook.done") if e["action"] == "acquire_workspace"]
    assert len(places) == 2
    assert not office.events(ref, "work.saved")


def test_report_with_broken_json_is_a_named_error(office: Office) -> None:
    ref = autopilot(office, "bad-json")
    office.supervised(lambda: office.rests(ref, "needs_review"))
    assert "not a JSON object" in str(office.task(ref).attention)


def test_parent_waits_for_its_three_subtasks_and_goes_on_with_their_results(office: Office) -> None:
    ref = autopilot(office, "delegate", fields={})
    office.supervised(lambda: office.rests(ref, "done"))
    found = subtasks_of(office.orange.store, ref.id)
    assert [subtask.task.summary for subtask in found] == ["Order the beans", "Order the grinder", "Order the cups"]
    assert {subtask.task.status for subtask in found} == {"done"}
    assert {subtask.task.labels for subtask in found} == {("part",)}
    assert {subtask.task.number("lane") for subtask in found} == {1}  # without an issue, too
    assert office.task(ref).number("lane") == 1
    assert office.git("status", "--porcelain") == ""
    assert {on_remote(office, subtask.task.branch) for subtask in found} == {subtask.task.summary for subtask in found}
    assert [e["child"] for e in office.events(ref, "task.delegated")] == [subtask.ref.id for subtask in found]
    states = [event["to"] for event in office.events(ref, "status.changed")]
    assert states == ["routed", "in_progress", "blocked", "new", "routed", "in_progress", "done"]
    assert office.task(ref).blocked_by == ()


def test_cancelled_subtask_sets_attention_and_parent_can_be_unblocked(office: Office) -> None:
    ref = autopilot(office, "delegate")
    office.supervised(lambda: office.status(ref) == "blocked" and office.rests(ref, "blocked"))
    for subtask in subtasks_of(office.orange.store, ref.id):
        if subtask.task.status != "done":
            office.orange.tasks.cancel(subtask.ref)
    office.supervised(lambda: bool(office.task(ref).attention) or office.status(ref) != "blocked")
    assert "was cancelled or is gone; unblock it, or cancel it" in str(office.task(ref).attention)
    moved = attempts.unblock(office.orange.engine, ref)
    assert (moved.target, moved.task.blocked_by) == ("new", ())


def test_task_that_may_delegate_no_further_tells_the_person_what_its_agent_wanted(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delegation, "_MAX_DEPTH", 0)
    ref = autopilot(office, "delegate")
    office.supervised(lambda: office.rests(ref, "needs_review"))
    attention = str(office.task(ref).attention)
    assert attention.startswith("The agent wants to delegate, but may delegate no further: ")
    assert subtasks_of(office.orange.store, ref.id) == []


def test_no_more_tasks_run_at_once_than_the_limit(office: Office) -> None:
    (office.root / "home" / "config.yml").write_text("router: demo\nrouter_fallback: demo\nparallel: 2\n")
    refs = [
        office.create(f"b{number}", workflow="autopilot", harness=None, demo="good", fields={"worktree": False})
        for number in range(5)
    ]
    seen: list[int] = []

    def all_done() -> bool:
        seen.append(sum(office.status(ref) == "in_progress" for ref in refs))
        return all(office.rests(ref, "done") for ref in refs)

    office.supervised(all_done)
    assert max(seen) <= 2


def test_a_project_can_be_paused(office: Office) -> None:
    office.orange.projects.update("coffee", {"parallel": 0})
    ref = autopilot(office, fields={"worktree": False})
    looks = iter(range(8))
    office.supervised(lambda: next(looks, None) is None)
    assert office.status(ref) == "new"
    office.orange.projects.update("coffee", {"parallel": 1})
    office.supervised(lambda: office.rests(ref, "done"))


def test_a_task_that_waits_for_another_starts_when_that_one_is_done(office: Office) -> None:
    first = autopilot(office, "blocked")
    second = office.create(
        "second", workflow="autopilot", harness=None, blocked_by=(first.id,), fields={"worktree": False}
    )
    office.supervised(lambda: office.rests(first, "blocked"))
    assert office.status(second) == "new"
    attempts.unblock(office.orange.engine, first)
    office.orange.tasks.cancel(first)
    office.supervised(lambda: bool(office.task(second).attention))
    assert "cancelled or is gone" in str(office.task(second).attention)


def test_retry_starts_anything_unfinished_over(office: Office) -> None:
    ref = autopilot(office, "needs-review")
    office.supervised(lambda: office.rests(ref, "needs_review"))
    moved = attempts.retry(office.orange.engine, ref)
    assert (moved.target, moved.task.number("attempts"), moved.task.attention) == ("new", 0, None)
    with pytest.raises(Refused, match="is new, not blocked"):
        attempts.unblock(office.orange.engine, ref)
    office.orange.tasks.cancel(ref)
    for verb in (attempts.retry, attempts.unblock):
        with pytest.raises(Refused, match="is cancelled and cannot start over; create a new task instead"):
            verb(office.orange.engine, ref)


def test_an_agent_cannot_start_itself_over(office: Office) -> None:
    ref = autopilot(office, "needs-review")
    office.supervised(lambda: office.rests(ref, "needs_review"))
    with pytest.raises(Refused, match="has no move needs_review → new"):
        office.orange.tasks.update(ref, status="new", actor="agent")


def test_task_whose_agent_cannot_be_started_is_blocked_at_once_and_holds_no_slot(office: Office) -> None:
    office.harness("broken")  # it has no way to work alone
    config = office.root / "home" / "config.yml"
    config.write_text(config.read_text() + "parallel: 1\n")
    ref = autopilot(office, harness="broken")
    other = autopilot(office, "needs-review")
    office.supervised(lambda: office.rests(ref, "blocked") and office.rests(other, "needs_review"))
    task = office.task(ref)
    assert str(task.attention).startswith("No agent could be started: spawn_agent failed: ")
    assert str(task.extra["last_error"]) in str(task.attention)
    assert (task.number("attempts"), task.number("error_repeats"), task.workspace) == (1, 1, None)
    assert [event["to"] for event in office.events(ref, "auto.advanced")] == ["blocked"]


def test_task_nobody_works_on_any_more_is_tried_again_after_the_time_of_its_project(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.orange.projects.update("coffee", {"stuck_timeout": 900, "max_attempts": 1})
    ref = autopilot(office)
    with office.orange.engine.open(ref) as opened:
        put(opened, "task.updated", {"status": "in_progress", "tmux_session": "gone", "attempts": 1})
    monkeypatch.setattr("orange_tui.home.clock.seconds_since", lambda _stamp: 899.0)
    ExitRules(office.orange.tasks, office.orange.agents).check(ref)
    assert office.status(ref) == "in_progress"
    monkeypatch.setattr("orange_tui.home.clock.seconds_since", lambda _stamp: 900.0)
    ExitRules(office.orange.tasks, office.orange.agents).check(ref)
    assert office.status(ref) == "blocked"
    assert office.events(ref, "auto.advanced")[0]["reason"] == "nobody worked on it any more"


def test_settings_that_cannot_be_read_start_nothing_and_stop_nothing_else(office: Office) -> None:
    office.harness()
    other = office.create("fix/other", harness="recorder")
    ref = autopilot(office, fields={"worktree": False})
    config = office.root / "home" / "config.yml"
    config.write_text("parallel: many\n")
    pane = office.orange.sessions.window(other.id, "worker")
    assert pane is not None
    office.tmux.cmd("kill-window", "-t", pane.window_id)
    office.supervised(lambda: office.task(other).crash_count == 1)
    assert office.status(ref) == "new"
    told = [entry for entry in office.orange.log.entries() if "not started" in str(entry) and "parallel" in str(entry)]
    assert len(told) == 1
    config.write_text("router: demo\nrouter_fallback: demo\n")
    office.supervised(lambda: office.rests(ref, "done"))


def test_report_is_found_after_megabytes_of_output(office: Office) -> None:
    ref = autopilot(office, fields={"worktree": False})
    logs = office.root / "home" / "state" / "coffee" / ref.id / "logs"
    logs.mkdir()
    (logs / "worker.answer").write_text("chatter\n" * 500_000 + '{"status": "done", "summary": "at last"}\n')
    with office.orange.engine.open(ref) as opened:
        reports.save_printed_report(opened, "worker")
        assert reports.current_report(opened).summary == "at last"
