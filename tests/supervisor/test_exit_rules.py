"""What an agent's death leads to, window by window; tmux's part is played here, everything else is real."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from orange_tui.domain.errors import Refused
from orange_tui.sessions.liveness import Sessions
from orange_tui.supervisor.exits.deaths import AgentDeaths
from support.watched_task import HANDOFF, PAIR, PLAN

if TYPE_CHECKING:
    from support.watched_task import WatchedTask


def test_workers_death_counts_after_its_reviewer_has_crashed(watched: WatchedTask) -> None:
    watched.review_begins().die("review-1")
    watched.look()
    watched.move("working")
    assert watched.task.attention is None
    watched.die("worker")
    watched.look()
    assert watched.told() == [("agent.crashed", "review-1", "review"), ("agent.crashed", "worker", "working")]
    assert "crashed" in (watched.task.attention or "")


def test_worker_that_wrote_its_handoff_is_moved_on_after_its_reviewer_has_crashed(watched: WatchedTask) -> None:
    watched.review_begins().die("review-1")
    watched.look()
    watched.move("working")
    watched.write("\n## Handoff\n\nDONE: what the review found\n")
    watched.die("worker")
    watched.look(1)
    assert watched.task.status == "review"


def test_reviewers_death_counts_after_its_worker_has_died(watched: WatchedTask) -> None:
    watched.review_begins().move("waiting")
    watched.die("worker", "review-1")
    watched.look()
    watched.move("working")
    watched.write("\n## Handoff\n\nDONE: more\n")
    watched.review()
    assert watched.told() == [("agent.died", "worker", "waiting")]
    watched.die("review-2")
    watched.look()
    assert watched.told()[1:] == [("agent.crashed", "review-2", "review")]


def test_worker_and_reviewer_that_die_together_are_each_handled_in_their_turn(watched: WatchedTask) -> None:
    watched.review_begins().die("worker", "review-1")
    watched.look()
    assert watched.told() == [("agent.crashed", "review-1", "review")]
    watched.move("waiting")
    watched.look()
    assert watched.told()[1:] == [("agent.died", "worker", "waiting")]
    assert "has ended" in (watched.task.attention or "")


def test_death_recorded_before_windows_were_is_not_counted_again(watched: WatchedTask) -> None:
    watched.die("worker")
    with watched.world.orange.engine.open(watched.ref) as opened:
        opened.change("agent.crashed", {"crash_count": 1}, status="planning", crash_count=1, reason="exit code 1")
    watched.look()
    assert watched.told() == [("agent.crashed", None, "planning")]


def test_window_that_never_had_an_agent_has_none_that_died(watched: WatchedTask) -> None:
    watched.write(PLAN)
    watched.move("working")
    watched.write(HANDOFF)
    watched.move("review")
    watched.die("worker")
    watched.look()
    assert watched.told() == []


def test_worker_that_went_with_its_tmux_server_is_lost_although_its_reviewer_is_in_a_new_one(
    watched: WatchedTask,
) -> None:
    watched.review_begins().lose_tmux()
    watched.look()
    watched.start("review-1")
    watched.move("waiting")
    watched.look()
    assert watched.told() == [("session.lost", "review-1", "review"), ("session.lost", "worker", "waiting")]


@pytest.mark.parametrize("crashes", [1, 2])
def test_crash_is_followed_up_by_the_next_supervisor_when_the_first_one_is_killed_in_between(
    watched: WatchedTask, monkeypatch: pytest.MonkeyPatch, crashes: int
) -> None:
    follow_crash = AgentDeaths._follow_crash
    watched.world.workflow("pair", PAIR.replace("stuck_after: 2}", "stuck_after: 2, respawn: auto}"))
    for number in range(crashes):
        if number:
            watched.start("worker")
        watched.die("worker")
        monkeypatch.setattr(AgentDeaths, "_follow_crash", _be_killed)
        with pytest.raises(KeyboardInterrupt):
            watched.look(1)
    assert (watched.task.status, watched.task.crash_count) == ("planning", crashes)
    monkeypatch.setattr(AgentDeaths, "_follow_crash", follow_crash)
    watched.look()
    assert len(watched.told("agent.crashed")) == crashes
    assert len(watched.told("agent.not_restarted")) == (1 if crashes == 1 else 0)  # it has no workspace: it was tried
    assert watched.task.status == ("planning" if crashes == 1 else "stuck")


def _be_killed(*_: object) -> None:
    raise KeyboardInterrupt


def test_restart_that_fails_is_told_and_not_tried_for_ever(watched: WatchedTask) -> None:
    watched.world.workflow("pair", PAIR.replace("stuck_after: 2}", "stuck_after: 2, respawn: auto}"))
    watched.die("worker")
    watched.look()  # it has no workspace to be restarted in
    assert [kind for kind in watched.world.types(watched.ref) if kind == "agent.not_restarted"] == [
        "agent.not_restarted"
    ]
    assert "could not be restarted" in (watched.task.attention or "")


def test_handoff_written_before_the_task_was_working_counts_when_the_worker_ends(watched: WatchedTask) -> None:
    watched.write(PLAN + HANDOFF)
    watched.move("working")
    watched.die("worker")
    watched.look(1)
    assert watched.task.status == "review"


def test_plan_and_handoff_written_before_the_worker_died_in_planning_both_count(watched: WatchedTask) -> None:
    watched.write(PLAN + HANDOFF)
    watched.die("worker")
    watched.look(2)
    assert [event["to"] for event in watched.world.history(watched.ref) if event["type"] == "auto.advanced"] == [
        "working",
        "review",
    ]


def test_handoff_brought_up_to_date_during_the_review_counts_when_the_worker_ends(watched: WatchedTask) -> None:
    watched.review_begins().write("\n## Handoff\n\nDONE: also what the review will find\n")
    watched.move("working")
    watched.die("worker")
    watched.look(1)
    assert watched.task.status == "review"


def test_handoff_of_an_earlier_round_does_not_count_whatever_else_was_written(watched: WatchedTask) -> None:
    watched.review_begins().write("\n## Review\n\nVerdict: FAIL\n")
    watched.move("working")
    watched.write("\n## Notes\n\nI begin to read it.\n")
    watched.die("worker")
    watched.look()
    assert (watched.task.status, watched.told()) == ("working", [("agent.crashed", "worker", "working")])


def test_handoff_that_was_there_when_the_agent_was_started_does_not_count(watched: WatchedTask) -> None:
    watched.review_begins().move("waiting")
    watched.die("worker")
    watched.look()
    watched.start("worker")
    watched.move("working")
    watched.die("worker")
    watched.look()
    assert watched.told()[1:] == [("agent.crashed", "worker", "working")]


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


def with_files(watched: WatchedTask, more: str = "") -> WatchedTask:
    """Another task, whose agent works in a state `working` of the workflow `files`."""
    watched.world.workflow("files", FILES + more)
    watched.ref = watched.world.task(workflow="files", status="todo", tmux_session="coffee/other")
    watched.move("working")
    watched.start("worker")
    return watched


def outcome(watched: WatchedTask, word: str, **more: str) -> None:
    text = json.dumps({"id": watched.ref.id, "outcome": word, **more})
    (watched.world.directory(watched.ref) / ".orange-outcome").write_text(text)


@pytest.mark.parametrize("signals", ["", SIGNALS])
def test_reason_of_a_stuck_outcome_is_what_the_person_reads_also_when_the_agent_has_ended(
    watched: WatchedTask, signals: str
) -> None:
    with_files(watched, signals)
    outcome(watched, "stuck", reason="There is no\n database to test with")
    watched.die("worker")
    watched.look(1)
    assert watched.task.status == "stuck"
    assert watched.task.attention == "The agent is stuck: There is no database to test with"
    watched.look()
    assert watched.told() == [("agent.died", "worker", "stuck")]
    assert (watched.task.attention or "").startswith("The agent is stuck: There is no database to test with; ")


def test_stuck_outcome_without_a_reason_that_can_be_read_says_nothing_more(watched: WatchedTask) -> None:
    with_files(watched, SIGNALS)
    (watched.world.directory(watched.ref) / ".orange-outcome").write_text(
        json.dumps({"id": watched.ref.id, "outcome": "stuck", "reason": ["a", 1]})
    )
    watched.look(1)
    assert (watched.task.status, watched.task.attention) == ("stuck", None)


def test_outcome_takes_a_task_on_once_and_the_same_words_written_again_once_more(watched: WatchedTask) -> None:
    with_files(watched, SIGNALS)
    outcome(watched, "passed")
    watched.look()
    assert watched.task.status == "waiting"
    watched.move("working")
    watched.look()
    assert watched.task.status == "working"  # it was sent back, and nothing was said since
    outcome(watched, "passed")
    watched.look()
    assert watched.task.status == "waiting"


def test_agent_that_left_an_outcome_and_wrote_nothing_in_its_task_is_moved_on(watched: WatchedTask) -> None:
    with_files(watched)
    outcome(watched, "passed")
    watched.die("worker")
    watched.look()
    assert (watched.task.status, watched.told()) == ("waiting", [])


def test_agent_is_not_taken_for_dead_or_lost_while_tmux_does_not_answer(
    watched: WatchedTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Sessions, "panes", _does_not_answer)
        with pytest.raises(Refused):
            watched.look(1)
    watched.look(1)
    assert (watched.told(), watched.task.attention) == ([], None)
    watched.die("worker")
    watched.look()
    assert watched.told() == [("agent.crashed", "worker", "planning")]


def _does_not_answer(*_: object, **__: object) -> list[object]:
    raise Refused("tmux did not tell which windows there are")


def test_review_of_an_earlier_round_does_not_count_after_reviewers_have_crashed(watched: WatchedTask) -> None:
    verdict = '{section: "## Review", verdict: FAIL}'
    fails = f"- {{status: review, has_artifact: {verdict}, then_when: [{{when: review_round < 2, then: working}}, "
    crash = "- {status: review, no_artifact: true"
    pair = PAIR.replace("{from: review, to: working}", f"{{from: review, to: working, gate: {verdict}}}")
    pair = pair.replace(crash, f"{fails}{{when: review_round >= 2, then: stuck}}]}}\n    {crash}")
    watched.world.workflow(
        "pair", pair.replace("{from: waiting, to: working}", "{from: [waiting, stuck], to: working}")
    )
    watched.review_begins().write("\n## Review\n\nVerdict: FAIL\n")
    watched.move("working")
    for text in ("more", "enough"):
        watched.write(f"\n## Handoff\n\nDONE: {text}\n")
        watched.review()
        watched.write("\n## Notes\n\nI wait for the review.\n")
        watched.die(f"review-{watched.task.review_round}")
        watched.look()
        if text == "more":
            watched.start("review-2")
            watched.die("review-2")
            watched.look()
            assert watched.task.status == "stuck"
            watched.move("working")
    assert (watched.task.status, watched.told("agent.crashed")[2:]) == (
        "review",
        [("agent.crashed", "review-3", "review")],
    )


# An agent that cannot be started is tried twice.
TWICE = """\
name: twice
states: {todo: {}, working: {agent: worker}, waiting: {agent: none}, done: {terminal: true}}
initial: {todo: {}}
transitions:
  - {from: todo, to: working, hooks: [{action: spawn_agent, prompt: go}]}
  - {from: working, to: todo}
  - {from: working, to: waiting}
  - {from: waiting, to: done}
exit_monitoring:
  rules:
    - status: working
      no_agent: true
      then_when: [{when: "error_repeats < 2", then: todo}, {when: "error_repeats >= 2", then: waiting}]
prompts: {go: Begin}
"""


def test_start_that_fails_again_counts_for_where_the_task_goes(watched: WatchedTask) -> None:
    watched.world.workflow("twice", TWICE)
    watched.ref = watched.world.task(workflow="twice", status="todo")
    for repeats, status in ((1, "todo"), (2, "waiting")):
        watched.move("working")
        watched.look(1)
        assert (watched.task.number("error_repeats"), watched.task.status) == (repeats, status)
