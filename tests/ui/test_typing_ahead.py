"""What is typed ahead: a key and a sentence in one burst reach what they were meant for, and never the list below."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from textual import events
from textual.widgets import Input, TextArea

from orange_tui.store.store import StoredTask
from orange_tui.tui import typing_ahead
from support.lively import Agents
from support.stage import WORK, Stage, story

if TYPE_CHECKING:
    import pytest

    from support.stage import Scene

SENTENCE = "fix d x q jmy / n"  # each of these letters does something in the list


def burst(scene: Scene, *keys: str) -> None:
    """Press keys faster than anything can happen between them, as a paste without brackets or a quick typist does."""
    for key in keys:
        name = key
        if len(key) == 1 and not key.isalnum():
            name = unicodedata.name(key).lower().replace("-", "_").replace(" ", "_")
        name = {"space": "space", "solidus": "slash"}.get(name, name)
        scene.app.post_message(events.Key(name, key if len(key) == 1 else None))


def typed_text(scene: Scene) -> str:
    """What is in the field that has the focus."""
    field = scene.app.focused
    return field.text if isinstance(field, TextArea) else field.value if isinstance(field, Input) else ""


@story
async def test_a_key_and_a_sentence_in_one_burst_end_up_in_what_the_key_opens(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    agents = Agents(stage, monkeypatch)
    ref = agents.task(0, branch="brew", summary="Brew it", status="reviewing", agent="idle")
    async with stage.open() as scene:
        await scene.sees("a answer")
        for key in ("a", "r", "c", "slash"):
            burst(scene, key, *SENTENCE)
            await scene.until(lambda: typed_text(scene) == SENTENCE)
            await scene.press("escape")
            await scene.until(lambda: len(scene.app.screen_stack) == 1)
        found = stage.orange.store.read(ref)
        assert isinstance(found, StoredTask)
        assert found.task.status == "reviewing"
        scene.app.drafts.clear()
        burst(scene, "c", *"Milk", "tab", *"cow", "tab", *"Two lines.")  # each where it was meant for
        await scene.until(lambda: typed_text(scene) == "Two lines.")
        assert [scene.app.screen.query_one(f"#{name}", Input).value for name in ("summary", "branch")] == [
            "Milk",
            "cow",
        ]
        scene.app.screen.dismiss()
        await scene.until(lambda: len(scene.app.screen_stack) == 1)
        scene.app.post_message(events.Key("c", "c"))
        scene.app.post_message(events.Paste("Pasted at once"))
        await scene.until(lambda: typed_text(scene) == "Pasted at once")


@story
async def test_what_was_typed_before_a_question_could_be_read_is_no_answer_to_it(stage: Stage) -> None:
    (ref,) = stage.tasks({"branch": "brew", "summary": "Brew it", "status": "done"})
    async with stage.open() as scene:
        await scene.sees("brew")
        burst(scene, "d", "y", "enter")
        await scene.sees("Delete brew?")
        await scene.press("j")
        assert len(scene.app.screen_stack) > 1
        assert stage.orange.store.has(ref)


@story
async def test_keys_go_on_when_what_was_to_come_never_does(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(typing_ahead, "_MOST_LOOKS", 1)
    async with stage.open() as scene:
        with scene.app.holding_keys():
            burst(scene, "c", *"Milk")
            await scene.until(lambda: typed_text(scene) == "Milk")  # a second later


@story
async def test_keys_wait_for_a_screen_that_is_slow_to_come(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    looks, look = 0, typing_ahead.KeysInOrder._lose_patience

    async def count(keys: typing_ahead.KeysInOrder) -> None:
        nonlocal looks
        await look(keys)
        looks += 1

    monkeypatch.setattr(typing_ahead, "_LOOK_SECONDS", 0.01)
    monkeypatch.setattr(typing_ahead.KeysInOrder, "_lose_patience", count)
    async with stage.open() as scene:
        with scene.app.holding_keys():
            burst(scene, "c", *"Milk")
            await scene.until(lambda: looks > 3)
            assert len(scene.app.screen_stack) == 1
        await scene.until(lambda: typed_text(scene) == "Milk")


@story
async def test_a_second_task_is_typed_while_the_first_is_created(stage: Stage) -> None:
    stage.work("latte", files=WORK)
    async with stage.open() as scene:
        burst(scene, "c", *"First of two", "enter", "c", *"Second", "enter")
        for branch in ("second", "first-of-two"):
            await scene.until(lambda: any(told.startswith(f"{branch}: No agent is installed") for told in scene.told()))  # noqa: B023 - called at once
