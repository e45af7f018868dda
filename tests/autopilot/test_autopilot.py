"""The autopilot lifecycle, with demo agents as router, worker and delegating parent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from orange_tui.agents import reports
from orange_tui.autopilot import attempts, delegation
from orange_tui.domain.errors import Refused
from orange_tui.domain.text.sections import find_section
from orange_tui.store.subtasks import subtasks_of
from orange_tui.supervisor.exits.rules import ExitRules
from support.driver import put

if TYPE_CHECKING:
    from orange_tui.store.store import TaskRef
    from support.driver import Cli
    from support.live_home import LiveHome


ISSUE = {"issue": 7}


@pytest.fixture(autouse=True)
def router(live_home: LiveHome) -> None:
    """The demo agent routes, and does what nobody was chosen for."""
    (live_home.root / "home").mkdir(exist_ok=True)
    (live_home.root / "home" / "config.yml").write_text("router: demo\nrouter_fallback: demo\n")


def autopilot(live_home: LiveHome, demo: str = "good", **more: Any) -> TaskRef:
    values = {"workflow": "autopilot", "harness": None, "fields": ISSUE, **more}
    return live_home.create(f"gh-task-7-{demo}", demo=demo, **values)


def report(live_home: LiveHome, ref: TaskRef) -> dict[str, Any]:
    return dict(live_home.events(ref, "agent.reported")[-1]["report"])


def on_remote(live_home: LiveHome, branch: str) -> str:
    return live_home.git("log", "--format=%s", "-1", branch, at=live_home.remote)


def test_a_task_is_routed_done_committed_and_pushed_by_itself(live_home: LiveHome) -> None:
    ref = autopilot(live_home)
    assert live_home.status(ref) == "new"
    assert live_home.task(ref).harness is None
    live_home.supervised(lambda: live_home.rests(ref, "done"))
    task = live_home.task(ref)
    assert (task.harness, task.number("lane"), task.number("attempts")) == ("demo", 1, 1)
    assert (task.workspace, task.tmux_session, task.attention) == (None, None, None)
    assert report(live_home, ref)["status"] == "done"
    assert on_remote(live_home, task.branch) == "Brew gh-task-7-good"
    body = live_home.orange.store.read(ref).body  # type: ignore[union-attr]
    section = find_section(body, "Report")
    assert section is not None
    assert "Did it: Brew gh-task-7-good" in section.text


def test_what_a_person_calls_a_question_is_answered_without_a_worktree(live_home: LiveHome, cli: Cli) -> None:
    words = ("task", "create", "gh-task-7-good", "Brew?", "--project", "coffee", "--no-worktree", "--json")
    assert "always works in a worktree" in cli.no(*words[:-1], "--workflow", "default")
    ref = live_home.orange.store.find(cli.ok(*words, "--workflow", "autopilot").json()["id"])
    live_home.supervised(lambda: live_home.rests(ref, "done"))
    assert live_home.task(ref).number("lane") == 2
    assert not live_home.events(ref, "workspace.acquired")
    assert live_home.git("status", "--porcelain") == ""
    assert live_home.git("branch", "--list", "gh-task-7-good") == ""
    assert live_home.task(ref).attention is None
    assert not live_home.events(ref, "hook.failed")  # there is no branch to push


@pytest.mark.parametrize(
    ("demo", "status", "sentence"),
    [
        ("blocked", "blocked", "The agent is blocked: No key for the coffee machine"),
        ("needs-review", "needs_review", "The agent asks for you: Tea or coffee? I cannot tell"),
        ("needs-help", "needs_review", "The agent asks for you: I do not understand the question"),
        ("no-status", "needs_review", "The agent asks for you: The agent's report has no status"),
    ],
)
def test_report_status_decides_the_next_state(live_home: LiveHome, demo: str, status: str, sentence: str) -> None:
    ref = autopilot(live_home, demo)
    live_home.supervised(lambda: live_home.rests(ref, status))
    assert live_home.task(ref).attention == sentence
    assert (live_home.task(ref).workspace, live_home.windows(ref)) == (None, [])
    assert on_remote(live_home, f"gh-task-7-{demo}") == f"Brew gh-task-7-{demo}"  # what there is of it is not lost


def test_done_report_with_work_left_and_no_changes_is_not_done(live_home: LiveHome) -> None:
    config = live_home.root / "home" / "config.yml"
    config.write_text(config.read_text() + "max_attempts: 2\n")
    ref = autopilot(live_home, "not-done")
    live_home.supervised(lambda: live_home.rests(ref, "blocked"))
    assert live_home.task(ref).number("attempts") == 2
    assert len(live_home.events(ref, "agent.reported")) == 2
    assert live_home.task(ref).attention == (
        "The agent has not finished: The agent says done, but it changed no file and left 1 to do"
    )


def test_the_same_error_three_times_asks_for_a_person(live_home: LiveHome) -> None:
    ref = autopilot(live_home, "crash")
    live_home.supervised(lambda: live_home.rests(ref, "needs_review"))
    assert live_home.task(ref).number("attempts") == 3
    assert [event["repeats"] for event in live_home.events(ref, "agent.failed")] == [1, 2, 3]
    assert live_home.task(ref).attention == "The agent has failed: the agent has left no report (exit code 3)"


def test_a_failed_attempt_is_followed_by_another_in_the_same_workspace(live_home: LiveHome) -> None:
    ref = autopilot(live_home, "crash-once")
    live_home.supervised(lambda: live_home.rests(ref, "done"))
    assert live_home.task(ref).number("attempts") == 2
    places = [e for e in live_home.events(ref, "hook.done") if e["action"] == "acquire_workspace"]
    assert len(places) == 2
    assert not live_home.events(ref, "work.saved")


def test_report_with_broken_json_is_a_named_error(live_home: LiveHome) -> None:
    ref = autopilot(live_home, "bad-json")
    live_home.supervised(lambda: live_home.rests(ref, "needs_review"))
    assert "not a JSON object" in str(live_home.task(ref).attention)


def test_parent_waits_for_its_three_subtasks_and_goes_on_with_their_results(live_home: LiveHome) -> None:
    ref = autopilot(live_home, "delegate", fields={})
    live_home.supervised(lambda: live_home.rests(ref, "done"))
    found = subtasks_of(live_home.orange.store, ref.id)
    assert [subtask.task.summary for subtask in found] == ["Order the beans", "Order the grinder", "Order the cups"]
    assert {subtask.task.status for subtask in found} == {"done"}
    assert {subtask.task.labels for subtask in found} == {("part",)}
    assert {subtask.task.number("lane") for subtask in found} == {1}  # without an issue, too
    assert live_home.task(ref).number("lane") == 1
    assert live_home.git("status", "--porcelain") == ""
    assert {on_remote(live_home, subtask.task.branch) for subtask in found} == {
        subtask.task.summary for subtask in found
    }
    assert [e["child"] for e in live_home.events(ref, "task.delegated")] == [subtask.ref.id for subtask in found]
    states = [event["to"] for event in live_home.events(ref, "status.changed")]
    assert states == ["routed", "in_progress", "blocked", "new", "routed", "in_progress", "done"]
    assert live_home.task(ref).blocked_by == ()


def test_cancelled_subtask_sets_attention_and_parent_can_be_unblocked(live_home: LiveHome) -> None:
    ref = autopilot(live_home, "delegate")
    live_home.supervised(lambda: live_home.status(ref) == "blocked" and live_home.rests(ref, "blocked"))
    for subtask in subtasks_of(live_home.orange.store, ref.id):
        if subtask.task.status != "done":
            live_home.orange.tasks.cancel(subtask.ref)
    live_home.supervised(lambda: bool(live_home.task(ref).attention) or live_home.status(ref) != "blocked")
    assert "was cancelled or is gone; unblock it, or cancel it" in str(live_home.task(ref).attention)
    moved = attempts.unblock(live_home.orange.engine, ref)
    assert (moved.target, moved.task.blocked_by) == ("new", ())


def test_task_that_may_delegate_no_further_tells_the_person_what_its_agent_wanted(
    live_home: LiveHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delegation, "_MAX_DEPTH", 0)
    ref = autopilot(live_home, "delegate")
    live_home.supervised(lambda: live_home.rests(ref, "needs_review"))
    attention = str(live_home.task(ref).attention)
    assert attention.startswith("The agent wants to delegate, but may delegate no further: ")
    assert subtasks_of(live_home.orange.store, ref.id) == []


def test_no_more_tasks_run_at_once_than_the_limit(live_home: LiveHome) -> None:
    (live_home.root / "home" / "config.yml").write_text("router: demo\nrouter_fallback: demo\nparallel: 2\n")
    refs = [
        live_home.create(f"b{number}", workflow="autopilot", harness=None, demo="good", fields={"worktree": False})
        for number in range(5)
    ]
    seen: list[int] = []

    def all_done() -> bool:
        seen.append(sum(live_home.status(ref) == "in_progress" for ref in refs))
        return all(live_home.rests(ref, "done") for ref in refs)

    live_home.supervised(all_done)
    assert max(seen) <= 2


def test_a_project_can_be_paused(live_home: LiveHome) -> None:
    live_home.orange.projects.update("coffee", {"parallel": 0})
    ref = autopilot(live_home, fields={"worktree": False})
    looks = iter(range(8))
    live_home.supervised(lambda: next(looks, None) is None)
    assert live_home.status(ref) == "new"
    live_home.orange.projects.update("coffee", {"parallel": 1})
    live_home.supervised(lambda: live_home.rests(ref, "done"))


def test_a_task_that_waits_for_another_starts_when_that_one_is_done(live_home: LiveHome) -> None:
    first = autopilot(live_home, "blocked")
    second = live_home.create(
        "second", workflow="autopilot", harness=None, blocked_by=(first.id,), fields={"worktree": False}
    )
    live_home.supervised(lambda: live_home.rests(first, "blocked"))
    assert live_home.status(second) == "new"
    attempts.unblock(live_home.orange.engine, first)
    live_home.orange.tasks.cancel(first)
    live_home.supervised(lambda: bool(live_home.task(second).attention))
    assert "cancelled or is gone" in str(live_home.task(second).attention)


def test_retry_starts_anything_unfinished_over(live_home: LiveHome) -> None:
    ref = autopilot(live_home, "needs-review")
    live_home.supervised(lambda: live_home.rests(ref, "needs_review"))
    moved = attempts.retry(live_home.orange.engine, ref)
    assert (moved.target, moved.task.number("attempts"), moved.task.attention) == ("new", 0, None)
    with pytest.raises(Refused, match="is new, not blocked"):
        attempts.unblock(live_home.orange.engine, ref)
    live_home.orange.tasks.cancel(ref)
    for verb in (attempts.retry, attempts.unblock):
        with pytest.raises(Refused, match="is cancelled and cannot start over; create a new task instead"):
            verb(live_home.orange.engine, ref)


def test_an_agent_cannot_start_itself_over(live_home: LiveHome) -> None:
    ref = autopilot(live_home, "needs-review")
    live_home.supervised(lambda: live_home.rests(ref, "needs_review"))
    with pytest.raises(Refused, match="has no move needs_review → new"):
        live_home.orange.tasks.update(ref, status="new", actor="agent")


def test_task_whose_agent_cannot_be_started_is_blocked_at_once_and_holds_no_slot(live_home: LiveHome) -> None:
    live_home.harness("broken")  # it has no way to work alone
    config = live_home.root / "home" / "config.yml"
    config.write_text(config.read_text() + "parallel: 1\n")
    ref = autopilot(live_home, harness="broken")
    other = autopilot(live_home, "needs-review")
    live_home.supervised(lambda: live_home.rests(ref, "blocked") and live_home.rests(other, "needs_review"))
    task = live_home.task(ref)
    assert str(task.attention).startswith("No agent could be started: spawn_agent failed: ")
    assert str(task.extra["last_error"]) in str(task.attention)
    assert (task.number("attempts"), task.number("error_repeats"), task.workspace) == (1, 1, None)
    assert [event["to"] for event in live_home.events(ref, "auto.advanced")] == ["blocked"]


def test_task_nobody_works_on_any_more_is_tried_again_after_the_time_of_its_project(
    live_home: LiveHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    live_home.orange.projects.update("coffee", {"stuck_timeout": 900, "max_attempts": 1})
    ref = autopilot(live_home)
    with live_home.orange.engine.open(ref) as opened:
        put(opened, "task.updated", {"status": "in_progress", "tmux_session": "gone", "attempts": 1})
    monkeypatch.setattr("orange_tui.home.clock.seconds_since", lambda _stamp: 899.0)
    ExitRules(live_home.orange.tasks, live_home.orange.agents).check(ref)
    assert live_home.status(ref) == "in_progress"
    monkeypatch.setattr("orange_tui.home.clock.seconds_since", lambda _stamp: 900.0)
    ExitRules(live_home.orange.tasks, live_home.orange.agents).check(ref)
    assert live_home.status(ref) == "blocked"
    assert live_home.events(ref, "auto.advanced")[0]["reason"] == "nobody worked on it any more"


def test_settings_that_cannot_be_read_start_nothing_and_stop_nothing_else(live_home: LiveHome) -> None:
    live_home.harness()
    other = live_home.create("fix/other", harness="recorder")
    ref = autopilot(live_home, fields={"worktree": False})
    config = live_home.root / "home" / "config.yml"
    config.write_text("parallel: many\n")
    pane = live_home.orange.sessions.window(other.id, "worker")
    assert pane is not None
    live_home.tmux.cmd("kill-window", "-t", pane.window_id)
    live_home.supervised(lambda: live_home.task(other).crash_count == 1)
    assert live_home.status(ref) == "new"
    told = [
        entry for entry in live_home.orange.log.entries() if "not started" in str(entry) and "parallel" in str(entry)
    ]
    assert len(told) == 1
    config.write_text("router: demo\nrouter_fallback: demo\n")
    live_home.supervised(lambda: live_home.rests(ref, "done"))


def test_report_is_found_after_megabytes_of_output(live_home: LiveHome) -> None:
    ref = autopilot(live_home, fields={"worktree": False})
    logs = live_home.root / "home" / "state" / "coffee" / ref.id / "logs"
    logs.mkdir()
    (logs / "worker.answer").write_text("chatter\n" * 500_000 + '{"status": "done", "summary": "at last"}\n')
    with live_home.orange.engine.open(ref) as opened:
        reports.save_printed_report(opened, "worker")
        assert reports.current_report(opened).summary == "at last"
