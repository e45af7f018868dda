"""A throw-away home for the demo, with its own repository and tmux server, set up and removed again.

The person's own home and tmux are not touched: for as long as the demo lasts, this process and the agents it starts
see the demo's instead.
"""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import contextmanager

from orange_tui.demo.clean_up import KEEP, home_in, socket_in
from orange_tui.demo.tools.terminal import PACE_VARIABLE
from orange_tui.demo.world import make_world
from orange_tui.domain.records import record
from orange_tui.home.paths import Home
from orange_tui.orange import assemble
from orange_tui.outside.programs import followed_by
from orange_tui.supervisor.starter import wait_for_starts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from orange_tui.orange import Orange

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
    words = [sys.executable, "-m", "orange_tui.demo.clean_up", root, *([KEEP] if keep else [])]
    with followed_by(words):
        make_world(root)
        seen_by_agents = {"ORANGE_HOME": home_in(root), "ORANGE_TMUX_SOCKET": socket_in(root), PACE_VARIABLE: pace}
        with _environment(seen_by_agents):
            try:
                yield Throwaway(root, assemble(Home(home_in(root))))
            finally:
                wait_for_starts()


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
