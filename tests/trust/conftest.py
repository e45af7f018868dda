"""Stories about trust happen where those about workspaces do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from orange_tui.workspaces import _save_and_reset
from support.pool_world import Cafe

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def cafe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cafe:
    """A pool in which nobody is waited for longer than a moment."""
    monkeypatch.setattr(_save_and_reset, "EXIT_WAIT_SECONDS", 0.05)
    return Cafe(tmp_path)
