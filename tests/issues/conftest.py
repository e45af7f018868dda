"""Stories about issues have a project that takes them, and a stand-in for gh unless they ask for the real one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.github.played_gh import play
from support.issue_world import Desk

if TYPE_CHECKING:
    from support.github.server import GitHub
    from support.office import Office


@pytest.fixture
def desk(office: Office, github: GitHub) -> Desk:
    """A project that takes issues, and a GitHub that has them."""
    return Desk(office, github)


@pytest.fixture
def real_gh() -> None:
    """For a story that is also about gh."""


@pytest.fixture(autouse=True)
def _played_gh(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "real_gh" not in request.fixturenames:
        play(monkeypatch)
