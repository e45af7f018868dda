"""Stories about deliveries are about rules of ours: a stand-in for gh tells them, unless they ask for the real one."""

from __future__ import annotations

import pytest

from support.github.played_gh import play


@pytest.fixture
def real_gh() -> None:
    """For a story that is also about gh."""


@pytest.fixture(autouse=True)
def _played_gh(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "real_gh" not in request.fixturenames:
        play(monkeypatch)
