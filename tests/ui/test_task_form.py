"""The form for a new task: one line and Enter; what is wrong with it is said while it is typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.color import Color
from textual.widgets import Button, Input, Select

from orange_tui.domain.errors import Refused
from orange_tui.engine.tasks import Tasks
from orange_tui.store.store import StoredTask
from orange_tui.tui.drawing.palette import READABLE, contrast
from support.stage import WORK, Stage, story

if TYPE_CHECKING:
    import pytest

    from orange_tui.engine.creation import NewTask
    from support.stage import Scene


async def opened(scene: Scene) -> None:
    await scene.press("c")
    await scene.sees("New task")


def can_create(scene: Scene) -> bool:
    return not scene.app.screen.query_one("#yes", Button).disabled


@story
async def test_one_line_and_enter_create_a_task_on_a_branch_named_after_it(stage: Stage) -> None:
    stage.work("fix-the-tap", files=WORK)
    async with stage.open() as scene:
        await scene.press("c", "enter")
        await scene.sees("Type what is to be done.")
        await scene.press(*"Fix the tap!")
        await scene.sees("Branch: fix-the-tap-2")
        await scene.press("escape")
        await scene.until(lambda: len(scene.app.screen_stack) == 1)
        await opened(scene)
        await scene.sees("Fix the tap!")  # nothing typed is lost by Escape
        await scene.press("tab", *"no..", "tab", *"Mind the cat.", "escape")
        await scene.until(lambda: len(scene.app.screen_stack) == 1)
        await opened(scene)
        await scene.sees("no..", "Mind the cat.", "is not a branch name")
        await scene.press("tab", *("backspace",) * 4)
        scene.app.screen.query_one("#start", Select).value = "no"
        await scene.press("enter")
        await scene.says("fix-the-tap-2 was created.")
        (ref,) = stage.orange.store.refs()
        found = stage.orange.store.read(ref)
        assert isinstance(found, StoredTask)
        assert (found.task.branch, found.task.summary, found.task.status) == (
            "fix-the-tap-2",
            "Fix the tap!",
            "pending",
        )
        assert "Mind the cat." in found.body
        await opened(scene)
        assert not any(scene.app.screen.query_one(f"#{name}", Input).value for name in ("summary", "branch"))


@story
async def test_form_refuses_a_branch_that_cannot_be_and_continues_one_that_git_has(stage: Stage) -> None:
    stage.tasks({"branch": "tea", "summary": "Brew tea", "status": "working"})
    stage.work("teas", files=WORK)
    async with stage.open() as scene:
        await opened(scene)
        await scene.press("tab", *"tea")
        await scene.sees("Branch tea has a task already: task001")
        assert not can_create(scene)
        await scene.press("s")
        await scene.sees("Branch teas already exists")
        assert can_create(scene)
        await scene.press("2")
        await scene.until(lambda: can_create(scene) and "already exists" not in scene.text)
        await scene.press(*"..")  # git would refuse it
        await scene.sees("is not a branch name")
        assert not can_create(scene)


@story
async def test_every_field_and_the_buttons_are_in_sight_in_a_small_terminal(stage: Stage) -> None:
    async with stage.open(size=(80, 24)) as scene:
        await scene.press("c", "tab")
        await scene.sees("New task in coffee", "starts in", "choose demo as the agent.", "Create (ctrl+s)", "╰──")


@story
async def test_what_counts_in_an_empty_field_can_be_read_in_a_dark_and_in_a_light_theme(stage: Stage) -> None:
    async with stage.open() as scene:
        await scene.press("c", "tab")
        await scene.sees("branches or ids")
        for theme in ("orange", "orange-light"):
            scene.app.theme = theme
            await scene.until(lambda: placeholder_contrast(scene, "blocked_by") >= READABLE)


def placeholder_contrast(scene: Scene, name: str) -> float:
    style = scene.app.screen.query_one(f"#{name}", Input).get_component_rich_style("input--placeholder")
    assert style.color is not None
    assert style.bgcolor is not None
    return contrast(Color.from_rich_color(style.color), Color.from_rich_color(style.bgcolor))


@story
async def test_form_offers_the_initial_states_of_the_chosen_workflow(stage: Stage) -> None:
    async with stage.open() as scene:
        await opened(scene)
        state, workflow = (scene.app.screen.query_one(f"#{name}", Select) for name in ("state", "workflow"))
        usual = ["default:pending", "clarification", "agent-review", "reviewing"]
        await scene.until(lambda: [value for _, value in state._options] == usual)
        workflow.value = "minimal"
        await scene.until(lambda: [value for _, value in state._options] == ["default:pending", "reviewing"])
        state.value = "reviewing"
        await scene.press(*"Milk", "ctrl+s")
        await scene.sees("your review", "Milk")
        (ref,) = stage.orange.store.refs()
        task = getattr(stage.orange.store.read(ref), "task")  # noqa: B009
        assert (task.status, task.workflow) == ("reviewing", "minimal")


@story
async def test_form_says_why_a_broken_workflow_cannot_be_chosen(stage: Stage) -> None:
    (stage.root / "home" / "workflows").mkdir()
    (stage.root / "home" / "workflows" / "odd.yml").write_text("name: odd\nstates: {}\n")
    async with stage.open() as scene:
        await opened(scene)
        scene.app.screen.query_one("#workflow", Select).value = "odd"
        await scene.sees("Workflow odd can't be used")
        assert not can_create(scene)


@story
async def test_only_agents_that_are_installed_are_offered_and_the_demo_is_never_chosen_by_itself(stage: Stage) -> None:
    async with stage.open() as scene:
        await opened(scene)
        await scene.sees("No coding agent is installed", "H says", "esc close  ⇥ more  ⏎ create")
        assert [value for _, value in scene.app.screen.query_one("#harness", Select)._options] == ["", "demo"]
        await scene.press(*"Brew", "enter")
        await scene.until(lambda: bool(stage.orange.store.refs()))
        found = stage.orange.store.read(stage.orange.store.refs()[0])
        assert isinstance(found, StoredTask)
        assert (found.task.harness, found.task.status) == (None, "pending")
        await scene.until(lambda: any("No agent is installed" in told for told in scene.told()))


@story
async def test_with_several_projects_one_is_chosen_first(stage: Stage) -> None:
    (stage.root / "tea").mkdir()
    entry = {"name": "tea", "path": str(stage.root / "tea"), "default_branch": "main", "workflow": "minimal"}
    stage.orange.projects.add(entry)
    async with stage.open(project=None) as scene:
        await opened(scene)
        await scene.press("ctrl+s")
        await scene.sees("Choose a project.")
        scene.app.screen.query_one("#project", Select).value = "tea"
        state = scene.app.screen.query_one("#state", Select)
        await scene.until(lambda: [value for _, value in state._options] == ["default:pending", "reviewing"])
        await scene.press("escape")
        stage.tasks({"branch": "latte", "summary": "", "status": "working"})
        await scene.sees("latte")
        await opened(scene)
        assert scene.app.screen.query_one("#project", Select).value == "coffee"  # the one under the cursor


@story
async def test_a_task_that_is_refused_is_there_again_to_be_corrected(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_tasks: Tasks, _new: NewTask) -> None:
        raise Refused("The disk is full.")

    monkeypatch.setattr(Tasks, "create", refused)
    async with stage.open() as scene:
        await scene.press("c", *"Fix it", "enter")
        await scene.says("The disk is full. What you typed is kept: c shows it again.")
        await opened(scene)
        assert scene.app.screen.query_one("#summary", Input).value == "Fix it"


@story
async def test_form_leaves_the_agent_to_the_router_where_the_workflow_has_one(stage: Stage) -> None:
    async with stage.open() as scene:
        await opened(scene)
        agent, workflow = (scene.app.screen.query_one(f"#{name}", Select) for name in ("harness", "workflow"))
        await scene.press(*"Milk", "tab")
        await scene.sees("none yet")
        assert "router" not in scene.text
        workflow.value = "autopilot"
        await scene.sees("router")
        assert agent.value == ""
        await scene.press("ctrl+s")
        await scene.sees("new", "Milk")
        (ref,) = stage.orange.store.refs()
        task = getattr(stage.orange.store.read(ref), "task")  # noqa: B009
        assert (task.workflow, task.harness) == ("autopilot", None)
        await opened(scene)
        scene.app.screen.query_one("#workflow", Select).value = "minimal"  # nobody else would choose there
        await scene.press("tab")
        await scene.sees("none yet")


@story
async def test_a_line_longer_than_its_field_shows_the_end_that_is_being_typed(stage: Stage) -> None:
    long = "Fix the tap for all those who like summaries that are longer than any field in a narrow terminal, "
    async with stage.open(size=(80, 24)) as scene:
        await opened(scene)
        scene.app.screen.query_one("#summary", Input).insert_text_at_cursor(long)  # as if pasted
        await scene.press(*"yes")
        await scene.sees("a narrow terminal, yes")
        await scene.press("home")
        await scene.sees("Fix the tap for all those")
