"""The app on a home where agents really work."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from orange_tui.tui.app import OrangeApp
from support.stage import Scene

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from support.live_home import LiveHome


@asynccontextmanager
async def opened(
    live_home: LiveHome, size: tuple[int, int] = (120, 36), *, supervises: bool = False, app: OrangeApp | None = None
) -> AsyncIterator[Scene]:
    """The app, from when it shows every task."""
    app = app or OrangeApp(live_home.orange, "coffee", supervises=supervises)
    async with app.run_test(size=size) as pilot:
        scene = Scene(app, pilot)
        await scene.until(scene.is_ready)
        yield scene
