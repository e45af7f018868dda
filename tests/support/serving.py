"""`orange serve`, as processes of their own."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from support.office import Office


class Servers:
    """Supervisors of one home, and all they say."""

    def __init__(self, office: Office) -> None:
        self._office = office
        self._running: list[subprocess.Popen[bytes]] = []

    def start(self, *through: str) -> subprocess.Popen[bytes]:
        """Another one, once it says that it watches."""
        said = self._office.root / f"said-{len(self._running)}"
        with said.open("wb") as file:
            words = [*through, sys.executable, "-m", "orange_tui", "serve"]
            server = subprocess.Popen(words, stdout=file, stderr=file, cwd=self._office.root)
        self._running.append(server)
        self._office.wait(lambda: "watching" in said.read_text())
        return server

    def said(self) -> str:
        return "".join(path.read_text() for path in sorted(self._office.root.glob("said-*")))

    def end(self) -> None:
        for server in self._running:
            server.kill()
            server.wait()
