"""Stories about issues have a project that takes them, and a stand-in for gh unless they ask for the real one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.github.played_gh import play
from support.issue_world import IssueWorld

if TYPE_CHECKING:
    from support.github.server import GitHub
    from support.live_home import LiveHome


@pytest.fixture
def issues(live_home: LiveHome, github: GitHub) -> IssueWorld:
    """A project that takes issues, and a GitHub that has them."""
    return IssueWorld(live_home, github)


@pytest.fixture
def real_gh() -> None:
    """For a story that is also about gh."""


@pytest.fixture(autouse=True)
def _played_gh(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "real_gh" not in request.fixturenames:
        play(monkeypatch)
