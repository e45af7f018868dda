"""Agents that reach their limit, and a clock that can be set forward."""

from __future__ import annotations

import asyncio
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING

from orange_tui.home import clock
from orange_tui.sessions.runtime import Runtime
from orange_tui.supervisor.limits import LimitedAgents
from support.live_home import wait_for

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from orange_tui.store.store import TaskRef
    from support.live_home import LiveHome

HOURS = 3600.0
SAYS = "You've hit your session limit · try again in 3 hours"
_SCREEN = r"""  screen:
    busy: ["limit should be over|work on this"]
    limit: ["You've hit your .*limit(?![\\s\\S]*(?:limit should be over|work on this))"]
"""


class Clock:
    """The machine's clock, as Orange reads it, so many seconds ahead."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ahead = 0.0
        real = SimpleNamespace(
            time=lambda: time.time() + self.ahead,
            time_ns=lambda: time.time_ns() + int(self.ahead * 1_000_000_000),
            strftime=time.strftime,
            gmtime=time.gmtime,
        )
        monkeypatch.setattr(clock, "time", real)


class LimitWatcher:
    """The part of a supervisor that looks after limits, one look at a time."""

    def __init__(self, live_home: LiveHome) -> None:
        self._live_home = live_home
        self._feed = live_home.orange.new_feed()
        self._agents = LimitedAgents(live_home.orange.tasks, live_home.orange.agents, self._feed)

    def look(self, *changed: TaskRef) -> float | None:
        self._feed.index.refresh_all()
        seconds = self._agents.look(changed)
        self._feed.index.refresh_all()
        return seconds

    async def run_until(self, condition: Callable[[], bool]) -> None:
        """Begin as a supervisor does, which knows nothing yet."""
        running = asyncio.create_task(self._agents.run())
        await asyncio.to_thread(wait_for, condition)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    def see(self, ref: TaskRef, window: str = "worker", state: str = "limit") -> None:
        """What the watcher of screens does, and then a look."""
        Runtime(self._live_home.orange.store.state_directory(ref)).update(window, seen=state, seen_at=clock.now())
        self.look(ref)
        self.look(ref)  # what it has written itself is a change, too


def limited_harness(live_home: LiveHome, name: str = "limited", says: str = SAYS, then: str = "exec cat") -> None:
    """An agent that has reached its limit as soon as it starts."""
    live_home.harness(name, orders=f'echo "{says}"\n{then}\n')
    with (live_home.root / "home" / "harnesses.yml").open("a") as file:
        file.write(_SCREEN)


def at_limit(live_home: LiveHome, branch: str, harness: str = "limited", **more: str) -> TaskRef:
    """A task whose agent shows that it has reached its limit."""
    ref = live_home.create(branch, harness=harness, **more)
    pane = live_home.orange.sessions.window(ref.id, "worker")
    assert pane is not None
    live_home.wait(lambda: "hit your" in (live_home.orange.tmux.screen(pane.pane_id) or ""))
    return ref
