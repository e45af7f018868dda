"""Stories about the demo agent have a task set up for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.demo_stage import stages

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.demo_stage import Open


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Open]:
    """`stage("default", "good")` sets a task up, moved to where its worker begins."""
    yield from stages(tmp_path)
