"""What goes on for as long as the app begins again when it has failed, and says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.board.board import Boards
from orange_tui.domain.errors import Unreadable
from support.stage import Stage, story

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest


def failing_once(real: Callable[..., object], problem: Exception) -> Callable[..., object]:
    """A method that fails the next time it is called, and never again."""
    failures: list[str] = []

    def fail_once(*given: object) -> object:
        if not failures:
            failures.append("once")
            raise problem
        return real(*given)

    return fail_once


@story
async def test_board_follows_the_files_again_after_a_refresh_has_failed(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = stage.task(branch="tea", summary="Brew", status="working")
    async with stage.open() as scene:
        monkeypatch.setattr(Boards, "refresh", failing_once(Boards.refresh, KeyError("unthought-of")))
        stage.orange.tasks.update(ref, summary="Brew it")
        await scene.says("It begins again: KeyError('unthought-of')")
        stage.orange.tasks.update(ref, summary="Brew it at last")
        await scene.sees("Brew it at last")
    assert [entry["message"] for entry in stage.orange.log.entries() if entry["level"] == "error"] == [
        "app: KeyError('unthought-of')"
    ]


@story
async def test_failure_that_has_a_sentence_is_told_with_it(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    ref = stage.task(branch="tea", summary="Brew", status="working")
    async with stage.open() as scene:
        monkeypatch.setattr(Boards, "refresh", failing_once(Boards.refresh, Unreadable("tea is cold; warm it")))
        stage.orange.tasks.update(ref, summary="Brew it")
        await scene.says("It begins again: tea is cold; warm it")
