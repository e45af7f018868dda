"""How messages reach the demo agent: typed, pasted by Orange, or through a pipe.

Orange pastes (bracketed paste, so that line ends inside do not submit) and then presses Enter. A thread reads all
the time, so whatever arrives while the agent is busy waits its turn, and the sender is never held up.
"""

from __future__ import annotations

import codecs
import os
import re
import threading
from contextlib import suppress
from queue import SimpleQueue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

_PASTE_BEGINS, _PASTE_ENDS = "\x1b[200~", "\x1b[201~"
_TOKEN = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1bO.|\x1b[^\[O]|\r\n|.", re.DOTALL)
_UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|O)?\Z")
_ENTER = ("\r", "\n", "\r\n")
_BACKSPACE = ("\x7f", "\x08")
_BLANKS = ("\t",)
_FAREWELLS = ("exit", "quit", "/exit", "/quit")
_CLEAR, _END = "\x15", "\x04"  # Ctrl+U, Ctrl+D


def is_farewell(message: str) -> bool:
    """Whether a message asks the agent to end."""
    return message.lower() in _FAREWELLS


class InputParser:
    """Turns input from a keyboard, a paste or a pipe, in chunks of any size, into messages."""

    def __init__(self) -> None:
        self.draft = ""
        self.has_ended = False
        self._is_pasting = False
        self._rest = ""

    def feed(self, text: str) -> list[str]:
        """Parse more input; returns the messages it completed."""
        text = self._rest + text
        cut = _UNFINISHED.search(text)
        self._rest = text[cut.start() :] if cut else ""
        whole = text[: cut.start()] if cut else text
        return [message for token in _TOKEN.findall(whole) if (message := self._accept(token)) is not None]

    def _accept(self, token: str) -> str | None:
        if token in {_PASTE_BEGINS, _PASTE_ENDS}:
            self._is_pasting = token == _PASTE_BEGINS
        elif token in _ENTER:
            return self._enter()
        elif token in _BACKSPACE:
            self.draft = self.draft[:-1]
        elif token == _CLEAR:
            self.draft = ""
        elif token == _END and not self.draft:
            self.has_ended = True
        elif token.isprintable() or token in _BLANKS:
            self.draft += token
        return None

    def _enter(self) -> str | None:
        if self._is_pasting:
            self.draft += "\n"
            return None
        return self.finish()

    def finish(self) -> str | None:
        """Submit what is there; blank is nothing."""
        message, self.draft = self.draft.strip(), ""
        return message or None


class Inbox:
    """Messages in the order they came. A context manager: it restores the terminal's settings."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._parser = InputParser()
        self._events: SimpleQueue[tuple[str, str]] = SimpleQueue()
        self._settings: list[object] | None = None

    def __enter__(self) -> Self:
        if os.isatty(self._descriptor):
            self._enter_cbreak_mode()
        threading.Thread(target=self._read, daemon=True).start()
        return self

    def __exit__(self, *_problem: object) -> None:
        if self._settings is not None:
            import termios

            with suppress(termios.error):
                termios.tcsetattr(self._descriptor, termios.TCSANOW, self._settings)  # type: ignore[arg-type]

    def _enter_cbreak_mode(self) -> None:
        """Read keys one by one and without echo: in line mode a terminal cuts a paste at 4096 bytes."""
        import termios
        import tty

        self._settings = list(termios.tcgetattr(self._descriptor))
        tty.setcbreak(self._descriptor, termios.TCSANOW)

    def next(self, on_draft: Callable[[str], None]) -> str | None:
        """Wait for a message; None when there will be no more. `on_draft` gets what is being typed."""
        while True:
            kind, text = self._events.get()
            if kind == "message":
                return text
            if kind == "end":
                return None
            on_draft(text)

    def _read(self) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        while not self._parser.has_ended:
            data = self._receive()
            if not data:
                break
            for message in self._parser.feed(decoder.decode(data)):
                self._events.put(("message", message))
            self._events.put(("draft", self._parser.draft))
        last = self._parser.finish()
        if last is not None:
            self._events.put(("message", last))
        self._events.put(("end", ""))

    def _receive(self) -> bytes:
        with suppress(OSError):  # the terminal was closed
            return os.read(self._descriptor, 65536)
        return b""
