"""`orange` alone, and the hint that it ends with."""

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


def test_person_who_used_make_run_is_told_how_to_start_orange_elsewhere(
    world: World, cli: Cli, leaves_at_once: Path
) -> None:
    world.orange.projects.remove("coffee")
    assert f"run {leaves_at_once} there" in cli.ok("--all").out


def test_person_with_a_project_gets_no_hint(world: World, cli: Cli, leaves_at_once: Path) -> None:
    assert cli.ok("--all").out == ""


def test_app_without_a_terminal_is_refused(world: World, cli: Cli) -> None:
    assert "The app needs a terminal" in cli.no("--all", code=1)
