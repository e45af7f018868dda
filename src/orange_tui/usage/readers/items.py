"""What a reader finds in a line."""

from __future__ import annotations

from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from orange_tui.domain.usage.limit import UsedWindow
    from orange_tui.domain.usage.prices import Tokens

    Memory = dict[str, Any]  # what a reader remembers of a file: JSON, kept with the position in it


class NotUnderstood(Exception):
    """A file that is not as this reader knows it; the text says what is missing."""


@record
class Message:
    """What one message has used up to now. It may come again, with the same numbers or with higher ones."""

    key: str  # the same wherever the agent repeats the message, and of no other
    session: str  # the conversation whose cost the agent reports later (`CostReport`); empty where it reports none
    model: str
    at: str  # ISO 8601; empty where the agent does not say
    tokens: Tokens
    cost: float | None = None  # in dollars, where the agent says
    turns: int = 1


@record
class CostReport:
    """What an agent says that a whole conversation has cost with one model so far, and for which tokens."""

    session: str
    model: str
    at: str
    tokens: Tokens
    cost: float


@record
class LimitSeen:
    """How much of its limits an account has used, as the agent was told with its last answer."""

    windows: tuple[UsedWindow, ...]


@record
class ContextSeen:
    """How full the agent's memory is, in percent."""

    percent: float


if TYPE_CHECKING:
    Item = Message | CostReport | LimitSeen | ContextSeen
