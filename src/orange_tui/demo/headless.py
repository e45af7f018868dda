"""The demo without the app: its seven tasks run to their ends, and what happens is printed.

Agents and engine do everything for real. The person is scripted: answers the question, restarts the crashed agent and
merges what passed its review, because seven tasks need a workspace and the pool has four.
"""

from __future__ import annotations

import os

from orange_tui.demo.tools.terminal import PACE_VARIABLE
from orange_tui.demo.world import AGENT, DEMO_TASKS, PROJECT
from orange_tui.domain.errors import Refused
from orange_tui.engine.creation import NewTask
from orange_tui.store.store import StoredTask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from orange_tui.orange import Orange
    from orange_tui.store.store import TaskRef

    PrintLine = Callable[[str], None]

# Where each task ends. What is done was merged; the others hold the four workspaces.
EXPECTED: Mapping[str, str] = {
    "decaf": "done",
    "oat-milk": "done",
    "iced-latte": "done",
    "cold-brew": "reviewing",
    "double-shot": "reviewing",
    "latte-art": "stuck",
    "loyalty-card": "reviewing",
}
ANSWER = "Only for the large cup, and yes, tell the barista"
_TIMEOUT_SECONDS, _TIMEOUT_SECONDS_PER_PACE = 120.0, 180.0

# The events that are printed, and how.
_EVENT_SENTENCES: Mapping[str, str] = {
    "status.changed": "{from} → {to}",
    "task.waiting": "{reason}",
    "agent.crashed": "its agent crashed ({reason})",
    "agent.respawned": "a new agent takes over",
    "limit.reached": "its agent has reached its limit",
    "limit.ended": "its agent goes on after its limit",
    "agent.notified": "its agent got a message",
    "hook.failed": "{action} failed: {reason}",
    "task.tampered": "TASK.md was tampered with, and repaired",
    "session.lost": "its session is lost",
}
_AGENT_EVENTS = ("agent.crashed", "agent.respawned", "agent.spawned")


def play(orange: Orange, print_line: PrintLine) -> bool:
    """Create the tasks and run the supervisor until they are where they should be; returns whether they are."""
    scenario = Scenario(orange, print_line)
    scenario.create()
    pace = float(os.environ.get(PACE_VARIABLE) or 0)
    orange.new_supervisor().run_until(scenario.advance, _TIMEOUT_SECONDS + pace * _TIMEOUT_SECONDS_PER_PACE)
    return scenario.report_result()


class Scenario:
    """The demo's tasks, seen and helped by a scripted person."""

    def __init__(self, orange: Orange, print_line: PrintLine) -> None:
        self._orange = orange
        self._print_line = print_line
        self._refs: dict[str, TaskRef] = {}
        self._reported_events: dict[str, int] = {}
        self._answered: set[str] = set()

    def create(self) -> None:
        """Create the tasks; as many as there are workspaces start at once."""
        for task in DEMO_TASKS:
            self._report(task.branch, task.summary)
            blockers = (self._refs[task.after].id,) if task.after else ()
            created = self._orange.tasks.create(
                NewTask(
                    PROJECT,
                    task.branch,
                    task.summary,
                    task.context,
                    harness=task.agent,
                    review_harness=AGENT,
                    blocked_by=blockers,
                )
            )
            self._refs[task.branch] = created.ref
            self._report_events(task.branch)

    def advance(self) -> bool:
        """Print new events, act as the person, and return whether every task is where it should be."""
        for branch in self._refs:
            self._report_events(branch)
            self._act_as_person(branch)
        return all(self._status(branch) == status for branch, status in EXPECTED.items())

    def _report(self, branch: str, text: str) -> None:
        self._print_line(f"{branch:<13} {text}")

    def _report_events(self, branch: str) -> None:
        events = self._events(branch)
        for event in events[self._reported_events.get(branch, 0) :]:
            if event["type"] in _EVENT_SENTENCES:
                self._report(branch, self._readable(_EVENT_SENTENCES[event["type"]].format_map(_EventFields(event))))
        self._reported_events[branch] = len(events)

    def _readable(self, text: str) -> str:
        """The first clause, with branches instead of ids."""
        for branch, ref in self._refs.items():
            text = text.replace(ref.id, branch)
        return text.partition(": ")[0]

    def _events(self, branch: str) -> list[dict[str, Any]]:
        return self._orange.store.journal(self._refs[branch]).events()

    def _stored(self, branch: str) -> StoredTask | None:
        found = self._orange.store.read(self._refs[branch])
        return found if isinstance(found, StoredTask) else None

    def _status(self, branch: str) -> str | None:
        """A task's status; None in the middle of a move."""
        found = self._stored(branch)
        is_moving = self._orange.store.journal(self._refs[branch]).unfinished() is not None
        return found.task.status if found and not is_moving else None

    def _act_as_person(self, branch: str) -> None:
        """Do what the person would do; what is refused now, because an agent is busy or gone, is retried later."""
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
        self._report(branch, f"you answer: {ANSWER}")

    def _has_crashed(self, branch: str) -> bool:
        """Whether the last event about its agent is a crash."""
        news = [event["type"] for event in self._events(branch) if event["type"] in _AGENT_EVENTS]
        return news[-1:] == ["agent.crashed"]

    def _merge(self, branch: str) -> None:
        from orange_tui.delivery.merging.merge import Merger

        self._report(branch, "you merge it")
        Merger(self._orange.tasks).merge(self._refs[branch], report=lambda text: self._report(branch, text))

    def report_result(self) -> bool:
        """Print which tasks are not where they should be; returns whether all are."""
        wrong = {branch: status for branch, status in EXPECTED.items() if self._status(branch) != status}
        for branch in self._refs:
            self._report_events(branch)
        for branch, status in wrong.items():
            found = self._stored(branch)
            why = f" ({found.task.attention})" if found and found.task.attention else ""
            self._report(branch, f"is {found.task.status if found else 'unreadable'}, and should be {status}{why}")
        return not wrong


class _EventFields(dict[str, object]):
    """The fields of an event for its sentence; a missing one becomes a question mark."""

    def __missing__(self, key: str) -> str:
        return "?"
