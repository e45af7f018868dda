"""Stories about issues have a project that takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.issue_world import Desk

if TYPE_CHECKING:
    from support.github.server import GitHub
    from support.office import Office


@pytest.fixture
def desk(office: Office, github: GitHub) -> Desk:
    """A project that takes issues, and a GitHub that has them."""
    return Desk(office, github)
