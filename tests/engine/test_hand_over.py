"""Handing over: another agent goes on in the same worktree, and whoever is killed at it, one agent works at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from orange_tui.domain.errors import Refused
from orange_tui.engine.agents import Agents
from orange_tui.sessions.liveness import Sessions
from orange_tui.supervisor.exits.rules import ExitRules
from support.limited import LimitWatcher, at_limit, limited_harness
from support.live_home import started

if TYPE_CHECKING:
    from orange_tui.store.store import TaskRef
    from support.driver import Cli
    from support.live_home import LiveHome


class Killed(BaseException):
    """What a kill is to everybody who catches errors."""


def harnesses(live_home: LiveHome, ref: TaskRef) -> list[str]:
    return [event["harness"] for event in live_home.events(ref, "agent.spawned")]


def test_next_agent_goes_on_with_what_the_first_one_left(live_home: LiveHome, cli: Cli) -> None:
    ref = started(live_home, "fix/login")
    second = live_home.harness("second")
    (live_home.worktree(ref) / "half").write_text("not committed yet\n")
    with live_home.orange.engine.open(ref) as opened:
        opened.change("task.updated", {"model": "opus"})
    shown = cli.ok("task", "hand-over", ref.id, "--harness", "second", "--json").json()
    assert (shown["harness"], shown["status"], shown["session"], shown["model"]) == (
        "second",
        "planning",
        "active",
        None,
    )
    live_home.wait((second / "starts").exists)
    assert "Another agent (recorder) has worked on this before you" in (second / "prompt").read_text()
    assert (second / "directory").read_text().strip() == str(live_home.worktree(ref))
    assert (live_home.worktree(ref) / "half").read_text() == "not committed yet\n"
    assert (live_home.windows(ref), harnesses(live_home, ref)) == (["worker"], ["recorder", "second"])
    told = [(event["from"], event["to"]) for event in live_home.events(ref, "agent.handed_over")]
    assert told == [("recorder", "second")]
    live_home.supervised(lambda: True)
    assert live_home.events(ref, "agent.crashed") == []


def test_review_is_handed_over_where_the_reviewer_works(live_home: LiveHome) -> None:
    worker = started(live_home, "fix/login")
    live_home.harness("second")
    ref = live_home.create("fix/tea", harness="recorder", status="agent-review")
    live_home.orange.agents.hand_over(ref, "second")
    task = live_home.task(ref)
    assert (task.harness, task.review_harness, task.review_round) == ("recorder", "second", 1)
    with pytest.raises(Refused, match="a reviewer's model cannot be chosen"):
        live_home.orange.agents.hand_over(ref, "recorder", "opus")
    assert (live_home.windows(ref), live_home.windows(worker)) == (["review-1"], ["worker"])


def test_handing_over_is_refused_with_the_reason(
    live_home: LiveHome, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = started(live_home, "fix/login")
    waiting = live_home.create("fix/tea", harness="recorder", spawn=False)
    assert "is recorder's already" in cli.no("task", "hand-over", ref.id, "--harness", "recorder")
    assert "There is no agent 'nobody'" in cli.no("task", "hand-over", ref.id, "--harness", "nobody")
    assert "is not installed" in cli.no("task", "hand-over", ref.id, "--harness", "pi")
    assert "nothing to hand over" in cli.no("task", "hand-over", waiting.id, "--harness", "demo")
    assert "not a model's name" in cli.no("task", "hand-over", ref.id, "--harness", "demo", "--model=-x")
    assert cli("task", "hand-over", ref.id).code == 2
    monkeypatch.setenv("ORANGE_TASK", ref.id)
    assert "is for a person" in cli.no("task", "hand-over", ref.id, "--harness", "demo")
    assert harnesses(live_home, ref) == ["recorder"]


def test_hand_over_at_a_limit_is_finished_by_the_next_supervisor(
    live_home: LiveHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    limited_harness(live_home)
    ref = at_limit(live_home, "fix/login")
    LimitWatcher(live_home).see(ref)
    live_home.harness("second")

    def die(*_: Any, **__: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(Agents, "go_on", die)
        with pytest.raises(Killed):
            live_home.orange.agents.hand_over(ref, "second")
    live_home.supervised(lambda: harnesses(live_home, ref) == ["limited", "second"])


def test_hand_over_that_fails_is_no_crash_and_the_person_is_asked(
    live_home: LiveHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = started(live_home, "fix/login")
    live_home.harness("second")

    def fail(*_: Any, **__: Any) -> None:
        raise Refused("the disk is full")

    monkeypatch.setattr(Agents, "go_on", fail)
    with pytest.raises(Refused):
        live_home.orange.agents.hand_over(ref, "second")
    rules = ExitRules(live_home.orange.tasks, live_home.orange.agents)
    for _ in range(3):
        rules.check(ref)
    assert live_home.task(ref).crash_count == 0
    assert live_home.task(ref).attention == "second could not be started: the disk is full"
    assert len(live_home.events(ref, "agent.not_restarted")) == 1


@pytest.mark.parametrize("killed_at", ["end_window", "go_on"])
@pytest.mark.parametrize("by", ["supervisor", "command"])
def test_one_agent_works_whoever_is_killed_at_it(
    live_home: LiveHome, monkeypatch: pytest.MonkeyPatch, killed_at: str, by: str
) -> None:
    ref = started(live_home, "fix/login")
    live_home.harness("second")

    def die(*_: Any, **__: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(Sessions if killed_at == "end_window" else Agents, killed_at, die)
        with pytest.raises(Killed):
            live_home.orange.agents.hand_over(ref, "second")
    if by == "supervisor":
        live_home.supervised(lambda: len(harnesses(live_home, ref)) == 2)
    else:
        live_home.orange.agents.hand_over(ref, "second")
    assert (live_home.windows(ref), harnesses(live_home, ref)) == (["worker"], ["recorder", "second"])
    assert (live_home.events(ref, "agent.crashed"), live_home.events(ref, "agent.died")) == ([], [])
    assert live_home.task(ref).attention is None
