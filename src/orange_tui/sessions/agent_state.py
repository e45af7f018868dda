"""What an agent is doing, from what it reports itself and from what can be seen. Nothing here touches anything.

The one mistake that must not happen is to take a dialog for an empty input line: a message typed into it could
approve a command. So whenever there is any sign of a question, the answer is `permission`.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Literal

    from orange_tui.domain.harnesses.harness import Dialog, Harness

    State = Literal["busy", "idle", "permission", "error", "starting", "unknown"]

_BY_URGENCY: tuple[State, ...] = ("permission", "error", "busy", "idle")
_STATUS_LINES = 12
_STATES: tuple[State, ...] = (*_BY_URGENCY, "starting", "unknown")


def state_from_screen(harness: Harness, title: str, last_lines: Sequence[str]) -> State:
    """The state that the last lines of the screen and the window's title tell of."""
    if dialog_on_screen(harness, last_lines) is not None:
        return "permission"
    lines = [line for line in last_lines if line.strip()]
    everything, bottom = "\n".join(lines), "\n".join(lines[-_STATUS_LINES:])
    for state in _BY_URGENCY:
        # A question is looked for everywhere; an old error further up is history.
        text = everything if state == "permission" else bottom
        if _any(getattr(harness.screen, state), text) or _any(getattr(harness.window_title, state), title):
            return state
    return "unknown" if lines else "starting"


def dialog_on_screen(harness: Harness, last_lines: Sequence[str]) -> Dialog | None:
    """The first-run dialog that is open, with what the person should do about it."""
    text = "\n".join(last_lines)
    return next((dialog for dialog in harness.dialogs if _any((dialog.seen,), text)), None)


def _any(patterns: Iterable[str], text: str) -> bool:
    return any(re.search(pattern, text) for pattern in patterns)


def state_from_event(harness: Harness, event: Mapping[str, object], session_id: str | None = None) -> State | None:
    """The state that one of the agent's own reports means; None when it says nothing about that.

    `session_id` is the conversation the window is known for: what another one does is not the window's state.
    """
    if is_hidden(harness, event) or (session_id and session_of(event) not in {None, session_id}):
        return None
    name = event_name(event)
    kind = event.get("notification_type")
    for key in (f"{name}:{kind}", name):
        if key in harness.events:
            return _as_state(harness.events[key])
    return _as_state(name)


def event_name(event: Mapping[str, object]) -> str:
    """What happened, in the agent's own word."""
    name = event.get("hook_event_name") or event.get("type")
    return name if isinstance(name, str) else ""


def session_of(event: Mapping[str, object]) -> str | None:
    """The conversation a report is about."""
    found = event.get("session_id") or event.get("thread-id")
    return found if isinstance(found, str) else None


def is_hidden(harness: Harness, event: Mapping[str, object]) -> bool:
    """Whether a report is about a conversation that the agent has with itself, such as finding a title."""
    messages = event.get("input-messages")
    first = messages[0] if isinstance(messages, list) and messages else ""
    return isinstance(first, str) and first.lstrip().startswith(harness.hidden_threads)


def agent_state(reported: str | None, seen: State) -> State:
    """One answer from both: a question by either side stands until the agent is seen at work again.

    Otherwise what is seen now is newer than what was reported then: an agent that a person interrupts
    reports nothing.
    """
    known = _as_state(reported or "")
    if known == "permission" and seen != "busy":
        return "permission"
    if seen in {"unknown", "starting"} and known is not None:
        return known
    return seen


def _as_state(word: str) -> State | None:
    return next((state for state in _STATES if state == word), None)
