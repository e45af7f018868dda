"""Running tmux through libtmux: for the app and `orange serve`, where its import (85 ms) is not felt.

libtmux waits for ever, gives tmux our terminal and our environment, and can hand nothing to its input. So what it
runs is ended when it takes too long, and what needs an input or must not know our terminal is run by ourselves.
"""

from __future__ import annotations

import os
import signal
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from libtmux.common import tmux_cmd
from libtmux.exc import TmuxCommandNotFound

from orange_tui.domain.errors import NotFound, Refused
from orange_tui.outside.processes import descendants
from orange_tui.outside.programs import Finished
from orange_tui.outside.tmux.server import INSTALL_TMUX, TIMEOUT_SECONDS, run_tmux

if TYPE_CHECKING:
    from collections.abc import Sequence

# Without a target, tmux takes what follows to be about the window that our terminal and environment name, and a
# server that is started on the way would keep the signals blocked that are blocked below, for all its agents.
_NOT_FROM_OUR_TERMINAL = "new-session"
# What a terminal sends to all that runs in it: a Ctrl+C for us must not make tmux fail, and agents look dead.
_TERMINAL_SIGNALS = {signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTSTP}


class _Command(tmux_cmd):
    """One command, which is killed when it takes longer than it may."""

    def __init__(self, words: Sequence[str], timeout: float) -> None:
        self.was_killed = False
        watchdog = threading.Timer(timeout, self._kill)
        watchdog.daemon = True  # leaving Orange does not wait for a tmux that hangs
        watchdog.start()
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, _TERMINAL_SIGNALS)
        try:
            super().__init__(*words)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
            watchdog.cancel()
            watchdog.join()

    def _kill(self) -> None:
        """Also what it has started: behind a script of somebody's own, that is tmux, and libtmux waits for it."""
        self.was_killed = True
        if hasattr(self, "process"):
            started = descendants(self.process.pid) if self.process.returncode is None else set()
            self.process.kill()
            for pid in started:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def run_with_libtmux(words: Sequence[str], *, stdin: bytes | None = None) -> Finished:
    """Run a tmux command line to its end, as `run_tmux` does."""
    if stdin is not None or _NOT_FROM_OUR_TERMINAL in words:
        return run_tmux(words, stdin=stdin)
    try:
        done = _Command(words, TIMEOUT_SECONDS)
    except TmuxCommandNotFound:
        raise NotFound(INSTALL_TMUX) from None
    except OSError as problem:
        raise Refused(f"tmux could not be started: {problem.strerror}") from None
    if done.was_killed:
        raise Refused(f"`tmux {' '.join(words)}` took longer than {TIMEOUT_SECONDS:g} s and was ended")
    return Finished(done.returncode, _text(done.stdout), _text(done.stderr))


def _text(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
