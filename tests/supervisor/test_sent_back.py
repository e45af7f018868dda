"""Work that a person sends back in the shipped workflows: who is told, and nothing old hands it in again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from orange_tui.delivery.feedback import request_changes
from support.desk import HANDOFF
from support.git import git

if TYPE_CHECKING:
    from pathlib import Path

    from orange_tui.store.store import TaskRef
    from support.desk import Desk
    from support.driver import Cli, World

PASS = "\n## Review\n\nVerdict: PASS\n"
AGAIN = "\nDONE: what was asked for, too\n"


def begin(desk: Desk, workflow: str) -> Desk:
    """A task of that workflow, whose worker is at work."""
    desk.ref = desk.world.task(workflow=workflow, status="pending", tmux_session="coffee/other")
    desk.move("working")
    desk.start("worker")
    return desk


def outcome_file(world: World, ref: TaskRef) -> Path:
    return world.directory(ref) / ".orange-outcome"


def report(desk: Desk, word: str) -> None:
    outcome_file(desk.world, desk.ref).write_text(json.dumps({"id": desk.ref.id, "outcome": word}))
    desk.look()


def send_back(desk: Desk, text: str = "Warmer, please.") -> None:
    """Only words: no open thread keeps the task from being handed in."""
    assert desk.task.status == "reviewing"
    request_changes(desk.world.orange.engine, desk.ref, text)


@pytest.mark.parametrize(
    "said",
    [
        ["passed"],
        ["stuck", "passed"],  # it came to the person from stuck, and not from working
        ["passed", "reviewing"],  # an agent that was restarted in reviewing has said so again
    ],
    ids="-".join,
)
def test_in_solo_no_outcome_from_before_takes_the_task_on_again(desk: Desk, said: list[str]) -> None:
    begin(desk, "solo")
    for word in said:
        report(desk, word)
    send_back(desk)
    desk.look()
    assert desk.task.status == "working"
    desk.die("worker")
    desk.look()
    assert (desk.task.status, desk.told()) == ("working", [("agent.crashed", "worker", "working")])
    kept = desk.world.state(desk.ref) / "logs" / "worker.outcome"
    assert json.loads(kept.read_text())["outcome"] == said[-1]
    desk.start("worker")
    report(desk, "passed")
    assert desk.task.status == "reviewing"


def test_in_solo_a_task_that_was_sent_back_can_get_stuck(desk: Desk) -> None:
    report(begin(desk, "solo"), "passed")
    send_back(desk)
    for _ in range(2):
        desk.die("worker")
        desk.look()
        desk.start("worker")
    assert desk.task.status == "stuck"
    report(desk, "passed")
    assert desk.task.status == "reviewing"


@pytest.mark.parametrize(
    ("workflow", "window", "then"), [("classic", "worker-2", "agent-review"), ("minimal", "worker", "reviewing")]
)
def test_the_handoff_of_the_last_round_is_none_of_the_new_worker(
    desk: Desk, workflow: str, window: str, then: str
) -> None:
    begin(desk, workflow).write(HANDOFF)
    if workflow == "classic":
        desk.move("agent-review")
        desk.write(PASS)
    desk.move("reviewing")
    desk.die("worker")
    send_back(desk)
    desk.start(window)
    desk.die(window)
    desk.look()
    assert (desk.task.status, desk.told()) == ("working", [("agent.crashed", window, "working")])
    desk.start(window)
    desk.world.edit(desk.ref, "DONE: all of it\n", f"DONE: all of it\n{AGAIN}")
    desk.die(window)
    desk.look(1)
    assert desk.task.status == then


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
