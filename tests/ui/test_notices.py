"""What needs the person is told once, as config.yml says, and what files say is told to nobody else."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from textual import events

from orange_tui.notices.presence import last_seen_at_app
from support.stage import Scene, Stage, story

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


SECRET = "the password is milk"


class Ears:
    """What a person would hear and see away from the app."""

    def __init__(self, scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
        self.bells = 0
        self.terminal: list[str] = []
        monkeypatch.setattr(scene.app, "bell", self._ring)
        monkeypatch.setattr(scene.app.notices, "_notify_terminal", self.terminal.append)

    def _ring(self) -> None:
        self.bells += 1


def notifier(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `notify-send` that writes down what it is to show."""
    program = folder / "bin" / "notify-send"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nprintf "%s|" "$@" >>{folder}/shown\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    return folder / "shown"


def configure(stage: Stage, text: str) -> None:
    (stage.root / "home" / "config.yml").write_text(text)


@story
async def test_a_task_that_comes_to_need_the_person_rings_once(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    ref = stage.task(branch="tea", summary="Brew", status="working")
    stage.task(branch="milk", summary="Warm", status="clarification")  # needs one from the start: no news
    async with stage.open() as scene:
        ears = Ears(scene, monkeypatch)
        stage.orange.tasks.update(ref, status="clarification")
        await scene.sees("2 need you")
        await scene.press("j")
        stage.orange.tasks.update(ref, summary="Brew it")
        await scene.sees("Brew it")
        assert ears.bells == 1
        assert ears.terminal == []


@story
async def test_a_task_of_a_project_that_is_not_shown_rings_too_and_is_named(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    (stage.root / "tea").mkdir()
    entry = {"name": "tea", "path": str(stage.root / "tea"), "default_branch": "main", "pool_size": 1}
    stage.orange.projects.add(entry)
    ref = stage.task(branch="beans", summary="Roast", status="working")
    async with stage.open(project=None) as scene:
        ears = Ears(scene, monkeypatch)
        await scene.press("2")
        await scene.sees("No tasks in tea")
        stage.orange.tasks.update(ref, status="clarification")
        await scene.says("coffee/beans needs you. 0 shows all projects.")
        assert ears.bells == 1
        await scene.press("0")
        await scene.sees("1 needs you")
        assert ears.bells == 1


@story
async def test_bell_switched_off_never_rings(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(stage, "bell: false\n")
    ref = stage.task(branch="tea", summary="Brew", status="working")
    async with stage.open() as scene:
        ears = Ears(scene, monkeypatch)
        stage.orange.tasks.update(ref, status="clarification")
        await scene.sees("1 needs you")
        assert (ears.bells, ears.terminal) == (0, [])


@story
async def test_a_desktop_notice_names_the_task_and_nothing_else(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = notifier(stage.root, monkeypatch)
    configure(stage, "desktop: true\n")
    ref = stage.task(branch="tea", summary=SECRET, status="working", body=f"## Questions\n\n{SECRET}?\n")
    async with stage.open() as scene:
        ears = Ears(scene, monkeypatch)
        stage.orange.tasks.update(ref, status="clarification")
        await scene.until(shown.exists)
        await scene.until(lambda: shown.read_text() == "--app-name=Orange|--|Orange|coffee/tea needs you|")
        assert (ears.bells, ears.terminal) == (1, [])


@story
async def test_desktop_notice_without_notify_send_goes_to_the_terminal(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    configure(stage, "desktop: true\nbell: false\n")
    refs = [stage.task(branch=branch, summary=SECRET, status="working") for branch in ("tea", "milk")]
    async with stage.open() as scene:
        ears = Ears(scene, monkeypatch)
        stage.orange.tasks.update(refs[0], status="clarification")
        await scene.until(lambda: ears.terminal == ["coffee/tea needs you"])


@story
async def test_changed_settings_apply_as_soon_as_they_are_saved(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    ref = stage.task(branch="tea", summary="Brew", status="working")
    async with stage.open() as scene:
        ears = Ears(scene, monkeypatch)
        configure(stage, "bell: false\nkeys:\n  cancel: X\n")
        await scene.sees("X cancel")
        stage.orange.tasks.update(ref, status="clarification")
        await scene.sees("1 needs you")
        assert ears.bells == 0


@story
async def test_config_broken_while_the_app_runs_is_reported_once_and_the_old_one_stays(stage: Stage) -> None:
    configure(stage, "keys:\n  cancel: X\n")
    stage.task(branch="tea", summary="Brew", status="working")
    async with stage.open() as scene:
        await scene.sees("X cancel")
        configure(stage, "bell: [\n")
        await scene.until(lambda: any("config.yml:" in told for told in scene.told()))
        stage.task(branch="milk", summary="Warm", status="working")
        await scene.sees("milk", "X cancel")
        assert len(scene.told()) == 1


@story
async def test_person_who_presses_a_key_is_at_the_app_until_the_terminal_loses_the_focus(stage: Stage) -> None:
    stage.task(branch="tea", summary="Brew", status="working")
    home = stage.orange.home
    async with stage.open() as scene:
        await scene.until(lambda: last_seen_at_app(home) > 0)  # who has just opened it
        scene.app.post_message(events.AppBlur())
        await scene.until(lambda: last_seen_at_app(home) == 0)
        await scene.press("j")
        await scene.until(lambda: last_seen_at_app(home) > 0)
        seen_at = last_seen_at_app(home)
        await scene.press("k", "j", "k")  # not a write with every key
        assert not [worker for worker in scene.app.workers if worker.group == "presence" and not worker.is_finished]
        assert last_seen_at_app(home) == seen_at
        scene.app.presence.end()
