"""A throw-away home for the demo, with its own repository and tmux server, set up and removed again.

The person's own home and tmux are not touched: for as long as the demo lasts, this process and the agents it starts
see the demo's instead.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from contextlib import contextmanager, suppress

from orange_tui.demo.tools.terminal import PACE_VARIABLE
from orange_tui.demo.world import make_world
from orange_tui.domain.errors import OrangeError
from orange_tui.domain.records import record
from orange_tui.home.paths import Home
from orange_tui.orange import assemble
from orange_tui.outside.processes import end_sessions
from orange_tui.outside.programs import run
from orange_tui.supervisor.starter import wait_for_starts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from orange_tui.orange import Orange

_REMOVE_TRIES = 20
_REMOVE_PAUSE_SECONDS = 0.05
_SET_BY_A_TASKS_WINDOW = ("ORANGE_TASK", "ORANGE_TASK_FILE", "ORANGE_WINDOW", "TMUX", "TMUX_PANE")


@record
class Throwaway:
    """The demo's directory, and Orange in it."""

    root: str
    orange: Orange


@contextmanager
def throwaway_home(pace: str, *, keep: bool) -> Iterator[Throwaway]:
    """Make everything the demo needs; afterwards end its agents and, unless it is kept, remove its directory."""
    root = tempfile.mkdtemp(prefix="orange-demo-")
    try:
        world = make_world(root)
        socket = os.path.join(root, "tmux")
        with _environment({"ORANGE_HOME": world.home, "ORANGE_TMUX_SOCKET": socket, PACE_VARIABLE: pace}):
            orange = assemble(Home(world.home))
            try:
                yield Throwaway(root, orange)
            finally:
                wait_for_starts()
                _end_tmux(orange, socket)
    finally:
        if not keep:
            _remove(root)


@contextmanager
def _environment(changes: Mapping[str, str]) -> Iterator[None]:
    """What the agents are to find; a task of the person's own, in whose window this may run, is left out."""
    before = dict(os.environ)
    for name in _SET_BY_A_TASKS_WINDOW:
        os.environ.pop(name, None)
    os.environ.update(changes)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _end_tmux(orange: Orange, socket: str) -> None:
    """End the demo's own tmux server, and wait until every agent in it has ended."""
    with suppress(OrangeError):
        agents = [pane.pid for pane in orange.tmux.panes()]
        run(["tmux", "-S", socket, "kill-server"])
        end_sessions(agents)


def _remove(root: str) -> None:
    """Delete the directory; an agent that is just ending may still write into it, so this may take a few tries."""
    for _ in range(_REMOVE_TRIES):
        with suppress(OSError):
            shutil.rmtree(root)
            return
        time.sleep(_REMOVE_PAUSE_SECONDS)
    sys.stderr.write(f"orange: {root} could not be removed; delete it by hand\n")
