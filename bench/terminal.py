"""A program in a terminal of its own: keys go in, and what it writes is looked at as it comes."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from agents import cpu_seconds, idle_until_settled
from engine import ORANGE

if TYPE_CHECKING:
    from measure import Job

LINES, COLUMNS = 36, 120
PATIENCE = 30.0  # seconds
_COLOURS = re.compile(rb"\x1b\[[0-9;]*m")
_CALM = 0.03  # seconds of processor time in one of the clock: less is nothing to speak of
_SAMPLE_SECONDS = 0.05
_REST_SECONDS = 1.0  # without any processor time: then a program has nothing more to do
_QUIET = 0.1  # seconds without output after which a program has shown what it had to


class Terminal:
    """A program in a terminal of its own, whose output is read all the time, as a real terminal does."""

    def __init__(self, words: Sequence[str], environment: dict[str, str]) -> None:
        self._screen, inside = pty.openpty()
        fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        kept = {name: value for name, value in environment.items() if name not in {"LINES", "COLUMNS", "NO_COLOR"}}
        self._start = time.perf_counter()
        self._program = subprocess.Popen(
            words,
            stdin=inside,
            stdout=inside,
            stderr=inside,
            cwd=Path(environment["ORANGE_HOME"]).parent / "shop",
            env={**kept, "TERM": "xterm-256color", "COLORTERM": "truecolor"},
            start_new_session=True,
        )
        os.close(inside)
        self.pid = self._program.pid

    def until(self, text: str) -> float:
        """Milliseconds from the start, or the last key, until the terminal was given this text."""
        return self.until_match(re.escape(text))

    def until_match(self, pattern: str) -> float:
        """The same for a pattern, in what is left without colours."""
        seen, wanted = b"", re.compile(pattern.encode())
        text = pattern
        while wanted.search(_COLOURS.sub(b"", seen)) is None:
            try:
                seen += os.read(self._screen, 65536)
            except OSError:
                sys.exit(f"the program has ended before it showed {text!r}: {seen[-2000:]!r}")
            if time.perf_counter() - self._start > PATIENCE:
                sys.exit(f"waited in vain for {text!r}")
        return (time.perf_counter() - self._start) * 1000

    def begin(self) -> None:
        """Count the time from now on."""
        self._start = time.perf_counter()

    def press(self, key: str) -> None:
        """Type something; the time is counted from here."""
        self.begin()
        os.write(self._screen, key.encode())

    def quiet(self) -> None:
        """Read on until nothing more comes for a moment."""
        while select.select([self._screen], [], [], _QUIET)[0]:
            os.read(self._screen, 65536)

    def settle(self) -> None:
        """Read on until the program has nothing more to do."""
        last = -1.0
        while (now := cpu_seconds(self.pid)) - last > _CALM:
            last = now
            time.sleep(1)
            self.quiet()

    def quiet_at(self) -> float:
        """Seconds from the start until the program had nothing more to do; somebody must be reading what it writes."""
        last, busy_at = 0.0, time.perf_counter() - self._start
        while (now := time.perf_counter() - self._start) - busy_at < _REST_SECONDS:
            used = cpu_seconds(self.pid)
            busy_at = now if used > last else busy_at
            last = used
            if now > PATIENCE:
                sys.exit(f"not quiet after {now:.0f} s")
            time.sleep(_SAMPLE_SECONDS)
        return busy_at

    def keep_reading(self) -> None:
        """Take whatever comes from now on, in the background."""

        def read() -> None:
            try:
                while os.read(self._screen, 65536):
                    pass
            except OSError:
                return  # it has ended

        threading.Thread(target=read, daemon=True).start()

    def end(self) -> None:
        self._program.kill()
        self._program.wait()
        os.close(self._screen)


@contextmanager
def opened(words: Sequence[str], environment: dict[str, str], text: str) -> Iterator[Terminal]:
    """A program at a terminal, from when it shows a text until it is ended."""
    terminal = Terminal(words, environment)
    try:
        terminal.until(text)
        yield terminal
    finally:
        terminal.end()


def showing(words: Sequence[str], environment: dict[str, str], text: str) -> Job:
    """A job that starts a program and ends it as soon as it shows a text."""

    def run() -> float:
        terminal = Terminal(words, environment)
        try:
            return terminal.until(text)
        finally:
            terminal.end()

    return run


@contextmanager
def settled(environment: dict[str, str], text: str) -> Iterator[int]:
    """The app in a terminal, once it has nothing more to do; gives its process."""
    with opened([ORANGE], environment, text) as terminal:
        terminal.keep_reading()
        idle_until_settled(terminal.pid)
        yield terminal.pid
