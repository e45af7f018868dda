"""The list as it really is on the terminal, where only what is drawn anew is written, and where a mouse points."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from orange_tui.tui.dashboard import Dashboard
from orange_tui.tui.widgets.preview import Preview
from orange_tui.tui.widgets.task_list import TaskList
from support.stage import story
from support.terminal_copy import copy_terminal

if TYPE_CHECKING:
    from textual.strip import Strip

    from support.stage import Scene, Stage
    from support.terminal_copy import TerminalCopy

# Plain tasks have a second line under the cursor only, those that ask have one always, and one without a summary never.
BRANCHES = {
    "one": ("pending", "First"),
    "two": ("pending", "Second"),
    "asks": ("clarification", "Third"),
    "four": ("pending", ""),
    "five": ("pending", "Fifth"),
    "asks-too": ("clarification", "Sixth"),
    "seven": ("pending", "Seventh"),
    "last": ("pending", "Eighth"),
}
SIZES = [(80, 24), (120, 40), (80, 12)]


def some_tasks(stage: Stage) -> None:
    tasks = [{"branch": name, "status": status, "summary": text} for name, (status, text) in BRANCHES.items()]
    stage.tasks(*tasks)


def is_as_drawn(scene: Scene, terminal: TerminalCopy) -> bool:
    """Whether the terminal shows what the app would draw if it drew everything."""
    return terminal.text(*scene.app.size) == scene.text


def line_of(terminal: TerminalCopy, scene: Scene, branch: str) -> int:
    """On which line of the list a task is, as a person sees it."""
    lines = terminal.text(*scene.app.size).splitlines()
    found = [y for y, line in enumerate(lines) if f" {branch} " in line[:40]]
    assert len(found) == 1, "\n".join(lines)
    return found[0] - scene.app.screen.query_one(TaskList).region.y


@story
async def test_cursor_that_leaves_a_plain_row_for_one_in_need_moves_all_rows_below(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    some_tasks(stage)
    terminal = copy_terminal(monkeypatch)
    async with stage.open() as scene:
        await scene.press("j")
        assert scene.selected == "two"
        await scene.press("j")
        assert scene.selected == "asks"
        await scene.until(lambda: is_as_drawn(scene, terminal))
        for branch in BRANCHES:
            assert line_of(terminal, scene, branch) >= 0


@story
async def test_click_selects_the_task_under_the_mouse(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    some_tasks(stage)
    terminal = copy_terminal(monkeypatch)
    async with stage.open() as scene:
        await scene.sees("last")
        for number, branch in enumerate(("seven", "four", "asks", "last", "asks-too", "one", "two", "four", "last")):
            await scene.press("g", *"jjjjjj"[: number % 7])
            await scene.click(TaskList, (12, line_of(terminal, scene, branch)))
            assert scene.selected == branch
        opened: list[str] = []
        monkeypatch.setattr(
            Dashboard, "on_task_list_opened", lambda _screen, message: opened.append(message.row.ref.id)
        )
        await scene.press("g")
        four = scene.app.screen.query_one(TaskList)._rows[3].ref.id
        await scene.click(TaskList, (12, line_of(terminal, scene, "four")), times=2)  # it moves up at the first
        assert (scene.selected, opened) == ("four", [four])
        await scene.press("z")
        await scene.sees("waiting · 6")
        await scene.click(TaskList, (12, line_of(terminal, scene, "needs you · 2")), times=2)
        assert (scene.selected, opened) == ("four", [four])


@pytest.mark.parametrize("size", SIZES)
@story
async def test_terminal_shows_every_row_where_it_is_wherever_the_cursor_goes(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    some_tasks(stage)
    terminal = copy_terminal(monkeypatch)
    keys = ["j"] * 7 + ["k"] * 7 + ["G", "g", "n", "n", "t", *"jjjkk", "t", "f", *"jjk", "f", "f", *"jk", "f", "G"]
    keys += ["z", *"kkg", "space", *"jj", "z", "s", "escape", "G"]
    async with stage.open(size) as scene:
        for number, key in enumerate(keys):
            await scene.press(key)
            await scene.until(lambda: is_as_drawn(scene, terminal))
            assert "▌" in terminal.text(*size) or "Nothing " in scene.text, f"after {key}, the key number {number}"


@story
async def test_search_leaves_every_row_where_a_click_finds_it(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    some_tasks(stage)
    terminal = copy_terminal(monkeypatch)
    async with stage.open((80, 24)) as scene:
        await scene.press("j", "slash", *"asks", "enter")
        await scene.until(lambda: " five " not in scene.text)
        await scene.click(TaskList, (12, line_of(terminal, scene, "asks-too")))
        assert scene.selected == "asks-too"
        await scene.press("escape")
        await scene.sees(" five ")
        await scene.until(lambda: is_as_drawn(scene, terminal))
        for branch in ("five", "asks", "last"):
            await scene.click(TaskList, (12, line_of(terminal, scene, branch)))
            assert scene.selected == branch


@story
async def test_cursor_stays_in_sight_when_the_terminal_shrinks_and_grows(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    some_tasks(stage)
    terminal = copy_terminal(monkeypatch)
    async with stage.open((120, 40)) as scene:
        await scene.press("G", "k")
        assert scene.selected == "seven"
        for size in ((80, 10), (120, 40), (60, 8), (80, 24)):
            await scene.resize(*size)
            await scene.until(lambda: is_as_drawn(scene, terminal))
            assert line_of(terminal, scene, "seven") >= 0


@story
async def test_cursor_stays_in_sight_when_tasks_come_above_it(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    some_tasks(stage)
    terminal = copy_terminal(monkeypatch)
    async with stage.open((80, 13)) as scene:
        await scene.press("G", "k", "k", "g", *"jjjjjj")
        assert scene.selected == "seven"
        for number in range(3):
            stage.task(branch=f"new-{number}", status="pending", summary="")
            await scene.until(lambda count=9 + number: scene.app.screen.query_one(TaskList).count() == count)  # type: ignore[misc]
            await scene.until(lambda: is_as_drawn(scene, terminal))
            assert line_of(terminal, scene, "seven") >= 0


@story
async def test_task_that_changes_out_of_sight_has_nothing_but_the_list_written_and_no_line_of_that_made_anew(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    some_tasks(stage)
    terminal = copy_terminal(monkeypatch)
    async with stage.open((120, 40)) as scene:
        await scene.press("j")
        preview, region = scene.app.screen.query_one(Preview), scene.app.screen.query_one(TaskList).region
        await scene.until(lambda: "APPROACH" in terminal.text(120, 40) and preview._loading is None)
        await scene.until(lambda: is_as_drawn(scene, terminal))
        path = next(path for path in stage.root.glob("home/tasks/coffee/*/TASK.md") if "Eighth" in path.read_text())
        before = lines_in_sight(scene)
        terminal.written.clear()
        path.write_text(path.read_text().replace("Eighth", "Ninth"))
        await scene.until(lambda: "Ninth" in summaries(scene) and bool(terminal.written) and preview._loading is None)
        await scene.until(lambda: not scene.app.screen._dirty_widgets)
        assert {(y, x) for y, x in terminal.written if not region.contains(x, y)} == set()
        assert all(now is line for now, line in zip(lines_in_sight(scene), before, strict=True))


def lines_in_sight(scene: Scene) -> list[Strip]:
    shown = scene.app.screen.query_one(TaskList)
    return shown.render_lines(shown.size.region)


def summaries(scene: Scene) -> list[str]:
    rows = scene.app.snapshot.rows if scene.app.snapshot is not None else ()
    return [row.task.summary for row in rows if row.task is not None]


@story
async def test_list_below_a_dialog_shows_what_changes(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    some_tasks(stage)
    terminal = copy_terminal(monkeypatch)
    async with stage.open((120, 40)) as scene:
        await scene.press("j", "x")
        await scene.until(lambda: not isinstance(scene.app.screen, Dashboard))
        stage.task(branch="new-one", status="pending", summary="")
        await scene.until(lambda: " new-one " in terminal.text(120, 40))
        await scene.until(lambda: is_as_drawn(scene, terminal))
