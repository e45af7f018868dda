"""Comments on the demo agent's code, and what each of them changes there."""

from __future__ import annotations

import os
import re

from orange_tui.demo.tools.changes import ChangeStep
from orange_tui.domain.records import record
from orange_tui.domain.review.thread import is_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from orange_tui.demo.tools.changes import ChangePlan
    from orange_tui.demo.tools.task_tools import TaskTools

_MAX_SUBJECT = 72
_MAX_NOTE = 90
_FENCED = re.compile(r"^(`{3,}).*?^\1`*$", re.MULTILINE | re.DOTALL)
_NOTE_MARKS = {".py": "# ", ".sh": "# ", ".yml": "# ", ".toml": "# "}


@record
class Comment:
    """An open thread, as much of it as the agent looks at."""

    id: str
    path: str
    line: int | None
    quote: str
    by: str
    text: str

    @property
    def quoted(self) -> list[str]:
        """The lines that it is about, without blanks around them."""
        return [line.strip() for line in self.quote.split("\n") if line.strip()]


@record
class Mistake:
    """A mistake that the agent makes on purpose: the code, what it should be, a test for that, and what to say."""

    wrong: str
    right: str
    test: str
    answer: str
    beside: tuple[str, ...] = ()  # lines around it on which somebody may comment as well

    def is_meant(self, comment: Comment) -> bool:
        """Whether a comment is about it."""
        lines = {line.strip() for line in self.wrong.split("\n") if line.strip()} | set(self.beside)
        return not lines.isdisjoint(comment.quoted)


MISTAKES = (
    Mistake(
        "    for _ in range(1, cups):\n",
        "    for _ in range(cups):\n",
        "\n    def test_every_cup_is_paid(self) -> None:\n        self.assertEqual(price(3), 3 * CENTS)\n",
        "You are right: range(1, cups) leaves out one cup. Every cup is counted now, and a test says so.",
        ("cents += CENTS", "cents = 0", "return cents"),
    ),
    Mistake(
        '    except ValueError:\n        return ""\n',
        '    except ValueError as problem:\n        raise ValueError(f"{text!r} is no order") from problem\n',
        "\n    def test_what_is_no_number_is_no_order(self) -> None:\n"
        '        with self.assertRaises(ValueError):\n            order("two")\n',
        "Such an order was lost without a word. It is refused now, and a test says so.",
        ("try:",),
    ),
)
_DEFENDED = {
    "if cups < 1:": "I would keep this: without it, an order of no cups is called out as if it were one.",
    'raise ValueError("one cup at least, please")': "I would keep this: an order of no cups is a mistake to be told.",
}


def from_json(found: dict[str, Any]) -> Comment:
    """A thread as `orange task threads --json` prints it."""
    return Comment(*(found[name] for name in ("id", "path", "line", "quote", "by", "text")))


def why_not(comment: Comment) -> str | None:
    """Why what a person asks for is not done; None where it is."""
    if comment.by == "reviewer":
        return None
    return next((_DEFENDED[line] for line in comment.quoted if line in _DEFENDED), None)


def plan_answer(tools: TaskTools, comment: Comment, plan: ChangePlan) -> tuple[ChangeStep | None, str]:
    """What a comment changes, if anything is left to change, and what to say then."""
    key, subject = f"thread-{comment.id}", _subject(comment)
    if comment.by == "reviewer":
        return None, "Done, with a test for it."
    text = _text(tools, comment.path)
    mistake = next((each for each in MISTAKES if each.is_meant(comment)), None)
    if text is None:
        return plan.fix(key, subject), "Done, as you asked."
    if mistake is None:
        return ChangeStep(key, subject, {comment.path: lambda text: _with_note(text, comment)}), "Done, as you asked."
    if mistake.wrong not in text:
        return None, mistake.answer
    test = f"tests/test_{plan.name}.py"
    edits = {
        comment.path: lambda text: text.replace(mistake.wrong, mistake.right, 1),
        test: lambda text: text if mistake.test in text else text + mistake.test,
    }
    return ChangeStep(key, subject, edits), mistake.answer


def without_threads(feedback: str) -> str:
    """What a person says besides the threads, which stand in a fence below it and are answered one by one."""
    return _FENCED.sub("", feedback).strip()


def _subject(comment: Comment) -> str:
    first = (comment.text.splitlines() or [""])[0].strip()
    return f"Answer {comment.id}: {first}"[:_MAX_SUBJECT]


def _text(tools: TaskTools, path: str) -> str | None:
    """A file of the worktree; None where there is none, or where somebody has put a link in its place."""
    full = os.path.join(tools.directory, path)
    if not path or not is_path(path) or os.path.islink(full) or not os.path.isfile(full):
        return None
    with open(full, encoding="utf-8", errors="surrogateescape") as file:
        return file.read()


def _with_note(text: str, comment: Comment) -> str:
    """A note above the line, or at the end of a file that has no notes of that kind."""
    mark = _NOTE_MARKS.get(os.path.splitext(comment.path)[1])
    note = " ".join(comment.text.split())[:_MAX_NOTE]
    lines = text.split("\n")
    if mark is None:
        return f"{text.rstrip()}\n\nNote: {note}\n"
    found = [place for place, line in enumerate(lines) if comment.quoted and line.strip() == comment.quoted[0]]
    at = min(found, key=lambda place: abs(place + 1 - (comment.line or 1)), default=0)
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    return "\n".join([*lines[:at], f"{indent}{mark}{note}", *lines[at:]])
