"""Asking the person whether they trust what a repository brings along, from wherever it stands in the way."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any

from orange_tui.domain.errors import OrangeError
from orange_tui.engine.starting import start_trusted
from orange_tui.tui.workers import begin_work

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.app import App

    from orange_tui.orange import Orange
    from orange_tui.outside.git_guard.brought import Brought


async def ask_trust(
    app: App[Any], orange: Orange, project: str, why: str, then: Callable[[], None] | None = None
) -> None:
    """Show what a repository brings along and is not trusted; once it is, its waiting tasks start.

    Where there is nothing to be shown, the person hears why they were to be asked, if there was a reason.
    """
    from orange_tui.tui.screens.dialogs import TrustDialog

    def answered(yes: bool | None) -> None:
        if yes:
            begin_work(app, partial(_confirm, app, orange, project, items, then), group="trust")

    items = await asyncio.to_thread(lambda: orange.trust.untrusted(orange.projects.get(project)))
    if items:
        app.push_screen(TrustDialog(project, items), answered)
    elif why:
        app.notify(why, title="Refused", severity="error", timeout=15, markup=False)


async def _confirm(
    app: App[Any], orange: Orange, project: str, items: Sequence[Brought], then: Callable[[], None] | None
) -> None:
    """Remember what was shown, whatever is there by now."""
    try:
        await asyncio.to_thread(lambda: orange.trust.confirm(orange.projects.get(project), items))
        if then is not None:  # others that wait are the supervisor's, which sees that something was trusted
            then()
        else:
            await asyncio.to_thread(start_trusted, orange.engine, project)
    except OrangeError as problem:
        app.notify(str(problem), title="Trust", severity="error", timeout=15, markup=False)
