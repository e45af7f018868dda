"""What a prompt or message tells the demo agent to do.

A real agent reads its prompt; this one reads as much of it as it needs. The status after the work is done is the one in
the last `orange task update --status …` of the text, so a person's own workflow is played as it is written.
"""

from __future__ import annotations

import re

from orange_tui.domain.records import record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_TARGET = re.compile(r"orange task update --status\s+([\w-]+)")
_REVIEW = re.compile(r"\W*review\b", re.IGNORECASE)
_STUCK = re.compile(r"\W*stuck\b", re.IGNORECASE)
_DEFAULT_TARGET = "agent-review"


@record
class Instructions:
    """What a worker is told to do."""

    next_status: str
    wants_plan: bool
    wants_notes: bool
    reports_outcome: bool
    asks_first: bool

    def after_message(self, message: str) -> Instructions:
        """The instructions after a message, which may name another next status."""
        targets = _TARGET.findall(message)
        return replace(self, next_status=targets[-1], asks_first=_asks_first(message)) if targets else self


def read_instructions(prompt: str) -> Instructions:
    """What a worker's prompt asks for."""
    targets = _TARGET.findall(prompt)
    return Instructions(
        next_status=targets[-1] if targets else _DEFAULT_TARGET,
        wants_plan="## Plan" in prompt,
        wants_notes="## Notes" in prompt,
        reports_outcome=".orange-outcome" in prompt,
        asks_first=_asks_first(prompt),
    )


def _asks_first(text: str) -> bool:
    """Whether a person wants to be asked before anything is changed."""
    return "wait for the person" in text.lower() and is_for_stuck_task(text)


def is_for_stuck_task(text: str) -> bool:
    """Whether this is the prompt of a task that went wrong."""
    return _STUCK.match(text) is not None


def is_reviewer(prompt: str, environment: Mapping[str, str]) -> bool:
    """Whether this agent reviews: the window's name says so, else the prompt's first word.

    A window named `worker` decides nothing: a workflow may have its reviewer in the worker's own window.
    """
    if environment.get("ORANGE_WINDOW", "").startswith("review"):
        return True
    return _REVIEW.match(prompt.lstrip()) is not None
