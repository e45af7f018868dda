"""What an agent writes is on the screen without a key, also where no row of the list says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from orange_tui.tui.widgets.task_list import TaskList
from support.stage import PLAN, story

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from orange_tui.store.store import TaskRef
    from support.stage import Scene, Stage

SIZES = [(80, 24), (120, 40)]


def file_of(stage: Stage, ref: TaskRef) -> Path:
    return stage.root / "home" / "tasks" / ref.project / ref.id / "TASK.md"


def writes(stage: Stage, ref: TaskRef, text: str) -> None:
    """As an agent does: at the end of the file, in place."""
    with file_of(stage, ref).open("a") as file:
        file.write(f"\n{text}\n")


def reports(stage: Stage, ref: TaskRef, text: str) -> None:
    """Something happens that is in the history, and nowhere else."""
    stage.orange.store.journal(ref).append({"type": "note", "timestamp": "2026-11-16T09:30:00.000000Z", "text": text})


@pytest.mark.parametrize("size", SIZES)
@story
async def test_preview_shows_what_an_agent_writes_into_its_file(stage: Stage, size: tuple[int, int]) -> None:
    refs = stage.tasks()
    async with stage.open(size) as scene:
        await scene.press("right")
        await scene.sees("APPROACH")
        writes(stage, refs[0], "The loop starts in the callback.")
        await scene.sees("The loop starts in the callback.")
        path = file_of(stage, refs[0])
        path.write_text(path.read_text().replace("The loop starts", "The loop ended!"))  # no longer than before
        await scene.sees("The loop ended! in the callback.")


@story
async def test_history_tab_shows_what_is_added_to_the_history(stage: Stage) -> None:
    refs = stage.tasks()
    async with stage.open() as scene:
        await scene.press("shift+tab")
        await scene.sees("Created, working")
        reports(stage, refs[0], "The beans are ground")
        await scene.sees("The beans are ground")


@story
async def test_whole_screen_and_task_page_show_what_an_agent_writes(stage: Stage) -> None:
    refs = stage.tasks()
    async with stage.open() as scene:
        await scene.press("w")
        await scene.sees("APPROACH", "esc back")
        writes(stage, refs[0], "Written while it was looked at.")
        await scene.sees("Written while it was looked at.")
        await scene.press("escape", "v")
        await scene.sees("TASK.md · login-fix", "Written while it was looked at.")
        writes(stage, refs[0], "And once more.")
        await scene.sees("And once more.")


@story
async def test_preview_shows_what_was_written_behind_another_screen(stage: Stage) -> None:
    refs = stage.tasks()
    async with stage.open() as scene:
        await scene.sees("APPROACH")
        await scene.press("question_mark")
        await scene.sees("esc back")
        before = scene.app.snapshot
        writes(stage, refs[0], "Nobody saw it come.")
        await scene.until(lambda: scene.app.snapshot is not before)
        await scene.press("escape")
        await scene.sees("Nobody saw it come.")


@story
async def test_list_is_not_drawn_anew_for_a_text_that_it_does_not_show(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    refs = stage.tasks()
    async with stage.open() as scene:
        await scene.sees("APPROACH")
        assert scene.app.snapshot is not None
        rows, drawn = scene.app.snapshot.rows, list[str]()
        monkeypatch.setattr(TaskList, "redraw", lambda _list: drawn.append("all"))
        monkeypatch.setattr(TaskList, "refresh", lambda _list, *_lines, **_how: drawn.append("lines"))
        for number in range(3):
            writes(stage, refs[0], f"Step {number}.")
            await scene.sees(f"Step {number}.")
        assert scene.app.snapshot.rows is rows
        assert drawn == []


@story
async def test_preview_keeps_its_place_while_the_text_grows(stage: Stage) -> None:
    ref = stage.task(branch="epic", summary="Long", status="working", body=PLAN + "\n\nMore.\n" * 99)
    async with stage.open() as scene:
        await scene.sees("APPROACH")
        view = scene.app.screen.query_one("#view")
        await scene.until(lambda: view.max_scroll_y > 100)
        view.scroll_to(y=60, animate=False, force=True)  # its scrollbar may not be there yet
        await scene.until(lambda: view.scroll_offset.y == 60)
        before = view.virtual_size.height
        writes(stage, ref, "The end.")
        await scene.until(lambda: view.virtual_size.height > before)
        assert view.scroll_offset.y == 60


@pytest.mark.parametrize(
    ("size", "reads_on"),
    [
        ((200, 60), lambda scene: scene.press("shift+down")),
        ((200, 60), lambda scene: scene.press("pagedown")),
        ((200, 60), lambda scene: scene.press("tab")),
        ((200, 60), lambda scene: scene.click("#view", (5, 3))),
        ((200, 60), lambda scene: scene.wheel("#view", (5, 3))),
        ((80, 24), lambda scene: scene.press("right")),
    ],
    ids=["line", "page", "tab", "click", "wheel", "narrow"],
)
@story
async def test_the_task_whose_preview_is_being_read_stays_when_another_comes_first(
    stage: Stage, size: tuple[int, int], reads_on: Callable[[Scene], Awaitable[None]]
) -> None:
    stage.task(5, branch="login-fix", summary="Fix", status="working")
    async with stage.open(size) as scene:
        await scene.sees("login-fix")
        await reads_on(scene)
        stage.task(branch="newcomer", summary="Newer", status="working")
        await scene.until(lambda: scene.app.screen.query_one(TaskList).count() == 2)
        assert scene.selected == "login-fix"
