"""What the stories about keys are told with: one task in some state, and what each key does or says there."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from orange_tui.engine.tasks import Tasks
from orange_tui.outside.tmux import AttachCommand, Tmux
from support.lively import Agents

if TYPE_CHECKING:
    import pytest

    from support.stage import Scene, Stage

KEYS = {"⏎": "enter", "a": "a", "r": "r", "m": "m", "x": "x", "d": "d", "p": "p"}
OPENS = {
    "a": "Answer brew",
    "r": "Ask brew for changes",
    "m": "erge",
    "x": "Cancel brew?",
    "d": "Delete brew?",
    "p": "Make a pull request of brew?",
}
SAYS = {
    "⏎": "There is no agent here to start or to look at",
    "a": "No agent is alive to hear it",
    "r": "There is nobody to send it back to from here",
    "m": "From here there is no way to done",
    "x": "It cannot be cancelled any more",
    "d": "Only done and cancelled tasks can be deleted; cancel it first",
    "p": "There is no pull request, and no work to make one of",
}


def one_task(stage: Stage, monkeypatch: pytest.MonkeyPatch, status: str, agent: str | None, **values: Any) -> list[str]:
    """A task in this state; returns where what Enter does is noted."""
    agents, does = Agents(stage, monkeypatch), list[str]()

    def noted(what: str, result: Any) -> Any:
        return lambda *_, **_how: (does.append(what), result)[1]  # type: ignore[func-returns-value]

    monkeypatch.setattr(Tasks, "spawn", noted("spawn", SimpleNamespace(hook_errors=())))
    monkeypatch.setattr(type(stage.orange.agents), "respawn", noted("respawn", SimpleNamespace(id="task001")))
    monkeypatch.setattr(Tmux, "attaching", noted("attach", AttachCommand(("true",), {}, switches=True)))
    agents.task(0, branch="brew", summary="Brew it", status=status, agent=agent, **values)
    return does


async def tries_every_key(scene: Scene, does: list[str], usable: str) -> None:
    """Press each key: one that is usable is in the footer and opens what it says, any other says why not."""
    enter, *_ = *(word for word in usable.split() if len(word) > 1), ""
    await scene.sees("brew", *([f"⏎ {enter}"] if enter else []))
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
            await scene.says(SAYS[name])
            assert len(scene.app.screen_stack) == 1
