"""A person's terminal: a pane of another tmux server, which nobody but the test knows."""

from __future__ import annotations

import shlex
import subprocess
import sys
import time
import uuid
from typing import TYPE_CHECKING

from support.live_home import wait_for

if TYPE_CHECKING:
    from support.live_home import LiveHome

ORANGE = f"{shlex.quote(sys.executable)} -m orange_tui"
_AGAIN_SECONDS = 5.0


class Terminal:
    """A person's terminal with a shell in it."""

    def __init__(self, live_home: LiveHome) -> None:
        self._live_home = live_home
        self._tmux = ("tmux", "-L", f"orange-person-{uuid.uuid4().hex[:12]}", "-f", "/dev/null")
        self._ask("new-session", "-d", "-x", "120", "-y", "30", "env", "PS1=at-the-shell ", "/bin/sh")
        self.shows("at-the-shell")

    def _ask(self, *words: str) -> str:
        return subprocess.run([*self._tmux, *words], check=True, capture_output=True, text=True).stdout

    def type(self, line: str) -> None:
        self._ask("send-keys", "-l", line)
        self._ask("send-keys", "Enter")

    def press(self, *keys: str) -> None:
        self._ask("send-keys", *keys)

    def screen(self) -> str:
        return self._ask("capture-pane", "-p")

    def shows(self, text: str) -> None:
        wait_for(lambda: text in self.screen(), lambda: f"{self.screen()}\n{self._live_home.story()}")

    def press_until(self, key: str, text: str) -> None:
        """Press a key until something comes of it: who has just come back may be sooner than the app is.

        What is pressed while the app gives the terminal away is dropped, so to press it again does nothing else.
        """
        pressed_at = -_AGAIN_SECONDS

        def is_shown() -> bool:
            nonlocal pressed_at
            if text in self.screen():
                return True
            if time.monotonic() - pressed_at > _AGAIN_SECONDS:
                pressed_at = time.monotonic()
                self.press(key)
            return False

        wait_for(is_shown, lambda: f"{self.screen()}\n{self._live_home.story()}")

    def close(self) -> None:
        subprocess.run([*self._tmux, "kill-server"], check=False, capture_output=True)
