"""The keys that are about no task in particular, or about any; the palette and keys of one's own; the mouse."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual.command import CommandPalette
from textual.widgets import OptionList

from orange_tui.tui.app import OrangeApp
from orange_tui.tui.dashboard import Dashboard
from orange_tui.tui.theme import THEMES
from orange_tui.tui.widgets.preview import Preview
from orange_tui.tui.widgets.task_list import TaskList
from support.lively import lively
from support.stage import Stage, story

if TYPE_CHECKING:
    from support.stage import Scene


@pytest.mark.parametrize(
    ("key", "shows"),
    [
        ("v", "TASK.md · login-fix"),
        ("w", "coffee/login-fix"),
        ("D", "reading"),
        ("W", "login-fix is here"),
        ("c", "New task"),
        ("P", "Projects"),
        ("L", "Log, newest first"),
        ("question_mark", "Send the agent a message"),
        ("slash", "branch, summary, status, agent"),
        ("f", "coffee · active"),
        ("T", "Search for themes"),
        ("ctrl+p", "Search for commands"),
    ],
)
@story
async def test_a_key_shows_what_it_is_for_and_escape_comes_back(stage: Stage, key: str, shows: str) -> None:
    stage.tasks()
    async with stage.open() as scene:
        await scene.press(key)
        await scene.until(lambda: shows in scene.text or (key == "D" and "no diff" in scene.text))
        await scene.press("escape")
        await scene.until(lambda: isinstance(scene.app.screen, Dashboard))


@story
async def test_y_copies_the_id_and_q_leaves(stage: Stage) -> None:
    stage.tasks()
    async with stage.open() as scene:
        await scene.press("y", "y")
        assert scene.app.clipboard == "task001"
        await scene.press("q")
        await scene.until(lambda: not scene.app.is_running)


@story
async def test_n_finds_what_needs_the_person_behind_any_filter(stage: Stage) -> None:
    stage.tasks()
    async with stage.open() as scene:
        await scene.press("f", "f", "n")
        await scene.until(lambda: scene.selected == "search-box")


@story
async def test_answer_dialog_shows_the_agents_questions(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    lively(stage, monkeypatch)
    for ref in stage.orange.store.refs():
        with stage.orange.engine.open(ref) as opened:
            opened.edit_body("test", lambda body: f"{body}\n## Questions\n\n1. Hot or [bold]cold[/]?\n")
    async with stage.open() as scene:
        await scene.press("a")
        await scene.sees("Answer login-fix", "1. Hot or [bold]cold[/]?")


@story
async def test_a_draft_is_kept_when_escape_was_pressed_too_soon(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    lively(stage, monkeypatch)
    async with stage.open() as scene:
        await scene.press("a", *"half", "escape")
        await scene.until(lambda: "Answer login-fix" not in scene.text)
        await scene.press("a")
        await scene.sees("Answer login-fix", "half")


def options(scene: Scene) -> str:
    found = scene.app.screen.query(OptionList)
    return "\n".join(str(option.prompt) for option in found.first().options) if found else ""


@story
async def test_the_palette_has_every_command_that_can_be_used_with_its_key(stage: Stage) -> None:
    stage.tasks()
    (stage.root / "home" / "config.yml").write_text("keys: {cancel: X}\n")
    async with stage.open() as scene:
        await scene.press("ctrl+p")
        await scene.until(lambda: "cancel  X" in options(scene) and "new task  c" in options(scene))
        assert "answer  a" not in options(scene)
        await scene.press(*"answer")
        await scene.until(lambda: "Not now: No agent is running to read it" in options(scene))


@story
async def test_the_palette_runs_what_is_chosen(stage: Stage) -> None:
    stage.tasks()
    async with stage.open() as scene:
        await scene.press("ctrl+p", *"cancel")
        await scene.until(lambda: options(scene).startswith("cancel  x"))
        await scene.press("enter")
        await scene.sees("Cancel login-fix?")


@story
async def test_the_palette_goes_to_a_task_even_one_that_is_hidden(stage: Stage) -> None:
    stage.tasks()
    stage.task(branch="evil", summary="[bold]list[int] [/] [@click=app.quit]x[/]", status="working")
    async with stage.open() as scene:
        await scene.press("f", "f", "ctrl+p", *"csv-exp")
        await scene.until(lambda: "coffee/csv-export" in options(scene))
        await scene.press("enter")
        await scene.until(lambda: scene.selected == "csv-export")
        await scene.press("ctrl+p", *"list[int]")
        await scene.until(lambda: "[bold]list[int] [/]" in options(scene))


@story
async def test_on_other_screens_the_palette_says_where_it_is_and_finds_nothing(stage: Stage) -> None:
    stage.tasks()
    async with stage.open() as scene:
        await scene.press("v", "ctrl+p")
        await scene.says("Commands are searched in the list of tasks, not here.")
        assert not isinstance(scene.app.screen, CommandPalette)


@story
async def test_another_key_is_in_help_and_footer_and_the_old_one_is_free(stage: Stage) -> None:
    stage.tasks()
    (stage.root / "home" / "config.yml").write_text('keys: {cancel: d, delete: "%"}\n')
    async with stage.open() as scene:
        await scene.sees("d cancel")
        await scene.press("%")
        assert any("Only done and cancelled" in told for told in scene.told())
        await scene.press("question_mark")
        await scene.sees("%        Delete a finished task", "d        Cancel the task")


@story
async def test_keys_of_the_footer_and_of_a_dialog_can_be_clicked(stage: Stage) -> None:
    stage.tasks()
    async with stage.open((200, 36)) as scene:
        await scene.sees("x cancel", "E change")  # where there is room, keys that are needed seldom are there too
        await scene.click("#footer", (footer(scene).index("x cancel") + 3, 0))
        await scene.sees("Cancel login-fix?", "esc n no", "y yes")
        assert "x cancel" not in footer(scene)  # the dialog's own keys
        await scene.click(".own-keys", (footer(scene).index("esc"), 0))
        await scene.until(lambda: isinstance(scene.app.screen, Dashboard))
        await scene.resize(80, 24)
        await scene.until(lambda: "E change" not in footer(scene))
        assert "? help" in footer(scene)


def footer(scene: Scene) -> str:
    """The last line of the screen."""
    return scene.text.rstrip("\n").splitlines()[-1]


@story
async def test_keys_that_clash_in_config_are_reported_and_the_default_keys_stay(stage: Stage) -> None:
    stage.tasks()
    (stage.root / "home" / "config.yml").write_text("keys: {merge: x, refresh: x}\n")
    async with stage.open() as scene:
        assert any("'x' is already used for merge" in told for told in scene.told())
        await scene.press("x")
        await scene.sees("Cancel login-fix?")


@story
async def test_any_theme_can_be_chosen_and_recolours_the_list(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    lively(stage, monkeypatch)
    async with stage.open() as scene:
        seen = set()
        some = sorted(scene.app.available_themes)[::4]
        for theme in {theme.name for theme in THEMES} | {*some}:
            scene.app.theme = theme
            await scene.press("j", "D", "escape", "k")
            await scene.sees("login-fix")
            seen.add(str(scene.app.screen.query_one(TaskList).render_line(0)._segments[-1].style))
        assert len(seen) > len(some) // 2


@story
async def test_the_mouse_chooses_rows_and_tabs_and_a_double_click_opens(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    lively(stage, monkeypatch)
    opened: list[str] = []
    monkeypatch.setattr(Dashboard, "action_do", lambda _screen, name: opened.append(name))
    monkeypatch.setattr(OrangeApp, "CLICK_CHAIN_TIME_THRESHOLD", 60)  # a slow machine clicks slowly
    async with stage.open() as scene:
        await scene.sees("csv-export", "APPROACH")
        await scene.click(TaskList, (12, 2))
        await scene.until(lambda: scene.selected == "csv-export")
        await scene.click("#tabs", (9, 0))
        await scene.until(lambda: scene.app.screen.query_one(Preview).tab.name == "Session")
        await scene.sees("31 passed")
        assert not opened
        await scene.click(TaskList, (12, 0), times=2)
        await scene.until(lambda: opened == ["enter"])
        assert scene.selected == "login-fix"


@story
async def test_ctrl_c_says_how_to_quit(stage: Stage) -> None:
    stage.tasks()
    async with stage.open() as scene:
        await scene.press("ctrl+c")
        await scene.says("Press ctrl+q to quit; agents keep running.")


@story
async def test_workflow_map_follows_the_task(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    refs = lively(stage, monkeypatch)
    async with stage.open() as scene:
        await scene.press("W")
        await scene.sees("login-fix is here, with receipts")
        stage.orange.tasks.update(refs[0], status="clarification")
        await scene.sees("login-fix is here, with search-box")
