"""The ways a demo agent can behave, as a table: one entry each.

A task asks for one, or several, by a line `demo: <words>` in its ## Context, or by a label of that form.
"""

from __future__ import annotations

import re

from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Literal

    # asking: before anything is planned; planning: before the plan; working: before the work, in each session;
    # halfway: after the first commit, so only once; reviewing: before the verdict.
    Moment = Literal["asking", "planning", "working", "halfway", "reviewing"]

_LINE = re.compile(r"^[ \t>*-]*`?demo:[ \t]*([^`\n]+)", re.IGNORECASE | re.MULTILINE)


@record
class Behaviour:
    """What is special about an agent: incidents (by their names in `_incidents.py`), verdicts by round, or a habit."""

    about: str
    incidents: Mapping[Moment, str] = {}
    verdicts: tuple[str, ...] = ()
    habit: str = ""
    thoughts: float = 1.0


BEHAVIOURS: Mapping[str, Behaviour] = {
    "good": Behaviour("does it well, and passes its first review"),
    "hurried": Behaviour("makes two mistakes that only you will find; comment on them", habit="hurried"),
    "fail-once": Behaviour("fails its first review, fixes it, and passes", verdicts=("FAIL", "PASS"), habit="careless"),
    "fail-twice": Behaviour("fails two reviews and gets stuck", verdicts=("FAIL", "FAIL", "PASS"), habit="careless"),
    "crash": Behaviour("crashes half-way, the first time", incidents={"halfway": "crash_with_unsaved_work"}),
    "crash-always": Behaviour("crashes whenever it works", incidents={"working": "crash"}),
    "reviewer-crash": Behaviour("its first reviewer crashes", incidents={"reviewing": "crash_unless_counted"}),
    "ask": Behaviour("has questions before it begins", incidents={"asking": "ask_questions"}),
    "stuck": Behaviour("gives up half-way", incidents={"halfway": "give_up"}),
    "ignores-gate": Behaviour("asks for every move before it has written what the move needs", habit="hasty"),
    "dies-silent": Behaviour("exits without a word", incidents={"working": "exit_silently"}),
    "forgets": Behaviour(
        "stops without handing in, until it is reminded", incidents={"working": "stop_once", "reviewing": "stop_once"}
    ),
    "stops": Behaviour("stops whenever it works, and hands nothing in", incidents={"working": "stop"}),
    "limit": Behaviour("reaches its limit half-way, and goes on after it", incidents={"halfway": "reach_limit"}),
    "slow": Behaviour("takes its time", thoughts=5.0),
    "conflict": Behaviour("changes the line that every conflict task changes", habit="same-line"),
    "edit-with-sed": Behaviour("replaces the link to TASK.md by a plain file", habit="replaces-link"),
    "tamper": Behaviour("edits its own status by hand", incidents={"working": "tamper"}),
    "rename-branch": Behaviour(
        "gives its branch another name", incidents={"planning": "rename_branch", "working": "rename_branch"}
    ),
}


@record
class RequestedBehaviour:
    """All that a task asks for, taken together."""

    behaviours: tuple[Behaviour, ...]
    unknown: tuple[str, ...] = ()

    def incidents(self, moment: Moment) -> list[str]:
        """The names of what happens at that moment."""
        return [behaviour.incidents[moment] for behaviour in self.behaviours if moment in behaviour.incidents]

    def has(self, habit: str) -> bool:
        """Whether the agent has a habit."""
        return any(behaviour.habit == habit for behaviour in self.behaviours)

    def verdict(self, number: int) -> str:
        """The verdict of the review of that number."""
        verdicts = next((behaviour.verdicts for behaviour in self.behaviours if behaviour.verdicts), ("PASS",))
        return verdicts[min(max(number, 1), len(verdicts)) - 1]

    @property
    def thoughts(self) -> float:
        """How many thoughts each step takes."""
        return max((behaviour.thoughts for behaviour in self.behaviours), default=1.0)


def requested_words(context: str, labels: Iterable[str]) -> list[str]:
    """The words after `demo:`, in lower case."""
    lines = [*_LINE.findall(context), *(found for label in labels for found in _LINE.findall(label))]
    return [word for line in lines for word in re.split(r"[,\s]+", line.lower()) if word]


def requested_behaviour(context: str, labels: Iterable[str]) -> RequestedBehaviour:
    """What a task's context and labels ask for; unknown words change nothing."""
    words = requested_words(context, labels)
    known = tuple(BEHAVIOURS[word] for word in words if word in BEHAVIOURS)
    return RequestedBehaviour(known or (BEHAVIOURS["good"],), tuple(word for word in words if word not in BEHAVIOURS))
