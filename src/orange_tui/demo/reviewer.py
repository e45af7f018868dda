"""The reviewer: reads the diff, runs the tests, writes its verdict, and asks for the status that goes with it."""

from __future__ import annotations

import os

from orange_tui.demo.player import Player
from orange_tui.domain.records import record

_ROUNDS = 2


@record
class Diff:
    """What a branch changes: its files, and how many lines came and went."""

    files: tuple[str, ...]
    added: int
    removed: int


class Reviewer(Player):
    """One review."""

    role = "reviewer"

    def begin(self) -> None:
        """Read, judge, write it down, and set the status."""
        task = self.desk.task()
        self.think("Reading the diff")
        diff = self._diff()
        self.screen.say(f"Round {task.review_round}: +{diff.added} -{diff.removed} in {len(diff.files)} files.")
        if self.act("reviewing"):
            return
        tests = self.desk.run_tests()
        if tests:
            self.screen.does(tests)
        self.think("Making up my mind")
        verdict = self.behaviour.verdict(task.review_round) if diff.files else "FAIL"
        self.screen.say(f"Verdict: {verdict}")
        self.move(_target(verdict, task.review_round), "Review", f"Verdict: {verdict}\n{self._reasons(verdict, diff)}")

    def hear(self, _message: str) -> None:
        """A reviewer has said what it has to say."""
        self.screen.say("My review is in TASK.md; I have nothing to add.")

    def _diff(self) -> Diff:
        listed = self.desk.git("diff", "--numstat", "-z", "--no-renames", f"{self.desk.base()}..HEAD").output
        rows = [row.split("\t") for row in listed.split("\0") if row.count("\t") == 2]  # noqa: PLR2004
        numbers = [(int(added), int(gone)) for added, gone, _path in rows if added.isdigit() and gone.isdigit()]
        return Diff(tuple(row[2] for row in rows), sum(n[0] for n in numbers), sum(n[1] for n in numbers))

    def _reasons(self, verdict: str, diff: Diff) -> str:
        if not diff.files:
            return "- there are no commits to review on this branch; commit the work"
        if verdict == "PASS":
            return f"- read +{diff.added} -{diff.removed} in {', '.join(diff.files)}; it does what was asked for"
        path = next((path for path in diff.files if not path.startswith("tests/")), diff.files[0])
        return f"- {path}:{self._line(path)} takes an order of no cups; refuse it, and add a test"

    def _line(self, path: str) -> int:
        """Where the finding stands: at the answer given too soon."""
        full = os.path.join(self.desk.directory, path)
        if not os.path.isfile(full):
            return 1
        with open(full, encoding="utf-8", errors="replace") as file:
            return next((number for number, line in enumerate(file, 1) if line.lstrip().startswith("return ")), 1)


def _target(verdict: str, number: int) -> str:
    if verdict == "PASS":
        return "reviewing"
    return "working" if number < _ROUNDS else "stuck"
