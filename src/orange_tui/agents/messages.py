"""Messages to agents. One is written down first, and counts as delivered only when the agent's window took it.

A message typed into an open dialog could approve something, so it waits while the agent asks for anything.
What is waiting is in the journal: queued, and not yet notified.
"""

from __future__ import annotations

import time

from orange_tui.domain.errors import OrangeError
from orange_tui.domain.records import record
from orange_tui.sessions.agent_state import agent_state, state_from_screen
from orange_tui.sessions.liveness import WORKER
from orange_tui.sessions.runtime import Runtime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.agents.harnesses import Harnesses
    from orange_tui.domain.harnesses.harness import Harness
    from orange_tui.outside.tmux import Pane, Tmux
    from orange_tui.store.journal import Journal
    from orange_tui.store.open_task import OpenTask

_SETTLE = 0.2  # seconds an agent needs to take a paste before the key that submits it
_NOT_NOW = frozenset({"permission", "starting"})
_LAST_LINES = 40
ENGINE, PERSON = "engine", "person"  # whose words they are


@record
class Waiting:
    """A message that was written and not yet delivered."""

    id: str
    window: str
    text: str
    by: str = ENGINE

    def is_for_successor(self) -> bool:
        """Whether a new worker should hear it too: it reads TASK.md for itself, but a person's words are not there."""
        return self.by == PERSON and self.window == WORKER


def queue(opened: OpenTask, message_id: str, window: str, text: str, *, by: str = ENGINE) -> Waiting:
    """Write a message down; the same one is not written twice."""
    known = [message for message in waiting(opened.journal) if message.id == message_id]
    if not known:
        opened.record("message.queued", message=message_id, window=window, text=text, by=by)
    return Waiting(message_id, window, text, by)


def waiting(journal: Journal) -> list[Waiting]:
    """The messages that have not reached their agent, oldest first."""
    found: dict[str, Waiting] = {}
    for event in journal.events():
        if event["type"] == "message.queued":
            by = str(event.get("by", ENGINE))
            found[event["message"]] = Waiting(event["message"], event["window"], event["text"], by)
        elif event["type"] == "agent.notified":
            found.pop(str(event.get("message")), None)
        elif event["type"] == "agent.spawned":
            window = event.get("window")
            found = {key: each for key, each in found.items() if each.window != window or each.is_for_successor()}
    return list(found.values())


def was_delivered(journal: Journal, message_id: str) -> bool:
    """Whether an agent has taken that message: nobody is told twice because a command was killed in between."""
    return any(e["type"] == "agent.notified" and e.get("message") == message_id for e in journal.backwards())


def harness_in(harnesses: Harnesses, journal: Journal, window: str) -> Harness | None:
    """Which agent runs in a window: what was started there, whatever the task says by now."""
    for event in journal.backwards():
        if event["type"] == "agent.spawned" and event.get("window") == window:
            try:
                return harnesses.get(str(event.get("harness")))
            except OrangeError:
                return None
    return None


def deliver(opened: OpenTask, message: Waiting, pane: Pane, tmux: Tmux, harness: Harness | None) -> bool:
    """Paste a message into an agent's window and submit it, unless the agent is asking something."""
    reported = Runtime(opened.directory).window(pane.window).get("state")
    if not _can_take(pane, tmux, harness, reported) or not tmux.paste(pane.pane_id, message.text):
        return False
    time.sleep(_SETTLE)
    if not tmux.press(pane.pane_id, "Enter"):
        return False
    opened.record("agent.notified", message=message.id, window=message.window)
    return True


def _can_take(pane: Pane, tmux: Tmux, harness: Harness | None, reported: object) -> bool:
    """Whether typing into this window now would reach the agent's input, and nothing else."""
    screen = tmux.screen(pane.pane_id)
    if screen is None or harness is None:
        return screen is not None
    lines = [line for line in screen.splitlines() if line.strip()][-_LAST_LINES:]
    seen = state_from_screen(harness, pane.title, lines)
    return agent_state(reported if isinstance(reported, str) else None, seen) not in _NOT_NOW
