"""Where a repository brings something along, the app shows it before anything starts; one key trusts it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from orange_tui.engine.actions.run_window import RunState, RunWindows
from support.stage import story
from ui.test_snapshots import take

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.stage import Stage

QUESTION = "Trust what coffee brings along?"


@pytest.fixture
def hook(stage: Stage) -> Path:
    """The repository has a task that is to start, and a hook."""
    stage.work("other", files={"README": "x\n"})
    path = stage.root / "coffee/.git/hooks/post-checkout"
    path.parent.mkdir(exist_ok=True)
    path.write_text('#!/bin/sh\n# \x1b[2J installed by make\ntouch "$(git rev-parse --git-common-dir)/ran"\n')
    path.chmod(0o755)
    stage.task(branch="login", status="pending", summary="Fix the login")
    return path


@story
async def test_a_start_asks_first_and_goes_on_once_it_is_trusted(stage: Stage, hook: Path) -> None:
    ran = stage.root / "coffee/.git/ran"
    async with stage.open() as scene:
        await scene.sees("login")
        await scene.press("enter")
        await scene.sees(QUESTION, "git hook post-checkout", "# \\x1b[2J installed by make")
        await scene.press("enter")  # the safe answer is the default
        await scene.until(lambda: QUESTION not in scene.text)
        assert not ran.exists()
        await scene.press("enter")
        await scene.sees(QUESTION)
        await scene.press("y")
        await scene.sees("planning")
        assert ran.exists()
        await scene.until(lambda: "Starting" not in scene.text)


@story
async def test_what_runs_is_opened_and_what_does_not_is_started(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    running: list[str] = []
    monkeypatch.setattr("orange_tui.tui.commands._delivery._open_in_browser", opened.append)

    def state(*_given: object) -> RunState:
        return RunState("task001", "make serve", bool(running), (21_000,))

    def start(*_given: object) -> RunState:
        running.append("make serve")
        return state()

    monkeypatch.setattr(RunWindows, "state", state)
    monkeypatch.setattr(RunWindows, "start", start)
    stage.task(branch="login", status="working", workspace="coffee--1")
    async with stage.open() as scene:
        await scene.sees("login")
        await scene.press("o")
        said = "`make serve` was started; o again opens http://localhost:21000 once it answers."
        await scene.until(lambda: said in scene.told())
        assert opened == []
        await scene.press("o")
        await scene.until(lambda: opened == ["http://localhost:21000"])


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])
def test_the_question(stage: Stage, hook: Path, snap_compare: Callable[..., bool], size: tuple[int, int]) -> None:
    with hook.open("a") as file:
        file.writelines(f"echo step {number}\n" for number in range(1, 31))
    take(stage.app(), snap_compare, size, ("enter",), QUESTION)
