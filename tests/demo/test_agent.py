"""The demo agent in the default workflow: after each story TASK.md, status and commits are as they should be."""

from __future__ import annotations

import io
import json
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from orange_tui.demo.roles._incidents import CRASH_EXIT_CODE
from orange_tui.demo.roles.behaviours import BEHAVIOURS, requested_behaviour
from orange_tui.demo.roles.instructions import is_reviewer, read_instructions
from orange_tui.demo.roles.worker import Worker
from orange_tui.demo.tools.task_tools import find_task_tools
from orange_tui.demo.tools.terminal import AgentTerminal
from orange_tui.demo.world import DEMO_TASKS, make_world
from orange_tui.home import clock
from support.demo_stage import CODE, HANDED_OVER, MENDED, TEST, TOLD, wait_for
from support.git import git

if TYPE_CHECKING:
    from support.demo_stage import Open


STOPS = "So far, so good."
ASKED_FOR = "Changes were asked for. Read ## Feedback, then run: orange task update --status agent-review"


def test_good_worker_goes_from_plan_to_review_in_one_session(stage: Open) -> None:
    """It commits where git has no identity, writes down what it uses, and sends a pipe neither colour nor spinner."""
    it = stage("default", "good")
    for name in [name for name in it.environment if name.startswith("GIT_") and "CONFIG" not in name]:
        del it.environment[name]
    worker = it.start("worker", ORANGE_DEMO_PACE="0.01")
    it.until("agent-review")
    assert it.review() == "reviewing"
    assert worker.finish() == 0
    assert it.path() == ["planning", "working", "agent-review", "reviewing"]
    assert it.subjects() == [CODE, TEST]
    assert it.is_clean()
    assert it.section("Plan").startswith("APPROACH: ")
    assert "TOUCHING: coffee/oat_milk.py, tests/test_oat_milk.py" in it.section("Plan")
    assert "(3 tests, all pass)" in it.section("Handoff")
    assert it.section("Review").startswith("Verdict: PASS\n- read +")
    assert it.section("Context") == "As we said.\n\ndemo: good"
    assert not it.events("task.tampered")
    assert it.task.attention is None
    assert git(it.worktree, "log", "-1", "--format=%an <%ae>") == "Orange demo agent <demo@orange.invalid>"
    assert "\x1b" not in worker.said
    used = it.directory / ".orange-status" / "worker.usage.jsonl"
    assert len([json.loads(line) for line in used.read_text().splitlines()]) > 3


def test_worker_at_a_terminal_asks_fixes_what_a_review_found_and_passes(stage: Open) -> None:
    """Behaviours combine, and a paste of several lines is one message."""
    it = stage("default", "ask, fail-once")
    worker = it.start("worker", terminal=True)
    worker.waits_after("I'll wait for you here.")
    assert it.status == "clarification"
    assert it.section("Plan") == ""
    worker.type("nonsense\x15Larj\x7fge\x1b[D, please\r")  # type: ignore[attr-defined]
    worker.waits_after(HANDED_OVER)
    assert it.section("Questions").startswith("1. Is this for every size of cup")
    assert it.section("Questions").endswith("Answer: Large, please")
    assert it.path() == ["planning", "clarification", "working", "agent-review"]
    assert it.review() == "working"
    assert "- coffee/oat_milk.py:6 takes an order of no cups" in it.section("Review")
    worker.tell(TOLD)
    it.until("agent-review")
    assert it.review("review-2") == "reviewing"
    worker.tell("exit")
    assert worker.end() == 0
    assert "\x1b[?2004h" in worker.said
    assert "\x1b[38;5;208m" in worker.said
    assert "200~" not in worker.said
    assert it.subjects() == [CODE, TEST, MENDED]
    assert MENDED in it.section("Handoff")
    assert it.task.review_round == 2
    assert "raise ValueError" in (it.worktree / "coffee" / "oat_milk.py").read_text()


def test_two_failed_reviews_make_a_task_stuck_and_a_person_gets_it_out(stage: Open) -> None:
    it = stage("default", "fail-twice")
    worker = it.start("worker")
    it.until("agent-review")
    assert it.review() == "working"
    worker.tell(TOLD)
    it.until("agent-review")
    assert it.review("review-2") == "stuck"
    worker.tell(it.prompt("stuck_fix"))
    worker.waits_after("Shall I?")
    assert it.subjects() == [CODE, TEST, MENDED]
    worker.tell("Yes, do that")
    worker.waits_after("Shall I hand it over for review?")
    assert it.status == "stuck"
    worker.tell("not yet")
    worker.waits_after("Say yes when")
    worker.tell("yes")
    it.until("reviewing")
    assert it.subjects() == [CODE, TEST, MENDED, "Fix what review 2 found"]
    assert worker.finish() == 0


def test_worker_acts_on_feedback_once(stage: Open) -> None:
    it = stage("default", "good")
    worker = it.start("worker")
    it.until("agent-review")
    for wish in ("Make it foam", "And sing"):
        assert it.review() == "reviewing"
        with (it.directory / "TASK.md").open("a") as file:
            file.write(f"\n## Feedback\n\n{wish}\n")
        it.person("working")
        worker.tell(ASKED_FOR)
        it.until("agent-review")
    assert worker.finish() == 0
    assert it.subjects() == [CODE, TEST, "As asked: Make it foam", "As asked: And sing"]
    assert "As asked: And sing (5 tests, all pass)" in it.section("Handoff")


def test_crash_loses_nothing_and_the_next_session_continues(stage: Open) -> None:
    it = stage("default", "crash")
    assert it.start("worker").end() == CRASH_EXIT_CODE
    assert (it.status, it.subjects(), it.section("Handoff")) == ("working", [CODE], "")
    assert not it.is_clean()
    again = it.start("worker_respawn")
    it.until("agent-review")
    assert again.finish() == 0
    assert it.subjects() == [CODE, TEST]
    assert it.is_clean()


def test_worker_that_always_crashes_waits_once_it_is_stuck(stage: Open) -> None:
    it = stage("default", "crash-always")
    assert it.start("worker").end() == CRASH_EXIT_CODE
    assert it.start("worker_respawn").end() == CRASH_EXIT_CODE
    assert (it.status, it.subjects()) == ("working", [])
    it.person("stuck")
    fixer = it.start("stuck_fix")
    fixer.waits_after("Shall I?")
    fixer.tell("go ahead")
    fixer.tell("yes")
    it.until("reviewing")
    assert it.subjects() == [CODE, TEST]


def test_agents_that_forget_to_hand_in_go_on_when_they_are_reminded(stage: Open) -> None:
    it = stage("default", "forgets")
    worker = it.start("worker")
    worker.waits_after(STOPS)
    assert (it.status, it.subjects()) == ("working", [])
    worker.tell("Reminder from Orange: nothing was handed in. Then run: orange task update --status agent-review")
    it.until("agent-review")
    reviewer = it.start("reviewer", "review-1")
    reviewer.waits_after(STOPS)
    assert it.section("Review") == ""
    reviewer.tell("Reminder from Orange: nothing was handed in.")
    it.until("reviewing")


def test_worker_that_stops_does_so_again_whatever_it_is_told(stage: Open) -> None:
    it = stage("default", "stops")
    worker = it.start("worker")
    worker.tell("Reminder from Orange: nothing was handed in.")
    wait_for(lambda: worker.said.count(STOPS) == 2)
    assert (it.status, it.subjects()) == ("working", [])


def test_worker_at_its_limit_says_until_when_and_goes_on_after_that(stage: Open) -> None:
    it = stage("default", "limit")
    worker = it.start("worker", terminal=True)
    worker.waits_after("You've hit your demo limit · resets 20")
    worker.waits_after("demo · limit")
    assert (it.status, it.subjects()) == ("working", [CODE])
    worker.tell("Go on")  # at full speed the limit is over at once
    it.until("agent-review")
    assert it.subjects() == [CODE, TEST]


def test_worker_that_is_told_to_go_on_before_its_limit_is_over_says_so_again(stage: Open) -> None:
    it = stage("default", "limit")
    screen = io.StringIO()
    tools = find_task_tools({"ORANGE_TASK_FILE": str(it.directory / "TASK.md")}, str(it.worktree))
    worker = Worker(tools, AgentTerminal(screen, pace=1.0), "Task: x")
    worker.reach_limit()
    assert worker.is_at_limit()
    assert worker.resting_state == "limit"
    ends = re.findall(r"You've hit your demo limit · resets (\S+)", screen.getvalue())
    assert len(ends) == 2
    assert ends[0] == ends[1]
    assert 0 < -clock.seconds_since(ends[0]) <= 10


def test_worker_that_exits_silently_leaves_no_artifact(stage: Open) -> None:
    it = stage("default", "dies-silent")
    assert it.start("worker").end() == 0
    assert (it.status, it.section("Handoff"), it.subjects()) == ("working", "", [])


def test_question_outlives_the_worker_that_asked(stage: Open) -> None:
    it = stage("default", "ask")
    assert it.start("worker").finish() == 0
    assert it.status == "clarification"
    worker = it.start("worker_respawn")
    worker.waits_after("not clear to me yet")
    worker.tell("Both")
    it.until("agent-review")
    assert it.section("Questions").count("1. Is this") == 1


def test_task_without_a_summary_gets_one_and_a_better_branch(stage: Open) -> None:
    it = stage("default", "good", start=None, summary="", branch=None, status="clarification")
    worker = it.start("clarification")
    worker.waits_after("not clear to me yet")
    worker.tell("Cold brew,\nover ice")
    it.until("agent-review")
    assert worker.finish() == 0
    assert it.task.summary == "Cold brew, over ice"
    assert it.task.branch == "cold-brew-over-ice" == git(it.worktree, "branch", "--show-current")


def test_branch_name_that_is_taken_gets_the_id(stage: Open) -> None:
    it = stage("default", "good", branch=None)
    git(it.worktree, "branch", "oat-milk")
    assert it.start("worker").finish() == 0
    assert (it.status, it.task.branch) == ("agent-review", f"oat-milk-{it.ref.id}")


def test_worker_that_gives_up_says_why_and_fixes_it_with_a_person(stage: Open) -> None:
    it = stage("default", "stuck")
    worker = it.start("worker")
    it.until("stuck")
    assert "the grinder" in str(it.task.attention)
    worker.tell(it.prompt("stuck_fix"))
    worker.waits_after("What went wrong: The agent is stuck: the grinder")
    worker.tell("mend it")
    worker.waits_after("Shall I hand it over")
    worker.tell("yes please")
    it.until("reviewing")
    assert it.subjects() == [CODE, TEST]
    assert "DONE: " in it.section("Handoff")


def test_worker_that_ignores_gates_is_refused_and_then_writes_what_is_missing(stage: Open) -> None:
    it = stage("default", "ignores-gate")
    worker = it.start("worker")
    it.until("agent-review")
    reviewer = it.start("reviewer", "review-1")
    it.until("reviewing")
    assert worker.finish() == reviewer.finish() == 0
    for agent, section in ((worker, "## Plan"), (worker, "## Handoff"), (reviewer, "## Review")):
        assert f"TASK.md has no section {section}" in agent.said
    assert it.path() == ["planning", "working", "agent-review", "reviewing"]


def test_slow_worker_takes_its_time(stage: Open) -> None:
    assert requested_behaviour("demo: slow", ()).thoughts > requested_behaviour("", ()).thoughts
    it = stage("default", "slow")
    assert it.start("worker").finish() == 0  # at pace 0 that is no time at all
    assert it.status == "agent-review"


def test_two_conflict_tasks_conflict(stage: Open) -> None:
    it = stage("default", "conflict")
    assert it.start("worker").finish() == 0
    assert "Today's special: oat-milk\n" in (it.worktree / "README.md").read_text()
    other = it.worktree.parent / "other"
    git(it.worktree, "worktree", "add", "--quiet", "-b", "other", str(other), "origin/main")
    readme = other / "README.md"
    readme.write_text(readme.read_text().replace("flat white", "other"))
    git(other, "commit", "--quiet", "--all", "--message=mine")
    words = ["git", "-C", str(other), "merge-tree", "--write-tree", "other", "oat-milk"]
    assert subprocess.run(words, capture_output=True, check=False).returncode == 1


def test_text_of_a_worker_that_replaces_the_link_is_adopted(stage: Open) -> None:
    it = stage("default", "edit-with-sed")
    assert it.start("worker").finish() == 0
    assert it.status == "agent-review"
    assert (it.worktree / "TASK.md").is_symlink()
    assert it.section("Plan")
    assert it.section("Handoff")
    assert len(it.events("task.link_restored")) == 2
    assert it.review() == "reviewing"


def test_worker_that_tampers_changes_nothing(stage: Open) -> None:
    it = stage("default", "tamper")
    worker = it.start("worker")
    it.until("agent-review")
    assert worker.finish() == 0
    assert [event["fields"] for event in it.events("task.tampered")] == [{"status": "done"}]
    assert "TASK.md still says working" in worker.said
    assert it.path() == ["planning", "working", "agent-review"]


def test_task_follows_a_worker_that_renames_its_branch(stage: Open) -> None:
    it = stage("default", "rename-branch")
    assert it.start("worker").finish() == 0
    assert it.status == "agent-review"
    assert it.task.branch == "renamed/oat-milk" == git(it.worktree, "branch", "--show-current")
    assert (it.worktree / "coffee" / "renamed_oat_milk.py").is_file()


def test_crashed_reviewer_is_followed_by_one_that_does_not_crash(stage: Open) -> None:
    it = stage("default", "reviewer-crash")
    assert it.start("worker").finish() == 0
    assert it.start("reviewer", "review-1").end() == CRASH_EXIT_CODE
    assert (it.status, it.section("Review")) == ("agent-review", "")
    it.set_crash_count(1)
    assert it.review() == "reviewing"


def test_restarted_worker_with_nothing_to_do_waits(stage: Open) -> None:
    it = stage("default", "good")
    assert it.start("worker").finish() == 0
    for status in ("agent-review", "reviewing"):
        assert status == "agent-review" or it.review() == status
        before = (it.directory / "TASK.md").read_text()
        worker = it.start("worker_respawn")
        worker.waits_after(f"The task is {status}: I have nothing to do")
        worker.tell("How are you?")
        worker.waits_after("Noted.")
        assert worker.finish() == 0
        assert (it.directory / "TASK.md").read_text() == before


def test_git_error_makes_the_task_stuck_with_the_reason(stage: Open) -> None:
    it = stage("default", "good")
    lock = git(it.worktree, "rev-parse", "--git-path", "index.lock")
    (it.worktree / lock).touch()
    assert it.start("worker").finish() == 0
    assert it.status == "stuck"
    assert "index.lock" in str(it.task.attention)


def test_every_behaviour_has_its_story() -> None:
    stories = "".join(path.read_text() for path in Path(__file__).parent.glob("test_*.py"))
    assert [name for name in BEHAVIOURS if f'"{name}"' not in stories] == []


@pytest.mark.parametrize(
    ("window", "prompt", "reviewer"),
    [
        ("review-1", "Task: x", True),
        ("worker", "Review: x", True),  # a workflow may name its window as it likes
        ("worker", "Task: Review the menu", False),
        ("", "# Review round 2", True),
        ("", "Resuming: x", False),
    ],
)
def test_reviewer_is_recognized_by_window_or_prompt(window: str, prompt: str, reviewer: bool) -> None:
    assert is_reviewer(prompt, {"ORANGE_WINDOW": window}) is reviewer


def test_prompt_without_a_command_leads_to_review() -> None:
    assert read_instructions("Task: x").next_status == "agent-review"


def test_demo_tasks_ask_for_behaviours_that_exist(tmp_path: Path) -> None:
    assert not [task.branch for task in DEMO_TASKS if requested_behaviour(task.context, ()).unknown]
    world = make_world(str(tmp_path / "w"))
    assert world.git("log", "--format=%s").count("\n") == 3
    assert world.git("rev-parse", "origin/HEAD") == world.git("rev-parse", "main")
    assert world.git("status", "--porcelain") == ""
