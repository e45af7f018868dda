"""What a person has allowed for one task, in the directory state: an agent can neither write nor change it."""

from __future__ import annotations

import os

from orange_tui.domain.approvals.rule import read_rule
from orange_tui.domain.records import record
from orange_tui.home.files import make_directory
from orange_tui.home.json_file import JsonFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.approvals.question import Question
    from orange_tui.domain.approvals.rule import Rule

_NAME = "allowed.json"
_MAX_BYTES = 5_000_000


@record
class RulesFile:
    """The rules of the task whose state this directory is; a file that cannot be read allows nothing."""

    directory: str

    @property
    def _file(self) -> JsonFile:
        path = os.path.join(self.directory, _NAME)
        repair = "move it away: what was allowed for this task is then asked again"
        lock = os.path.join(self.directory, ".allowed.lock")
        return JsonFile(path, lock, title="what is allowed", repair=repair, max_bytes=_MAX_BYTES, lock_timeout=5.0)

    def read(self) -> list[Rule]:
        """What is allowed."""
        return [rule for each in self._file.read_objects() if (rule := read_rule(each)) is not None]

    def add(self, rule: Rule) -> None:
        """Allow something from now on; the same is not added twice."""
        make_directory(self.directory)
        with self._file.changing_objects() as rules:
            if rule.as_json() not in rules:
                rules.append(rule.as_json())

    def find(self, question: Question) -> Rule | None:
        """The rule that allows what a question asks for, if there is one."""
        real_path = real_path_of(question)
        return next((rule for rule in self.read() if rule.allows(question, real_path)), None)


def real_path_of(question: Question) -> str | None:
    """Where the file that a question is about really is."""
    return os.path.realpath(question.file) if question.file is not None else None
