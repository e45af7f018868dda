"""Whole lives of tasks, played by the demo agent in a real tmux with nobody at the keyboard."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from support.live_home import LiveHome


def statuses(live_home: LiveHome, branch_events: list[dict[str, str]]) -> list[str]:
    return [event["to"] for event in branch_events]


def test_a_task_is_planned_built_reviewed_and_brought_to_the_person(live_home: LiveHome) -> None:
    ref = live_home.create("fix/good")
    live_home.supervised(lambda: live_home.rests(ref, "reviewing"))
    moves = statuses(live_home, live_home.events(ref, "status.changed"))
    assert moves == ["planning", "working", "agent-review", "reviewing"]
    assert live_home.windows(ref) == ["worker"]
    assert live_home.git("log", "--oneline", "main..fix/good")
    assert live_home.task(ref).review_round == 1


def test_a_failed_review_goes_back_to_the_same_worker_who_is_told(live_home: LiveHome) -> None:
    ref = live_home.create("fix/again", demo="fail-once")
    live_home.supervised(lambda: live_home.rests(ref, "reviewing"))
    moves = statuses(live_home, live_home.events(ref, "status.changed"))
    assert moves == ["planning", "working", "agent-review", "working", "agent-review", "reviewing"]
    spawned = [event["window"] for event in live_home.events(ref, "agent.spawned")]
    assert spawned == ["worker", "review-1", "review-2"]
    assert len(live_home.events(ref, "agent.notified")) == 1
    assert live_home.windows(ref) == ["worker"]


def test_task_with_two_failed_reviews_goes_to_the_person(live_home: LiveHome) -> None:
    ref = live_home.create("fix/never", demo="fail-twice")
    live_home.supervised(lambda: live_home.rests(ref, "stuck") and bool(live_home.events(ref, "agent.notified")[1:]))
    assert live_home.task(ref).review_round == 2
    assert live_home.windows(ref) == ["worker"]


def test_a_question_is_asked_answered_and_the_work_goes_on(live_home: LiveHome) -> None:
    ref = live_home.create("fix/ask", demo="ask")
    live_home.supervised(lambda: live_home.rests(ref, "clarification"))
    live_home.orange.agents.answer(ref, "Take the second one")
    live_home.supervised(lambda: live_home.rests(ref, "reviewing"))
    assert "## Questions" in (live_home.root / "home" / "tasks" / "coffee" / ref.id / "TASK.md").read_text()


def test_without_a_summary_the_agent_begins_by_asking(live_home: LiveHome) -> None:
    ref = live_home.create("fix/vague", summary="", demo="ask")
    assert live_home.status(ref) == "clarification"
    assert live_home.windows(ref) == ["worker"]


def test_in_classic_every_phase_has_an_agent_of_its_own(live_home: LiveHome) -> None:
    ref = live_home.create("fix/classic", workflow="classic", demo="fail-once")
    live_home.supervised(lambda: live_home.rests(ref, "reviewing") and not live_home.windows(ref))
    moves = statuses(live_home, live_home.events(ref, "status.changed"))
    assert moves == ["working", "agent-review", "working", "agent-review", "reviewing"]
    windows = [event["window"] for event in live_home.events(ref, "agent.spawned")]
    assert windows == ["worker", "review-1", "worker-2", "review-2"]
    assert live_home.task(ref).tmux_session is None


def test_in_classic_a_crashed_reviewer_is_restarted_in_the_window_of_its_round(live_home: LiveHome) -> None:
    live_home.harness()
    ref = live_home.create("fix/classic", workflow="classic", harness="recorder")
    with live_home.orange.store.open(ref) as opened:
        opened.edit_body("test", lambda _body: "\n## Handoff\nDONE: all\n")
    live_home.orange.tasks.update(ref, status="agent-review")
    assert live_home.windows(ref) == ["review-1"]
    pane = live_home.orange.sessions.window(ref.id, "review-1")
    assert pane is not None
    live_home.tmux.cmd("kill-window", "-t", pane.window_id)
    live_home.supervised(lambda: len(live_home.events(ref, "agent.respawned")) == 1)
    assert live_home.windows(ref) == ["review-1"]
    assert (live_home.task(ref).crash_count, live_home.task(ref).review_round) == (1, 1)


def test_in_minimal_the_worker_ends_its_own_session_and_its_command_finishes(live_home: LiveHome) -> None:
    ref = live_home.create("fix/minimal", workflow="minimal")
    live_home.wait(lambda: bool(live_home.events(ref, "status.changed")[1:]))
    assert live_home.status(ref) == "reviewing"
    assert live_home.windows(ref) == []
    assert live_home.task(ref).tmux_session is None
    assert live_home.task(ref).attention is None


def test_a_command_with_closed_standard_streams_ends_its_own_session_and_finishes(live_home: LiveHome) -> None:
    hand_in = "printf '\\n## Handoff\\n\\nDONE: all\\n' >>\"$ORANGE_TASK_FILE\"\n"
    live_home.harness(orders=f"{hand_in}orange task update --status reviewing <&- >&- 2>&-\n")
    ref = live_home.create("fix/closed", workflow="minimal", harness="recorder")
    live_home.wait(lambda: live_home.rests(ref, "reviewing"))
    assert live_home.windows(ref) == []


def test_outcome_file_moves_a_solo_task(live_home: LiveHome) -> None:
    ref = live_home.create("fix/solo", workflow="solo")
    live_home.supervised(lambda: live_home.rests(ref, "reviewing"))
    assert live_home.events(ref, "auto.advanced") or live_home.events(ref, "status.changed")


def test_an_agent_that_ignores_its_gate_is_refused_and_then_does_it_right(live_home: LiveHome) -> None:
    ref = live_home.create("fix/gate", demo="ignores-gate")
    live_home.supervised(lambda: live_home.rests(ref, "reviewing"))


def test_an_agent_that_replaces_the_link_loses_nothing(live_home: LiveHome) -> None:
    ref = live_home.create("fix/sed", demo="edit-with-sed")
    live_home.supervised(lambda: live_home.rests(ref, "reviewing"))
    assert live_home.events(ref, "task.link_restored")
    assert (live_home.worktree(ref) / "TASK.md").is_symlink()


def test_an_agent_that_tampers_changes_nothing_but_gets_attention(live_home: LiveHome) -> None:
    ref = live_home.create("fix/tamper", demo="tamper")
    live_home.supervised(lambda: live_home.rests(ref, "reviewing"))
    assert live_home.events(ref, "task.tampered")


def test_an_agent_that_renames_its_branch_keeps_its_task_and_its_session(live_home: LiveHome) -> None:
    ref = live_home.create("fix/rename", demo="rename-branch")
    live_home.supervised(lambda: live_home.rests(ref, "reviewing"))
    task = live_home.task(ref)
    assert task.branch != "fix/rename"
    assert live_home.windows(ref) == ["worker"]
    assert live_home.git("log", "--oneline", f"main..{task.branch}")
    assert not live_home.events(ref, "agent.crashed")
