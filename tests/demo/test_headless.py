"""`orange demo`: everything at once, for real, and nothing left behind."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING

import pytest

from orange_tui.cli.commands.app import demo
from orange_tui.cli.parsing.grammar import Parsed
from orange_tui.cli.parsing.parser import parse
from orange_tui.cli.table.app import DEMO
from orange_tui.demo.headless import EXPECTED, Scenario
from orange_tui.demo.world import DEMO_TASKS, PROJECT, make_world
from orange_tui.domain.errors import Refused, UsageError
from orange_tui.engine.creation import NewTask
from orange_tui.home.paths import Home
from orange_tui.orange import assemble
from support.driver import orange
from support.live_home import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

needs_tmux = pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")


def parsed(*words: str) -> Parsed:
    found = parse(["demo", *words], [DEMO])
    assert isinstance(found, Parsed)
    return found


@pytest.fixture
def temporary() -> Iterator[str]:
    """Short: the path of a socket may have a hundred characters, and pytest's directories are deep."""
    with tempfile.TemporaryDirectory(prefix="od-", ignore_cleanup_errors=True) as path:
        yield path


def processes_in(directory: str) -> list[str]:
    """What still runs and has this directory in its environment or words."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as words, open(f"/proc/{name}/environ", "rb") as environment:
                text = words.read()
                if directory.encode() in text + environment.read() and int(name) != os.getpid():
                    found.append(text.replace(b"\0", b" ").decode(errors="replace"))
        except OSError:
            continue
    return [words for words in found if "demo.agent" in words or words.startswith("tmux")]


@needs_tmux
def test_every_task_ends_where_it_should_and_nothing_is_left_behind(temporary: str) -> None:
    environment = {**os.environ, "TMPDIR": temporary}
    result = orange("demo", "--headless", "--pace", "0", env=environment)
    assert result.code == 0, result
    assert result.out.endswith("Every task ended where it should.\n")
    for line in (
        "oat-milk      agent-review → working",
        "iced-latte    planning → clarification",
        "double-shot   its agent crashed (exit code 3)",
        "double-shot   a new agent takes over",
        "cold-brew     its agent has reached its limit",
        "cold-brew     its agent goes on after its limit",
        "latte-art     working → stuck",
        "loyalty-card  loyalty-card waits for decaf",
        "loyalty-card  agent-review → reviewing",
    ):
        assert line in result.out, result.out
    assert os.listdir(temporary) == []
    assert processes_in(temporary) == []
    assert not os.path.exists(os.environ["ORANGE_HOME"])


@needs_tmux
def test_killed_demo_leaves_neither_agents_nor_tmux_nor_files(temporary: str) -> None:
    environment = {**os.environ, "TMPDIR": temporary}
    words = [sys.executable, "-m", "orange_tui", "demo", "--headless", "--pace", "60"]
    demo = subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL)
    wait_for(lambda: any("demo.agent" in words for words in processes_in(temporary)))
    demo.kill()
    demo.wait()
    wait_for(lambda: not os.listdir(temporary) and not processes_in(temporary))


def test_demo_without_a_terminal_is_refused_unless_headless() -> None:
    with pytest.raises(Refused, match="orange demo --headless"):
        demo(parsed(), None)  # type: ignore[arg-type]


@pytest.mark.parametrize("pace", ["quick", "-1", "nan", "inf", ""])
def test_pace_must_be_a_number_of_seconds(pace: str) -> None:
    with pytest.raises(UsageError, match="number of seconds"):
        demo(parsed("--headless", f"--pace={pace}"), None)  # type: ignore[arg-type]


def test_task_that_is_not_where_it_should_be_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "claude").write_text("#!/bin/sh\n")
    (tmp_path / "claude").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    world = make_world(str(tmp_path / "w"))
    orange = assemble(Home(world.home))
    assert orange.harnesses.first_installed() == "demo-2"  # nobody pays for the demo
    lines: list[str] = []
    scenario = Scenario(orange, lines.append)
    for task in DEMO_TASKS:
        scenario._refs[task.branch] = orange.tasks.create(NewTask(PROJECT, task.branch, task.summary, spawn=False)).ref
    assert not scenario.advance()
    assert not scenario.report_result()
    assert "decaf         is pending, and should be done" in lines
    assert len(lines) == len(EXPECTED)
    assert EXPECTED.keys() == {task.branch for task in DEMO_TASKS}
