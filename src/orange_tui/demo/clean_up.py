"""Ends what a demo has started and removes its directory, once the demo itself has ended, however that came about.

`python -m orange_tui.demo.clean_up DIRECTORY [--keep]` waits for the end of its input, which the demo holds open. So a
demo that was killed, or whose terminal was closed, leaves neither agents nor a tmux server behind.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from contextlib import suppress

from orange_tui.domain.errors import OrangeError
from orange_tui.outside.processes import end_processes_with, end_sessions, processes_with
from orange_tui.outside.programs import run
from orange_tui.outside.tmux.server import Tmux

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

KEEP = "--keep"
_REMOVE_TRIES = 20
_PAUSE_SECONDS = 0.05
_COMMANDS_SECONDS = 10.0  # that commands may need to end after their agents, or after the demo


def home_in(root: str) -> str:
    """The demo's ORANGE_HOME."""
    return os.path.join(root, "home")


def socket_in(root: str) -> str:
    """The socket of the demo's own tmux server."""
    return os.path.join(root, "tmux")


def main(argv: Sequence[str]) -> int:
    """Wait for the end of the demo, then clean up; returns the exit code."""
    sys.stdin.buffer.read()
    root, *options = argv
    deadline = time.monotonic() + _COMMANDS_SECONDS
    _end_tmux(root)
    # What an agent has asked for may go on after its end, and may start the next one; so may a tmux that the demo was
    # starting when it was killed, in the person's own directory. What takes too long would do so when we are gone.
    while processes_with("ORANGE_HOME", home_in(root)) and time.monotonic() < deadline:
        time.sleep(_PAUSE_SECONDS)
        _end_tmux(root)
    end_processes_with("ORANGE_HOME", home_in(root))
    return 0 if KEEP in options else _remove(root)


def _end_tmux(root: str) -> None:
    """End the demo's tmux server, and wait until every agent in it has ended."""
    socket = socket_in(root)
    if not os.path.exists(socket):
        return
    with suppress(OrangeError):
        agents = [pane.pid for pane in Tmux(socket).panes()]
        run(["tmux", "-S", socket, "kill-server"])
        end_sessions(agents)


def _remove(root: str) -> int:
    """Delete the directory; what is just ending may still write into it, so this may take a few tries."""
    for _ in range(_REMOVE_TRIES):
        with suppress(OSError):
            shutil.rmtree(root)
            return 0
        time.sleep(_PAUSE_SECONDS)
    with suppress(OSError):
        sys.stderr.write(f"orange: {root} could not be removed; delete it by hand\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
