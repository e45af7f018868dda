"""What the dialog about a permission says: who asks since when, all of what would be done, and what each key means."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from rich.cells import chop_cells
from rich.segment import Segment
from textual.strip import Strip

from orange_tui.agents.approvals.rules_file import real_path_of
from orange_tui.domain.approvals.question import visible
from orange_tui.domain.approvals.rule import rule_for
from orange_tui.domain.records import record
from orange_tui.presentation.tasks import age

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orange_tui.agents.approvals.approvals import Approvals
    from orange_tui.domain.approvals.question import Question
    from orange_tui.domain.approvals.rule import Rule
    from orange_tui.store.store import TaskRef
    from orange_tui.tui.drawing.palette import Palette

    Asked = tuple[TaskRef, Question]

_MOST_NAMED = 4
_MOST_OF_REASON = 160  # it allows nothing, and must not push the question off the screen
_MARK, _GOES_ON = "│ ", "  "


@record
class Case:
    """One question, with what a person needs to know to answer it."""

    ref: TaskRef
    branch: str
    question: Question
    waiting: int  # questions of the task after this one
    equal: tuple[Asked, ...]  # the same, of other tasks of the project
    rule: Rule  # what `for this task` would allow
    allowed: tuple[Rule, ...]  # what is allowed for the task by now

    def title(self) -> str:
        """Whose question it is."""
        return f"{self.branch} asks for permission"

    def about(self) -> str:
        """Who asks what for, since when, and how long it is."""
        question, text = self.question, self.question.full_text()
        lines = text.count("\n") + 1
        length = f"{len(text):,} characters" + (f", {lines:,} lines" if lines > 1 else "")
        since = age(question.asked_at, with_seconds=True)
        more = f" · {self.waiting} more after this" if self.waiting else ""
        who = f"{question.agent} in {question.window} of {self.ref.id}, for {since}{more}"
        return f"{who}\n{visible(question.tool)} ({length}), in {visible(question.directory) or '?'}:"

    def notes(self) -> str:
        """What the agent says of it, what Y would allow, and who else asks the same."""
        reason, (rule, where, _) = visible(self.question.reason), self.rule.text.partition("\n")
        rule = f"{rule}, in the same directory" if where and self.question.directory else rule
        if len(reason) > _MOST_OF_REASON:
            reason = f"({len(reason):,} characters, cut here) {reason[:_MOST_OF_REASON]}…"
        parts = [f"The agent's own words: {reason}"] if reason else []
        parts.append(f"Y allows this task from now on: {rule}")
        if self.allowed:
            parts.append(f"Allowed to it by now: {len(self.allowed)} (`orange task show {self.ref.id}` lists them)")
        return "\n".join(parts)

    def equal_tasks(self) -> str:
        """The other tasks that ask the same; empty where none does."""
        names = [ref.id for ref, _ in self.equal]
        shown = ", ".join(names[:_MOST_NAMED])
        return f"{shown} and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else shown

    def strips(self, width: int, palette: Palette) -> list[Strip]:
        """All of what would be done. A line that goes on below begins without the mark."""
        found = []
        for line in self.question.full_text().split("\n"):
            pieces = chop_cells(line, max(10, width - len(_MARK))) or [""]
            for number, piece in enumerate(pieces):
                mark = _GOES_ON if number else _MARK
                found.append(Strip([Segment(mark, palette.dim), Segment(piece, palette.text)]))
        return found


async def read_case(approvals: Approvals, ref: TaskRef, branch: str, others: Sequence[TaskRef]) -> Case | None:
    """The oldest question of a task; None where nothing can be answered here. `others` may ask the same."""
    return await asyncio.to_thread(_read, approvals, ref, branch, others)


def _read(approvals: Approvals, ref: TaskRef, branch: str, others: Sequence[TaskRef]) -> Case | None:
    questions = approvals.questions(ref)
    if not questions:
        return None
    first = questions[0]
    equal = [(ref, each) for each in questions[1:] if each.subject == first.subject]
    equal += [each for each in approvals.of_tasks(others) if each[1].subject == first.subject]
    rule, allowed = rule_for(first, real_path_of(first)), tuple(approvals.rules(ref))
    return Case(ref, branch, first, len(questions) - 1, tuple(equal), rule, allowed)
