"""A home whose project is a real repository: for stories about branches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from orange_tui.store.store import StoredTask
from support.git import git
from support.stage import Stage

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from orange_tui.store.store import TaskRef


class GitStage(Stage):
    """A home whose project is a repository, with branches to make."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
