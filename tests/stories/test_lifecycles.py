"""Whole lives of tasks, played by the demo agent in a real tmux with nobody at the keyboard."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from support.office import Office


def statuses(office: Office, branch_events: list[dict[str, str]]) -> list[str]:
    return [event["to"] for event in branch_events]


def test_a_task_is_planned_built_reviewed_and_brought_to_the_person(office: Office) -> None:
    ref = office.create("fix/good")
    office.supervised(lambda: office.rests(ref, "reviewing"))
    moves = statuses(office, office.events(ref, "status.changed"))
    assert moves == ["planning", "working", "agent-review", "reviewing"]
    assert office.windows(ref) == ["worker"]
    assert office.git("log", "--oneline", "main..fix/good")
    assert office.task(ref).review_round == 1


def test_a_failed_review_goes_back_to_the_same_worker_who_is_told(office: Office) -> None:
    ref = office.create("fix/again", demo="fail-once")
    office.supervised(lambda: office.rests(ref, "reviewing"))
    moves = statuses(office, office.events(ref, "status.changed"))
    assert moves == ["planning", "working", "agent-review", "working", "agent-review", "reviewing"]
    spawned = [event["window"] for event in office.events(ref, "agent.spawned")]
    assert spawned == ["worker", "review-1", "review-2"]
    assert len(office.events(ref, "agent.notified")) == 1
    assert office.windows(ref) == ["worker"]


def test_task_with_two_failed_reviews_goes_to_the_person(office: Office) -> None:
    ref = office.create("fix/never", demo="fail-twice")
    office.supervised(lambda: office.rests(ref, "stuck") and bool(office.events(ref, "agent.notified")[1:]))
    assert office.task(ref).review_round == 2
    assert office.windows(ref) == ["worker"]


def test_a_question_is_asked_answered_and_the_work_goes_on(office: Office) -> None:
    ref = office.create("fix/ask", demo="ask")
    office.supervised(lambda: office.rests(ref, "clarification"))
    office.orange.agents.answer(ref, "Take the second one")
    office.supervised(lambda: office.rests(ref, "reviewing"))
    assert "## Questions" in (office.root / "home" / "tasks" / "coffee" / ref.id / "TASK.md").read_text()


def test_without_a_summary_the_agent_begins_by_asking(office: Office) -> None:
    ref = office.create("fix/vague", summary="", demo="ask")
    assert office.status(ref) == "clarification"
    assert office.windows(ref) == ["worker"]


def test_in_classic_every_phase_has_an_agent_of_its_own(office: Office) -> None:
    ref = office.create("fix/classic", workflow="classic", demo="fail-once")
    office.supervised(lambda: office.rests(ref, "reviewing") and not office.windows(ref))
    moves = statuses(office, office.events(ref, "status.changed"))
    assert moves == ["working", "agent-review", "working", "agent-review", "reviewing"]
    windows = [event["window"] for event in office.events(ref, "agent.spawned")]
    assert windows == ["worker", "review-1", "worker-2", "review-2"]
    assert office.task(ref).tmux_session is None


def test_in_classic_a_crashed_reviewer_is_restarted_in_the_window_of_its_round(office: Office) -> None:
    office.harness()
    ref = office.create("fix/classic", workflow="classic", harness="recorder")
    with office.orange.store.open(ref) as opened:
        opened.edit_body("test", lambda _body: "\n## Handoff\nDONE: all\n")
    office.orange.tasks.update(ref, status="agent-review")
    assert office.windows(ref) == ["review-1"]
    pane = office.orange.sessions.window(ref.id, "review-1")
    assert pane is not None
    office.tmux.cmd("kill-window", "-t", pane.window_id)
    office.supervised(lambda: len(office.events(ref, "agent.respawned")) == 1)
    assert office.windows(ref) == ["review-1"]
    assert (office.task(ref).crash_count, office.task(ref).review_round) == (1, 1)


def test_in_minimal_the_worker_ends_its_own_session_and_its_command_finishes(office: Office) -> None:
    ref = office.create("fix/minimal", workflow="minimal")
    office.wait(lambda: bool(office.events(ref, "status.changed")[1:]))
    assert office.status(ref) == "reviewing"
    assert office.windows(ref) == []
    assert office.task(ref).tmux_session is None
    assert office.task(ref).attention is None


def test_outcome_file_moves_a_solo_task(office: Office) -> None:
    ref = office.create("fix/solo", workflow="solo")
    office.supervised(lambda: office.rests(ref, "reviewing"))
    assert office.events(ref, "auto.advanced") or office.events(ref, "status.changed")


def test_an_agent_that_ignores_its_gate_is_refused_and_then_does_it_right(office: Office) -> None:
    ref = office.create("fix/gate", demo="ignores-gate")
    office.supervised(lambda: office.rests(ref, "reviewing"))


def test_an_agent_that_replaces_the_link_loses_nothing(office: Office) -> None:
    ref = office.create("fix/sed", demo="edit-with-sed")
    office.supervised(lambda: office.rests(ref, "reviewing"))
    assert office.events(ref, "task.link_restored")
    assert (office.worktree(ref) / "TASK.md").is_symlink()


def test_an_agent_that_tampers_changes_nothing_but_gets_attention(office: Office) -> None:
    ref = office.create("fix/tamper", demo="tamper")
    office.supervised(lambda: office.rests(ref, "reviewing"))
    assert office.events(ref, "task.tampered")


def test_an_agent_that_renames_its_branch_keeps_its_task_and_its_session(office: Office) -> None:
    ref = office.create("fix/rename", demo="rename-branch")
    office.supervised(lambda: office.rests(ref, "reviewing"))
    task = office.task(ref)
    assert task.branch != "fix/rename"
    assert office.windows(ref) == ["worker"]
    assert office.git("log", "--oneline", f"main..{task.branch}")
    assert not office.events(ref, "agent.crashed")
