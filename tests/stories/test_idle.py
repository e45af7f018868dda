"""Agents that stop without handing in, played by the demo agent in a real tmux."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from orange_tui.domain.workflow import STOPPED
from orange_tui.supervisor import idle

if TYPE_CHECKING:
    from support.office import Office


@pytest.fixture(autouse=True)
def _short_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idle, "PAUSE_SECONDS", 0.4)


@pytest.mark.parametrize("workflow", ["classic", "solo"])
def test_agent_that_forgets_to_hand_in_is_reminded_and_goes_on(office: Office, workflow: str) -> None:
    ref = office.create("fix/forgotten", demo="forgets", workflow=workflow)
    office.supervised(lambda: office.rests(ref, "reviewing"))
    reminded = [event["window"] for event in office.events(ref, "agent.nudged")]
    assert reminded == (["worker", "review-1"] if workflow == "classic" else ["worker"])
    assert office.task(ref).attention is None


def test_agent_that_stops_again_after_its_reminder_is_the_persons(office: Office) -> None:
    ref = office.create("fix/stopped", demo="stops")
    office.supervised(lambda: office.task(ref).attention == STOPPED)
    assert office.status(ref) == "working"
    assert len(office.events(ref, "agent.nudged")) == 1
    assert [event["by"] for event in office.events(ref, "message.queued")] == ["engine"]
    office.orange.agents.answer(ref, "Go on")
    office.supervised(lambda: len(office.events(ref, "agent.nudged")) == 2)  # a new turn
    office.orange.tasks.update(ref, status="stuck", actor="person")
    assert office.task(ref).attention is None
