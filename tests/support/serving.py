"""`orange serve`, as processes of their own."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from support.live_home import LiveHome


class Servers:
    """Supervisors of one home, and all they say."""

    def __init__(self, live_home: LiveHome) -> None:
        self._live_home = live_home
        self._running: list[subprocess.Popen[bytes]] = []

    def start(self, *through: str) -> subprocess.Popen[bytes]:
        """Another one, once it says that it watches."""
        said = self._live_home.root / f"said-{len(self._running)}"
        with said.open("wb") as file:
            words = [*through, sys.executable, "-m", "orange_tui", "serve"]
            server = subprocess.Popen(words, stdout=file, stderr=file, cwd=self._live_home.root)
        self._running.append(server)
        self._live_home.wait(lambda: "watching" in said.read_text())
        return server

    def said(self) -> str:
        return "".join(path.read_text() for path in sorted(self._live_home.root.glob("said-*")))

    def end(self) -> None:
        for server in self._running:
            server.kill()
            server.wait()
