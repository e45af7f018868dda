"""The demo without a screen: the tasks of the demo world, played to their ends and told as they happen.

Agents and engine do everything for real. What is scripted is the person: answers the question, brings back the
crashed agent, and merges what passed, because the pool has three places and six tasks want one.
"""

from __future__ import annotations

import os

from orange_tui.demo.screen import PACE
from orange_tui.demo.world import DEMO_TASKS, PROJECT
from orange_tui.domain.errors import Refused
from orange_tui.engine.creation import NewTask
from orange_tui.store.store import StoredTask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from orange_tui.orange import Orange
    from orange_tui.store.store import TaskRef

    Say = Callable[[str], None]

# Where each task ends. What is done was merged; the others hold the three workspaces.
EXPECTED: Mapping[str, str] = {
    "decaf": "done",
    "oat-milk": "done",
    "iced-latte": "done",
    "double-shot": "reviewing",
    "latte-art": "stuck",
    "loyalty-card": "reviewing",
}
ANSWER = "Only for the large cup, and yes, tell the barista"
_PATIENCE, _PATIENCE_FOR_PACE = 120.0, 180.0

# What is worth a line, and which.
_NEWS: Mapping[str, str] = {
    "status.changed": "{from} → {to}",
    "task.waiting": "{reason}",
    "agent.crashed": "its agent crashed ({reason})",
    "agent.respawned": "a new agent takes over",
    "agent.notified": "its agent got a message",
    "hook.failed": "{action} failed: {reason}",
    "task.tampered": "TASK.md was tampered with, and put right",
    "session.lost": "its session is lost",
}
_AGENT_NEWS = ("agent.crashed", "agent.respawned", "agent.spawned")


def play(orange: Orange, say: Say) -> bool:
    """Create the tasks, run the supervisor until they are where they should be; says whether they are."""
    story = Story(orange, say)
    story.create()
    pace = float(os.environ.get(PACE) or 0)
    orange.new_supervisor().run_until(story.has_ended, _PATIENCE + pace * _PATIENCE_FOR_PACE)
    return story.conclude()


class Story:
    """Six tasks, from the outside."""

    def __init__(self, orange: Orange, say: Say) -> None:
        self._orange = orange
        self._say = say
        self._refs: dict[str, TaskRef] = {}
        self._told: dict[str, int] = {}
        self._answered: set[str] = set()

    def create(self) -> None:
        """Write the tasks down; as many as there are workspaces for begin at once."""
        for task in DEMO_TASKS:
            self._tell(task.branch, task.summary)
            blockers = (self._refs[task.after].id,) if task.after else ()
            created = self._orange.tasks.create(
                NewTask(
                    PROJECT,
                    task.branch,
                    task.summary,
                    task.context,
                    harness="demo",
                    review_harness="demo",
                    blocked_by=blockers,
                )
            )
            self._refs[task.branch] = created.ref
            self._tell_news(task.branch)

    def has_ended(self) -> bool:
        """Tell what is new, do what a person would, and see whether everything is where it should be."""
        for branch in self._refs:
            self._tell_news(branch)
            self._help(branch)
        return all(self._status(branch) == status for branch, status in EXPECTED.items())

    def _tell(self, branch: str, text: str) -> None:
        self._say(f"{branch:<13} {text}")

    def _tell_news(self, branch: str) -> None:
        events = self._events(branch)
        for event in events[self._told.get(branch, 0) :]:
            if event["type"] in _NEWS:
                self._tell(branch, self._readable(_NEWS[event["type"]].format_map(_Lenient(event))))
        self._told[branch] = len(events)

    def _readable(self, text: str) -> str:
        """The first clause, with names a person knows instead of ids."""
        for branch, ref in self._refs.items():
            text = text.replace(ref.id, branch)
        return text.partition(": ")[0]

    def _events(self, branch: str) -> list[dict[str, Any]]:
        return self._orange.store.journal(self._refs[branch]).events()

    def _stored(self, branch: str) -> StoredTask | None:
        found = self._orange.store.read(self._refs[branch])
        return found if isinstance(found, StoredTask) else None

    def _status(self, branch: str) -> str | None:
        """Where a task has arrived: in the middle of a move it is nowhere."""
        found = self._stored(branch)
        is_moving = self._orange.store.journal(self._refs[branch]).unfinished() is not None
        return found.task.status if found and not is_moving else None

    def _help(self, branch: str) -> None:
        """What the person does: what is refused now, because an agent is busy or gone, is tried again."""
        status = self._status(branch)
        try:
            if status == "clarification" and branch not in self._answered:
                self._answer(branch)
            elif status == "working" and self._has_crashed(branch):
                self._orange.agents.respawn(self._refs[branch])
            elif status == "reviewing" and EXPECTED[branch] == "done":
                self._merge(branch)
        except Refused:
            return

    def _answer(self, branch: str) -> None:
        self._orange.agents.answer(self._refs[branch], ANSWER)
        self._answered.add(branch)
        self._tell(branch, f"you answer: {ANSWER}")

    def _has_crashed(self, branch: str) -> bool:
        """Whether the last that was heard of its agent is that it crashed."""
        news = [event["type"] for event in self._events(branch) if event["type"] in _AGENT_NEWS]
        return news[-1:] == ["agent.crashed"]

    def _merge(self, branch: str) -> None:
        from orange_tui.delivery.merge import Merger

        self._tell(branch, "you like it, and merge it")
        Merger(self._orange.tasks).merge(self._refs[branch], report=lambda text: self._tell(branch, text))

    def conclude(self) -> bool:
        """Say where everything is."""
        wrong = {branch: status for branch, status in EXPECTED.items() if self._status(branch) != status}
        for branch in self._refs:
            self._tell_news(branch)
        for branch, status in wrong.items():
            found = self._stored(branch)
            why = f" ({found.task.attention})" if found and found.task.attention else ""
            self._tell(branch, f"is {found.task.status if found else 'unreadable'}, and should be {status}{why}")
        return not wrong


class _Lenient(dict[str, object]):
    """An event in a sentence: what it does not say is left open."""

    def __missing__(self, key: str) -> str:
        return "?"
