"""The supervisor goes on whatever happens to one task or to tmux, and ends when it is told to."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from orange_tui.issues.watcher import IssueWatcher

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.driver import World

PATIENCE = 10.0
END_SECONDS = 3.0  # it takes milliseconds


async def let_the_loop_turn(times: int) -> None:
    for _ in range(times):
        await asyncio.sleep(0)


@pytest.mark.parametrize("turns", range(6))
def test_supervisor_that_is_woken_and_ended_at_once_ends(world: World, turns: int) -> None:
    """A signal that comes together with a changed file: whichever the loop sees first, it ends."""

    async def run() -> None:
        supervisor = world.orange.new_supervisor()
        acting = asyncio.create_task(supervisor.run())
        await is_at_rest(lambda: getattr(supervisor, "_wake", asyncio.Event()))
        supervisor._enqueue(())  # as for a changed file
        await let_the_loop_turn(turns)
        acting.cancel()
        _, pending = await asyncio.wait([acting], timeout=END_SECONDS)
        assert not pending

    asyncio.run(run())


async def is_at_rest(wake: Callable[[], asyncio.Event]) -> None:
    """Wait until somebody waits to be woken."""
    async with asyncio.timeout(PATIENCE):
        while not wake()._waiters:  # noqa: ASYNC110 - nobody tells us
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("turns", range(6))
def test_issue_watcher_that_is_woken_and_ended_at_once_ends(world: World, turns: int) -> None:
    ref = world.task(issue_url="https://github.com/me/coffee/issues/1")

    async def run() -> None:
        watcher = IssueWatcher(world.orange.tasks)
        watching = asyncio.create_task(watcher.run())
        await is_at_rest(lambda: watcher._wake)
        watcher.track(ref, world.read(ref))
        watcher.wake_if_new()
        await let_the_loop_turn(turns)
        watching.cancel()
        _, pending = await asyncio.wait([watching], timeout=END_SECONDS)
        assert not pending

    asyncio.run(run())
