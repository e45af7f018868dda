"""What a person has allowed for one task: the same tool with the same input again, or one file to the same tool.

A rule has no patterns: what it allows is what it says, literally.
"""

from __future__ import annotations

from orange_tui.domain.approvals.question import visible, visible_lines
from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.approvals.question import Question

_INPUT, _FILE = "input", "file"


@record
class Rule:
    """`what` is a question's subject, or the path of a file; `text` is what the person was shown."""

    kind: str
    tool: str
    what: str
    directory: str
    text: str

    def allows(self, question: Question, real_path: str | None) -> bool:
        """Whether this is what was allowed. `real_path` is where the question's file really is now.

        A command means what it means in one directory; a file whose path has become a link is another file.
        """
        if self.tool != question.tool:
            return False
        if self.kind == _FILE:
            return question.file is not None and self.what == question.file == real_path
        return self.kind == _INPUT and (self.what, self.directory) == (question.subject, question.directory)

    def as_json(self) -> dict[str, str]:
        """As it is stored."""
        return dict(self.__dict__)


def rule_for(question: Question, real_path: str | None) -> Rule:
    """What `for this task` means for a question; a file behind a link is allowed this one change only."""
    if question.file is not None and question.file == real_path:
        text = f"{visible(question.tool)} of {visible(question.file)}, whatever it changes there"
        return Rule(_FILE, question.tool, question.file, question.directory, text)
    where = f"\nin {visible(question.directory)}" if question.directory else ""
    text = f"exactly this {visible(question.tool)} again{where}:\n{visible_lines(question.full_text())}"
    return Rule(_INPUT, question.tool, question.subject, question.directory, text)


def read_rule(found: object) -> Rule | None:
    """A rule as it was stored; None for what is none."""
    names = Rule.__annotations__
    if not isinstance(found, dict) or any(not isinstance(found.get(name), str) for name in names):
        return None
    return Rule(*(found[name] for name in names))
