"""Two short worlds with real git and real tmux; `make simulate-real` has as many as you like."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from simulation.real_run import describe
from simulation.real_world import RealWorld

if TYPE_CHECKING:
    from pathlib import Path

_STEPS = 6


@pytest.mark.parametrize("seed", [5, 8])
def test_nothing_is_lost_when_commands_and_their_gits_are_killed(tmp_path: Path, seed: int) -> None:
    with RealWorld(tmp_path, seed, _STEPS) as world:
        result = world.run()

    assert not result.violations, describe(result, _STEPS)
