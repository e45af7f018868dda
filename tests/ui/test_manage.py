"""What else only a shell could do, in the app: changing, moving, projects, workspaces, workflows, doctor, settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.style import Style
from textual.widgets import Input, Static

from orange_tui.cli.all_commands import COMMANDS
from orange_tui.home.settings.table import SETTINGS
from orange_tui.options.task_options import TaskChanges, update_task
from orange_tui.tui.forms.change_task_form import ChangeTaskForm
from orange_tui.tui.forms.project_form import ProjectForm, RegisterForm
from orange_tui.tui.forms.settings_form import SettingsForm
from orange_tui.tui.manage._list_screen import note_lines
from orange_tui.tui.manage.move import MoveDialog
from orange_tui.tui.manage.workspaces import WorkspacesScreen
from orange_tui.workspaces.pool_file import QUARANTINED, PoolFile, Slot
from support.driver import STEPS, refusal, transition
from support.git import git, make_repository
from support.live import opened
from support.stage import Stage, story

if TYPE_CHECKING:
    import pytest

    from orange_tui.domain.task import Task
    from orange_tui.store.store import TaskRef
    from support.live_home import LiveHome
    from support.stage import Scene


def task(stage: Stage, ref: TaskRef) -> Task:
    found = stage.orange.store.read(ref)
    return found.task  # type: ignore[union-attr]


def options_of(*path: str) -> set[str]:
    """The options of a command, by name."""
    command = next(each for each in COMMANDS if each.path == path)
    return {option.key for option in command.options}


async def fill(scene: Scene, form: str, **values: str) -> None:
    """Type into the fields of a form that is open, and save."""
    await scene.sees(form)
    fields = {str(each.id).replace("-", "_"): each for each in scene.app.screen.query(Input)}
    for name, value in values.items():
        fields[name].value = value
    await scene.press("ctrl+s")


async def refused(scene: Scene, sentence: str) -> None:
    """Wait until a form or a dialog says why not."""
    await scene.until(lambda: sentence in str(scene.app.screen.query_one("#problem", Static).content))


# ── one task ──


@story
async def test_a_task_is_changed_in_a_form_and_a_refusal_loses_nothing_typed(stage: Stage) -> None:
    other, ref = stage.task(5, branch="other", status="pending"), stage.task(branch="brew", status="pending")
    async with stage.open() as scene:
        await scene.press("E")
        await scene.sees("Change brew", "labels", "blocked by", "What you want done, in one line.")
        form = scene.app.screen
        assert isinstance(form, ChangeTaskForm)
        assert {each.name for each in form._table} == options_of("task", "update") - {"status", "project"}
        wanted = {"branch": "tea/green", "label": "hot, urgent now", "budget": "2.50"}
        await scene.press(*"Brew it")
        await fill(scene, "Change brew", **wanted, model="-x", blocked_by="nobody")
        await refused(scene, "is not a model")
        await scene.sees("Brew it", "tea/green", "hot, urgent now", "-x", "nobody", "2.50")
        assert task(stage, ref).branch == "brew"
        await fill(scene, "Change brew", model="opus")
        await refused(scene, "There is no task nobody")
        await fill(scene, "Change brew", blocked_by=other.id)
        await scene.until(lambda: task(stage, ref).branch == "tea/green")
        await scene.sees("tea/green", "Brew it")
    changed = task(stage, ref)
    assert (changed.summary, changed.labels, changed.model) == ("Brew it", ("hot", "urgent now"), "opus")
    assert (changed.blocked_by, changed.budget, changed.harness) == ((other.id,), 2.5, "demo")


@story
async def test_a_label_with_a_comma_is_still_one_label_when_another_is_added_in_the_form(stage: Stage) -> None:
    ref = stage.task(branch="brew", status="pending", labels=("hot, not cold", "big"))
    async with stage.open() as scene:
        await scene.press("E")
        await scene.sees("Change brew", '"hot, not cold", big')
        await fill(scene, "Change brew", label='"hot, not cold", big, new')
        await scene.until(lambda: task(stage, ref).labels == ("hot, not cold", "big", "new"))


@story
async def test_a_task_is_moved_where_its_workflow_lets_a_person_and_a_gate_says_what_is_missing(stage: Stage) -> None:
    (stage.root / "home" / "workflows").mkdir()
    (stage.root / "home" / "workflows" / "steps.yml").write_text(STEPS)
    ref = stage.task(branch="brew", status="doing", workflow="steps", body="\n")
    stage.task(9, branch="over", status="done", workflow="steps")
    orange = stage.orange
    async with stage.open() as scene:
        await scene.press("M")
        await scene.sees("Move brew, which is in doing", "checked", "review_round < 3, needs", "todo", "⏎ move there")
        assert "stuck" not in scene.text  # the engine's own
        assert "cancelled" not in scene.text  # a key of its own
        await scene.press("enter")
        wanted = TaskChanges(status="checked")
        said = refusal(lambda: update_task(orange.tasks, ref, wanted, directory="", actor="person"))
        assert "## Handoff" in said
        await refused(scene, said)
        transition(orange, ref, "stuck", "engine")
        await scene.press("j", "enter")
        await refused(scene, "It was moved meanwhile, to stuck: choose again.")
        await scene.press("j", "enter")
        await scene.says("brew is in doing now.")
        await scene.until(lambda: len(scene.app.screen_stack) == 1 and "doing" in scene.text)
        await scene.press("M")
        await scene.sees("Move brew, which is in doing")
        dialog = scene.app.screen
        assert isinstance(dialog, MoveDialog)
        dialog._start("todo")
        dialog._start("todo")  # who presses twice has moved it once
        await scene.says("brew is in todo now.")
        await scene.until(lambda: len(scene.app.screen_stack) == 1)
        assert task(stage, ref).status == "todo"
        await scene.press("G", "M")
        await scene.says("It is finished")


@story
async def test_the_page_of_a_workflow_says_what_is_wrong_with_file_and_line(stage: Stage) -> None:
    folder = stage.root / "home" / "workflows"
    folder.mkdir()
    (folder / "mine.yml").write_text(STEPS.replace("name: steps", "name: mine"))
    stage.task(branch="brew", status="doing", workflow="mine")
    async with stage.open() as scene:
        await scene.press("W")
        await scene.sees("Workflow mine", "brew is here")
        (folder / "mine.yml").write_text(
            "name: mine\nstates:\n  todo: {}\n  done: {terminal: true}\n  doing: {agnt: x}\n"
        )
        (folder / "other.yml").write_text("name: other\nstates: [\n")
        await scene.sees("mine.yml:5:", "agnt", "Its tasks wait until that is mended", "other.yml:")
        (folder / "mine.yml").write_text(STEPS.replace("name: steps", "name: mine"))
        await scene.sees("brew is here", "Another workflow has mistakes")
        await scene.press("escape", "ctrl+p", *"check workflows")
        await scene.sees("What is wrong with every workflow")
        await scene.press("enter")
        await scene.sees("✓ default", "✓ mine", "✗", "other.yml:")


# ── projects and workspaces ──


@story
async def test_a_repository_is_registered_changed_and_removed_in_the_app(stage: Stage) -> None:
    projects, tea = stage.orange.projects, make_repository(stage.root / "tea")
    git(tea, "branch", "trunk")
    task_of = stage.task(branch="brew", status="pending")
    async with stage.open() as scene:
        await scene.press("P")
        await scene.sees("coffee", "0/4", "⏎ e change")
        await scene.press("c")
        await fill(scene, "Register a git repository")
        await refused(scene, "Where is it?")
        await fill(scene, "Register", path="~/nowhere")
        await refused(scene, "There is no directory")
        registering = scene.app.screen
        assert isinstance(registering, RegisterForm)
        registering.query_one("#path", Input).value = "~/tea"
        registering.submit()
        registering.submit()  # who presses twice has registered it once
        await scene.until(lambda: not isinstance(scene.app.screen, RegisterForm))
        await scene.sees("tea", "0/2", "POOL")
        await scene.press("j", "enter")
        await scene.sees("Project tea", "pool size", "as in config.yml: off", "GitHub")
        form = scene.app.screen
        assert isinstance(form, ProjectForm)
        assert {each.name for each in form._table} == options_of("project", "update")
        await fill(scene, "Project tea", default_branch="nope", pool_size="5", parallel="1")
        await refused(scene, "has no branch nope")
        assert projects.get("tea").pool_size == 2
        await fill(scene, "Project tea", default_branch="trunk")
        await scene.sees("trunk", "0/5", "POOL")
        assert projects.get("tea").entry["parallel"] == 1
        await scene.press("e")
        await fill(scene, "Project tea", parallel="")
        await scene.until(lambda: "parallel" not in projects.get("tea").entry)
        await scene.press("k", "e")
        await fill(scene, "Project coffee", pool_size="7")
        await scene.sees("0/7")
        await scene.press("d")
        await scene.until(lambda: any(f"unfinished tasks: {task_of.id}" in told for told in scene.told()))
        await scene.press("j", "d")
        await scene.sees("Remove tea from Orange?", "Its repository, its branches and")
        await scene.press("y")
        await scene.until(lambda: [each.name for each in projects.all()] == ["coffee"])
        await scene.until(lambda: "tea" not in scene.text)
        await scene.press("i")
        await scene.until(lambda: any("coffee" in told and "issues" in told for told in scene.told()))
        await scene.press("t")
        await scene.until(lambda: "coffee: it brings nothing along that would run." in scene.told())


@story
async def test_a_workspace_that_was_set_aside_says_why_and_is_looked_at_and_released(live_home: LiveHome) -> None:
    held = live_home.create("fix/tea", spawn=False)
    path = str(live_home.root / "home" / "workspaces" / "coffee--2")
    live_home.orange.pool.init(live_home.orange.projects.get("coffee"))
    reason = "something runs in it: make serve (pid 7)"
    PoolFile(live_home.orange.home).put(
        Slot("coffee--2", "coffee", QUARANTINED, "gone123", reason, path, prepared=True)
    )
    (live_home.root / "home" / "workspaces" / "coffee--2" / "notes.txt").write_text("mine\n")
    async with opened(live_home) as scene:
        await scene.press("K")
        await scene.sees("! coffee--2", "set aside", reason, "Look at what is there", "coffee--1", "free")
        await scene.press("l")
        await scene.sees(
            "~/home/workspaces/coffee--2" if live_home.root.name == "person" else "coffee--2", "?? notes.txt"
        )
        await scene.press("escape", "r")
        await scene.until(lambda: any("coffee--2 is free again" in told for told in scene.told()))
        await scene.until(lambda: "set aside" not in scene.text)
        assert any("orange task restore gone123" in told for told in scene.told())
        screen = scene.app.screen
        assert isinstance(screen, WorkspacesScreen)
        assert screen.chosen is not None
        assert screen.chosen.slot.name == "coffee--2"  # it is the second by now, and the cursor has gone with it
        await scene.press("r")
        await scene.says("There is nothing in it.")
        await scene.press("G")
        await scene.says("Nothing to release.")
    assert live_home.status(held) == "pending"


# ── the whole home ──


@story
async def test_doctor_shows_what_it_checks_what_is_wrong_and_checks_again(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("orange_tui.supervisor.doctor.failed_proofs", list)
    stage.tasks()
    config = stage.root / "home" / "config.yml"
    async with stage.open() as scene:
        config.write_text("bell: 3\n")
        await scene.press("H")
        await scene.sees("Doctor", "1 thing to mend", "config.yml:1: 'bell'", "✓ git version")
        config.write_text("bell: true\n")
        await scene.press("r")
        await scene.until(lambda: "config.yml:1" not in scene.text and "checking" not in scene.text)
        await scene.press("escape")
        await scene.sees("login-fix")


@story
async def test_settings_are_changed_in_a_form_and_the_file_keeps_its_comments(stage: Stage) -> None:
    stage.tasks()
    config = stage.root / "home" / "config.yml"
    mine = "# Mine\nparallel: 3   # enough\nnotify: [ntfy://token]\n"
    config.write_text(mine)
    async with stage.open() as scene:
        await scene.press("O")
        await scene.sees("Settings (config.yml)", "bell", "Whether the terminal rings", "Default: on.")
        form = scene.app.screen
        assert isinstance(form, SettingsForm)
        assert [each.name for each in form._table] == list(SETTINGS)
        assert "ntfy" not in scene.text.replace("ntfy://…", "")
        notify = form.query_one("#notify", Input)
        notify.focus()
        await scene.sees("ntfy://…", "Hidden until you type")
        assert "ntfy://token" not in scene.text
        await scene.press("end", *", pover://a@b")
        await scene.sees("ntfy://token, pover://a@b")
        await scene.press("tab")
        await scene.sees("ntfy://…, pover://…")
        notify.value = "ntfy://token"
        await fill(scene, "Settings", columns="nonsense")
        await refused(scene, "there is no column 'nonsense'")
        await fill(scene, "Settings", columns="", keys="merge: x, cancel: x")
        await refused(scene, "'x' is already used for merge; choose another key for cancel")
        await fill(scene, "Settings", keys="merge: M", parallel="6", max_attempts="0")
        await refused(scene, "max_attempts: 0 is not enough; it must be 1 or more")
        assert config.read_text() == mine
        config.write_text(mine.replace("3", "5"))
        await fill(scene, "Settings", max_attempts="9")
        await refused(scene, "parallel is 5 by now. Save again to have yours instead, or cancel.")
        assert config.read_text() == mine.replace("3", "5")
        await fill(scene, "Settings")
        await scene.until(lambda: len(scene.app.screen_stack) == 1)
        written = '# Mine\nparallel: 6   # enough\nnotify: [ntfy://token]\nkeys: {"merge": "M"}\nmax_attempts: 9\n'
        assert config.read_text() == written
        await scene.sees("M merge")
        await scene.says("move has no key: M is merge's, as config.yml says. ctrl+p still finds it.")
        await scene.press("question_mark", "space")
        await scene.sees("no key", "Move it to another state")
        await scene.press("escape", "M")
        await scene.until(lambda: "Merge" in scene.app.screen.__class__.__name__)
        await scene.press("escape")
        config.write_text("bell: [\n")
        await scene.until(lambda: scene.app.choices.settings is None)
        await scene.press("O")
        await scene.until(lambda: any("Mend it in an editor first" in told for told in scene.told()))


def test_what_is_said_below_an_entry_is_there_whole_on_a_narrow_screen() -> None:
    lines = note_lines("something runs in it: make serve (pid 7)", Style(), 24, "! ").plain.splitlines()
    assert lines == ["", "  ! something runs in", "    it: make serve (pid", "    7)"]
