"""Whatever is wrong around the app is said in a sentence, and everything else goes on."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from support.live import opened
from support.stage import Stage, story

if TYPE_CHECKING:
    import pytest

    from support.live_home import LiveHome


BRANCH = "fix/%s-{z}-]x"
HOSTILE = "[bold]x[/] [@click=app.quit]y[/] [/] \\[ {z} %s"


@story
async def test_a_workflow_that_breaks_while_the_app_runs_is_told_in_its_rows_and_comes_back(stage: Stage) -> None:
    stage.task(branch="tea", status="working", workflow="own", summary="Brew")
    stage.task(branch="milk", status="working", summary="Warm")
    folder = stage.root / "home" / "workflows"
    folder.mkdir(exist_ok=True)
    good = "name: own\nversion: 1\nstates:\n  working: {}\n  done: {terminal: true}\n"
    good += "transitions:\n  - {from: working, to: done}\n"
    (folder / "own.yml").write_text(good)
    async with stage.open() as scene:
        await scene.sees("tea", "milk", "m merge")
        (folder / "own.yml").write_text("states: [\n")
        await scene.sees("Its workflow cannot be used", "milk", "1 needs you", "m merge")
        await scene.press("j")
        await scene.reads("yml:2: this is not YAML")
        await scene.until(lambda: "m merge" not in scene.text)
        await scene.press("m")
        assert any('Can\'t be merged from "working"' in told for told in scene.told())
        (folder / "own.yml").write_text(good)
        await scene.until(lambda: "cannot be used" not in scene.text)
        await scene.sees("m merge")


@story
async def test_project_whose_directory_is_gone_is_shown_and_others_go_on(stage: Stage) -> None:
    stage.tasks()
    shutil.rmtree(stage.root / "coffee")
    async with stage.open() as scene:
        await scene.sees("login-fix")
        await scene.press("tab", "tab")
        await scene.sees("The directory of coffee is not there")
        await scene.press("m", "y")
        await scene.until(lambda: any("coffee" in told for told in scene.told()))
        await scene.press("escape", "P")
        await scene.sees("Projects")


@story
async def test_without_tmux_every_key_says_what_to_install(
    live_home: LiveHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    live_home.harness(orders="exec cat")
    live_home.create("fix/tea", harness="recorder")
    live_home.create("fix/milk", harness="recorder", spawn=False)
    git = shutil.which("git")
    (live_home.root / "bin").mkdir()
    (live_home.root / "bin" / "git").symlink_to(str(git))
    with monkeypatch.context() as without:
        without.setenv("PATH", str(live_home.root / "bin"))
        await meet_no_tmux(live_home)


async def meet_no_tmux(live_home: LiveHome) -> None:
    async with opened(live_home, supervises=True) as scene:
        await scene.sees("fix/tea", "⚡")
        await scene.press("slash", *"milk", "enter")
        await scene.until(lambda: scene.selected == "fix/milk")
        await scene.press("enter")
        await scene.until(lambda: any("apt-get install tmux" in told for told in scene.told()))
        await scene.press("escape", "G", "tab")
        await scene.until(lambda: "tmux is not installed" in scene.text or "No live session" in scene.text)


@story
async def test_terminal_made_tiny_and_large_again_shows_the_list_again(stage: Stage) -> None:
    stage.tasks()
    async with stage.open() as scene:
        await scene.press("j", "j")
        for size in ((20, 5), (1, 1), (80, 24), (120, 36)):
            await scene.resize(*size)
            await scene.press("j", "k", "tab", "shift+tab")
        await scene.sees("search-box", "APPROACH")
        assert scene.selected == "search-box"


@story
async def test_markup_and_escapes_are_text_wherever_they_come_from(live_home: LiveHome) -> None:
    live_home.harness(orders="exec cat")
    ref = live_home.create(BRANCH, harness="recorder", summary=HOSTILE, context=f"{HOSTILE} \x1b[2J\x1b]0;t\x07")
    worktree = live_home.worktree(ref)
    (worktree / "[red]file.txt").write_text(f"{HOSTILE}\n\x1b[2J\x1b[31m\n")
    live_home.git("add", ".", at=worktree)
    live_home.git("commit", "-qm", f"{HOSTILE} \x1b[2J", at=worktree)
    async with opened(live_home) as scene:
        await scene.sees(BRANCH, HOSTILE)
        for seen in (BRANCH, "[red]file.txt", "Created"):
            await scene.press("tab")
            await scene.sees(seen)
            assert "\x1b" not in scene.text
        for key in ("v", "w", "x", "m", "a", "question_mark"):
            await scene.press(key)
            await scene.press("escape")
        await scene.sees(BRANCH)
        assert scene.app.is_running
