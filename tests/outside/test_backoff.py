"""Pauses that grow while a service does not answer, and background threads that nobody waits for."""

from __future__ import annotations

import asyncio
import threading

import pytest

from orange_tui.domain.errors import Refused
from orange_tui.outside.backoff import Backoff, in_background


def test_backoff_doubles_and_is_as_long_as_the_service_asks_for() -> None:
    backoff = Backoff(60.0, 1800.0)
    dues = []
    for _ in range(8):
        backoff.failed("away", 0.0)
        dues.append(backoff._pause)
    assert dues == [120, 240, 480, 960, 1800, 1800, 1800, 1800]
    assert not backoff.failed("away", 0.0)
    assert backoff.failed("limited", 3000.0)
    backoff.succeeded()
    assert backoff.problem is None


def test_work_in_the_background_returns_or_raises_where_it_is_awaited() -> None:
    def fails() -> None:
        raise Refused("away")

    async def awaited() -> bool:
        with pytest.raises(Refused, match="away"):
            await in_background(fails)
        return await in_background(lambda: threading.current_thread().daemon)

    assert asyncio.run(awaited())
