"""Every test has a home of its own, and none sees what the person at this machine has set."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from support.driver import STEPS, Cli, World, make_repository, recorded

if TYPE_CHECKING:
    from pathlib import Path

_IDENTITY = {
    "GIT_AUTHOR_NAME": "Tester",
    "GIT_AUTHOR_EMAIL": "tester@example.org",
    "GIT_COMMITTER_NAME": "Tester",
    "GIT_COMMITTER_EMAIL": "tester@example.org",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}


@pytest.fixture(autouse=True)
def _clean_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("ORANGE_", "GIT_"))]:
        monkeypatch.delenv(name)
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in _IDENTITY.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HOME", str(tmp_path / "person"))
    monkeypatch.setenv("ORANGE_HOME", str(tmp_path / "home"))


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """A home with the workflow `steps` and the project `coffee`, and hooks that only leave a trace."""
    (tmp_path / "home").mkdir()
    monkeypatch.chdir(tmp_path)
    # A power cut is the one thing no test can stage: syncing would cost most of the time and show nothing.
    monkeypatch.setattr(os, "fsync", lambda _descriptor: None)
    world = World(tmp_path / "home")
    world.workflow("steps", STEPS)
    world.project()
    recorded(monkeypatch, world.effects.table())
    return world


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    """`cli("task", "list")` runs a command in this process."""
    return Cli(capsys, monkeypatch)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A real git repository with one commit on main."""
    return make_repository(tmp_path / "coffee")
