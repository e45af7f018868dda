"""`orange demo`: a world is made, played in, and taken away again. The person's own home and tmux are not touched."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from contextlib import contextmanager, suppress

from orange_tui.cli.reply import Reply, safe
from orange_tui.domain.errors import OrangeError, Refused, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from orange_tui.cli.parsing.grammar import Parsed
    from orange_tui.orange import Orange

_USUAL_PACE = "0.2"
_TRIES_TO_REMOVE = 20


def demo(parsed: Parsed, _orange: Orange) -> Reply:
    """Play the demo; the code says whether every task ended where it should."""
    if not parsed.flag("headless"):
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise Refused("The demo needs a terminal; `orange demo --headless` does without")
        from importlib import import_module

        # By name: the command line does not know the app, and must not load it for any other command.
        import_module("orange_tui.tui.demo").show(parsed.text("pace"), keep=parsed.flag("keep"))
        return Reply("")
    checked = pace(_USUAL_PACE if parsed.text("pace") is None else parsed.needed("pace"))
    root = tempfile.mkdtemp(prefix="orange-demo-")
    try:
        well = _play(root, checked)
    finally:
        if not parsed.flag("keep"):
            remove(root)
    kept = (f"What came of it is in {root}; ORANGE_HOME={root}/home shows it",) if parsed.flag("keep") else ()
    text = "Every task is where it should be." if well else "Not every task is where it should be."
    return Reply(text, notes=kept, code=0 if well else 1)


def pace(text: str) -> str:
    """A pace that was given, checked."""
    with suppress(ValueError):
        if 0 <= float(text) < float("inf"):
            return text
    raise UsageError(f"--pace is a number of seconds, such as 0.5; '{text}' is not")


def _play(root: str, pace: str) -> bool:
    from orange_tui.demo.headless import play
    from orange_tui.demo.world import make_world
    from orange_tui.home.paths import Home
    from orange_tui.orange import assemble

    world = make_world(root)
    socket = os.path.join(root, "tmux")
    with environment({"ORANGE_HOME": world.home, "ORANGE_TMUX_SOCKET": socket, "ORANGE_DEMO_PACE": pace}):
        try:
            return play(assemble(Home(world.home)), _say)
        finally:
            end_tmux(socket)


def _say(line: str) -> None:
    print(safe(line), flush=True)


@contextmanager
def environment(changes: Mapping[str, str]) -> Iterator[None]:
    """What the agents are to find; a task of the person's own, in whose window this may run, is left out."""
    before = dict(os.environ)
    for name in ("ORANGE_TASK", "ORANGE_TASK_FILE", "ORANGE_WINDOW", "TMUX", "TMUX_PANE"):
        os.environ.pop(name, None)
    os.environ.update(changes)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def end_tmux(socket: str) -> None:
    """End the demo's own tmux server, with every agent in it."""
    from orange_tui.outside.programs import run

    with suppress(OrangeError):
        run(["tmux", "-S", socket, "kill-server"])


def remove(root: str) -> None:
    """Take the directory away; an agent that is just ending may write its last into it meanwhile."""
    for _ in range(_TRIES_TO_REMOVE):
        with suppress(OSError):
            shutil.rmtree(root)
            return
        time.sleep(0.05)
    print(f"orange: {root} could not be removed; delete it by hand", file=sys.stderr)
