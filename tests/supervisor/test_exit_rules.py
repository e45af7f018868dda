"""What an agent's death leads to, window by window; tmux's part is played here, everything else is real."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from orange_tui.domain.errors import Refused
from orange_tui.sessions.liveness import Sessions
from orange_tui.supervisor.exit_rules import ExitRules
from support.desk import HANDOFF, PAIR, PLAN

if TYPE_CHECKING:
    from support.desk import Desk


def test_workers_death_counts_after_its_reviewer_has_crashed(desk: Desk) -> None:
    desk.review_begins().die("review-1")
    desk.look()
    desk.move("working")
    assert desk.task.attention is None
    desk.die("worker")
    desk.look()
    assert desk.told() == [("agent.crashed", "review-1", "review"), ("agent.crashed", "worker", "working")]
    assert "crashed" in (desk.task.attention or "")


def test_worker_that_wrote_its_handoff_is_moved_on_after_its_reviewer_has_crashed(desk: Desk) -> None:
    desk.review_begins().die("review-1")
    desk.look()
    desk.move("working")
    desk.write("\n## Handoff\n\nDONE: what the review found\n")
    desk.die("worker")
    desk.look(1)
    assert desk.task.status == "review"


def test_reviewers_death_counts_after_its_worker_has_died(desk: Desk) -> None:
    desk.review_begins().move("waiting")
    desk.die("worker", "review-1")
    desk.look()
    desk.move("working")
    desk.write("\n## Handoff\n\nDONE: more\n")
    desk.review()
    assert desk.told() == [("agent.died", "worker", "waiting")]
    desk.die("review-2")
    desk.look()
    assert desk.told()[1:] == [("agent.crashed", "review-2", "review")]


def test_worker_and_reviewer_that_die_together_are_each_handled_in_their_turn(desk: Desk) -> None:
    desk.review_begins().die("worker", "review-1")
    desk.look()
    assert desk.told() == [("agent.crashed", "review-1", "review")]
    desk.move("waiting")
    desk.look()
    assert desk.told()[1:] == [("agent.died", "worker", "waiting")]
    assert "has ended" in (desk.task.attention or "")


def test_death_recorded_before_windows_were_is_not_counted_again(desk: Desk) -> None:
    desk.die("worker")
    with desk.world.orange.engine.open(desk.ref) as opened:
        opened.change("agent.crashed", {"crash_count": 1}, status="planning", crash_count=1, reason="exit code 1")
    desk.look()
    assert desk.told() == [("agent.crashed", None, "planning")]


def test_window_that_never_had_an_agent_has_none_that_died(desk: Desk) -> None:
    desk.write(PLAN)
    desk.move("working")
    desk.write(HANDOFF)
    desk.move("review")
    desk.die("worker")
    desk.look()
    assert desk.told() == []


def test_worker_that_went_with_its_tmux_server_is_lost_although_its_reviewer_is_in_a_new_one(
    desk: Desk,
) -> None:
    desk.review_begins().lose_tmux()
    desk.look()
    desk.start("review-1")
    desk.move("waiting")
    desk.look()
    assert desk.told() == [("session.lost", "review-1", "review"), ("session.lost", "worker", "waiting")]


@pytest.mark.parametrize("crashes", [1, 2])
def test_crash_is_followed_up_by_the_next_supervisor_when_the_first_one_is_killed_in_between(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, crashes: int
) -> None:
    follow_crash = ExitRules._follow_crash
    desk.world.workflow("pair", PAIR.replace("stuck_after: 2}", "stuck_after: 2, respawn: auto}"))
    for number in range(crashes):
        if number:
            desk.start("worker")
        desk.die("worker")
        monkeypatch.setattr(ExitRules, "_follow_crash", _be_killed)
        with pytest.raises(KeyboardInterrupt):
            desk.look(1)
    assert (desk.task.status, desk.task.crash_count) == ("planning", crashes)
    monkeypatch.setattr(ExitRules, "_follow_crash", follow_crash)
    desk.look()
    assert len(desk.told("agent.crashed")) == crashes
    assert len(desk.told("agent.not_restarted")) == (1 if crashes == 1 else 0)  # it has no workspace: it was tried
    assert desk.task.status == ("planning" if crashes == 1 else "stuck")


def _be_killed(*_: object) -> None:
    raise KeyboardInterrupt


def test_restart_that_fails_is_told_and_not_tried_for_ever(desk: Desk) -> None:
    desk.world.workflow("pair", PAIR.replace("stuck_after: 2}", "stuck_after: 2, respawn: auto}"))
    desk.die("worker")
    desk.look()  # it has no workspace to be restarted in
    assert [kind for kind in desk.world.types(desk.ref) if kind == "agent.not_restarted"] == ["agent.not_restarted"]
    assert "could not be restarted" in (desk.task.attention or "")


def test_handoff_written_before_the_task_was_working_counts_when_the_worker_ends(desk: Desk) -> None:
    desk.write(PLAN + HANDOFF)
    desk.move("working")
    desk.die("worker")
    desk.look(1)
    assert desk.task.status == "review"


def test_plan_and_handoff_written_before_the_worker_died_in_planning_both_count(desk: Desk) -> None:
    desk.write(PLAN + HANDOFF)
    desk.die("worker")
    desk.look(2)
    assert [event["to"] for event in desk.world.history(desk.ref) if event["type"] == "auto.advanced"] == [
        "working",
        "review",
    ]


def test_handoff_brought_up_to_date_during_the_review_counts_when_the_worker_ends(desk: Desk) -> None:
    desk.review_begins().write("\n## Handoff\n\nDONE: also what the review will find\n")
    desk.move("working")
    desk.die("worker")
    desk.look(1)
    assert desk.task.status == "review"


def test_handoff_of_an_earlier_round_does_not_count_whatever_else_was_written(desk: Desk) -> None:
    desk.review_begins().write("\n## Review\n\nVerdict: FAIL\n")
    desk.move("working")
    desk.write("\n## Notes\n\nI begin to read it.\n")
    desk.die("worker")
    desk.look()
    assert (desk.task.status, desk.told()) == ("working", [("agent.crashed", "worker", "working")])


def test_handoff_that_was_there_when_the_agent_was_started_does_not_count(desk: Desk) -> None:
    desk.review_begins().move("waiting")
    desk.die("worker")
    desk.look()
    desk.start("worker")
    desk.move("working")
    desk.die("worker")
    desk.look()
    assert desk.told()[1:] == [("agent.crashed", "worker", "working")]


# As `solo`, but a person can send the work back, and the end of the agent is looked at, not its file.
FILES = """\
name: files
states: {todo: {}, working: {agent: worker}, waiting: {agent: none}, stuck: {agent: worker}, done: {terminal: true}}
initial: {todo: {}}
transitions:
  - {from: todo, to: working, hooks: [{action: spawn_agent, prompt: go}]}
  - {from: working, to: waiting, gate: {outcome: passed}}
  - {from: working, to: stuck, gate: {outcome: stuck}}
  - {from: waiting, to: working}
  - {from: [waiting, stuck], to: done}
exit_monitoring:
  rules:
    - {status: working, has_artifact: {outcome: passed}, then: waiting}
    - {status: working, has_artifact: {outcome: stuck}, then: stuck}
    - {status: working, no_artifact: true, action: crash}
    - {status: stuck, action: mark_dead}
prompts: {go: Begin}
"""
SIGNALS = (
    "signals: [{status: working, outcome: passed, then: waiting}, {status: working, outcome: stuck, then: stuck}]\n"
)


def with_files(desk: Desk, more: str = "") -> Desk:
    """Another task, whose agent works in a state `working` of the workflow `files`."""
    desk.world.workflow("files", FILES + more)
    desk.ref = desk.world.task(workflow="files", status="todo", tmux_session="coffee/other")
    desk.move("working")
    desk.start("worker")
    return desk


def outcome(desk: Desk, word: str, **more: str) -> None:
    text = json.dumps({"id": desk.ref.id, "outcome": word, **more})
    (desk.world.directory(desk.ref) / ".orange-outcome").write_text(text)


@pytest.mark.parametrize("signals", ["", SIGNALS])
def test_reason_of_a_stuck_outcome_is_what_the_person_reads_also_when_the_agent_has_ended(
    desk: Desk, signals: str
) -> None:
    with_files(desk, signals)
    outcome(desk, "stuck", reason="There is no\n database to test with")
    desk.die("worker")
    desk.look(1)
    assert desk.task.status == "stuck"
    assert desk.task.attention == "The agent is stuck: There is no database to test with"
    desk.look()
    assert desk.told() == [("agent.died", "worker", "stuck")]
    assert (desk.task.attention or "").startswith("The agent is stuck: There is no database to test with; ")


def test_stuck_outcome_without_a_reason_that_can_be_read_says_nothing_more(desk: Desk) -> None:
    with_files(desk, SIGNALS)
    (desk.world.directory(desk.ref) / ".orange-outcome").write_text(
        json.dumps({"id": desk.ref.id, "outcome": "stuck", "reason": ["a", 1]})
    )
    desk.look(1)
    assert (desk.task.status, desk.task.attention) == ("stuck", None)


def test_outcome_takes_a_task_on_once_and_the_same_words_written_again_once_more(desk: Desk) -> None:
    with_files(desk, SIGNALS)
    outcome(desk, "passed")
    desk.look()
    assert desk.task.status == "waiting"
    desk.move("working")
    desk.look()
    assert desk.task.status == "working"  # it was sent back, and nothing was said since
    outcome(desk, "passed")
    desk.look()
    assert desk.task.status == "waiting"


def test_agent_that_left_an_outcome_and_wrote_nothing_in_its_task_is_moved_on(desk: Desk) -> None:
    with_files(desk)
    outcome(desk, "passed")
    desk.die("worker")
    desk.look()
    assert (desk.task.status, desk.told()) == ("waiting", [])


def test_agent_is_not_taken_for_dead_or_lost_while_tmux_does_not_answer(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Sessions, "panes", _does_not_answer)
        with pytest.raises(Refused):
            desk.look(1)
    desk.look(1)
    assert (desk.told(), desk.task.attention) == ([], None)
    desk.die("worker")
    desk.look()
    assert desk.told() == [("agent.crashed", "worker", "planning")]


def _does_not_answer(*_: object, **__: object) -> list[object]:
    raise Refused("tmux did not tell which windows there are")


def test_review_of_an_earlier_round_does_not_count_after_reviewers_have_crashed(desk: Desk) -> None:
    verdict = '{section: "## Review", verdict: FAIL}'
    fails = f"- {{status: review, has_artifact: {verdict}, then_when: [{{when: review_round < 2, then: working}}, "
    crash = "- {status: review, no_artifact: true"
    pair = PAIR.replace("{from: review, to: working}", f"{{from: review, to: working, gate: {verdict}}}")
    pair = pair.replace(crash, f"{fails}{{when: review_round >= 2, then: stuck}}]}}\n    {crash}")
    desk.world.workflow("pair", pair.replace("{from: waiting, to: working}", "{from: [waiting, stuck], to: working}"))
    desk.review_begins().write("\n## Review\n\nVerdict: FAIL\n")
    desk.move("working")
    for text in ("more", "enough"):
        desk.write(f"\n## Handoff\n\nDONE: {text}\n")
        desk.review()
        desk.write("\n## Notes\n\nI wait for the review.\n")
        desk.die(f"review-{desk.task.review_round}")
        desk.look()
        if text == "more":
            desk.start("review-2")
            desk.die("review-2")
            desk.look()
            assert desk.task.status == "stuck"
            desk.move("working")
    assert (desk.task.status, desk.told("agent.crashed")[2:]) == ("review", [("agent.crashed", "review-3", "review")])
