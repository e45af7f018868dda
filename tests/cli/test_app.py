"""`orange` alone, and the last word of it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from support.driver import Cli, World


@pytest.fixture
def leaves_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A person at a terminal who leaves the app as soon as it is there; returns where the program is."""
    monkeypatch.setattr("orange_tui.cli.commands.app._is_at_a_terminal", lambda: True)
    monkeypatch.setattr("orange_tui.tui.opening.run", lambda *_: None)
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "bin" / "orange")])
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    return tmp_path / "bin" / "orange"


def test_whoever_came_by_make_run_is_told_how_to_get_in_elsewhere(world: World, cli: Cli, leaves_at_once: Path) -> None:
    world.orange.projects.remove("coffee")
    assert f"run {leaves_at_once} there" in cli.ok("--all").out


def test_whoever_has_a_project_has_found_in(world: World, cli: Cli, leaves_at_once: Path) -> None:
    assert cli.ok("--all").out == ""


def test_without_a_terminal_there_is_no_app(world: World, cli: Cli) -> None:
    assert "The app needs a terminal" in cli.no("--all", code=1)
