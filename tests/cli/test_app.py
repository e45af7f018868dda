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
    monkeypatch.setattr("orange_tui.tui.opening.run", lambda *_, **_how: None)
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


@pytest.mark.parametrize(
    ("words", "opened"),
    [((), (None, False)), (("--all",), (None, True)), (("--project", "coffee"), ("coffee", True))],
)
def test_what_the_command_line_says_wins_over_what_was_shown_last(
    world: World,
    cli: Cli,
    leaves_at_once: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    opened: tuple[str | None, bool],
) -> None:
    seen: list[tuple[str | None, bool]] = []

    def run(_orange: object, project: str | None, *, is_chosen: bool) -> None:
        seen.append((project, is_chosen))

    monkeypatch.setattr("orange_tui.tui.opening.run", run)
    cli.ok(*words)
    assert seen == [opened]


def test_app_without_a_terminal_is_refused(world: World, cli: Cli) -> None:
    assert "The app needs a terminal" in cli.no("--all", code=1)
