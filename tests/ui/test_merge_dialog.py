"""Before a merge the person reads what will happen, chooses how, and says yes or no."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.delivery.merging.merge import Merger
from support.stage import WORK, Stage, story

if TYPE_CHECKING:
    from typing import Any

    import pytest


def asked(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """How merges are asked for, instead of making them."""
    calls: list[dict[str, Any]] = []

    def merge(_merger: Merger, _ref: object, **how: Any) -> None:
        calls.append(how)
        raise AssertionError

    monkeypatch.setattr(Merger, "merge", merge)
    return calls


def reviewed(stage: Stage) -> Any:
    ref = stage.task(branch="login-fix", summary="Fix the loop", status="reviewing")
    stage.work("login-fix", files=WORK)
    return ref


@story
async def test_the_dialog_says_what_comes_where_and_how_and_no_is_the_default(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = asked(monkeypatch)
    reviewed(stage)
    async with stage.open((80, 24)) as scene:
        await scene.press("m")
        await scene.sees("Merge login-fix?", "1 commit, 3 files, +12 −4 into main", "● fast-forward (f)", "squash (s)")
        await scene.sees("no remote: it stays here")
        await scene.press("enter")
        await scene.until(lambda: "Merge login-fix?" not in scene.text)
        assert calls == []


@story
async def test_a_strategy_is_chosen_by_its_key_and_one_that_is_impossible_says_why(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = asked(monkeypatch)
    reviewed(stage)
    (stage.root / "coffee" / "README").write_text("tea\n")
    stage._git("commit", "--quiet", "--all", "--message=more")
    async with stage.open() as scene:
        await scene.press("m")
        await scene.sees("● merge commit (m)", "login-fix is 1 commit behind main")
        await scene.press("f")
        await scene.says("login-fix is 1 commit behind main, so it cannot be fast-forwarded.")
        await scene.press("s")
        await scene.sees("● squash (s)", "○ merge commit (m)")
        await scene.press("y")
        await scene.until(lambda: len(calls) == 1)
        assert (calls[0]["strategy"], calls[0]["local"], calls[0]["force"]) == ("squash", False, False)


@story
async def test_an_open_pull_request_is_named_and_one_key_merges_here_anyway(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = asked(monkeypatch)
    stage.pull_request(reviewed(stage), 12, checks="failed")
    async with stage.open() as scene:
        await scene.press("m")
        await scene.sees("#12: open · checks failed; merge it there, or here with l")
        await scene.press("l")
        await scene.sees("merged here anyway (l)")
        await scene.press("y")
        await scene.until(lambda: len(calls) == 1)
        assert calls[0]["local"] is True


@story
async def test_checks_on_the_merged_result_are_offered_where_the_workflow_has_a_command(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = asked(monkeypatch)
    folder = stage.root / "home" / "workflows"
    folder.mkdir()
    (folder / "tested.yml").write_text(
        "name: tested\nstates: {working: {}, reviewing: {}, done: {terminal: true}}\ntransitions:\n"
        "  - {from: working, to: reviewing, gate: {command: make test}}\n  - {from: reviewing, to: done}\n"
    )
    stage.task(branch="login-fix", summary="Fix the loop", status="reviewing", workflow="tested")
    stage.work("login-fix", files=WORK)
    async with stage.open() as scene:
        await scene.press("m")
        await scene.sees("☐ run make test on the merged result first (c)")
        await scene.press("c")
        await scene.sees("☑ run make test")
        await scene.press("y")
        await scene.until(lambda: len(calls) == 1)
        assert calls[0]["verify"] is True
