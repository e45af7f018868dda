"""Notifies the person who looks elsewhere, by a bell or on the desktop as config.yml says; never with file content.

Who is away from the machine is told by `orange_tui.notices`, which for that is told here whether the person is there.
"""

from __future__ import annotations

import asyncio
import time
from functools import partial
from typing import TYPE_CHECKING, Any

from orange_tui.domain.task import printable
from orange_tui.tui.workers import begin_work

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.app import App

    from orange_tui.board.rows import TaskRow
    from orange_tui.notices.presence import Presence

_NOTE_SECONDS = 20.0  # a person who goes on pressing keys is noted so often


class Notices:
    """The ways to be notified that the person has chosen."""

    def __init__(self, app: App[Any], notify_terminal: Callable[[str], None], *, bell: bool, desktop: bool) -> None:
        self._app, self._notify_terminal, self._bell, self._desktop = app, notify_terminal, bell, desktop

    def notify(self, rows: Sequence[TaskRow], shown: str | None) -> None:
        """Notify the person of tasks that have come to need the person, all in one.

        Those of another project than the one that is shown are named: the list would not tell why it rang.
        """
        if not rows:
            return
        elsewhere = [row for row in rows if shown is not None and row.ref.project != shown]
        if elsewhere:
            self._app.notify(f"{_sentence(elsewhere)}. 0 shows all projects.", markup=False)
        if self._bell:
            self._app.bell()
        if self._desktop:
            begin_work(self._app, partial(self._show, _sentence(rows)), group="notices")

    async def _show(self, text: str) -> None:
        from orange_tui.outside.notifications import show_on_desktop

        if not await asyncio.to_thread(show_on_desktop, "Orange", text):
            self._notify_terminal(text)


def _sentence(rows: Sequence[TaskRow]) -> str:
    """Which tasks; what they need is for the screen to say, where nobody else reads it."""
    first = rows[0].task
    name = f"{first.project}/{first.branch}" if first is not None else f"{rows[0].ref.project}/{rows[0].ref.id}"
    return printable(f"{name} needs you" if len(rows) == 1 else f"{name} and {len(rows) - 1} more need you")


class PersonAtApp:
    """Notes that the person is at the app: keys and the mouse, now and then, and a terminal that loses the focus."""

    def __init__(self, app: App[Any], presence: Presence) -> None:
        self._app, self._presence = app, presence
        self._is_there, self._noted_at = False, 0.0

    def note(self, *, is_there: bool) -> None:
        """Something was pressed, or the terminal says that another window has the keyboard."""
        now = time.monotonic()
        if is_there == self._is_there and (not is_there or now - self._noted_at < _NOTE_SECONDS):
            return
        self._is_there, self._noted_at = is_there, now
        self._app.run_worker(self._write, thread=True, group="presence", exit_on_error=False)

    def _write(self) -> None:
        self._presence.note(is_there=self._is_there)  # as it is by now: threads may overtake each other
