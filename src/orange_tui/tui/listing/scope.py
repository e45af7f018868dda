"""The project that is shown: by where the app was started, what the command line says, a key, and the last time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.board.scope import ScopedSnapshots

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orange_tui.board.rows import Snapshot
    from orange_tui.tui.listing.view_memory import ViewMemory


class ProjectScope:
    """One project, or all of them. `is_chosen`: the person has said which, and nothing remembered counts."""

    def __init__(self, memory: ViewMemory, project: str | None, *, is_chosen: bool) -> None:
        self._memory, self._start, self._is_chosen = memory, project, is_chosen
        self.project = project
        self._snapshots = ScopedSnapshots()

    def restore(self, names: Sequence[str]) -> None:
        """Show what was shown the last time in an app that was started here, if it is still there."""
        was_chosen, scope = self._memory.scope(self._start)
        if was_chosen and not self._is_chosen and (scope is None or scope in names):
            self.project = scope

    def choose(self, number: int, names: Sequence[str]) -> str | None:
        """Show all (0) or the project with this number; returns why not, if there is none."""
        if number > len(names):
            there = ", ".join(f"{place} {name}" for place, name in enumerate(names, start=1)) or "none yet"
            return f"There is no project {number}. There are: {there}; 0 shows all."
        self.project = names[number - 1] if number else None
        if not self._is_chosen:
            self._memory.note_scope(self._start, self.project)
        return None

    def narrow(self, whole: Snapshot) -> Snapshot:
        """What is shown of a snapshot of all projects."""
        return self._snapshots.narrow(whole, self.project)
