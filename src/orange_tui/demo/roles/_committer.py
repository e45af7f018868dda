"""A role that edits and commits: find the commits that are missing, make them, and write the handoff.

What is missing follows from TASK.md and the git log alone. So a new session, a failed review and a person's feedback
are all the same case: see what is missing, and do it.
"""

from __future__ import annotations

import re
import zlib

from orange_tui.demo.roles import _incidents
from orange_tui.demo.roles._threads import answer_threads
from orange_tui.demo.roles.role import Role
from orange_tui.demo.tools import changes, comments, conflicts
from orange_tui.domain.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.demo.tools.changes import ChangePlan, ChangeStep

_FAILED = re.compile(r"\W*verdict:\W*fail\b", re.IGNORECASE)
_MAX_SUBJECT = 72


class Committer(Role):
    """An agent that edits and commits."""

    merge_request: str | None = None  # a message that asked for a merge; it is in no file

    def plan(self) -> ChangePlan:
        """The changes that this task makes to this repository."""
        return changes.plan_changes(self.tools, self.behaviour.has)

    def plan_text(self) -> str:
        """The same as text, for ## Plan."""
        plan = self.plan()
        touching = ", ".join(dict.fromkeys(path for step in plan.steps for path in step.edits))
        return f"APPROACH: {plan.steps[0].subject.lower()}, and touch nothing else\nTOUCHING: {touching}"

    def missing_steps(self, plan: ChangePlan) -> list[ChangeStep]:
        """The commits that are missing."""
        done = changes.committed_steps(self.tools)
        return [step for step in (*plan.steps, *self._requested_steps(plan)) if step.key not in done]

    def _requested_steps(self, plan: ChangePlan) -> list[ChangeStep]:
        """What the last review and the person's feedback ask for."""
        steps = []
        review, feedback = self.tools.section("Review"), self.tools.section("Feedback")
        if _FAILED.match(review):
            number = self.tools.task().review_round
            steps.append(plan.fix(f"review-{number}", f"Fix what review {number} found"))
        words = comments.without_threads(conflicts.latest_feedback(feedback))
        if words:
            steps.append(_requested_step(plan, "feedback", words, feedback))
        if self.merge_request is not None:
            steps.append(_requested_step(plan, "message", self.merge_request, self.merge_request))
        return steps

    def build(self) -> bool:
        """Make every commit that is missing; True when an incident ends the turn."""
        plan = self.plan()
        for step in self.missing_steps(plan):
            self.commit(step, plan)
            if step.key == changes.CODE and _incidents.happen(self, "halfway"):
                return True
        answer_threads(self)
        return False

    def commit(self, step: ChangeStep, plan: ChangePlan) -> None:
        """Do one step: edit the files and commit them."""
        self.think(step.subject)
        self.terminal.say(step.subject)
        for path in step.edits if step.merges is None else ():
            self.terminal.show_action(f"edited {path}")
        self.terminal.show_success(f"committed {changes.apply_step(self.tools, step, plan.name)}")

    def fix_everything(self) -> None:
        """Make the missing commits; if none is missing, one more improvement."""
        plan = self.plan()
        count = self.tools.git("rev-list", "--count", f"{self.tools.base()}..HEAD").output.strip()
        for step in self.missing_steps(plan) or [plan.fix(f"unstuck-{count}", "Fix it for good")]:
            self.commit(step, plan)
        answer_threads(self)

    def leave_an_edit_uncommitted(self) -> None:
        """The next step's edits, without its commit."""
        for step in self.missing_steps(self.plan())[:1]:
            changes.edit_files(self.tools, step)

    def run_tests(self) -> str | None:
        """Run the tests and show how it went."""
        self.think("Running the tests")
        tests = self.tools.run_tests()
        if tests:
            self.terminal.show_action(tests)
        return tests

    def handoff(self, tests: str | None) -> str:
        """The text of ## Handoff."""
        log = self.tools.git("log", "--reverse", "--format=%s", f"{self.tools.base()}..HEAD").output
        done = "; ".join(log.splitlines()) or "nothing"
        tested = f" ({tests})" if tests else ""
        return (
            f"DONE: {done}{tested}\nREMAINING: nothing\nDECISIONS: files of its own where possible\n"
            f"UNCERTAIN: {self.uncertain}"
        )


def _requested_step(plan: ChangePlan, kind: str, words: str, all_words: str) -> ChangeStep:
    """The step that a person asked for: a merge, if that is what they say, else an improvement."""
    key = f"{kind}-{zlib.crc32(all_words.encode()):08x}"
    branch = conflicts.branch_to_merge(words)
    first = (words.splitlines() or [""])[0].lstrip("-*#> ").strip()
    subject = f"Merge {branch}, and keep what both sides have" if branch else f"As asked: {first}"
    return replace(plan.fix(key, subject[:_MAX_SUBJECT]), merges=branch)
