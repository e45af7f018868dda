"""The reviewer: reads the diff, runs the tests, writes its verdict, and asks for the status that goes with it."""

from __future__ import annotations

import os

from orange_tui.demo.roles import _incidents
from orange_tui.demo.roles.role import Role
from orange_tui.domain.records import record
from orange_tui.domain.workflow import REVIEW_WORKFLOW

_MAX_ROUNDS = 2
_WORDS = "takes an order of no cups; refuse it, and add a test"


@record
class DiffSummary:
    """What a branch changes: its files, and how many lines came and went."""

    files: tuple[str, ...]
    added: int
    removed: int


class Reviewer(Role):
    """One review."""

    name = "reviewer"

    def begin(self) -> None:
        """Read the diff, judge it, write ## Review, and move the task."""
        task = self.tools.task()
        self.think("Reading the diff")
        diff = self._diff()
        self.terminal.say(f"Round {task.review_round}: +{diff.added} -{diff.removed} in {len(diff.files)} files.")
        if _incidents.happen(self, "reviewing"):
            return
        tests = self.tools.run_tests()
        if tests:
            self.terminal.show_action(tests)
        self.think("Making up my mind")
        verdict = self.behaviour.verdict(task.review_round) if diff.files else "FAIL"
        self.terminal.say(f"Verdict: {verdict}")
        if diff.files and (verdict == "FAIL" or task.workflow == REVIEW_WORKFLOW):
            self._comment(diff)
        self.move(_target(verdict, task.review_round), "Review", f"Verdict: {verdict}\n{self._reasons(verdict, diff)}")

    def receive(self, _message: str) -> None:
        """A reviewer has nothing to add to its review, unless it has stopped before it was written."""
        if self.has_stopped:
            self.begin()
        else:
            self.terminal.say("My review is in TASK.md; I have nothing to add.")

    def _diff(self) -> DiffSummary:
        listed = self.tools.git("diff", "--numstat", "-z", "--no-renames", f"{self.tools.base()}..HEAD").output
        rows = [row.split("\t") for row in listed.split("\0") if row.count("\t") == 2]  # noqa: PLR2004
        numbers = [(int(added), int(gone)) for added, gone, _path in rows if added.isdigit() and gone.isdigit()]
        return DiffSummary(tuple(row[2] for row in rows), sum(n[0] for n in numbers), sum(n[1] for n in numbers))

    def _comment(self, diff: DiffSummary) -> None:
        """Put the finding where it belongs: on the line."""
        path = _finding(diff)
        self.orange("task", "comment", self.tools.task().id, f"{path}:{self._line(path)}", _WORDS)

    def _reasons(self, verdict: str, diff: DiffSummary) -> str:
        if not diff.files:
            return "- there are no commits to review on this branch; commit the work"
        if verdict == "PASS":
            return f"- read +{diff.added} -{diff.removed} in {', '.join(diff.files)}; it does what was asked for"
        path = _finding(diff)
        return f"- {path}:{self._line(path)} {_WORDS}"

    def _line(self, path: str) -> int:
        """The line of the finding: the first return."""
        full = os.path.join(self.tools.directory, path)
        if not os.path.isfile(full):
            return 1
        with open(full, encoding="utf-8", errors="replace") as file:
            return next((number for number, line in enumerate(file, 1) if line.lstrip().startswith("return ")), 1)


def _finding(diff: DiffSummary) -> str:
    """The file that something is found in."""
    return next((path for path in diff.files if not path.startswith("tests/")), diff.files[0])


def _target(verdict: str, number: int) -> str:
    if verdict == "PASS":
        return "reviewing"
    return "working" if number < _MAX_ROUNDS else "stuck"
