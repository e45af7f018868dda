"""The worker's craft: which commits are missing, making them, and saying what was done.

What is missing follows from TASK.md and the log alone, so that a new session, a failed review and a person's
feedback are all the same case: look what is open, and do it.
"""

from __future__ import annotations

import re
import zlib

from orange_tui.demo import resolving, work
from orange_tui.demo.player import Player
from orange_tui.domain.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.demo.work import Step, Work

_FAILED = re.compile(r"\W*verdict:\W*fail\b", re.IGNORECASE)
_LONGEST_SUBJECT = 72


class Builder(Player):
    """Somebody who edits and commits."""

    told: str | None = None  # a message that asks for a merge; it is in no file

    def planned(self) -> Work:
        """What this task makes of this repository."""
        return work.plan_work(self.desk, self.desk.task(), self.behaviour)

    def plan_text(self) -> str:
        """The same in words, as a plan."""
        planned = self.planned()
        touching = ", ".join(dict.fromkeys(path for step in planned.steps for path in step.edits))
        return f"APPROACH: {planned.steps[0].subject.lower()}, and touch nothing else\nTOUCHING: {touching}"

    def open_steps(self, planned: Work) -> list[Step]:
        """The commits that are missing."""
        done = work.done_steps(self.desk)
        return [step for step in (*planned.steps, *self._asked_for(planned)) if step.key not in done]

    def _asked_for(self, planned: Work) -> list[Step]:
        """What the last review and the person's feedback ask for."""
        steps = []
        review, feedback = self.desk.section("Review"), self.desk.section("Feedback")
        if _FAILED.match(review):
            number = self.desk.task().review_round
            steps.append(planned.mend(f"review-{number}", f"Mend what review {number} found"))
        if feedback:
            steps.append(_as_asked(planned, "feedback", resolving.last_words(feedback), feedback))
        if self.told is not None:
            steps.append(_as_asked(planned, "told", self.told, self.told))
        return steps

    def build(self) -> bool:
        """Make every commit that is missing; True when the turn ends on the way."""
        planned = self.planned()
        for step in self.open_steps(planned):
            self.commit(step, planned)
            if step.key == work.CODE and self.act("halfway"):
                return True
        return False

    def commit(self, step: Step, planned: Work) -> None:
        """One step: edits and commit."""
        self.think(step.subject)
        self.screen.say(step.subject)
        for path in step.edits if step.merges is None else ():
            self.screen.does(f"edited {path}")
        self.screen.succeeds(f"committed {work.carry_out(self.desk, step, planned.name)}")

    def mend_for_good(self) -> None:
        """Whatever is open; when nothing is, one more improvement."""
        planned = self.planned()
        count = self.desk.git("rev-list", "--count", f"{self.desk.base()}..HEAD").output.strip()
        for step in self.open_steps(planned) or [planned.mend(f"unstuck-{count}", "Mend it for good")]:
            self.commit(step, planned)

    def leave_an_edit_uncommitted(self) -> None:
        """The next step's edits, without its commit."""
        for step in self.open_steps(self.planned())[:1]:
            work.edit_files(self.desk, step)

    def run_tests(self) -> str | None:
        """Run the tests and show how it went."""
        self.think("Running the tests")
        tests = self.desk.run_tests()
        if tests:
            self.screen.does(tests)
        return tests

    def handoff(self, tests: str | None) -> str:
        """What was done, in the words a handoff has."""
        log = self.desk.git("log", "--reverse", "--format=%s", f"{self.desk.base()}..HEAD").output
        done = "; ".join(log.splitlines()) or "nothing"
        tested = f" ({tests})" if tests else ""
        return (
            f"DONE: {done}{tested}\nREMAINING: nothing\nDECISIONS: files of its own where possible\n"
            f"UNCERTAIN: {self.uncertain}"
        )


def _as_asked(planned: Work, kind: str, words: str, all_words: str) -> Step:
    """What a person wants: a merge, if that is what they say, else an improvement."""
    key = f"{kind}-{zlib.crc32(all_words.encode()):08x}"
    branch = resolving.branch_to_merge(words)
    first = (words.splitlines() or [""])[0].lstrip("-*#> ").strip()
    subject = f"Merge {branch}, and keep what both sides have" if branch else f"As asked: {first}"
    return replace(planned.mend(key, subject[:_LONGEST_SUBJECT]), merges=branch)
