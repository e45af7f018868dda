"""What the stories about keys are told with: one task in some state, and what each key does or says there."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from orange_tui.engine.tasks import Tasks
from orange_tui.presentation.tasks import state_words
from orange_tui.sessions.attaching import AttachCommand
from orange_tui.tui.commands import _attach
from support.lively import Agents

if TYPE_CHECKING:
    import pytest

    from support.stage import Scene, Stage

ENTER_TITLES = {"spawn": "start", "respawn": "restart", "attach": "attach"}
KEYS = {"⏎": "enter", "a": "a", "r": "r", "m": "m", "x": "x", "d": "d", "p": "p"}
OPENS = {
    "a": "Answer brew",
    "r": "Request changes on brew",
    "m": "erge",
    "x": "Cancel brew?",
    "d": "Delete brew?",
    "p": "Create a pull request for brew?",
}
SAYS = {
    "⏎": "No agent to start or attach to",
    "a": "No agent is running to read it",
    "r": 'Can\'t be sent back from "{status}"',
    "m": 'Can\'t be merged from "{status}"',
    "x": 'Can\'t be cancelled from "{status}"',
    "d": "Only done and cancelled tasks can be deleted; cancel it first",
    "p": "No pull request yet, and no work to create one from",
}


def one_task(stage: Stage, monkeypatch: pytest.MonkeyPatch, status: str, agent: str | None, **values: Any) -> list[str]:
    """A task in this state; returns where what Enter does is noted."""
    agents, does = Agents(stage, monkeypatch), list[str]()

    def noted(what: str, result: Any) -> Any:
        return lambda *_, **_how: (does.append(what), result)[1]  # type: ignore[func-returns-value]

    monkeypatch.setattr(Tasks, "spawn", noted("spawn", SimpleNamespace(hook_errors=())))
    monkeypatch.setattr(type(stage.orange.agents), "respawn", noted("respawn", SimpleNamespace(id="task001")))
    command = AttachCommand(("true",), {}, switches=True)
    monkeypatch.setattr(_attach, "attach_command", noted("attach", command))
    agents.task(0, branch="brew", summary="Brew it", status=status, agent=agent, **values)
    return does


async def tries_every_key(scene: Scene, does: list[str], usable: str) -> None:
    """Press each key: one that is usable is in the footer and opens what it says, any other says why not."""
    enter, *_ = *(word for word in usable.split() if len(word) > 1), ""
    await scene.sees("brew", *([f"⏎ {ENTER_TITLES[enter]}"] if enter else []))
    for name, key in KEYS.items():
        if name == "⏎" and enter:
            await scene.press(key)
            await scene.until(lambda: does == [enter])
        elif name in usable.split():
            await scene.press(key)
            await scene.sees(OPENS[name])
            await scene.press("escape")
            await scene.until(lambda: len(scene.app.screen_stack) == 1)
        else:
            await scene.press(key)
            await scene.says(SAYS[name].format(status=status_of(scene)))
            assert len(scene.app.screen_stack) == 1


def status_of(scene: Scene) -> str:
    """The status of the one task."""
    rows = scene.app.snapshot.rows if scene.app.snapshot is not None else ()
    return state_words(rows[0].task.status) if rows and rows[0].task is not None else ""
