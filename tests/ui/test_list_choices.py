"""Stories about the list: its order, its groups, its marks, its scope, what is remembered, and what a search finds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from orange_tui.home.log import Log
from orange_tui.tui.app import OrangeApp
from orange_tui.tui.screens.page import Page
from orange_tui.tui.widgets.strip_view import StripView
from orange_tui.tui.widgets.task_list import TaskList
from support.live import opened
from support.lively import lively
from support.stage import Scene, Stage, story

if TYPE_CHECKING:
    import pytest

    from orange_tui.store.store import TaskRef
    from support.live_home import LiveHome


def view_file(stage: Stage) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((stage.root / "home" / "view.json").read_text())
    return found


def in_order(scene: Scene) -> list[str]:
    """The branches, from the top."""
    rows = scene.app.screen.query_one(TaskList)._rows
    return [row.task.branch for row in rows if row.task is not None]


def add_tea(stage: Stage, text: str = "") -> None:
    """Another project, with a task."""
    (stage.root / "tea").mkdir()
    stage.orange.projects.add({"name": "tea", "path": str(stage.root / "tea"), "default_branch": "main"})
    with stage.orange.store.project_lock("tea"):
        stage.orange.store.add("tea", {"workflow": "default", "status": "working", "branch": "earl-grey"}, text)


def status_of(stage: Stage, ref: TaskRef) -> str:
    return str(getattr(stage.orange.store.read(ref), "task").status)  # noqa: B009 - it can be read


@story
async def test_what_needs_you_comes_first_and_s_and_z_show_it_otherwise(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    lively(stage, monkeypatch)
    (stage.root / "home" / "view.json").unlink()
    async with stage.open() as scene:
        needing = ["receipts", "rate-limit", "search-box"]
        await scene.until(lambda: set(in_order(scene)[:3]) == set(needing))
        assert in_order(scene)[3:5] == ["login-fix", "csv-export"]
        assert in_order(scene)[-2:] == ["old-cleanup", "no-way"]
        await scene.press("z")
        await scene.sees("needs you · 3", "working · 2", "waiting · 2", "done · 2", "grouped by state")
        seen = []
        await scene.press("g")
        for _ in range(9):
            seen.append(scene.selected)
            await scene.press("j")
        assert seen == in_order(scene)  # no heading on the way
        await scene.press("z", "z", "s")
        await scene.sees("by newest")
        assert in_order(scene)[0] == "login-fix"
        assert scene.selected == "no-way"  # the cursor stays with its task


@story
async def test_action_on_all_marked_tasks_asks_once_and_leaves_out_what_it_cannot_do(stage: Stage) -> None:
    refs = stage.tasks()
    async with stage.open() as scene:
        await scene.press("space", "space", "j", "j", "j", "j", "space")
        await scene.sees("3 marked", "x cancel 2", "d delete 1", "esc unmark")
        await scene.press("x")
        await scene.sees(
            "Cancel 2 tasks?", "  login-fix", "  csv-export", "1 stays as it is:", "  old-cleanup: Can't be"
        )
        await scene.press("n")
        await scene.sees("3 marked")
        await scene.press("x", "y")
        await scene.until(lambda: [status_of(stage, ref) for ref in refs[:2]] == ["cancelled", "cancelled"])
        assert status_of(stage, refs[2]) == "clarification"
        assert "marked" not in scene.text
        await scene.press("g", "space", "h")
        assert any("csv-export" in told or "login-fix" in told or "search-box" in told for told in scene.told())
        await scene.press("escape")
        await scene.until(lambda: "marked" not in scene.text)


@story
async def test_message_and_another_agent_for_all_marked_tasks(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    lively(stage, monkeypatch)
    sent: list[tuple[str, str]] = []
    handed: list[str] = []

    def answer(_agents: object, ref: TaskRef, text: str) -> bool:
        sent.append((ref.id, text))
        return True

    def hand_over(_agents: object, ref: TaskRef, _agent: str, _model: str | None) -> None:
        handed.append(ref.id)

    monkeypatch.setattr(type(stage.orange.agents), "answer", answer)
    monkeypatch.setattr(type(stage.orange.agents), "hand_over", hand_over)
    async with stage.open() as scene:
        await scene.press("space", "space", "G", "space", "a")
        await scene.sees("Answer 2 tasks", "  no-way: No agent is running")
        await scene.press(*"hi", "ctrl+s")
        await scene.until(lambda: sorted(sent) == [("task001", "hi"), ("task002", "hi")])
        await scene.press("g", "space", "space", "h")
        await scene.sees("2 tasks: their agents are ended", "  login-fix")
        await scene.press("ctrl+s")
        await scene.until(lambda: sorted(handed) == ["task001", "task002"])


@story
async def test_number_shows_one_project_and_the_next_start_shows_it_too(stage: Stage) -> None:
    stage.tasks()
    add_tea(stage)
    async with stage.open(project=None) as scene:
        await scene.sees("all projects", "tea/earl-grey", "coffee/login-fix")
        await scene.press("2")
        await scene.until(lambda: in_order(scene) == ["earl-grey"])
        await scene.sees("1 working", "pool 0/2")
        await scene.press("7")
        assert any("There is no project 7. There are: 1 coffee, 2 tea; 0 shows all." in told for told in scene.told())
        await scene.press("question_mark", "slash", *"All projects", "enter", "n")
        await scene.sees("0        All projects", "2        tea")
        await scene.press("q", "f", "s", "z", "tab")
        await scene.press("ctrl+p", *"show all", "enter")
        await scene.until(lambda: len(in_order(scene)) > 1)
        await scene.press("2")
        await scene.until(lambda: in_order(scene) == ["earl-grey"])
        scene.app.theme = "nord"
        await scene.until(lambda: view_file(stage).get("theme") == "nord" and view_file(stage)["tab"] == "Session")
    async with stage.open(project=None) as scene:
        await scene.until(lambda: in_order(scene) == ["earl-grey"])
        await scene.sees("tea · active · by longest in its state · grouped by state", "No live session")
        assert scene.app.theme == "nord"
    app = OrangeApp(stage.orange, None, is_chosen=True, supervises=False)  # as with --all
    async with app.run_test(size=(120, 36)) as pilot:
        scene = Scene(app, pilot)
        await scene.sees("all projects", "tea/earl-grey", "coffee/login-fix")


@story
async def test_word_in_task_md_is_found_while_somebody_types_it(stage: Stage) -> None:
    stage.tasks()
    text = "## Context\n\nWith cinnamon.\n"
    stage.task(branch="hot", summary="Something warm", status="pending", body=text)
    add_tea(stage, text)
    async with stage.open() as scene:
        await scene.press("slash", *"cinnamon")
        await scene.until(lambda: in_order(scene) == ["hot"])
        await scene.press("enter", "0")
        await scene.until(lambda: sorted(in_order(scene)) == ["earl-grey", "hot"])  # it is looked for there, too
        await scene.press("escape")
        await scene.until(lambda: len(in_order(scene)) > 2)


@story
async def test_log_and_help_can_be_searched(stage: Stage) -> None:
    stage.tasks()
    for number in range(200):
        stage.orange.log.write("info", f"cup number {number}")
    async with stage.open() as scene:
        await scene.press("L")
        await scene.sees("cup number 199")
        await scene.press("slash", *"number 7", "enter")
        await scene.sees("11 with “number 7”", "cup number 79")
        view = scene.app.screen.query_one(StripView)
        first = view.scroll_offset.y
        await scene.press(*"n" * 10)
        await scene.sees("cup number 7\n")
        assert view.scroll_offset.y > first
        await scene.press("n")
        await scene.until(lambda: view.scroll_offset.y == first)
        await scene.press("escape")
        await scene.until(lambda: "with “" not in scene.text)
        assert isinstance(scene.app.screen, Page)
        await scene.press("escape", "question_mark", "slash", *"last line", "enter")
        await scene.sees("The last line that its agent has printed")
        await scene.press("q")
        await scene.sees("login-fix")


@story
async def test_columns_are_chosen_in_config_yml_and_a_wrong_name_is_said(stage: Stage) -> None:
    stage.tasks()
    config = stage.root / "home" / "config.yml"
    config.write_text("columns: [age, task, status]\n")
    async with stage.open() as scene:
        await scene.sees("age  task ")
        config.write_text("columns: [age, price]\n")
        await scene.until(
            lambda: any("there is no column 'price'; the columns are task" in told for told in scene.told())
        )


@story
async def test_wide_terminal_shows_the_list_alone_or_both(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    lively(stage, monkeypatch)
    stage.report(stage.orange.store.refs("coffee")[0], last="31 passed [bold]")
    async with stage.open((200, 40)) as scene:
        await scene.sees("APPROACH", "summary", "last output", "31 passed [bold]")
        await scene.press("left")
        await scene.sees(" ↑ ")
        assert "APPROACH" not in scene.text
        await scene.press("right")
        await scene.sees("APPROACH")


@story
async def test_after_a_merge_the_cursor_is_on_what_needs_you_and_the_transcript_stays(live_home: LiveHome) -> None:
    live_home.harness(orders="echo '\x1b[32m31 passed\x1b[0m [bold]'; exec cat")
    ref = live_home.create("fix/tea", harness="recorder")
    asks = live_home.create("fix/cups", harness="recorder")
    live_home.create("fix/milk", harness="recorder", spawn=False)
    with live_home.orange.store.open(asks) as cups:
        cups.set_attention("Which cups?")
    (live_home.worktree(ref) / "tea").write_text("green\n")
    live_home.git("add", "tea", at=live_home.worktree(ref))
    live_home.git("commit", "--quiet", "--message=tea", at=live_home.worktree(ref))
    async with opened(live_home) as scene:
        await scene.press("j", "f", "m")
        assert scene.selected == "fix/tea"  # where what is done is not listed
        await scene.sees("Force merge?")
        await scene.press("y")
        await scene.until(lambda: live_home.status(ref) == "done")
        await scene.until(lambda: scene.selected == "fix/cups")
        await scene.press("f", "f", "f", "slash", *"fix/tea", "enter", "tab")
        await scene.sees("worker, ended", "31 passed [bold]", "No live session.")
        await scene.sees("+1 −0")
    assert not any("can't be shown" in str(entry) for entry in Log(live_home.orange.home.log_file).entries())
