"""The worker: plans, builds, hands over, and mends what it is told to.

It keeps next to nothing in its head. Where the task is says what comes next, so a new session goes on where the last
one ended, and a message only says that it is time to look again.
"""

from __future__ import annotations

import re

from orange_tui.demo import acts, resolving, solo, work
from orange_tui.demo.brief import is_about_being_stuck, read_brief
from orange_tui.demo.builder import Builder
from orange_tui.domain.errors import OrangeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.demo.desk import Desk
    from orange_tui.demo.screen import Screen

_YES = re.compile(r"\W*(y|yes|ok|okay|sure|please|go|do)\b", re.IGNORECASE)
_LONGEST_SUMMARY = 100
_LONGEST_REASON = 200


class Worker(Builder):
    """One worker's session."""

    role = "worker"

    def __init__(self, desk: Desk, screen: Screen, prompt: str) -> None:
        super().__init__(desk, screen)
        self._brief = read_brief(prompt)
        self.is_by_outcome = self._brief.by_outcome
        self._has_offered = False

    def begin(self) -> None:
        """Look where the task is, and go on from there."""
        self.think("Reading TASK.md")
        go_on = {
            "planning": self._plan,
            "clarification": self._clarify,
            "working": self._work,
            "stuck": self._unstick,
        }
        go_on.get(self.desk.task().status, self._rest)()

    def hear(self, message: str) -> None:
        """A message says that something has changed; TASK.md says what."""
        self._brief = self._brief.updated(message)
        self.told = message if resolving.branch_to_merge(message) else self.told
        status = self.desk.task().status
        if status == "clarification":
            self._take_answer(message)
        elif status == "stuck":
            self._talk_about_it(message)
        elif status in {"planning", "working"}:
            self.begin()
        else:
            self.screen.say(f"Noted. The task is {status}, so there is nothing for me to do.")

    def _rest(self) -> None:
        if self.is_by_outcome and solo.is_finished(self):
            self.desk.write_outcome("reviewing")
        self.screen.say(f"The task is {self.desk.task().status}: nothing to do for me but to wait.")

    # ── plan ──

    def _plan(self) -> None:
        self._name_the_branch()
        if not (self.act("asking") or self.act("planning")):
            self._go_to_work()

    def _go_to_work(self) -> None:
        """From a plan, or from notes where the workflow has no plans, to the work itself."""
        self.think("Planning")
        section = "Plan" if self._brief.has_plan else "Notes"
        if self.move("working", section, self.desk.section(section) or self.plan_text()):
            self._build_and_hand_over()

    def _name_the_branch(self) -> None:
        """As the prompt asks: `orange-tasks/<id>` says nothing about the work."""
        task = self.desk.task()
        name = work.slug(task.summary)
        if task.branch == f"orange-tasks/{task.id}" and name and not self.rename_branch(name):
            self.rename_branch(f"{name}-{task.id}")

    # ── questions ──

    def _clarify(self) -> None:
        if acts.ANSWER in self.desk.section("Questions"):
            self._go_on_after_answer()
            return
        acts.write_questions(self)
        self.screen.say("It is not clear to me yet what is wanted. I'll wait for you here.")

    def _take_answer(self, message: str) -> None:
        """Keep the answer where the next session finds it, too."""
        answer = " ".join(message.split())
        self.desk.write("Questions", f"{self.desk.section('Questions')}\n\n{acts.ANSWER} {answer}".strip())
        self.screen.say("Thank you, that helps.")
        self._go_on_after_answer()

    def _go_on_after_answer(self) -> None:
        if not self.desk.task().summary:
            answer = self.desk.section("Questions").partition(acts.ANSWER)[2].strip()
            self.orange("task", "update", "--summary", answer.splitlines()[0][:_LONGEST_SUMMARY])
            self._name_the_branch()
        self._go_to_work()

    # ── build ──

    def _work(self) -> None:
        """A session in `working`: where there is no planning phase, what belongs there comes here."""
        if self.is_by_outcome and solo.is_finished(self):
            solo.report(self, "reviewing")
            return
        if not self._brief.has_plan:
            self._name_the_branch()
            if self.act("asking"):
                return
            self._take_notes()
        self._build_and_hand_over()

    def _take_notes(self) -> None:
        if self._brief.has_notes and not self.is_by_outcome and not self.desk.section("Notes"):
            self.desk.write("Notes", self.plan_text())
            self.screen.does("TASK.md: wrote ## Notes")

    def _build_and_hand_over(self) -> None:
        if self.act("working"):
            return
        try:
            if not self.build():
                self._hand_over()
        except OrangeError as problem:
            self.screen.fails(str(problem))
            self.orange("task", "stuck", "--reason", " ".join(str(problem).split())[:_LONGEST_REASON])

    def _hand_over(self) -> None:
        tests = self.run_tests()
        if self.is_by_outcome:
            solo.review_myself(self)
        elif self.move(self._brief.hand_over_to, "Handoff", self.handoff(tests)):
            self.screen.say("Handed over. I'll wait here in case something comes back.")

    # ── stuck ──

    def _unstick(self) -> None:
        """Where a person wants to be asked first, say what went wrong; else mend it at once."""
        if self._brief.talks_first:
            self._explain()
        else:
            self.mend_for_good()
            self._hand_over()

    def _explain(self) -> None:
        self.think("Reading what went wrong")
        attention = self.desk.task().attention or "the review was not content with me"
        self.screen.say(f"What went wrong: {attention}.")
        self.screen.say("I'd mend it and add a test for it. Shall I?")

    def _talk_about_it(self, message: str) -> None:
        """The prompt of a stuck task comes as a message to a worker that still lives; then a person talks."""
        if is_about_being_stuck(message) or not self._brief.talks_first:
            self._has_offered = False
            self._unstick()
        elif not self._has_offered:
            self._mend_together()
        elif _YES.match(message):
            self.orange("task", "update", "--status", self._brief.hand_over_to)
        else:
            self.screen.say("As you like. Say yes when I should hand it over.")

    def _mend_together(self) -> None:
        self.mend_for_good()
        self.desk.write("Handoff", self.handoff(self.run_tests()))
        self.screen.does("TASK.md: wrote ## Handoff")
        self.screen.say("This is fixed. Shall I hand it over for review?")
        self._has_offered = True
