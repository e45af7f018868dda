"""The two ways into the app, which the command line calls by name: `orange` alone, and `orange demo`."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

from orange_tui.tui.app import run

if TYPE_CHECKING:
    from orange_tui.orange import Orange

_DEMO_PACE = "1.0"


def open_app(orange: Orange, project: str | None) -> None:
    """Show one project, or all of them, until the person leaves; who wants the demo from there gets it next."""
    if run(orange, project) == "demo":
        open_demo()


def open_demo(pace: str | None = None, *, keep: bool = False) -> None:
    """Show the demo's own project while its tasks are created: the agents are scripted, the person is real."""
    from orange_tui.demo.headless import Scenario
    from orange_tui.demo.throwaway import throwaway_home
    from orange_tui.demo.world import PROJECT

    for number in (signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, _leave)  # a closed terminal must not leave the demo's agents behind
    with throwaway_home(_DEMO_PACE if pace is None else pace, keep=keep) as made:
        run(made.orange, PROJECT, on_ready=Scenario(made.orange, lambda _line: None).create)


def _leave(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)
