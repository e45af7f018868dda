"""The demo agent's terminal: short lines, a little colour, and a spinner if it is a real terminal.

Text from elsewhere (summaries, messages, git) is data: escape sequences in it are shown, never obeyed.
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

PACE_VARIABLE = "ORANGE_DEMO_PACE"
_DEFAULT_PACE_SECONDS = 1.0
_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_FRAME_SECONDS = 0.08
_CLEAR_LINE = "\r\x1b[K"
_PASTE_ON, _PASTE_OFF = "\x1b[?2004h", "\x1b[?2004l"
_STYLES = {"dim": "2", "bold": "1", "orange": "38;5;208", "green": "32", "red": "31", "cyan": "36"}
_MAX_MESSAGE_LINES = 3
_MAX_LINE = 100
_TERMINAL_CLOSED = 129


class AgentTerminal:
    """One terminal, or a pipe, where the same lines come without colour and spinner."""

    def __init__(self, out: TextIO, pace: float) -> None:
        self._out = out
        self._pace = pace
        self.is_terminal = out.isatty()
        self._is_coloured = self.is_terminal and not os.environ.get("NO_COLOR")

    def banner(self, role: str, name: str, summary: str) -> None:
        """Show the role, the task and its summary."""
        self._write(_PASTE_ON if self.is_terminal else "")
        self._line(f"🍊 {self._style('demo agent', 'bold', 'orange')} · {role} · {printable(name)}")
        self._line(self._style(f"   {printable(summary) or 'no summary yet'}", "dim"))

    def say(self, text: str) -> None:
        """Show a sentence of the agent."""
        self._line(f"{self._style('●', 'orange')} {printable(text)}")

    def show_action(self, text: str) -> None:
        """Show something the agent has done."""
        self._line(self._style(f"  └ {printable(text)}", "dim"))

    def show_success(self, text: str) -> None:
        """Show that something worked."""
        self._line(f"  └ {self._style(printable(text), 'green')}")

    def show_error(self, text: str) -> None:
        """Show an error, with all its lines."""
        for number, line in enumerate(text.strip().splitlines()):
            self._line(f"  {' ' if number else '└'} {self._style(printable(line), 'red')}")

    def show_message(self, message: str) -> None:
        """Show a message that came in, shortened."""
        lines = message.strip().splitlines()
        self._write(_CLEAR_LINE if self.is_terminal else "")
        for line in lines[:_MAX_MESSAGE_LINES]:
            self._line(f"{self._style('>', 'bold')} {self._style(_short(line), 'cyan')}")
        if len(lines) > _MAX_MESSAGE_LINES:
            self._line(self._style(f"  … {len(lines) - _MAX_MESSAGE_LINES} more lines", "dim"))

    def input_line(self, draft: str) -> None:
        """Show the input line with what is typed so far."""
        if self.is_terminal:
            first, _, rest = draft.partition("\n")
            more = f" (+{rest.count(chr(10)) + 1} lines)" if rest else ""
            self._write(f"{_CLEAR_LINE}{self._style('>', 'bold', 'orange')} {_short(first)}{more}")

    def seconds_of(self, thoughts: float) -> float:
        """How long so many thoughts take at the demo's pace."""
        return thoughts * self._pace

    def think(self, about: str, thoughts: float = 1.0) -> None:
        """Wait for so many thoughts at the demo's pace; at pace 0 not at all."""
        end = time.monotonic() + self.seconds_of(thoughts)
        frame = 0
        while (left := end - time.monotonic()) > 0:
            if self.is_terminal:
                self._write(f"{_CLEAR_LINE}{self._style(_FRAMES[frame % len(_FRAMES)], 'orange')} {printable(about)}…")
            time.sleep(min(left, _FRAME_SECONDS))
            frame += 1
        self._write(_CLEAR_LINE if frame and self.is_terminal else "")

    def set_title(self, state: str) -> None:
        """Set the window's title, which says whether the agent is busy, idle or asking."""
        self._write(f"\x1b]2;demo · {state}\x07" if self.is_terminal else "")

    def close(self) -> None:
        """Restore the terminal, unless it is gone."""
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
            raise SystemExit(_TERMINAL_CLOSED) from None


def _short(line: str) -> str:
    text = printable(line)
    return text if len(text) <= _MAX_LINE else f"{text[: _MAX_LINE - 1]}…"


def open_terminal() -> AgentTerminal:
    """Standard output, at the pace the environment asks for."""
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    return AgentTerminal(sys.stdout, _pace(os.environ.get(PACE_VARIABLE, "")))


def _pace(text: str) -> float:
    """Seconds per thought; the default for anything that is not such a number."""
    try:
        seconds = float(text)
    except ValueError:
        return _DEFAULT_PACE_SECONDS
    return seconds if 0 <= seconds < float("inf") else _DEFAULT_PACE_SECONDS
