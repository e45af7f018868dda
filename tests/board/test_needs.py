"""Why a person should look at a task: told by the workflow's rules and moves, never by a state's name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from orange_tui.board import needs
from orange_tui.domain.pull_request import PullRequestStatus
from orange_tui.domain.task import make_task
from orange_tui.domain.workflow import STOPPED
from orange_tui.domain.workflow_file.loader import load_workflow
from orange_tui.home import paths
from orange_tui.sessions.agent_state import AgentStatus

if TYPE_CHECKING:
    from orange_tui.domain.workflow import Workflow
    from orange_tui.sessions.agent_state import State

# Every state of every shipped workflow: who does something next?
WHO = {
    "default": {
        "pending": "engine",
        "planning": "agent",
        "clarification": "answer",
        "working": "agent",
        "agent-review": "agent",
        "reviewing": "review",
        "stuck": "answer",
        "delegated": "engine",
        "done": "nobody",
        "cancelled": "nobody",
    },
    "classic": {
        "pending": "engine",
        "clarification": "answer",
        "working": "agent",
        "agent-review": "agent",
        "reviewing": "review",
        "stuck": "answer",
        "done": "nobody",
        "cancelled": "nobody",
    },
    "minimal": {
        "pending": "engine",
        "working": "agent",
        "reviewing": "review",
        "done": "nobody",
        "cancelled": "nobody",
    },
    "autopilot": {
        "new": "engine",
        "routed": "engine",
        "in_progress": "agent",
        "blocked": "engine",
        "needs_review": "review",
        "done": "nobody",
        "cancelled": "nobody",
    },
    "solo": {
        "pending": "engine",
        "working": "agent",
        "reviewing": "review",
        "stuck": "answer",
        "done": "nobody",
        "cancelled": "nobody",
    },
    "review-pr": {
        "pending": "engine",
        "agent-review": "agent",
        "reviewing": "review",
        "done": "nobody",
        "cancelled": "nobody",
    },
}
SENTENCES = {"review": "It waits for your review", "answer": "The agent waits for your answer"}

# The same ideas in other words, without rules for most states.
KITCHEN = """\
name: kitchen
states:
  ordered: {agent: none}
  cooking: {agent: worker}
  tasting: {agent: none}
  burnt: {agent: worker}
  cooling: {}
  resting: {agent: none}
  eaten: {terminal: true}
  binned: {terminal: true}
initial:
  ordered: {}
transitions:
  - {from: ordered, to: cooking, hooks: [acquire_workspace, {action: spawn_agent, prompt: cook}]}
  - {from: cooking, to: tasting, gate: {section: "## Dish", required: true}}
  - {from: cooking, to: burnt}
  - {from: burnt, to: cooking}
  - {from: tasting, to: resting}
  - {from: tasting, to: cooling}
  - {from: resting, to: tasting, by: engine}
  - {from: cooling, to: eaten}
  - {from: cooking, to: eaten, by: force}
  - {from: [ordered, cooking, tasting, burnt, cooling, resting], to: binned}
exit_monitoring:
  rules:
    - {status: cooking, action: mark_dead}
    - {status: burnt, action: mark_dead}
prompts:
  cook: "Cook {summary}"
"""
IN_THE_KITCHEN = {
    "ordered": False,  # the queue
    "cooking": False,  # where the first agent is started, whatever its rule says
    "tasting": True,  # no agent is there, and the engine has no move
    "burnt": True,  # the end of its agent is only marked
    "cooling": True,  # nothing but an end is ahead
    "resting": False,  # the engine goes on by itself
    "eaten": False,
    "binned": False,
}


def shipped(name: str) -> Workflow:
    path = Path(paths.shipped("workflows")) / f"{name}.yml"
    return loaded(path.read_text(), str(path))


def loaded(text: str, path: str = "kitchen.yml") -> Workflow:
    found = load_workflow(text, path)
    assert found.workflow is not None, found.problems
    return found.workflow


def why(
    workflow: Workflow | str, status: str, session: str = "active", agent: State = "busy", **more: object
) -> str | None:
    task = make_task({"status": status, "workflow": "w", **more})
    return needs.reason(task, workflow, needs.Facts(session, AgentStatus(agent)))


def test_the_table_has_every_shipped_workflow() -> None:
    assert set(WHO) == {path.stem for path in Path(paths.shipped("workflows")).glob("*.yml")}


@pytest.mark.parametrize("name", WHO)
def test_the_table_has_every_state(name: str) -> None:
    assert list(WHO[name]) == list(shipped(name).states)


@pytest.mark.parametrize(("name", "status"), [(name, status) for name in WHO for status in WHO[name]])
def test_a_person_is_needed_where_a_state_waits_for_one(name: str, status: str) -> None:
    workflow, who = shipped(name), WHO[name][status]
    assert needs.waits_for_a_person(workflow, status) == (who in SENTENCES)
    assert why(workflow, status) == SENTENCES.get(who)


@pytest.mark.parametrize(("status", "waits"), IN_THE_KITCHEN.items())
def test_renamed_states_are_understood_the_same(status: str, waits: bool) -> None:
    assert needs.waits_for_a_person(loaded(KITCHEN), status) == waits


def test_state_is_for_review_only_where_a_task_can_be_finished_well() -> None:
    kitchen = loaded(KITCHEN)
    assert [status for status in kitchen.states if needs.is_for_review(kitchen, status)] == ["cooling"]
    assert why(kitchen, "cooling", "none") == "It waits for your review"
    assert why(kitchen, "tasting", "none") == "It waits for you"


def test_first_state_without_an_agent_waits_for_a_person() -> None:
    text = "name: w\nstates: {look: {}, ok: {terminal: true}}\ntransitions: [{from: look, to: ok}]\n"
    assert needs.waits_for_a_person(loaded(text), "look")


def test_state_that_a_signal_leaves_waits_for_nobody() -> None:
    text = KITCHEN.replace("  rules:\n", "  rules:\n    - {status: resting, action: mark_dead}\n")
    assert needs.waits_for_a_person(loaded(text), "resting")
    signal = KITCHEN.replace("prompts:", "signals:\n  - {status: tasting, outcome: passed, then: cooling}\nprompts:")
    assert not needs.waits_for_a_person(loaded(signal), "tasting")


def test_agent_that_is_meant_to_end_needs_nobody_when_it_has() -> None:
    autopilot = shipped("autopilot")
    assert why(autopilot, "in_progress", "dead") is None
    assert why(autopilot, "in_progress", "lost") == "Its tmux server is gone; retry starts it over"
    assert why(shipped("default"), "working", "dead") == "The agent has ended; restart brings it back"


def test_attention_comes_before_every_other_reason() -> None:
    assert why(shipped("default"), "working", attention="Look here") == "Look here"
    assert why(shipped("default"), "done", attention="release_workspace failed") == "release_workspace failed"


@pytest.mark.parametrize(
    ("session", "agent", "sentence"),
    [
        ("active", "permission", "The agent asks for permission"),
        ("active", "error", "The agent reports an error"),
        ("active", "busy", None),
        ("active", "idle", None),
        ("active", "starting", None),
        ("active", "unknown", None),
        ("dead", "", "The agent has ended; restart brings it back"),
        ("lost", "", "Its tmux server is gone; restart brings the agent back"),
        ("none", "", None),
    ],
)
def test_agent_that_asks_or_fails_needs_a_person(session: str, agent: State, sentence: str | None) -> None:
    assert why(shipped("default"), "working", session, agent) == sentence


@pytest.mark.parametrize("session", ["dead", "lost"])
def test_session_that_no_state_requires_may_end_unnoticed(session: str) -> None:
    assert why(shipped("default"), "pending", session) is None
    assert why(shipped("default"), "done", session) is None


@pytest.mark.parametrize(
    ("agent", "sentence"),
    [
        ("idle", STOPPED),
        ("unknown", STOPPED),
        ("busy", None),
        ("limit", None),
        ("permission", "The agent asks for permission"),
    ],
)
def test_agent_that_stopped_and_works_again_needs_nobody_for_that(agent: State, sentence: str | None) -> None:
    assert why(shipped("default"), "working", agent=agent, attention=STOPPED) == sentence


def test_unusable_workflow_or_unknown_status_needs_a_person() -> None:
    assert why("steps.yml:3: no such prompt", "working") == "Its workflow cannot be used: steps.yml:3: no such prompt"
    assert why("broken", "working", attention="Look") == "Look"
    told = why(shipped("minimal"), "planning")
    assert told is not None
    assert told.startswith("planning is no state of workflow minimal; its states are pending, working")


def test_what_is_wrong_with_a_pull_request_comes_before_the_review_and_after_what_an_agent_waits_for() -> None:
    workflow, wrong = shipped("default"), "The checks of pull request #7 failed"
    cases: tuple[tuple[str, State, str | None], ...] = (
        ("working", "busy", wrong),
        ("reviewing", "idle", wrong),
        ("working", "permission", "The agent asks for permission"),
        ("done", "unknown", None),
    )
    for status, agent, expected in cases:
        task = make_task({"status": status, "workflow": "default"})
        facts = needs.Facts("active", AgentStatus(agent), pull_request=wrong)
        assert needs.reason(task, workflow, facts) == expected


def test_comments_on_a_pull_request_need_the_person_only_where_the_agent_is_not_at_them() -> None:
    said = "2 review comments, 1 failed check on pull request #7"
    assert PullRequestStatus("https://github.com/o/r/pull/7", "open", comments=2, failures=1).needs() == said
    for status, expected in (("reviewing", said), ("working", None), ("agent-review", None)):
        task = make_task({"status": status, "workflow": "default"})
        facts = needs.Facts("active", AgentStatus("idle"), pull_request=said, has_threads=True)
        assert needs.reason(task, shipped("default"), facts) == expected


def test_what_is_not_in_the_pull_request_yet_comes_before_what_was_said_of_what_is() -> None:
    left = "2 commits are not in pull request #7 yet: p pushes"
    known = PullRequestStatus("https://github.com/o/r/pull/7", "open", checks="failed", unpushed=2)
    assert known.unpushed_sentence() == left
    for status, threads, expected in (
        ("reviewing", False, left),
        ("reviewing", True, known.needs()),
        ("working", False, known.needs()),
    ):
        task = make_task({"status": status, "workflow": "default"})
        facts = needs.Facts("active", AgentStatus("idle"), (), known.needs(), threads, left)
        assert needs.reason(task, shipped("default"), facts) == expected


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (AgentStatus("permission", "rm -rf build"), "The agent asks for permission: rm -rf build"),
        (AgentStatus("permission", "Trust this folder?", "Codex asks: attach."), "Codex asks: attach."),
        (AgentStatus("limit"), None),
        (AgentStatus("limit", "Upgrade?"), None),
        (AgentStatus("error"), "The agent reports an error"),
        (AgentStatus("idle", "stale"), None),
    ],
)
def test_what_the_agent_asks_for_is_said(status: AgentStatus, sentence: str | None) -> None:
    task = make_task({"status": "working", "workflow": "default"})
    assert needs.reason(task, shipped("default"), needs.Facts("active", status)) == sentence


def against(workflow: Workflow, status: str, *files: str) -> str | None:
    task = make_task({"status": status, "workflow": "w"})
    return needs.reason(task, workflow, needs.Facts("active", None, files))


def test_what_waits_for_review_and_would_not_merge_says_so_and_where() -> None:
    assert against(shipped("default"), "reviewing", "a") == "Would not merge, r sends it back: a"
    assert against(shipped("default"), "reviewing", *"abcde") == "Would not merge, r sends it back: a, b, c and 2 more"


@pytest.mark.parametrize("status", ["pending", "planning", "working", "agent-review", "clarification", "stuck", "done"])
def test_a_conflict_of_what_is_not_handed_in_is_no_reason_to_call_a_person(status: str) -> None:
    assert against(shipped("default"), status, "a") == against(shipped("default"), status)


def test_where_nothing_can_be_sent_back_no_key_is_promised() -> None:
    assert against(loaded(KITCHEN), "cooling", "a") == "Would not merge: a"
