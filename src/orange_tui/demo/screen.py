"""What the demo agent shows: short lines, a little colour, and a spinner where somebody may be watching.

Everything it repeats (summaries, messages, what git says) is data: shown, never obeyed by the terminal.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress

from orange_tui.domain.task import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

PACE = "ORANGE_DEMO_PACE"
_USUAL_PACE = 1.0
_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_FRAME_TIME = 0.08
_CLEAR_LINE = "\r\x1b[K"
_PASTE_ON, _PASTE_OFF = "\x1b[?2004h", "\x1b[?2004l"
_STYLES = {"dim": "2", "bold": "1", "orange": "38;5;208", "green": "32", "red": "31", "cyan": "36"}
_SHOWN_LINES = 3
_WIDTH = 100
_NOBODY_LISTENS = 129


class Screen:
    """One terminal, or a pipe: there the same words come without colour, spinner or tricks."""

    def __init__(self, out: TextIO, pace: float) -> None:
        self._out = out
        self._pace = pace
        self.is_terminal = out.isatty()
        self._is_coloured = self.is_terminal and not os.environ.get("NO_COLOR")

    def banner(self, role: str, name: str, summary: str) -> None:
        """Who is here, and what for."""
        self._write(_PASTE_ON if self.is_terminal else "")
        self._line(f"🍊 {self._style('demo agent', 'bold', 'orange')} · {role} · {printable(name)}")
        self._line(self._style(f"   {printable(summary) or 'no summary yet'}", "dim"))

    def say(self, text: str) -> None:
        """Something the agent has to say."""
        self._line(f"{self._style('●', 'orange')} {printable(text)}")

    def does(self, text: str) -> None:
        """Something the agent has done."""
        self._line(self._style(f"  └ {printable(text)}", "dim"))

    def succeeds(self, text: str) -> None:
        """Good news."""
        self._line(f"  └ {self._style(printable(text), 'green')}")

    def fails(self, text: str) -> None:
        """Bad news, with as many lines as it has."""
        for number, line in enumerate(text.strip().splitlines()):
            self._line(f"  {' ' if number else '└'} {self._style(printable(line), 'red')}")

    def hears(self, message: str) -> None:
        """A message that came in, cut short."""
        lines = message.strip().splitlines()
        self._write(_CLEAR_LINE if self.is_terminal else "")
        for line in lines[:_SHOWN_LINES]:
            self._line(f"{self._style('>', 'bold')} {self._style(_short(line), 'cyan')}")
        if len(lines) > _SHOWN_LINES:
            self._line(self._style(f"  … {len(lines) - _SHOWN_LINES} more lines", "dim"))

    def input_line(self, draft: str) -> None:
        """The line at the bottom, with what is typed into it so far."""
        if self.is_terminal:
            first, _, rest = draft.partition("\n")
            more = f" (+{rest.count(chr(10)) + 1} lines)" if rest else ""
            self._write(f"{_CLEAR_LINE}{self._style('>', 'bold', 'orange')} {_short(first)}{more}")

    def think(self, about: str, thoughts: float = 1.0) -> None:
        """Take the time of so many thoughts; at pace 0 that is none."""
        end = time.monotonic() + thoughts * self._pace
        frame = 0
        while (left := end - time.monotonic()) > 0:
            if self.is_terminal:
                self._write(f"{_CLEAR_LINE}{self._style(_FRAMES[frame % len(_FRAMES)], 'orange')} {printable(about)}…")
            time.sleep(min(left, _FRAME_TIME))
            frame += 1
        self._write(_CLEAR_LINE if frame and self.is_terminal else "")

    def title(self, state: str) -> None:
        """Tell the terminal, and whoever looks at its title, whether the agent is busy, idle or asking."""
        self._write(f"\x1b]2;demo · {state}\x07" if self.is_terminal else "")

    def close(self) -> None:
        """Leave the terminal as it was; one that is gone needs nothing."""
        with suppress(OSError, SystemExit):
            self._write(f"{_CLEAR_LINE}{_PASTE_OFF}" if self.is_terminal else "")
            return
        os.dup2(os.open(os.devnull, os.O_WRONLY), self._out.fileno())

    def _style(self, text: str, *styles: str) -> str:
        if not self._is_coloured:
            return text
        return f"\x1b[{';'.join(_STYLES[style] for style in styles)}m{text}\x1b[0m"

    def _line(self, text: str) -> None:
        self._write(f"{text}\n")

    def _write(self, text: str) -> None:
        try:
            self._out.write(text)
            self._out.flush()
        except OSError:
            raise SystemExit(_NOBODY_LISTENS) from None


def _short(line: str) -> str:
    text = printable(line)
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"


def open_screen() -> Screen:
    """Standard output, at the pace the environment asks for."""
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    return Screen(sys.stdout, _pace(os.environ.get(PACE, "")))


def _pace(text: str) -> float:
    """Seconds a thought takes; what is no such number is taken as not said."""
    try:
        seconds = float(text)
    except ValueError:
        return _USUAL_PACE
    return seconds if 0 <= seconds < float("inf") else _USUAL_PACE
