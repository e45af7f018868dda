"""Handing over: another agent goes on in the same worktree, and whoever is killed at it, one agent works at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from orange_tui.domain.errors import Refused
from orange_tui.engine.agents import Agents
from orange_tui.sessions.liveness import Sessions
from orange_tui.supervisor.exit_rules import ExitRules
from support.limited import LimitWatcher, at_limit, limited_harness
from support.office import started

if TYPE_CHECKING:
    from orange_tui.store.store import TaskRef
    from support.driver import Cli
    from support.office import Office


class Killed(BaseException):
    """What a kill is to everybody who catches errors."""


def harnesses(office: Office, ref: TaskRef) -> list[str]:
    return [event["harness"] for event in office.events(ref, "agent.spawned")]


def test_next_agent_goes_on_with_what_the_first_one_left(office: Office, cli: Cli) -> None:
    ref = started(office, "fix/login")
    second = office.harness("second")
    (office.worktree(ref) / "half").write_text("not committed yet\n")
    with office.orange.engine.open(ref) as opened:
        opened.change("task.updated", {"model": "opus"})
    shown = cli.ok("task", "hand-over", ref.id, "--harness", "second", "--json").json()
    assert (shown["harness"], shown["status"], shown["session"], shown["model"]) == (
        "second",
        "planning",
        "active",
        None,
    )
    office.wait((second / "starts").exists)
    assert "Another agent (recorder) has worked on this before you" in (second / "prompt").read_text()
    assert (second / "directory").read_text().strip() == str(office.worktree(ref))
    assert (office.worktree(ref) / "half").read_text() == "not committed yet\n"
    assert (office.windows(ref), harnesses(office, ref)) == (["worker"], ["recorder", "second"])
    told = [(event["from"], event["to"]) for event in office.events(ref, "agent.handed_over")]
    assert told == [("recorder", "second")]
    office.supervised(lambda: True)
    assert office.events(ref, "agent.crashed") == []


def test_review_is_handed_over_where_the_reviewer_works(office: Office) -> None:
    worker = started(office, "fix/login")
    office.harness("second")
    ref = office.create("fix/tea", harness="recorder", status="agent-review")
    office.orange.agents.hand_over(ref, "second")
    task = office.task(ref)
    assert (task.harness, task.review_harness, task.review_round) == ("recorder", "second", 1)
    with pytest.raises(Refused, match="a reviewer's model cannot be chosen"):
        office.orange.agents.hand_over(ref, "recorder", "opus")
    assert (office.windows(ref), office.windows(worker)) == (["review-1"], ["worker"])


def test_handing_over_is_refused_with_the_reason(office: Office, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    ref = started(office, "fix/login")
    waiting = office.create("fix/tea", harness="recorder", spawn=False)
    assert "is recorder's already" in cli.no("task", "hand-over", ref.id, "--harness", "recorder")
    assert "There is no agent 'nobody'" in cli.no("task", "hand-over", ref.id, "--harness", "nobody")
    assert "is not installed" in cli.no("task", "hand-over", ref.id, "--harness", "pi")
    assert "nothing to hand over" in cli.no("task", "hand-over", waiting.id, "--harness", "demo")
    assert "not a model's name" in cli.no("task", "hand-over", ref.id, "--harness", "demo", "--model=-x")
    assert cli("task", "hand-over", ref.id).code == 2
    monkeypatch.setenv("ORANGE_TASK", ref.id)
    assert "is for a person" in cli.no("task", "hand-over", ref.id, "--harness", "demo")
    assert harnesses(office, ref) == ["recorder"]


def test_hand_over_at_a_limit_is_finished_by_the_next_supervisor(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    limited_harness(office)
    ref = at_limit(office, "fix/login")
    LimitWatcher(office).see(ref)
    office.harness("second")

    def die(*_: Any, **__: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(Agents, "go_on", die)
        with pytest.raises(Killed):
            office.orange.agents.hand_over(ref, "second")
    office.supervised(lambda: harnesses(office, ref) == ["limited", "second"])


def test_hand_over_that_fails_is_no_crash_and_the_person_is_asked(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = started(office, "fix/login")
    office.harness("second")

    def fail(*_: Any, **__: Any) -> None:
        raise Refused("the disk is full")

    monkeypatch.setattr(Agents, "go_on", fail)
    with pytest.raises(Refused):
        office.orange.agents.hand_over(ref, "second")
    rules = ExitRules(office.orange.tasks, office.orange.agents)
    for _ in range(3):
        rules.check(ref)
    assert office.task(ref).crash_count == 0
    assert office.task(ref).attention == "second could not be started: the disk is full"
    assert len(office.events(ref, "agent.not_restarted")) == 1


@pytest.mark.parametrize("killed_at", ["end_window", "go_on"])
@pytest.mark.parametrize("by", ["supervisor", "command"])
def test_one_agent_works_whoever_is_killed_at_it(
    office: Office, monkeypatch: pytest.MonkeyPatch, killed_at: str, by: str
) -> None:
    ref = started(office, "fix/login")
    office.harness("second")

    def die(*_: Any, **__: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(Sessions if killed_at == "end_window" else Agents, killed_at, die)
        with pytest.raises(Killed):
            office.orange.agents.hand_over(ref, "second")
    if by == "supervisor":
        office.supervised(lambda: len(harnesses(office, ref)) == 2)
    else:
        office.orange.agents.hand_over(ref, "second")
    assert (office.windows(ref), harnesses(office, ref)) == (["worker"], ["recorder", "second"])
    assert (office.events(ref, "agent.crashed"), office.events(ref, "agent.died")) == ([], [])
    assert office.task(ref).attention is None
