"""Work that a person sends back in the shipped workflows: who is told, and nothing old hands it in again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from orange_tui.delivery.feedback import request_changes
from support.git import git
from support.watched_task import HANDOFF

if TYPE_CHECKING:
    from pathlib import Path

    from orange_tui.store.store import TaskRef
    from support.driver import Cli, World
    from support.watched_task import WatchedTask

PASS = "\n## Review\n\nVerdict: PASS\n"
AGAIN = "\nDONE: what was asked for, too\n"


def begin(watched: WatchedTask, workflow: str) -> WatchedTask:
    """A task of that workflow, whose worker is at work."""
    watched.ref = watched.world.task(workflow=workflow, status="pending", tmux_session="coffee/other")
    watched.move("working")
    watched.start("worker")
    return watched


def outcome_file(world: World, ref: TaskRef) -> Path:
    return world.directory(ref) / ".orange-outcome"


def report(watched: WatchedTask, word: str) -> None:
    outcome_file(watched.world, watched.ref).write_text(json.dumps({"id": watched.ref.id, "outcome": word}))
    watched.look()


def send_back(watched: WatchedTask, text: str = "Warmer, please.") -> None:
    """Only words: no open thread keeps the task from being handed in."""
    assert watched.task.status == "reviewing"
    request_changes(watched.world.orange.engine, watched.ref, text)


@pytest.mark.parametrize(
    "said",
    [
        ["passed"],
        ["stuck", "passed"],  # it came to the person from stuck, and not from working
        ["passed", "reviewing"],  # an agent that was restarted in reviewing has said so again
    ],
    ids="-".join,
)
def test_in_solo_no_outcome_from_before_takes_the_task_on_again(watched: WatchedTask, said: list[str]) -> None:
    begin(watched, "solo")
    for word in said:
        report(watched, word)
    send_back(watched)
    watched.look()
    assert watched.task.status == "working"
    watched.die("worker")
    watched.look()
    assert (watched.task.status, watched.told()) == ("working", [("agent.crashed", "worker", "working")])
    kept = watched.world.state(watched.ref) / "logs" / "worker.outcome"
    assert json.loads(kept.read_text())["outcome"] == said[-1]
    watched.start("worker")
    report(watched, "passed")
    assert watched.task.status == "reviewing"


def test_in_solo_a_task_that_was_sent_back_can_get_stuck(watched: WatchedTask) -> None:
    report(begin(watched, "solo"), "passed")
    send_back(watched)
    for _ in range(2):
        watched.die("worker")
        watched.look()
        watched.start("worker")
    assert watched.task.status == "stuck"
    report(watched, "passed")
    assert watched.task.status == "reviewing"


@pytest.mark.parametrize(
    ("workflow", "window", "then"), [("classic", "worker-2", "agent-review"), ("minimal", "worker", "reviewing")]
)
def test_the_handoff_of_the_last_round_is_none_of_the_new_worker(
    watched: WatchedTask, workflow: str, window: str, then: str
) -> None:
    begin(watched, workflow).write(HANDOFF)
    if workflow == "classic":
        watched.move("agent-review")
        watched.write(PASS)
    watched.move("reviewing")
    watched.die("worker")
    send_back(watched)
    watched.start(window)
    watched.die(window)
    watched.look()
    assert (watched.task.status, watched.told()) == ("working", [("agent.crashed", window, "working")])
    watched.start(window)
    watched.world.edit(watched.ref, "DONE: all of it\n", f"DONE: all of it\n{AGAIN}")
    watched.die(window)
    watched.look(1)
    assert watched.task.status == then


STARTED = {
    "solo": ["clear_outcome", "notify_worker"],
    "classic": ["kill_session", "spawn_agent"],
    "minimal": ["spawn_agent"],
}
HAND_IN = {"solo": ("complete",), "classic": ("update", "--status", "agent-review"), "minimal": ("complete",)}


@pytest.mark.parametrize("workflow", STARTED)
def test_a_comment_goes_back_is_answered_and_the_work_comes_again(
    world: World, cli: Cli, repository: Path, monkeypatch: pytest.MonkeyPatch, workflow: str
) -> None:
    world.orange.projects.update("coffee", {"path": str(repository)})
    git(repository, "branch", "ristretto")
    ref = world.task(HANDOFF, workflow=workflow, status="reviewing", branch="ristretto")
    cli.ok("task", "comment", ref.id, "README:1", "Why?")
    moved = cli.ok("task", "request-changes", ref.id, "--json").json()
    assert (moved["status"], moved["hooks_run"]) == ("working", STARTED[workflow])
    monkeypatch.setenv("ORANGE_TASK", ref.id)
    monkeypatch.setenv("ORANGE_WINDOW", "worker")
    (thread,) = cli.ok("task", "threads", "--open", "--json").json()
    outcome_file(world, ref).write_text(json.dumps({"id": ref.id, "outcome": "passed"}))
    if workflow != "minimal":
        assert "1 thread is open" in cli.no("task", *HAND_IN[workflow])
    cli.ok("task", "reply", thread["id"], "So that it stays warm", "--fixed")
    cli.ok("task", *HAND_IN[workflow])
    if workflow == "classic":
        world.write_body(ref, PASS)
        cli.ok("task", "update", "--status", "reviewing")
    assert world.read(ref).status == "reviewing"
    assert "a person merges, sends it back or cancels" in cli.no("task", "update", "--status", "working")
