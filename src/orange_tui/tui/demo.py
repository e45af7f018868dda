"""The demo in the app: the agents are scripted, the person is real."""

from __future__ import annotations

import os
import signal
import tempfile

from orange_tui.cli.commands.demo import end_tmux, environment, pace, remove
from orange_tui.demo.headless import Story
from orange_tui.demo.world import PROJECT, make_world
from orange_tui.home.paths import Home
from orange_tui.orange import assemble
from orange_tui.supervisor.starter import wait_for_starts
from orange_tui.tui.app import run

_PACE_TO_WATCH = "1.0"


def show(seconds: str | None = None, *, keep: bool = False) -> None:
    """Make a world, open the app in it while its tasks are made, and take it away again."""
    for number in (signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, _leave)  # a closed terminal must not leave the demo's agents behind
    checked = pace(_PACE_TO_WATCH if seconds is None else seconds)
    root = tempfile.mkdtemp(prefix="orange-demo-")
    try:
        _open(root, checked)
    finally:
        if not keep:
            remove(root)


def _leave(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)


def _open(root: str, seconds: str) -> None:
    world = make_world(root)
    socket = os.path.join(root, "tmux")
    with environment({"ORANGE_HOME": world.home, "ORANGE_TMUX_SOCKET": socket, "ORANGE_DEMO_PACE": seconds}):
        try:
            orange = assemble(Home(world.home))
            run(orange, PROJECT, begin=Story(orange, lambda _line: None).create)
        finally:
            wait_for_starts()
            end_tmux(socket)
