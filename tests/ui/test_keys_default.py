"""Every key in every state of the default workflow: it does what it says, or says why it cannot."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from support.keys import one_task, tries_every_key
from support.lively import Agents
from support.stage import Stage, story

if TYPE_CHECKING:
    from orange_tui.store.store import TaskRef


@pytest.mark.parametrize(
    ("status", "agent", "usable"),
    [
        ("pending", None, "spawn x"),
        ("planning", "busy", "attach a m x p"),
        ("planning", None, "spawn m x"),  # its agent could not be started
        ("clarification", "idle", "attach a m x p"),
        ("working", "busy", "attach a m x p"),
        ("working", "permission", "attach a m x p"),
        ("working", "dead", "respawn m x p"),
        ("agent-review", "busy", "attach a m x p"),
        ("agent-review", "dead", "respawn m x p"),
        ("reviewing", "idle", "attach a r m x p"),
        ("reviewing", "dead", "respawn r m x p"),
        ("stuck", "idle", "attach a m x p"),
        ("stuck", "dead", "respawn m x p"),
        ("done", None, "d"),
        ("cancelled", None, "d"),
    ],
)
@story
async def test_each_key_works_or_says_why_in_the_default_workflow(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, status: str, agent: str | None, usable: str
) -> None:
    does = one_task(stage, monkeypatch, status, agent)
    async with stage.open() as scene:
        await tries_every_key(scene, does, usable)


@story
async def test_merging_what_was_reviewed_is_asked_plainly_and_what_was_not_with_a_warning(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_task(stage, monkeypatch, "reviewing", "idle")
    async with stage.open() as scene:
        await scene.press("m")
        await scene.sees("Merge brew?", "Afterwards its session ends", "No (⏎ or n)")


@story
async def test_a_forced_merge_is_called_one(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    one_task(stage, monkeypatch, "working", "busy")
    async with stage.open() as scene:
        await scene.press("m")
        await scene.sees("brew: Not reviewed. Force merge?")


@story
async def test_a_pull_request_that_is_there_is_opened_even_when_all_is_done(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr("orange_tui.tui.commands._delivery._open_in_browser", opened.append)
    one_task(stage, monkeypatch, "done", None, pr_url="https://github.com/o/r/pull/7")
    async with stage.open() as scene:
        await scene.press("p")
        await scene.until(lambda: opened == ["https://github.com/o/r/pull/7"])


@story
async def test_a_task_that_cannot_be_read_says_so_to_every_key(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    one_task(stage, monkeypatch, "working", None)
    (stage.root / "home" / "tasks" / "coffee" / "task001" / "TASK.md").write_text("---\n[\n---\n")
    async with stage.open() as scene:
        await scene.sees("task001")
        for key in ("v", "w", "D", "W", "p"):
            await scene.press(key)
        assert scene.told().count("Its TASK.md can't be read") == 5
        for key in ("enter", "a", "r", "m", "x", "d"):
            await scene.press(key)
        assert len(scene.told()) == 11
        assert len(scene.app.screen_stack) == 1


@story
async def test_one_key_brings_back_all_that_was_lost_with_the_tmux_server(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    agents, back = Agents(stage, monkeypatch), set[str]()

    def respawn(_agents: object, ref: TaskRef) -> SimpleNamespace:
        back.add(ref.id)
        return SimpleNamespace(id=ref.id)

    monkeypatch.setattr(type(stage.orange.agents), "respawn", respawn)
    agents.task(0, branch="crashed", status="working", agent="dead")
    lost = [
        stage.task(number, branch=branch, status="working", workspace=f"coffee--{number + 1}", tmux_session=branch)
        for number, branch in ((1, "brew"), (2, "pour"))
    ]
    async with stage.open() as scene:
        await scene.sees("⚡", "⏎ restart")
        await scene.press("enter")  # a crash is one agent's own
        await scene.until(lambda: len(back) == 1)
        back.clear()
        await scene.press("G", "enter")
        await scene.until(lambda: back == {ref.id for ref in lost})


@story
async def test_a_list_without_tasks_offers_no_key_that_needs_one(stage: Stage) -> None:
    async with stage.open() as scene:
        await scene.sees("No tasks yet", "c new task", "P projects")
        footer = scene.text.splitlines()[-1]
        assert [word for word in ("undo", "next", "filter", "sort", "group", "search") if word in footer] == []
        stage.task(branch="tea", summary="Brew", status="pending")
        await scene.sees("n next", "/ search")
