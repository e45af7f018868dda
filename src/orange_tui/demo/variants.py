"""The ways a demo agent can behave, as a table: one entry each.

A task asks for one, or several, by a line `demo: <words>` in its ## Context, or by a label of that form.
"""

from __future__ import annotations

import re

from orange_tui.demo import acts
from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Literal

    from orange_tui.demo.acts import Act

    # asking: before anything is planned; planning: before the plan; working: before the work, in each session;
    # halfway: after the first commit, so only once; reviewing: before the verdict.
    Moment = Literal["asking", "planning", "working", "halfway", "reviewing"]

_LINE = re.compile(r"^[ \t>*-]*`?demo:[ \t]*([^`\n]+)", re.IGNORECASE | re.MULTILINE)


@record
class Variant:
    """What is special about it: acts at some moments, verdicts by round, or a habit."""

    about: str
    acts: Mapping[Moment, Act] = {}
    verdicts: tuple[str, ...] = ()
    habit: str = ""
    thoughts: float = 1.0


VARIANTS: Mapping[str, Variant] = {
    "good": Variant("does it well, and passes its first review"),
    "fail-once": Variant("fails its first review, mends it, and passes", verdicts=("FAIL", "PASS"), habit="careless"),
    "fail-twice": Variant("fails two reviews and gets stuck", verdicts=("FAIL", "FAIL", "PASS"), habit="careless"),
    "crash": Variant("crashes half-way, the first time", acts={"halfway": acts.crash_with_unsaved_work}),
    "crash-always": Variant("crashes whenever it works", acts={"working": acts.crash}),
    "reviewer-crash": Variant("its first reviewer crashes", acts={"reviewing": acts.crash_unless_counted}),
    "ask": Variant("has questions before it begins", acts={"asking": acts.ask}),
    "stuck": Variant("gives up half-way", acts={"halfway": acts.give_up}),
    "ignores-gate": Variant("asks for every move before it has written what the move needs", habit="hasty"),
    "dies-silent": Variant("goes away without a word", acts={"working": acts.leave}),
    "slow": Variant("takes its time", thoughts=5.0),
    "conflict": Variant("changes the line that every conflict task changes", habit="same-line"),
    "edit-with-sed": Variant("replaces the link to TASK.md by a plain file", habit="replaces-link"),
    "tamper": Variant("edits its own status by hand", acts={"working": acts.tamper}),
    "rename-branch": Variant("gives its branch another name", acts={"planning": acts.rename, "working": acts.rename}),
}


@record
class Behaviour:
    """All that a task asks for, taken together."""

    variants: tuple[Variant, ...]
    unknown: tuple[str, ...] = ()

    def acts(self, moment: Moment) -> list[Act]:
        """What to do at that moment."""
        return [variant.acts[moment] for variant in self.variants if moment in variant.acts]

    def has(self, habit: str) -> bool:
        """Whether it does everything in a certain way."""
        return any(variant.habit == habit for variant in self.variants)

    def verdict(self, number: int) -> str:
        """What the review of that number comes to."""
        verdicts = next((variant.verdicts for variant in self.variants if variant.verdicts), ("PASS",))
        return verdicts[min(max(number, 1), len(verdicts)) - 1]

    @property
    def thoughts(self) -> float:
        """How many thoughts each step takes."""
        return max((variant.thoughts for variant in self.variants), default=1.0)


def asked_words(context: str, labels: Iterable[str]) -> list[str]:
    """The words after `demo:`, in lower case."""
    asked = [*_LINE.findall(context), *(found for label in labels for found in _LINE.findall(label))]
    return [word for line in asked for word in re.split(r"[,\s]+", line.lower()) if word]


def behaviour_of(context: str, labels: Iterable[str]) -> Behaviour:
    """What a task's context and labels ask for; words nobody knows change nothing."""
    words = asked_words(context, labels)
    known = tuple(VARIANTS[word] for word in words if word in VARIANTS)
    return Behaviour(known or (VARIANTS["good"],), tuple(word for word in words if word not in VARIANTS))
