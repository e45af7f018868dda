"""Stories about what agents ask to be allowed: seen in full, answered on purpose, and never by accident."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from orange_tui.agents.approvals.approvals import ALLOWED, DENIED, FOR_THIS_TASK, Decision
from orange_tui.domain.approvals.question import Question, make_question
from orange_tui.tui.approvals.dialog import ApprovalDialog
from support.lively import Agents
from support.stage import Stage, story

if TYPE_CHECKING:
    from orange_tui.store.store import TaskRef
    from support.stage import Scene

RM = {"command": "rm -rf build", "description": "tidy up"}


class Asking:
    """Tasks whose agents ask; their pipes are read here, as their hooks would."""

    def __init__(self, stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
        self._stage = stage
        self._agents = Agents(stage, monkeypatch)
        self.approvals = stage.orange.approvals
        self._pipes: dict[str, int] = {}

    def task(self, number: int, branch: str, **given: object) -> TaskRef:
        ref = self._agents.task(number, branch=branch, summary="Brew", status="working", agent="busy")
        self.asks(ref, f"q{number}", **(given or RM))
        return ref

    def asks(self, ref: TaskRef, name: str, **given: object) -> Question:
        report = {"tool_name": "Bash", "tool_input": given, "cwd": "/work/coffee"}
        stamp = f"2026-11-16T09:2{len(self._pipes)}:00.000000Z"
        question = make_question(report, question_id=name, window="worker", agent="claude", asked_at=stamp)
        assert question is not None
        self._pipes[name] = self.approvals.files(ref).publish(question)
        self.approvals.note(ref, "worker", None)
        return question

    def heard(self, name: str) -> dict[str, str] | None:
        """What the hook of a question was told."""
        try:
            return json.loads(os.read(self._pipes[name], 65536))  # type: ignore[no-any-return]
        except BlockingIOError:
            return None

    def close(self) -> None:
        for pipe in self._pipes.values():
            os.close(pipe)


@pytest.fixture
def asking(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Asking:
    return Asking(stage, monkeypatch)


async def open_dialog(scene: Scene) -> None:
    """Open it, and wait until keys count."""
    await scene.press("A")
    await scene.until(lambda: isinstance(scene.app.screen, ApprovalDialog))
    await scene.until(lambda: bool(scene.app.screen.query(".buttons.-ready")))


def is_closed(scene: Scene) -> bool:
    return not isinstance(scene.app.screen, ApprovalDialog)


@story
async def test_the_row_says_what_for_and_y_allows_it_once(stage: Stage, asking: Asking) -> None:
    ref = asking.task(1, "beans")
    async with stage.open() as scene:
        await scene.sees("asks for permission: Bash: rm -rf build", "A allow?")
        await open_dialog(scene)
        await scene.sees(
            "beans asks for permission", "claude in worker", "rm -rf build", "tidy up", "exactly this Bash"
        )
        await scene.press("y")
        await scene.until(lambda: "Allowed: Bash: rm -rf build" in scene.told())
    assert asking.heard("q1") == {"decision": ALLOWED}
    assert asking.approvals.questions(ref) == []


@story
async def test_keys_typed_ahead_approve_nothing(stage: Stage, asking: Asking) -> None:
    ref = asking.task(1, "beans")
    async with stage.open() as scene:
        await scene.sees("rm -rf build")
        await scene.press("A", "y", "Y", "enter", "space")
        await scene.until(lambda: isinstance(scene.app.screen, ApprovalDialog))
        await scene.press("y", "enter")
        await scene.until(lambda: bool(scene.app.screen.query(".buttons.-ready")))
        assert not is_closed(scene)
        await scene.press("enter", "space", "tab", "enter")
        assert not is_closed(scene), "no other key is an answer"
        await scene.press("escape")
        await scene.until(lambda: is_closed(scene))
    assert asking.heard("q1") is None
    assert len(asking.approvals.questions(ref)) == 1, "Escape leaves it open"


@story
async def test_for_this_task_says_what_and_allows_it_from_then_on(stage: Stage, asking: Asking) -> None:
    ref = asking.task(1, "beans")
    async with stage.open() as scene:
        await scene.sees("rm -rf build")
        await open_dialog(scene)
        await scene.sees("Y allows this task from now on: exactly this Bash again")
        await scene.press("Y")
        await scene.until(lambda: bool(asking.approvals.rules(ref)))
        await scene.until(lambda: asking.approvals.questions(ref) == [])
    assert asking.heard("q1") == {"decision": FOR_THIS_TASK}


@story
async def test_n_denies_with_words_to_the_agent(stage: Stage, asking: Asking) -> None:
    asking.task(1, "beans")
    async with stage.open() as scene:
        await scene.sees("rm -rf build")
        await open_dialog(scene)
        await scene.press("n", "escape")
        assert not is_closed(scene), "Escape goes back to the question first"
        await scene.press("n", *"no, y", "enter")
        await scene.until(lambda: is_closed(scene))
        await scene.until(lambda: any("Denied" in each for each in scene.told()))
    assert asking.heard("q1") == {"decision": DENIED, "words": "no, y"}


@story
async def test_a_question_answered_elsewhere_cannot_be_answered_here(stage: Stage, asking: Asking) -> None:
    ref = asking.task(1, "beans")
    async with stage.open() as scene:
        await scene.sees("rm -rf build")
        await open_dialog(scene)
        asking.approvals.answer(ref, asking.approvals.questions(ref)[0], Decision(DENIED))
        await scene.sees("No longer asked")
        other = asking.asks(ref, "q9", command="rm -rf /")
        await scene.press("y", "Y")
        assert not is_closed(scene)
        await scene.press("escape")
        await scene.until(lambda: is_closed(scene))
    assert asking.heard("q9") is None
    assert asking.approvals.questions(ref) == [other]


@story
async def test_equal_questions_of_several_tasks_are_answered_together_where_the_person_says_so(
    stage: Stage, asking: Asking
) -> None:
    for number, branch in ((1, "beans"), (2, "milk"), (3, "sugar")):
        asking.task(number, branch)
    asking.task(4, "other", command="rm -rf /")
    async with stage.open() as scene:
        await scene.sees("sugar")
        await open_dialog(scene)
        await scene.sees("the same is asked by 2 more: task002, task003", "e: answer all together")
        await scene.press("e")
        await scene.sees("Your answer goes to all 3")
        await scene.press("y")
        await scene.until(lambda: any("3 tasks" in each for each in scene.told()))
    assert [asking.heard(name) for name in ("q1", "q2", "q3")] == [{"decision": ALLOWED}] * 3
    assert asking.heard("q4") is None


@story
async def test_the_end_of_a_long_command_can_be_read(stage: Stage, asking: Asking) -> None:
    asking.task(1, "beans", command="echo " + "x" * 100_000 + "; rm -rf ~")
    async with stage.open() as scene:
        await scene.sees("Bash (100,015 charac")
        await open_dialog(scene)
        await scene.sees("100,015 characters")
        assert "rm -rf ~" not in scene.text
        await scene.press("G")
        await scene.sees("rm -rf ~")


@story
async def test_the_next_question_of_the_task_follows_and_counts_no_key_of_the_first(
    stage: Stage, asking: Asking
) -> None:
    ref = asking.task(1, "beans")
    asking.asks(ref, "q9", command="rm -rf /")
    async with stage.open() as scene:
        await scene.sees("rm -rf build")
        await open_dialog(scene)
        await scene.sees("1 more after this")
        await scene.press("y", "y", "y")
        await scene.sees("rm -rf /")
        assert not is_closed(scene)
        await scene.until(lambda: bool(scene.app.screen.query(".buttons.-ready")))
    assert (asking.heard("q1"), asking.heard("q9")) == ({"decision": ALLOWED}, None)


@story
async def test_where_nothing_is_asked_the_key_says_so(stage: Stage, asking: Asking) -> None:
    asking._agents.task(1, branch="beans", summary="Brew", status="working", agent="busy")
    async with stage.open() as scene:
        await scene.sees("beans")
        assert "A allow?" not in scene.text
        await scene.press("A")
        await scene.until(lambda: "Its agent asks for nothing" in scene.told())


@story
async def test_what_is_asked_on_a_screen_only_is_answered_there(stage: Stage, asking: Asking) -> None:
    asking._agents.task(1, branch="beans", summary="Brew", status="working", agent="permission")
    async with stage.open() as scene:
        await scene.sees("A allow?")
        await scene.press("A")
        await scene.until(lambda: any("on its own screen" in each for each in scene.told()))
