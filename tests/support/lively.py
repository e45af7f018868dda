"""A home in full swing, for pictures and for the keys: agents that live, ask and have died, and work in a repository.

The agents' windows are told to the app as tmux would tell them, so that every picture is the same.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from orange_tui.outside.tmux.server import Frame, Pane, Tmux
from orange_tui.sessions.runtime import Runtime
from orange_tui.workspaces.pool_file import BOUND, PoolFile, Slot
from support.stage import WORK

if TYPE_CHECKING:
    import pytest

    from orange_tui.store.store import TaskRef
    from support.stage import Stage

SCREEN = """\x1b[1m● Working on the redirect loop\x1b[0m

  \x1b[32m✓\x1b[0m read auth/login.py
  \x1b[32m✓\x1b[0m read auth/state.py
  \x1b[33m▸\x1b[0m pytest tests/auth -q

  \x1b[2m..............................\x1b[0m  \x1b[32m31 passed\x1b[0m

  The state is read before the session now. Next: the old cookie.
"""
TASKS: tuple[dict[str, Any], ...] = (
    {"branch": "login-fix", "summary": "Fix the redirect loop on mobile", "status": "working", "agent": "busy"},
    {"branch": "csv-export", "summary": "Export orders as CSV", "status": "agent-review", "agent": "busy"},
    {"branch": "search-box", "summary": "A search box on every page", "status": "clarification", "agent": "idle"},
    {"branch": "receipts", "summary": "Receipts by mail", "status": "working", "agent": "dead"},
    {"branch": "rate-limit", "summary": "Limit requests by key", "status": "reviewing", "agent": "permission"},
    {"branch": "日本語-🍣-search", "summary": "Search in Japanese texts 🍣", "status": "pending"},
    {"branch": "dark-mode-for-every-page-and-mail", "summary": "Dark mode, at last", "status": "pending"},
    {"branch": "old-cleanup", "summary": "Throw away the old importer", "status": "done"},
    {"branch": "no-way", "summary": "Rewrite it all", "status": "cancelled"},
)


class Agents:
    """Who is alive."""

    def __init__(self, stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
        self._stage = stage
        self._panes: list[Pane] = []
        monkeypatch.setattr(Tmux, "panes", lambda _tmux: list(self._panes))
        monkeypatch.setattr(
            Tmux, "frame", lambda _tmux, _pane, **_how: Frame(SCREEN, 200, 50, attached=True, fitted=False)
        )

    def task(self, number: int, **values: Any) -> TaskRef:
        """A task whose agent is busy, idle, asks for a permission, or is dead."""
        state, status = values.pop("agent", None), values["status"]
        round_ = {"review_round": 1} if status in {"agent-review", "reviewing"} else {}
        place = {"workspace": f"coffee--{number + 1}", "tmux_session": f"coffee/{values['branch']}"} if state else {}
        given: dict[str, Any] = {**round_, **place, **values}
        ref = self._stage.task(number, **given)
        window = "review-1" if status == "agent-review" else "worker"
        directory = Path(self._stage.orange.store.state_directory(ref))
        if state == "dead":
            (directory / "logs").mkdir(exist_ok=True)
            (directory / "logs" / f"{window}.exit").write_text("1")
        elif state:
            Runtime(str(directory)).update(window, state=state)
            self.lives(ref, window)
        if state:
            name = f"coffee--{number + 1}"
            PoolFile(self._stage.orange.home).put(Slot(name, "coffee", BOUND, ref.id, None, ""))
        return ref

    def lives(self, ref: TaskRef, window: str) -> None:
        root, number = self._stage.orange.home.root, len(self._panes)
        ids = (f"${number}", f"@{number}", f"%{number}")
        self._panes.append(Pane(*ids, 1, root, ref.id, window, "spawn", f"coffee/{ref.id}", "1.1", ""))


def lively(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> list[TaskRef]:
    """Everything that can be going on, at once."""
    agents = Agents(stage, monkeypatch)
    stage.orange.projects.update("coffee", {"pool_size": 6})
    refs = [agents.task(number, **dict(values)) for number, values in enumerate(TASKS)]
    stage.work("login-fix", files=WORK)
    stage.work("rate-limit", files={"limits.py": "LIMIT = 100\n" * 89, "README": "coffee, but less\n"})
    return refs
