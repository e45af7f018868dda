"""Stories about jobs have a clock of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.timetable import Clock, Timetable

if TYPE_CHECKING:
    from support.driver import World


@pytest.fixture
def times(world: World, monkeypatch: pytest.MonkeyPatch) -> Timetable:
    """Half past nine and thirty seconds, in UTC."""
    monkeypatch.setenv("TZ", "UTC")
    return Timetable(world.orange, Clock(monkeypatch))
