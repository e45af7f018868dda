"""What a prompt or message tells the demo agent to do, read off its text.

A real agent reads its prompt; so does this one, as far as it must. Where the task goes when the work is done is the
last `orange task update --status …` of the text, so a person's own workflow is played as it is written.
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
_USUAL_TARGET = "agent-review"


@record
class Brief:
    """How a worker is to go about it."""

    hand_over_to: str
    has_plan: bool
    has_notes: bool
    by_outcome: bool
    talks_first: bool

    def updated(self, message: str) -> Brief:
        """The same after a message, which may say where the task goes next."""
        targets = _TARGET.findall(message)
        return replace(self, hand_over_to=targets[-1], talks_first=_talks_first(message)) if targets else self


def read_brief(prompt: str) -> Brief:
    """What a worker's prompt asks for."""
    targets = _TARGET.findall(prompt)
    return Brief(
        hand_over_to=targets[-1] if targets else _USUAL_TARGET,
        has_plan="## Plan" in prompt,
        has_notes="## Notes" in prompt,
        by_outcome=".orange-outcome" in prompt,
        talks_first=_talks_first(prompt),
    )


def _talks_first(text: str) -> bool:
    """Whether a person wants to be asked before anything is changed."""
    return "wait for the person" in text.lower() and is_about_being_stuck(text)


def is_about_being_stuck(text: str) -> bool:
    """Whether this is the prompt of a task that went wrong."""
    return _STUCK.match(text) is not None


def is_reviewer(prompt: str, environment: Mapping[str, str]) -> bool:
    """Whose role this is: the window's name says so, else the prompt's first word.

    A window `worker` decides nothing: some workflows review in the worker's own window.
    """
    if environment.get("ORANGE_WINDOW", "").startswith("review"):
        return True
    return _REVIEW.match(prompt.lstrip()) is not None
