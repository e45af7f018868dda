"""Giving the terminal to tmux: to a task's agent, or to the orchestrator of a project. Both come back the same way."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from orange_tui.domain.errors import OrangeError
from orange_tui.outside.programs import run_in_terminal

if TYPE_CHECKING:
    from orange_tui.board.rows import TaskRow
    from orange_tui.home.projects import Project
    from orange_tui.tui.screens.dashboard import Dashboard


async def attach(dashboard: Dashboard, row: TaskRow) -> None:
    """Give the terminal to tmux until the person detaches; agents and the board go on meanwhile."""
    app = dashboard.app
    windows = await asyncio.to_thread(lambda: app.orange.sessions.windows(row.ref.id, fresh=True))
    if not windows:
        dashboard.notify("Its session has just ended.", severity="warning", markup=False)
        return
    await _show_session(dashboard, windows[0].session_id)


async def _show_session(dashboard: Dashboard, session_id: str) -> None:
    app = dashboard.app
    command = await asyncio.to_thread(app.orange.services.tmux.attaching, session_id)
    if command.switches:
        dashboard.notify("Back with tmux's prefix and L (last session).", markup=False)
        await run_in_terminal(command.words, environment=command.environment)
        return
    # Nothing may be drawn meanwhile: with the terminal given away, whatever is drawn waits for it, and we with it.
    with app.batch_update(), app.suspend():
        await run_in_terminal(command.words, environment=command.environment)
    app.refresh(layout=True)


async def talk(dashboard: Dashboard) -> None:
    """Give the terminal to the conversation about the project in sight, as to a task's agent."""
    project = _project_in_sight(dashboard)
    if project is None:
        dashboard.notify("About which project? Put the cursor on one of its tasks.", severity="warning", markup=False)
        return
    try:
        session_id = await asyncio.to_thread(lambda: dashboard.orange.chats.open(project))
    except OrangeError as problem:
        dashboard.notify(str(problem), title="chat", severity="error", timeout=15, markup=False)
        return
    await _show_session(dashboard, session_id)


def _project_in_sight(dashboard: Dashboard) -> Project | None:
    """The project of the app, else that of the task under the cursor, else the only one there is."""
    projects = dashboard.app.snapshot.projects if dashboard.app.snapshot is not None else ()
    wanted = dashboard.app.project or (dashboard.row.ref.project if dashboard.row is not None else None)
    if wanted is None and len(projects) == 1:
        return projects[0]
    return next((project for project in projects if project.name == wanted), None)
