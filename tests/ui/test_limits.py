"""What the app shows of agents that have reached a limit, have stopped or ask, and handing their work over."""

from __future__ import annotations

from typing import Any

import pytest
from textual.widgets import Select

from orange_tui.domain.errors import Refused
from orange_tui.domain.workflow import STOPPED
from orange_tui.engine.agents import Agents as AgentVerbs
from orange_tui.tui.forms.hand_over_form import HandOverForm
from orange_tui.usage.limits import Limits
from support.lively import Agents
from support.stage import NOW, Scene, Stage, story

BREW = {"branch": "brew", "summary": "Brew it", "status": "working", "harness": "claude"}


@pytest.fixture
def agents(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Agents:
    """Claude Code and Codex are installed; Claude's limit is reached."""
    monkeypatch.setenv("TZ", "UTC")
    folder = stage.root / "bin"
    folder.mkdir()
    for name in ("claude", "codex"):
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    Limits(stage.orange.home).see_limit("claude", "default", "limit reached · resets 3:30pm (UTC)", NOW, "screen")
    return Agents(stage, monkeypatch)


@pytest.mark.parametrize("agent", ["limit", "dead"])
@story
async def test_task_at_a_limit_says_until_when_and_needs_nobody(stage: Stage, agents: Agents, agent: str) -> None:
    ref = agents.task(0, agent=agent, **BREW)
    stage.report(ref, state="limit")  # also of one that has ended there
    async with stage.open(size=(80, 24)) as scene:
        await scene.sees("◷   1 brew", "claude's limit, until 15:30", "h hand over")
        assert "needs you" not in scene.text
        await scene.press("n")
        await scene.says("Nothing needs you.")
        await scene.press("right")
        await scene.sees("◷ claude's limit, until 15:30")
        assert "15:30 · limit" not in scene.text  # the same again


@story
async def test_limit_that_is_written_down_counts_until_its_agent_works_again(stage: Stage, agents: Agents) -> None:
    ref = agents.task(0, agent="idle", **BREW)
    with stage.orange.store.open(ref) as opened:
        opened.record("limit.reached", window="worker", harness="codex", account="default", until=NOW)
    async with stage.open() as scene:
        await scene.sees("◷   1 brew", "codex's limit")
        stage.report(ref, state="busy")
        await scene.sees("●   1 brew")
        with stage.orange.store.open(ref) as opened:
            opened.record("limit.ended", window="worker")
        await scene.until(lambda: "codex's limit" not in scene.text)


@story
async def test_task_that_waits_for_the_end_of_a_limit_says_so(stage: Stage, agents: Agents) -> None:
    ref = agents.task(0, **{**BREW, "status": "pending"})
    with stage.orange.store.open(ref) as opened:
        opened.record("task.waiting", reason="waits for claude's limit", harness="claude")
    async with stage.open() as scene:
        await scene.sees("◷     brew", "claude's limit, until 15:30", "waits for claude's limit")
        await scene.press("h")
        await scene.says("No agent has worked on it: there is nothing to hand over")


@story
async def test_agent_that_stopped_and_agent_that_asks_are_found_with_n(stage: Stage, agents: Agents) -> None:
    first, second, _ = (agents.task(place, agent=agent, **named) for place, agent, named in _three())
    with stage.orange.store.open(first) as opened:
        opened.set_attention(STOPPED)
    stage.report(second, state="permission", asks="Run rm -rf build")
    async with stage.open(size=(80, 24)) as scene:
        await scene.sees("2 need you", "◐   1 brew", "The agent stopped without handing in")
        await scene.sees("?   2 grind", "The agent asks for permission: Run rm -rf build", "●   3 pour")
        seen = set()
        for _ in range(2):
            await scene.press("n")
            seen.add(scene.selected)
        assert seen == {"brew", "grind"}
        await scene.press("f", "f", "f")
        await scene.until(lambda: "pour" not in scene.text)


def _three() -> list[tuple[int, str, dict[str, str]]]:
    names = (("brew", "idle"), ("grind", "permission"), ("pour", "idle"))
    return [(place, agent, {**BREW, "branch": name}) for place, (name, agent) in enumerate(names)]


def note_hand_overs(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    noted: list[Any] = []
    monkeypatch.setattr(AgentVerbs, "hand_over", lambda _agents, *given: noted.append(given))
    return noted


async def open_form(scene: Scene) -> HandOverForm:
    await scene.sees("brew")
    await scene.press("h")
    await scene.until(lambda: isinstance(scene.app.screen, HandOverForm))
    assert isinstance(scene.app.screen, HandOverForm)
    return scene.app.screen


@story
async def test_h_hands_over_to_another_installed_agent(
    stage: Stage, agents: Agents, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref, noted = agents.task(0, agent="limit", **BREW), note_hand_overs(monkeypatch)
    async with stage.open(size=(80, 24)) as scene:
        form = await open_form(scene)
        await scene.sees("brew: claude is ended, and the one you choose goes on in coffee--1")
        assert [value for _, value in form.query_one("#agent", Select)._options] == ["codex", "demo"]
        assert scene.app.focused is form.query_one("#agent")
        await scene.press("escape")
        await scene.until(lambda: scene.app.screen is not form)
        assert noted == []
        await open_form(scene)
        await scene.press("tab", *"-x")
        await scene.sees("model")
        await scene.press("ctrl+s")
        assert noted == []
        await scene.press("backspace", "backspace", *"gpt-5", "ctrl+s")
        await scene.says("codex goes on.")
        assert noted == [(ref, "codex", "gpt-5")]


@story
async def test_agent_at_its_limit_is_offered_after_the_others_and_the_form_says_so(
    stage: Stage, agents: Agents
) -> None:
    agents.task(0, agent="idle", **{**BREW, "harness": "demo"})
    async with stage.open(size=(80, 24)) as scene:
        form = await open_form(scene)
        agent = form.query_one("#agent", Select)
        await scene.until(lambda: agent.value == "codex")
        await scene.press("enter")
        await scene.sees("claude (limit, until 15:30)")
        assert [value for _, value in agent._options] == ["codex", "claude"]


@story
async def test_hand_over_of_a_review_is_the_reviewers_and_a_refusal_is_shown(
    stage: Stage, agents: Agents, monkeypatch: pytest.MonkeyPatch
) -> None:
    agents.task(0, agent="busy", **{**BREW, "status": "agent-review", "review_harness": "codex"})

    def refuse(*_given: object) -> None:
        raise Refused("there is nothing to hand over")

    monkeypatch.setattr(AgentVerbs, "hand_over", refuse)
    async with stage.open() as scene:
        form = await open_form(scene)
        await scene.sees("brew: codex is ended")
        assert [value for _, value in form.query_one("#agent", Select)._options] == ["claude", "demo"]
        await scene.press("ctrl+s")
        await scene.says("there is nothing to hand over")


@story
async def test_without_another_agent_there_is_nobody_to_hand_over_to(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    agents = Agents(stage, monkeypatch)
    agents.task(0, agent="busy", **{**BREW, "harness": "demo"})
    agents.task(1, **{**BREW, "branch": "pour", "status": "done"})
    async with stage.open() as scene:
        await scene.sees("brew", "pour")
        await scene.press("h")
        await scene.says("No other agent is installed; H says how to get one.")
        await scene.press("G", "h")
        await scene.says("It is finished")
