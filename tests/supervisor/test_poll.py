"""The backstop: what nobody told of is noticed by looking, as often as the workflow asks for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from orange_tui.domain.task import make_task
from orange_tui.home import paths
from orange_tui.sessions.deaths import Deaths
from orange_tui.supervisor import examiner
from orange_tui.supervisor._states import DEFAULT_POLL_SECONDS, StateTable
from support.live_home import started

if TYPE_CHECKING:
    from support.driver import World
    from support.live_home import LiveHome


def quick_default(seconds: int) -> str:
    """The default workflow, polled so often."""
    text = Path(paths.shipped("workflows"), "default.yml").read_text()
    assert "poll_interval: 30" in text
    return text.replace("poll_interval: 30", f"poll_interval: {seconds}")


def test_closed_window_that_nobody_tells_of_is_found_within_the_workflows_poll_interval(
    live_home: LiveHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    workflows = live_home.root / "home" / "workflows"
    workflows.mkdir()
    (workflows / "default.yml").write_text(quick_default(1))
    ref, _ = started(live_home, "fix/closed"), started(live_home, "fix/other")  # tmux goes on
    monkeypatch.setattr(Deaths, "wait_for", lambda _deaths, _agents: None)
    monkeypatch.setattr(examiner, "DEFAULT_POLL_SECONDS", 3600)  # where no workflow asks for more
    rounds = 0

    def is_noticed() -> bool:
        nonlocal rounds
        rounds += 1
        if rounds == 5:  # by now everything was looked at once
            pane = live_home.orange.sessions.window(ref.id, "worker")
            assert pane is not None
            live_home.orange.tmux.kill_window(pane)
        return live_home.task(ref).crash_count == 1

    live_home.supervised(is_noticed)


@pytest.mark.parametrize(("interval", "seconds"), [(5, 5), (300, 300)])
def test_poll_interval_of_a_workflow_is_how_often_its_agents_are_looked_for(
    world: World, interval: int, seconds: int
) -> None:
    world.workflow("default", quick_default(interval))
    rules = StateTable(world.orange.workflows)
    assert rules.rules_for(make_task({"workflow": "default", "status": "working"})).poll_seconds == seconds


def test_workflow_without_a_poll_interval_is_polled_every_half_minute(world: World) -> None:
    rules = StateTable(world.orange.workflows)
    assert rules.rules_for(make_task({"workflow": "steps", "status": "doing"})).poll_seconds == DEFAULT_POLL_SECONDS
    assert rules.rules_for(make_task({"workflow": "gone", "status": "doing"})).poll_seconds == DEFAULT_POLL_SECONDS
