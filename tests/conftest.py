"""Every test has a home of its own, and none sees what the person at this machine has set."""

from __future__ import annotations

import gc
import os
import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from support.driver import STEPS, Cli, World, recorded
from support.git import make_repository

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.git_stage import GitStage
    from support.github.server import GitHub
    from support.live_home import LiveHome
    from support.merge_world import MergeWorld
    from support.person import Terminal
    from support.stage import Stage
    from support.watched_task import WatchedTask

# Other work may go on beside the tests: how long an example takes says nothing. `make thorough` tries more of them.
# Where CI is set, it is the same examples each time: what a change did not cause does not stop it.
settings.register_profile(
    "anywhere",
    deadline=None,
    max_examples=300 if os.environ.get("THOROUGH") else 30,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=bool(os.environ.get("CI")),
)
settings.load_profile("anywhere")

pytest_plugins = ("support.no_skips",)

_LONGEST_NAME = 80
_LONG = {
    *("test_simulation", "test_at_once", "test_end_to_end", "test_lifecycles", "test_event_loop", "test_headless"),
    *("test_open_keys", "test_screen_watcher", "test_undo", "test_real"),
}

_IDENTITY = {
    "GIT_AUTHOR_NAME": "Tester",
    "GIT_AUTHOR_EMAIL": "tester@example.org",
    "GIT_COMMITTER_NAME": "Tester",
    "GIT_COMMITTER_EMAIL": "tester@example.org",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}


def pytest_make_parametrize_id(val: object) -> str | None:
    """Megabytes of hostile text are not fit to be a test's name: workers send it about, and programs are given it."""
    if not isinstance(val, str | bytes) or len(val) <= _LONGEST_NAME:
        return None
    begins = val[:_LONGEST_NAME]
    return f"{begins if isinstance(begins, str) else begins.decode('latin-1')}... of {len(val)}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes long comes first in each worker's share, so that none is left with it when the others have ended."""
    shares = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    long = [item for item in items if _is_long(item)]
    rest = [item for item in items if not _is_long(item)]
    ordered: list[pytest.Item] = []
    for number in range(shares):
        ordered += long[number::shares]
        end = len(items) * (number + 1) // shares - len(ordered)
        ordered += rest[:end]
        del rest[:end]
    items[:] = ordered + rest


def _is_long(item: pytest.Item) -> bool:
    return "killed" in item.path.stem or item.path.stem in _LONG


def pytest_collection_finish() -> None:
    """Thousands of tests and modules stay until the end: the garbage collector need not go through them again."""
    gc.collect()
    gc.freeze()


_folders: Counter[str] = Counter()


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As pytest's own, with the same names, but it counts them: pytest's goes through all there are for each test."""
    name = re.sub(r"\W", "_", request.node.name)[:30]
    folder = tmp_path_factory.getbasetemp() / f"{name}{_folders[name.lower()]}"
    _folders[name.lower()] += 1
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture(autouse=True)
def _clean_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A power cut is the one thing no test can stage: syncing would cost a lot of time and show nothing.
    monkeypatch.setattr(os, "fsync", lambda _descriptor: None)
    monkeypatch.setattr(os, "sync", lambda: None)
    # Commands are started all the time; each would compile Orange anew where a machine keeps no compiled files.
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
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
    world = World(tmp_path / "home")
    world.workflow("steps", STEPS)
    world.project()
    recorded(monkeypatch, world.effects.table())
    return world


@pytest.fixture
def watched(world: World, monkeypatch: pytest.MonkeyPatch) -> WatchedTask:
    """A task with a worker and reviewers that begin and die as the test says."""
    from support.watched_task import WatchedTask

    return WatchedTask(world, monkeypatch)


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    """`cli("task", "list")` runs a command in this process."""
    return Cli(capsys, monkeypatch)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A real git repository with one commit on main."""
    return make_repository(tmp_path / "coffee")


@pytest.fixture
def live_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LiveHome]:
    """A home where agents really work, closed with all its agents at the end."""
    from support.live_home import LiveHome

    monkeypatch.chdir(tmp_path)
    (tmp_path / "home").mkdir(exist_ok=True)
    live_home = LiveHome(tmp_path)
    yield live_home
    refused = live_home.refused()
    live_home.close()
    assert refused == []


@pytest.fixture
def merge_world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MergeWorld:
    """A repository with branches to merge; no agent lives in it."""
    from support.merge_world import MergeWorld

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ORANGE_TMUX_SOCKET", f"orange-test-none-{os.getpid()}")
    monkeypatch.setenv("ORANGE_HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    return MergeWorld(tmp_path)


@pytest.fixture
def github(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[GitHub]:
    """A GitHub of one's own, which gh is logged in to."""
    from support.github.server import MISSING, GitHub

    if MISSING:
        pytest.skip(f"{' and '.join(MISSING)} not installed")
    folder = tmp_path / "github"
    folder.mkdir()
    server = GitHub(folder)
    for name in ("GH_HOST", "GH_REPO", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    yield server
    server.close()


@pytest.fixture
def terminal(live_home: LiveHome) -> Iterator[Terminal]:
    """A person's terminal, in a tmux server that nobody but the test knows."""
    from support.person import Terminal

    terminal = Terminal(live_home)
    yield terminal
    terminal.close()


@pytest.fixture
def fixed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same moment, terminal and programs for everybody."""
    from orange_tui.home import clock
    from support.stage import NOW

    monkeypatch.setattr(clock, "now", lambda: NOW)
    for name in ("NO_COLOR", "TEXTUAL_THEME", "TMUX", "TMUX_PANE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fixed: None) -> Iterator[Stage]:
    """A home with tasks in every kind of state, and the app on it."""
    from support.stage import Stage

    stage = Stage(tmp_path, monkeypatch)
    yield stage
    stage.close()


@pytest.fixture
def git_stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fixed: None) -> Iterator[GitStage]:
    """The same with a real repository, for stories about branches; who sends a task back has its agent started."""
    from support.git_stage import GitStage

    git_stage = GitStage(tmp_path, monkeypatch)
    yield git_stage
    git_stage.close()
