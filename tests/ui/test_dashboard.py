"""Stories about the dashboard: what is seen, where the keys lead, and that it follows the disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.tui.widgets.strip_view import StripView
from support.stage import Scene, Stage, story

if TYPE_CHECKING:
    from orange_tui.store.store import TaskRef


@story
async def test_tasks_are_listed_the_active_first_then_the_newest(stage: Stage) -> None:
    stage.tasks()
    async with stage.open() as scene:
        await scene.sees("login-fix", "no-way", "need you")
        places = [scene.text.index(name) for name in ("login-fix", "csv-export", "search-box", "old-cleanup", "no-way")]
        assert places == sorted(places)


@story
async def test_the_cursor_moves_and_the_preview_follows(stage: Stage) -> None:
    stage.tasks()
    async with stage.open() as scene:
        await scene.sees("Fix the redirect loop on mobile", "APPROACH")
        await scene.press("j")
        assert scene.selected == "csv-export"
        await scene.sees("Export orders as CSV")
        await scene.press("G")
        assert scene.selected == "no-way"
        await scene.press("g")
        assert scene.selected == "login-fix"


@story
async def test_arrows_and_page_keys_move_the_cursor_as_letters_do(stage: Stage) -> None:
    stage.tasks()
    async with stage.open() as scene:
        await scene.press("down", "down", "up")
        assert scene.selected == "csv-export"
        await scene.press("end")
        assert scene.selected == "no-way"
        await scene.press("home")
        assert scene.selected == "login-fix"
        await scene.press("ctrl+d")
        assert scene.selected == "no-way"


@story
async def test_an_agents_command_is_on_the_screen_without_a_key(stage: Stage) -> None:
    refs = stage.tasks()
    async with stage.open() as scene:
        await scene.sees("login-fix")
        stage.orange.tasks.update(refs[0], status="clarification")
        await scene.until(lambda: scene.text.count("clarification") > 1)
        assert scene.selected == "login-fix"


@story
async def test_the_cursor_stays_on_its_task_when_others_come_and_go(stage: Stage) -> None:
    stage.tasks()
    async with stage.open() as scene:
        await scene.press("j", "j")
        assert scene.selected == "search-box"
        stage.task(branch="brand-new", summary="Just now", status="pending", minutes_old=-1)
        await scene.sees("brand-new")
        assert scene.selected == "search-box"


@story
async def test_filter_task_tab_and_place_survive_every_refresh(stage: Stage) -> None:
    refs = stage.tasks()
    long = stage.task(
        branch="epic", summary="Long", status="working", body="\n\n".join(f"line {n}." for n in range(99))
    )
    async with stage.open() as scene:
        await scene.press("f")
        await scene.until(lambda: "old-cleanup" not in scene.text)
        await scene.press("n", "slash", *"epic", "enter", "escape")
        await scene.until(lambda: scene.selected == "epic")
        view = scene.app.screen.query_one("#view", StripView)
        await scene.until(lambda: view.max_scroll_y > 100)
        view.scroll_to(y=60, animate=False)
        for number, ref in enumerate([refs[0], refs[1], long, refs[0], long]):
            stage.orange.tasks.update(ref, summary=f"Change {number}")
            await scene.until(lambda ref=ref, number=number: summary_of(scene, ref) == f"Change {number}")  # type: ignore[misc]
        await scene.until(lambda: not any(worker.group == "preview" for worker in scene.app.workers))
        assert (scene.selected, view.scroll_offset.y) == ("epic", 60)
        assert "old-cleanup" not in scene.text
        assert "active" in scene.text


def summary_of(scene: Scene, ref: TaskRef) -> str:
    rows = scene.app.snapshot.rows if scene.app.snapshot else ()
    return next(row.task.summary for row in rows if row.ref == ref and row.task is not None)


@story
async def test_filters_and_search_narrow_the_list(stage: Stage) -> None:
    stage.tasks()
    async with stage.open() as scene:
        await scene.press("f")
        await scene.until(lambda: "old-cleanup" not in scene.text)
        await scene.press("f")
        await scene.until(lambda: "old-cleanup" in scene.text and "dark-mode" not in scene.text)
        await scene.press("f", "f", "slash", *"csv")
        await scene.until(lambda: "csv-export" in scene.text and "dark-mode" not in scene.text)
        await scene.press("enter", "escape")
        await scene.sees("dark-mode")


@story
async def test_n_goes_round_what_needs_the_person(stage: Stage) -> None:
    stage.tasks()
    async with stage.open() as scene:
        seen = []
        for _ in range(3):
            await scene.press("n")
            seen.append(scene.selected)
        assert set(seen) == {"search-box", "rate-limit"}


@story
async def test_a_key_that_cannot_be_used_says_why(stage: Stage) -> None:
    stage.tasks()
    async with stage.open() as scene:
        await scene.press("d")
        assert any("Only done and cancelled" in told for told in scene.told())
        await scene.press("a")
        assert any("No agent is running" in told for told in scene.told())


@story
async def test_a_task_that_cannot_be_read_is_a_row_with_the_reason(stage: Stage) -> None:
    refs = stage.tasks()
    path = stage.root / "home" / "tasks" / "coffee" / refs[3].id / "TASK.md"
    path.write_text("---\nstatus: [\n---\n")
    async with stage.open() as scene:
        await scene.sees(refs[3].id, "      TASK.md:")
        await scene.sees("login-fix")


@story
async def test_markup_and_escapes_in_a_summary_are_text(stage: Stage) -> None:
    stage.task(
        branch="evil", summary="[bold]not[/bold] [@click=app.quit]x[/] list[int]", status="working", body="\x1b[2Jhi\n"
    )
    async with stage.open() as scene:
        await scene.sees("[bold]not[/bold]", "list[int]")
        assert "\x1b" not in scene.text


@story
async def test_the_preview_says_who_does_a_routed_task_and_why(stage: Stage) -> None:
    ref = stage.task(branch="brew", summary="Brew", status="pending")
    route = {
        "executor": "claude",
        "model": "opus",
        "decompose": True,
        "reason": "It is [bold]hard[/].",
        "profile": {"role": "Barista"},
        "selected_skills": ["brewing"],
    }
    with stage.orange.store.open(ref) as opened:
        opened.change("task.updated", {"route": route})
    async with stage.open() as scene:
        await scene.sees("Route: claude · opus · to be split into subtasks", "It is [bold]hard[/].")
        await scene.sees("Role: Barista · Skills: brewing")


@story
async def test_at_80_columns_the_preview_is_a_key_away(stage: Stage) -> None:
    stage.tasks()
    async with stage.open((80, 24)) as scene:
        await scene.sees("login-fix")
        assert "APPROACH" not in scene.text
        await scene.press("right")
        await scene.sees("APPROACH")
        await scene.press("escape")
        await scene.until(lambda: "APPROACH" not in scene.text)


@story
async def test_empty_list_says_how_to_create_a_task(stage: Stage) -> None:
    async with stage.open() as scene:
        await scene.sees("No tasks yet", "Press c")


@story
async def test_a_tiny_terminal_breaks_nothing(stage: Stage) -> None:
    stage.tasks()
    async with stage.open((20, 5)) as scene:
        await scene.press("j", "k", "right", "escape", "question_mark", "escape")
        assert scene.selected == "login-fix"


@story
async def test_w_shows_one_task_on_the_whole_screen_and_tab_turns_the_page(stage: Stage) -> None:
    stage.tasks()
    async with stage.open() as scene:
        await scene.press("w")
        await scene.sees("coffee/login-fix", "APPROACH", "esc back")
        assert "csv-export" not in scene.text
        await scene.press("tab", "tab", "tab")
        await scene.sees("Created")
        await scene.press("escape")
        await scene.sees("csv-export")


@story
async def test_the_log_is_a_key_away(stage: Stage) -> None:
    stage.tasks()
    stage.orange.log.write("warning", "The milk is [bold]sour[/]", task="task001")
    async with stage.open() as scene:
        await scene.press("L")
        await scene.sees("The milk is [bold]sour[/]")


@story
async def test_broken_config_is_reported_and_stops_nothing(stage: Stage) -> None:
    stage.tasks()
    (stage.root / "home" / "config.yml").write_text("bel: true\n")
    async with stage.open() as scene:
        await scene.sees("login-fix")
        assert any("there is no setting 'bel'" in told for told in scene.told())


@story
async def test_a_new_task_is_created_from_the_form(stage: Stage) -> None:
    async with stage.open() as scene:
        await scene.press("c", *"Warm", "space", *"milk", "tab", *"bad..name")
        await scene.sees("is not a branch name")
        await scene.press(*["backspace"] * 9, *"warm-milk", "ctrl+s")
        await scene.sees("warm-milk", "Warm milk")


@story
async def test_keys_can_be_changed_in_config_yml(stage: Stage) -> None:
    stage.tasks()
    (stage.root / "home" / "config.yml").write_text("keys:\n  cancel: X\n")
    async with stage.open() as scene:
        await scene.sees("X cancel")
        await scene.press("x")
        assert "Cancel login-fix?" not in scene.text
        await scene.press("X")
        await scene.sees("Cancel login-fix?")


@story
async def test_letters_typed_before_the_search_line_has_the_focus_are_letters(stage: Stage) -> None:
    stage.tasks()
    async with stage.open() as scene:
        scene.app.screen.add_class("-searching")  # as it is for a moment after the slash
        await scene.press("c", "s", "v")
        assert "New task" not in scene.text
        await scene.until(lambda: "csv-export" in scene.text and "dark-mode" not in scene.text)


@story
async def test_app_that_has_read_everything_before_it_starts_shows_it_at_once(stage: Stage) -> None:
    """As `orange` does it: settings and tasks are read before there is an event loop, and a screen."""
    stage.tasks()
    app = stage.app()
    app.read_first()
    async with app.run_test(size=(120, 36)) as pilot:
        scene = Scene(app, pilot)
        await scene.sees("login-fix")
