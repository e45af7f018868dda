"""Messages to agents: queued in the journal first, and delivered once the agent's window accepted them.

A message typed into an open dialog could approve something, so it waits while the agent asks for anything. What is
undelivered can be told from the journal: `message.queued` without `agent.notified` or `message.dropped`.
"""

from __future__ import annotations

import time

from orange_tui.domain.errors import OrangeError
from orange_tui.domain.records import record
from orange_tui.outside.tmux.screens import read_screens
from orange_tui.sessions.agent_state import judge, look
from orange_tui.sessions.runtime import Runtime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from orange_tui.agents.harnesses import Harnesses
    from orange_tui.domain.harnesses.harness import Harness
    from orange_tui.outside.tmux.server import Pane, Tmux
    from orange_tui.store.journal import Event, Journal
    from orange_tui.store.open_task import OpenTask

_PASTE_SETTLE_SECONDS = 0.2  # an agent needs them to accept a paste before the key that submits it
_MESSAGE_FIELDS = ("message", "window", "text")  # in its event; one that was edited by hand may lack them
# Who wrote a message: Orange itself, a person, or Orange because a person asked for what goes with it.
ENGINE, PERSON, ASKED_FOR = "engine", "person", "asked for"


@record
class QueuedMessage:
    """A message that was queued and is not delivered yet."""

    id: str
    window: str
    text: str
    by: str = ENGINE

    def outlives_window(self) -> bool:
        """Whether a restarted agent should get it too: it reads TASK.md itself, but a person's words are not there."""
        return self.by == PERSON


def queue(opened: OpenTask, message_id: str, window: str, text: str, *, by: str = ENGINE) -> QueuedMessage:
    """Write a message to the journal; the same one is not queued twice."""
    known = [message for message in undelivered(opened.journal) if message.id == message_id]
    if not known:
        opened.record("message.queued", message=message_id, window=window, text=text, by=by)
    return QueuedMessage(message_id, window, text, by)


def queue_prompt(opened: OpenTask, window: str, start: str) -> None:
    """Queue the prompt of an agent whose command line took none: once for each start, whoever was killed at it."""
    text = Runtime(opened.state_directory).window(window).get("unsent")
    if isinstance(text, str) and not any(_is_queued(event, start) for event in opened.journal.backwards()):
        queue(opened, start, window, text, by=ASKED_FOR)  # with the agent itself


def _is_queued(event: Event, message_id: str) -> bool:
    return event["type"] == "message.queued" and event.get("message") == message_id


def undelivered(journal: Journal) -> list[QueuedMessage]:
    """The messages that have not reached their agent, oldest first."""
    found: dict[str, QueuedMessage] = {}
    for event in journal.events():
        if event["type"] == "message.queued" and all(isinstance(event.get(name), str) for name in _MESSAGE_FIELDS):
            by = str(event.get("by", ENGINE))
            found[event["message"]] = QueuedMessage(event["message"], event["window"], event["text"], by)
        elif event["type"] in {"agent.notified", "message.dropped"}:
            found.pop(str(event.get("message")), None)
        elif event["type"] == "agent.spawned":
            window = event.get("window")
            found = {key: each for key, each in found.items() if each.window != window or each.outlives_window()}
    return list(found.values())


def drop(opened: OpenTask, message: QueuedMessage, reason: str) -> None:
    """Record that a message will not be delivered any more, and why."""
    opened.record("message.dropped", message=message.id, window=message.window, reason=reason)


def was_delivered(journal: Journal, message_id: str) -> bool:
    """Whether a message was delivered: nobody gets it twice because a command was killed in between."""
    return any(e["type"] == "agent.notified" and e.get("message") == message_id for e in journal.backwards())


def harness_of_window(harnesses: Harnesses, journal: Journal, window: str) -> Harness | None:
    """Which agent runs in a window: what was started there, whatever the task says by now."""
    for event in journal.backwards():
        if event["type"] == "agent.spawned" and event.get("window") == window:
            try:
                return harnesses.get(str(event.get("harness")))
            except OrangeError:
                return None
    return None


def deliver(  # noqa: PLR0913 - all but the last one say where it goes
    opened: OpenTask,
    message: QueuedMessage,
    pane: Pane,
    tmux: Tmux,
    harness: Harness | None,
    *,
    limit_is_over: bool = False,
) -> bool:
    """Paste a message into an agent's window and submit it, unless the agent is asking something.

    One that has reached its limit gets none until that should be over: each would only run into it again.
    """
    known = Runtime(opened.state_directory).window(pane.window)
    if pane.window in opened.journal.at_limit() and not limit_is_over:
        return False
    if not _accepts_input(pane, tmux, harness, known, limit_is_over=limit_is_over):
        return False
    if not tmux.paste(pane, message.text):
        return False
    time.sleep(_PASTE_SETTLE_SECONDS)
    if not tmux.press(pane, "Enter"):
        return False
    opened.record("agent.notified", message=message.id, window=message.window)
    return True


def _accepts_input(
    pane: Pane, tmux: Tmux, harness: Harness | None, known: Mapping[str, object], *, limit_is_over: bool
) -> bool:
    """Whether typing into this window now would reach the agent's input, and nothing else."""
    screen = read_screens(tmux, [pane.pane_id]).get(pane.pane_id)
    if screen is None or harness is None:
        return screen is not None
    status = judge(known, look(harness, screen.title, screen.text))
    return status.takes_input and (limit_is_over or status.state != "limit")
