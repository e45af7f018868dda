"""Agents that stop without handing in, played by the demo agent in a real tmux."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from orange_tui.domain.workflow import STOPPED
from orange_tui.supervisor import idle

if TYPE_CHECKING:
    from support.live_home import LiveHome


@pytest.fixture(autouse=True)
def _short_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idle, "PAUSE_SECONDS", 0.4)


@pytest.mark.parametrize("workflow", ["classic", "solo"])
def test_agent_that_forgets_to_hand_in_is_reminded_and_goes_on(live_home: LiveHome, workflow: str) -> None:
    ref = live_home.create("fix/forgotten", demo="forgets", workflow=workflow)
    live_home.supervised(lambda: live_home.rests(ref, "reviewing"))
    reminded = [event["window"] for event in live_home.events(ref, "agent.nudged")]
    assert reminded == (["worker", "review-1"] if workflow == "classic" else ["worker"])
    assert live_home.task(ref).attention is None


def test_agent_that_stops_again_after_its_reminder_is_the_persons(live_home: LiveHome) -> None:
    ref = live_home.create("fix/stopped", demo="stops")
    live_home.supervised(lambda: live_home.task(ref).attention == STOPPED)
    assert live_home.status(ref) == "working"
    assert len(live_home.events(ref, "agent.nudged")) == 1
    assert [event["by"] for event in live_home.events(ref, "message.queued")] == ["engine"]
    live_home.orange.agents.answer(ref, "Go on")
    live_home.supervised(lambda: len(live_home.events(ref, "agent.nudged")) == 2)  # a new turn
    live_home.orange.tasks.update(ref, status="stuck", actor="person")
    assert live_home.task(ref).attention is None
