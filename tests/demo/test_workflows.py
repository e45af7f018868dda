"""The demo agent in the classic, minimal and solo workflows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from orange_tui.demo.roles._incidents import CRASH_EXIT_CODE
from support.demo_stage import CODE, MENDED, TEST, Stage, wait_for

if TYPE_CHECKING:
    from support.demo_stage import Open


def test_classic_task_has_a_new_agent_in_every_phase_gets_stuck_after_two_rounds_and_out_again(stage: Open) -> None:
    it = stage("classic", "fail-twice")
    assert it.start("worker").finish() == 0
    assert it.status == "agent-review"
    assert it.section("Notes").startswith("APPROACH: ")
    assert it.review("worker") == "working"
    assert it.start("worker_fix").finish() == 0
    assert it.review("worker") == "stuck"
    assert it.start("stuck_fix").finish() == 0
    assert it.status == "agent-review"
    assert it.review("worker") == "reviewing"
    assert it.subjects() == [CODE, TEST, MENDED, "Fix what review 2 found"]


def test_classic_worker_asks_and_continues(stage: Open) -> None:
    it = stage("classic", "ask")
    worker = it.start("worker")
    it.until("clarification")
    worker.tell("Large only")
    it.until("agent-review")
    assert worker.finish() == 0
    assert it.path() == ["working", "clarification", "working", "agent-review"]


def test_classic_worker_gives_up_and_a_person_sends_it_back(stage: Open) -> None:
    it = stage("classic", "stuck")
    assert it.start("worker").finish() == 0
    assert it.status == "stuck"
    it.person("working")
    assert it.start("stuck_fix").finish() == 0
    assert (it.status, it.subjects()) == ("agent-review", [CODE, TEST])


def test_classic_worker_crashes_and_is_restarted(stage: Open) -> None:
    it = stage("classic", "crash")
    assert it.start("worker").end() == CRASH_EXIT_CODE
    assert it.start("worker_respawn").finish() == 0
    assert (it.status, it.subjects()) == ("agent-review", [CODE, TEST])


def test_minimal_task_goes_straight_to_the_person_whatever_the_habits_of_its_agent(stage: Open) -> None:
    it = stage("minimal", "ignores-gate, edit-with-sed, rename-branch")
    assert it.start("worker").finish() == 0
    assert it.status == "reviewing"
    assert "DONE: " in it.section("Handoff")
    assert it.is_clean()
    assert it.task.branch == "renamed/oat-milk"
    assert it.events("task.link_restored")


def test_minimal_worker_decides_itself_since_it_cannot_ask(stage: Open) -> None:
    it = stage("minimal", "ask")
    worker = it.start("worker")
    it.until("reviewing")
    assert "UNCERTAIN: whether it is meant for every size of cup" in it.section("Handoff")
    assert "minimal has no state clarification" in worker.said


def test_minimal_worker_crashes_and_restarts_with_the_same_prompt(stage: Open) -> None:
    it = stage("minimal", "crash")
    assert it.start("worker").end() == CRASH_EXIT_CODE
    assert it.start("worker").finish() == 0
    assert (it.status, it.subjects()) == ("reviewing", [CODE, TEST])


def test_minimal_worker_without_a_stuck_state_waits_for_a_message(stage: Open) -> None:
    it = stage("minimal", "stuck")
    worker = it.start("worker")
    wait_for(lambda: it.task.attention)
    assert it.status == "working"
    worker.tell("try again")
    it.until("reviewing")
    assert it.subjects() == [CODE, TEST]


def outcome(it: Stage) -> dict[str, str]:
    found: dict[str, str] = json.loads((it.directory / ".orange-outcome").read_text())
    return found


@pytest.mark.parametrize(
    ("demo", "status", "reviews"),
    [
        ("good", "reviewing", ["PASS"]),
        ("ignores-gate", "reviewing", ["PASS"]),
        ("fail-once", "reviewing", ["FAIL", "PASS"]),
        ("fail-twice", "stuck", ["FAIL", "FAIL"]),
        ("stuck", "stuck", []),
    ],
)
def test_solo_worker_reviews_itself_and_reports_and_gets_unstuck_when_it_is_restarted(
    stage: Open, demo: str, status: str, reviews: list[str]
) -> None:
    it = stage("solo", demo)
    assert it.start("worker").finish() == 0
    assert it.status == status
    assert [line.split()[3].rstrip(",") for line in it.section("Notes").splitlines()] == reviews
    assert outcome(it)["id"] == it.ref.id
    assert outcome(it)["outcome"] == ("passed" if status == "reviewing" else "stuck")
    commits = it.subjects()
    if status == "stuck":
        assert it.start("worker_respawn").finish() == 0
        assert (it.status, outcome(it)["outcome"]) == ("reviewing", "passed")
    elif demo == "good":  # there is nothing left to do, and it says so
        assert it.start("worker_respawn").finish() == 0
        assert (it.status, outcome(it)["outcome"], it.subjects()) == ("reviewing", "reviewing", commits)


def test_solo_worker_crashes_and_is_restarted(stage: Open) -> None:
    it = stage("solo", "crash")
    assert it.start("worker").end() == CRASH_EXIT_CODE
    assert it.start("worker_respawn").finish() == 0
    assert (it.status, it.subjects()) == ("reviewing", [CODE, TEST])
