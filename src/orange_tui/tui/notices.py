"""Notifies the person who looks elsewhere, by a bell or on the desktop as config.yml says; never with file content."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from orange_tui.domain.task import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.app import App

    from orange_tui.board.rows import TaskRow


class Notices:
    """The ways to be notified that the person has chosen."""

    def __init__(self, app: App[Any], notify_terminal: Callable[[str], None], *, bell: bool, desktop: bool) -> None:
        self._app, self._notify_terminal, self._bell, self._desktop = app, notify_terminal, bell, desktop

    def notify(self, rows: Sequence[TaskRow]) -> None:
        """Notify the person of tasks that have come to need the person, all in one."""
        if not rows:
            return
        if self._bell:
            self._app.bell()
        if self._desktop:
            self._app.run_worker(self._show(_sentence(rows)), group="notices", exit_on_error=False)

    async def _show(self, text: str) -> None:
        from orange_tui.outside.notifications import show_on_desktop

        if not await asyncio.to_thread(show_on_desktop, "Orange", text):
            self._notify_terminal(text)


def _sentence(rows: Sequence[TaskRow]) -> str:
    """Which tasks; what they need is for the screen to say, where nobody else reads it."""
    first = rows[0].task
    name = f"{first.project}/{first.branch}" if first is not None else f"{rows[0].ref.project}/{rows[0].ref.id}"
    return printable(f"{name} needs you" if len(rows) == 1 else f"{name} and {len(rows) - 1} more need you")
