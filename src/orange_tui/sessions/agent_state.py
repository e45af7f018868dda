"""What an agent is doing: the one judge, for the board, the command line and the delivery of messages.

It goes by what the agent reports of itself and by what is seen on its screen; nothing here touches anything. The one
mistake that must not happen is to take a dialog for an empty input line: a message typed into it could approve a
command. So whenever there is any sign of a question, the answer is `permission`.
"""

from __future__ import annotations

import re

from orange_tui.domain.records import record, replace
from orange_tui.domain.task import one_line
from orange_tui.home import clock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Literal

    from orange_tui.domain.harnesses.harness import Dialog, Harness

    State = Literal["permission", "limit", "error", "busy", "starting", "idle", "unknown"]

# A report comes before what it tells of is drawn: for so long what is seen does not count against it.
GRACE_SECONDS = 2.0
LIMIT: State = "limit"
GOES_ON = frozenset({"busy", "permission"})  # an agent that does so waits for no limit, whatever was written down
_BY_URGENCY: tuple[State, ...] = ("permission", "limit", "error", "busy", "starting", "idle", "unknown")
_VAGUE = frozenset({"unknown", "starting"})  # a screen that says nothing
# What ended a turn stands until the next one: neither an empty input line nor the words of the failure take it back.
_LASTING, _AFTER_THEM = frozenset({"error", "limit"}), frozenset({"idle", "error"})
_SCREEN_LINES, _STATUS_LINES = 40, 12
_MAX_COLUMNS = 400  # of a line: patterns may take the square of what they are given, and agents print what they like
_MAX_TEXT = 2000  # of what is read; fewer characters are shown


@record
class AgentStatus:
    """What an agent is doing."""

    state: State
    asks: str | None = None  # the question it waits with, in one line; at a limit, that of the menu it has opened
    advice: str | None = None  # what the person should do about it, where Orange knows the dialog
    last_line: str | None = None  # what it has printed last, where its screen was looked at

    @property
    def takes_input(self) -> bool:
        """Whether a message that is typed now reaches the agent's input, and nothing else."""
        return self.state not in {"permission", "starting"} and self.asks is None


def judge(values: Mapping[str, object], sight: AgentStatus | None = None) -> AgentStatus:
    """What the agent of a window does, from the window's values in runtime.json.

    `sight` is what its screen shows at this moment; without it, what was seen there last counts. What is seen counts
    for more than what was reported before: an agent that a person interrupts reports nothing. But one that holds its
    dialog back until its question is answered in Orange shows nothing of that.
    """
    now = clock.in_seconds(clock.now()) or 0.0
    reported, seen = _reported(values), sight or _seen(values)
    if seen is None:
        return reported or AgentStatus("unknown")
    if reported is not None and reported.state == "permission" and values.get("question"):
        seen = replace(seen, asks=reported.asks or seen.asks)  # in its own words, not as far as a screen shows them
        if values.get("held"):
            return seen if seen.state == "permission" else reported
    reported_at = _moment(values.get("event_at"), now)
    ahead = (now if sight is not None else _moment(values.get("seen_at"), now)) - reported_at
    if reported is None or (seen.state == "permission" and ahead >= 0):
        return _with_request(seen, reported)
    if seen.state in _VAGUE or ahead < GRACE_SECONDS or (reported.state in _LASTING and seen.state in _AFTER_THEM):
        return reported
    return seen


def most_urgent(found: Iterable[AgentStatus]) -> AgentStatus:
    """The one of several agents that a person should hear of first."""
    return min(found, key=lambda status: _BY_URGENCY.index(status.state), default=AgentStatus("unknown"))


def _reported(values: Mapping[str, object]) -> AgentStatus | None:
    state = _as_state(values.get("state"))
    if state is None or state == "unknown":
        return None
    return AgentStatus(state, _line(values.get("asks")) if state == "permission" else None)


def _seen(values: Mapping[str, object]) -> AgentStatus | None:
    state = _as_state(values.get("seen"))
    if state is None:
        return None
    has_question = state in {"permission", "limit"}
    asks, advice = (_line(values.get(name)) if has_question else None for name in ("asks", "advice"))
    return AgentStatus(state, asks, advice)


def _with_request(seen: AgentStatus, reported: AgentStatus | None) -> AgentStatus:
    """The dialog that is seen, with what the agent itself says of it."""
    asks = seen.asks or (reported.asks if reported is not None and seen.state == "permission" else None)
    return AgentStatus(seen.state, asks, seen.advice)


def _moment(stamp: object, now: float) -> float:
    """When something was written down; a time that is still to come tells nothing."""
    found = clock.in_seconds(stamp)
    return found if found is not None and found <= now + GRACE_SECONDS else 0.0


def look(harness: Harness, title: str, screen: str) -> AgentStatus:
    """What an agent does as far as its screen and its window's title tell."""
    lines = [line[:_MAX_COLUMNS] for line in screen.splitlines() if line.strip()][-_SCREEN_LINES:]
    everything, bottom = "\n".join(lines), "\n".join(lines[-_STATUS_LINES:])
    dialog = dialog_on_screen(harness, lines)
    if dialog is not None:
        return AgentStatus("permission", _question(dialog, lines), dialog.advice)
    # A question is looked for everywhere; an old error further up is history.
    shown = {state: everything if state == "permission" else bottom for state in _BY_URGENCY[:-1]}
    found = [state for state, text in shown.items() if _shows(harness, state, text, title)]
    if "permission" in found:
        asks = _request_on_screen(harness, everything)
        return AgentStatus("limit", asks or "how to go on") if "limit" in found else AgentStatus("permission", asks)
    return AgentStatus(found[0] if found else "unknown" if lines else "starting")


def _shows(harness: Harness, state: State, text: str, title: str) -> bool:
    return _any(getattr(harness.screen, state), text) or _any(getattr(harness.window_title, state), title)


def dialog_on_screen(harness: Harness, last_lines: Sequence[str]) -> Dialog | None:
    """The first-run dialog that is open, with what the person should do about it.

    Where the agent works or takes input, it is past them: then it is what it writes about.
    """
    text, bottom = "\n".join(last_lines), "\n".join(last_lines[-_STATUS_LINES:])
    if _any((*harness.screen.busy, *harness.screen.idle), bottom):
        return None
    return next((dialog for dialog in harness.dialogs if _any((dialog.seen,), text)), None)


def _request_on_screen(harness: Harness, text: str) -> str | None:
    """What the agent asks for: the first group of the first pattern that is found, where it stands last."""
    for pattern in harness.asks:
        found = list(re.finditer(pattern, text))
        if found:
            return _line(found[-1][1])
    return None


def _question(dialog: Dialog, lines: Iterable[str]) -> str | None:
    """The line by which a dialog is known, as far as its question goes."""
    line = next((line for line in lines if re.search(dialog.seen, line)), None)
    return _line(line if line is None or "?" not in line else line[: line.index("?") + 1])


def _any(patterns: Iterable[str], text: str) -> bool:
    return any(re.search(pattern, text) for pattern in patterns)


def state_from_event(harness: Harness, event: Mapping[str, object], session_id: str | None = None) -> State | None:
    """The state that one of the agent's own reports means; None when it says nothing about that.

    `session_id` is the conversation the window is known for: what another one does is not the window's state.
    """
    if is_hidden(harness, event) or (session_id and session_of(event) not in {None, session_id}):
        return None
    name = event_name(event)
    kind = event.get("notification_type") or event.get("error")
    for key in (f"{name}:{kind}", name):
        if key in harness.events:
            return _as_state(harness.events[key])
    return _as_state(name)


def event_name(event: Mapping[str, object]) -> str:
    """What happened, in the agent's own word."""
    name = event.get("hook_event_name") or event.get("type")
    return name if isinstance(name, str) else ""


def request_of(event: Mapping[str, object]) -> str | None:
    """What a report asks for: the command, or the tool and what it is about; None where it does not say."""
    tool, given = event.get("tool_name"), event.get("tool_input")
    texts = list(_texts(given))
    if not isinstance(tool, str) or not texts:
        return _line(tool)
    command = given.get("command") if isinstance(given, dict) else None
    return _line(command) or _line(f"{tool}: {texts[0]}")


def _texts(value: object) -> Iterable[str]:
    """The texts in a tool's input, as deep as a list of questions."""
    for _ in range(3):
        if isinstance(value, dict | list) and value:
            inner = list(value.values()) if isinstance(value, dict) else value
            texts = [text for text in inner if isinstance(text, str) and text.strip()]
            if texts:
                return texts
            value = next((each for each in inner if isinstance(each, dict | list)), None)
    return ()


def session_of(event: Mapping[str, object]) -> str | None:
    """The conversation a report is about."""
    found = event.get("session_id") or event.get("thread-id")
    return found if isinstance(found, str) else None


def is_hidden(harness: Harness, event: Mapping[str, object]) -> bool:
    """Whether a report is about a conversation that the agent has with itself, such as finding a title."""
    messages = event.get("input-messages")
    first = messages[0] if isinstance(messages, list) and messages else ""
    return isinstance(first, str) and first.lstrip().startswith(harness.hidden_threads)


def _as_state(word: object) -> State | None:
    return next((state for state in _BY_URGENCY if state == word), None)


def _line(text: object) -> str | None:
    """Somebody's text as one short line that a terminal can show; None where there is none."""
    return one_line(text[:_MAX_TEXT]) or None if isinstance(text, str) else None
