"""The worker: plans, commits, hands over, and fixes what a review or a person finds.

It remembers next to nothing. The task's status says what comes next, so a new session continues where the last one
ended, and a message only says that it is time to look again.
"""

from __future__ import annotations

import re

from orange_tui.demo.roles import _incidents, _self_review
from orange_tui.demo.roles._committer import Committer
from orange_tui.demo.roles.instructions import is_for_stuck_task, read_instructions
from orange_tui.demo.tools import changes, conflicts
from orange_tui.domain.errors import OrangeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.demo.tools.task_tools import TaskTools
    from orange_tui.demo.tools.terminal import AgentTerminal

_YES = re.compile(r"\W*(y|yes|ok|okay|sure|please|go|do)\b", re.IGNORECASE)
_MAX_SUMMARY = 100
_MAX_REASON = 200


class Worker(Committer):
    """One worker's session."""

    name = "worker"

    def __init__(self, tools: TaskTools, terminal: AgentTerminal, prompt: str) -> None:
        super().__init__(tools, terminal)
        self._instructions = read_instructions(prompt)
        self.reports_outcome = self._instructions.reports_outcome
        self._has_offered_handover = False

    def begin(self) -> None:
        """Do what the task's status asks for."""
        self.think("Reading TASK.md")
        handlers = {
            "planning": self._plan,
            "clarification": self._clarify,
            "working": self._work,
            "stuck": self._handle_stuck,
        }
        handlers.get(self.tools.task().status, self._wait)()

    def receive(self, message: str) -> None:
        """A message says that something has changed; TASK.md says what."""
        self._instructions = self._instructions.after_message(message)
        self.merge_request = message if conflicts.branch_to_merge(message) else self.merge_request
        status = self.tools.task().status
        if status == "clarification":
            self._accept_answer(message)
        elif status == "stuck":
            self._discuss_problem(message)
        elif status in {"planning", "working"}:
            self.begin()
        else:
            self.terminal.say(f"Noted. The task is {status}, so there is nothing for me to do.")

    def _wait(self) -> None:
        if self.reports_outcome and _self_review.has_succeeded(self):
            self.tools.write_outcome("reviewing")
        self.terminal.say(f"The task is {self.tools.task().status}: I have nothing to do but wait.")

    # ── plan ──

    def _plan(self) -> None:
        self._name_the_branch()
        if not (_incidents.happen(self, "asking") or _incidents.happen(self, "planning")):
            self._go_to_work()

    def _go_to_work(self) -> None:
        """Write the plan (or notes, in a workflow without plans), then start working."""
        self.think("Planning")
        section = "Plan" if self._instructions.wants_plan else "Notes"
        if self.move("working", section, self.tools.section(section) or self.plan_text()):
            self._build_and_hand_over()

    def _name_the_branch(self) -> None:
        """Give the branch a name that says what the work is about, as the prompt asks."""
        task = self.tools.task()
        name = changes.slug(task.summary)
        if task.branch == f"orange-tasks/{task.id}" and name and not self.rename_branch(name):
            self.rename_branch(f"{name}-{task.id}")

    # ── questions ──

    def _clarify(self) -> None:
        if _incidents.ANSWER in self.tools.section("Questions"):
            self._continue_after_answer()
            return
        _incidents.write_questions(self)
        self.terminal.say("It is not clear to me yet what is wanted. I'll wait for you here.")

    def _accept_answer(self, message: str) -> None:
        """Store the answer in TASK.md, where the next session finds it too."""
        answer = " ".join(message.split())
        self.tools.write("Questions", f"{self.tools.section('Questions')}\n\n{_incidents.ANSWER} {answer}".strip())
        self.terminal.say("Thank you, that helps.")
        self._continue_after_answer()

    def _continue_after_answer(self) -> None:
        if not self.tools.task().summary:
            answer = self.tools.section("Questions").partition(_incidents.ANSWER)[2].strip()
            self.orange("task", "update", "--summary", answer.splitlines()[0][:_MAX_SUMMARY])
            self._name_the_branch()
        self._go_to_work()

    # ── build ──

    def _work(self) -> None:
        """A session in `working`; in a workflow without planning, this also does what belongs there."""
        if self.reports_outcome and _self_review.has_succeeded(self):
            _self_review.report_outcome(self, "reviewing")
            return
        if not self._instructions.wants_plan:
            self._name_the_branch()
            if _incidents.happen(self, "asking"):
                return
            self._write_notes()
        self._build_and_hand_over()

    def _write_notes(self) -> None:
        if self._instructions.wants_notes and not self.reports_outcome and not self.tools.section("Notes"):
            self.tools.write("Notes", self.plan_text())
            self.terminal.show_action("TASK.md: wrote ## Notes")

    def _build_and_hand_over(self) -> None:
        if _incidents.happen(self, "working"):
            return
        try:
            if not self.build():
                self._hand_over()
        except OrangeError as problem:
            self.terminal.show_error(str(problem))
            self.orange("task", "stuck", "--reason", " ".join(str(problem).split())[:_MAX_REASON])

    def _hand_over(self) -> None:
        tests = self.run_tests()
        if self.reports_outcome:
            _self_review.review_own_work(self)
        elif self.move(self._instructions.next_status, "Handoff", self.handoff(tests)):
            self.terminal.say("Handed over. I'll wait here in case something comes back.")

    # ── stuck ──

    def _handle_stuck(self) -> None:
        """Say what went wrong if a person wants to be asked first; else fix it at once."""
        if self._instructions.asks_first:
            self._explain()
        else:
            self.fix_everything()
            self._hand_over()

    def _explain(self) -> None:
        self.think("Reading what went wrong")
        attention = self.tools.task().attention or "the review was not content with me"
        self.terminal.say(f"What went wrong: {attention}.")
        self.terminal.say("I'd fix it and add a test for it. Shall I?")

    def _discuss_problem(self, message: str) -> None:
        """A worker that still runs gets the prompt of the stuck task as a message; then the person talks."""
        if is_for_stuck_task(message) or not self._instructions.asks_first:
            self._has_offered_handover = False
            self._handle_stuck()
        elif not self._has_offered_handover:
            self._fix_together()
        elif _YES.match(message):
            self.orange("task", "update", "--status", self._instructions.next_status)
        else:
            self.terminal.say("As you like. Say yes when I should hand it over.")

    def _fix_together(self) -> None:
        self.fix_everything()
        self.tools.write("Handoff", self.handoff(self.run_tests()))
        self.terminal.show_action("TASK.md: wrote ## Handoff")
        self.terminal.say("This is fixed. Shall I hand it over for review?")
        self._has_offered_handover = True
