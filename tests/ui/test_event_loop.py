"""Whatever a person does, nothing but drawing happens in the event loop: every key is heard at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.tui.app import OrangeApp
from support.live import opened
from support.loop_guard import guarded
from support.stage import Scene, story

if TYPE_CHECKING:
    import pytest

    from support.live_home import LiveHome


@story
async def test_a_working_day_without_a_file_read_or_a_program_started_in_the_event_loop(
    live_home: LiveHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    live_home.harness(orders="echo '[bold]working[/]'; exec cat")
    live_home.create("fix/tea", harness="recorder")
    app = OrangeApp(live_home.orange, "coffee")
    with guarded(monkeypatch) as guard:
        async with opened(live_home, app=app) as scene:
            await look_around(scene)
            await create_a_task(scene)
            await merge_and_delete(scene)
            await cancel(scene)
    assert sorted(set(guard.found)) == []


async def look_around(scene: Scene) -> None:
    await scene.sees("fix/tea", "Brew fix/tea")
    await scene.press("tab")
    await scene.sees("[bold]working[/]")
    await scene.press("tab")
    await scene.sees("No changes yet")
    await scene.press("tab")
    await scene.sees("Created")
    await scene.press("f", "f", "f", "f", "slash", *"tea", "enter", "escape")
    pages = {
        "v": "TASK.md",
        "w": "esc back",
        "L": "Log",
        "W": "is here",
        "P": "register",
        "K": "coffee--1",
        "E": "Change fix/tea",
        "M": "Move fix/tea",
        "O": "Settings",
        "H": "checking",
        "D": "No changes yet",
        "ctrl+p": "answer  a",
    }
    for key, seen in pages.items():
        await scene.press(key)
        await scene.sees(seen)
        await scene.press("escape")
        await scene.sees("fix/tea", "filter")
    await scene.press("question_mark")
    await scene.sees("Anywhere")
    await scene.press("escape", "y")
    await scene.sees("Copy from fix/tea")
    await scene.press("b", "n")


async def create_a_task(scene: Scene) -> None:
    await scene.press("c")
    await scene.sees("New task")
    await scene.press(*"Warm", "tab", *"milk", "ctrl+s")
    await scene.until(lambda: "New task" not in scene.text)
    await scene.sees("milk")
    await scene.press("slash", *"milk", "enter")  # whoever reads a preview goes on reading it
    await scene.sees("Warm")
    await scene.press("escape")


async def merge_and_delete(scene: Scene) -> None:
    await scene.press("slash", *"fix/tea", "enter")
    await scene.until(lambda: "milk" not in scene.text)
    await scene.press("m")
    await scene.sees("Force merge?")
    await scene.press("y")
    await scene.sees("done")
    await scene.press("d")
    await scene.sees("Delete fix/tea?")
    await scene.press("y")
    await scene.sees("Nothing found")
    await scene.press("escape")


async def cancel(scene: Scene) -> None:
    await scene.sees("milk")
    await scene.press("x")
    await scene.sees("Cancel milk?")
    await scene.press("y")
    await scene.sees("cancelled")
    await scene.press("ctrl+z")
    await scene.until(lambda: any("milk is back" in told or "be undone" in told for told in scene.told()))
