"""A home whose project is a real repository: for stories about branches."""

from __future__ import annotations

import subprocess
import uuid
from typing import TYPE_CHECKING, Any

from orange_tui.store.store import StoredTask
from support.git import git
from support.stage import Stage

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from orange_tui.store.store import TaskRef


class Kitchen(Stage):
    """A home whose project is a repository, with branches to make."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._tmux_socket = f"orange-test-{uuid.uuid4().hex[:12]}"
        monkeypatch.setenv("ORANGE_TMUX_SOCKET", self._tmux_socket)
        super().__init__(root, monkeypatch)
        self.path = root / "coffee"
        git(self.path, "init", "--quiet", "--initial-branch=main")
        self.commit("menu", "espresso\n")

    def commit(self, name: str, text: str) -> None:
        (self.path / name).write_text(text)
        git(self.path, "add", name)
        git(self.path, "commit", "--quiet", "--message", f"{name}: {text.strip()}")

    def at_work(self, branch: str, drink: str, **values: Any) -> TaskRef:
        """A task that has put a drink on the menu."""
        git(self.path, "switch", "--quiet", "--create", branch, "main")
        self.commit("menu", f"{drink}\n")
        git(self.path, "switch", "--quiet", "main")
        return self.task(branch=branch, **{"summary": f"Offer {drink}", "status": "reviewing", **values})

    def body(self, ref: TaskRef) -> str:
        found = self.orange.store.read(ref)
        assert isinstance(found, StoredTask)
        return found.body

    def status(self, ref: TaskRef) -> str:
        found = self.orange.store.read(ref)
        assert isinstance(found, StoredTask)
        return found.task.status

    def close(self) -> None:
        """End the agents that were started, and the server they are in."""
        subprocess.run(["tmux", "-L", self._tmux_socket, "kill-server"], check=False, capture_output=True)
