"""Gates on `.orange-outcome`: the outcome an agent names there, or what its report comes to."""

from __future__ import annotations

import json

from orange_tui.domain.gates.gate import Gate, either, with_example
from orange_tui.domain.records import record
from orange_tui.domain.task import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from orange_tui.domain.gates.gate import Evidence
    from orange_tui.domain.text.yaml_nodes import Item

_MAX_CHARACTERS = 64 * 1024
_MAX_QUOTED = 60


@record
class OutcomeGate(Gate):
    """`.orange-outcome` is JSON with this task's id and one of these outcomes."""

    outcomes: tuple[str, ...]

    key = "outcome"
    meaning = "`.orange-outcome` is JSON with the task's `id` and this `outcome`, or one of a list."
    is_signal = True

    @classmethod
    def read(cls, entries: Mapping[str, Item]) -> OutcomeGate:
        """`outcome: passed`, or a list."""
        words = [entry.text() for entry in entries["outcome"].one_or_more("an outcome")]
        return OutcomeGate(tuple(word for word in words if word is not None))

    def missing(self, evidence: Evidence) -> str | None:
        """What is wrong with the outcome that is there."""
        problem = self._problem((evidence.outcome() or "").strip(), evidence.task_id)
        example = f'{{"id": "{evidence.task_id}", "outcome": "{self.outcomes[0]}"}}'
        return with_example(f".orange-outcome {problem}", example) if problem else None

    def _problem(self, outcome: str, task_id: str) -> str | None:
        wanted = either(self.outcomes)
        if not outcome:
            return f"is empty, but this move needs {wanted}"
        if len(outcome) > _MAX_CHARACTERS:
            return f"is longer than {_MAX_CHARACTERS:,} characters, but this move needs {wanted}"
        data = _parse(outcome)
        if data is None:
            return f"is not a JSON object, but this move needs {wanted}"
        if data.get("id") != task_id:
            return f"is about task {_quote(data.get('id'))}, not {task_id}"
        if data.get("outcome") not in self.outcomes:
            return f"says {_quote(data.get('outcome'))}, but this move needs {wanted}"
        return None

    def artifact(self, evidence: Evidence) -> str | None:
        """This very file: a later agent may well say the same."""
        return evidence.outcome_version()

    def attention(self, evidence: Evidence) -> str | None:
        """The reason that an agent gives for being stuck."""
        data = _parse(evidence.outcome() or "") or {}
        reason = data.get("reason")
        if data.get("outcome") != "stuck" or not isinstance(reason, str) or not reason.strip():
            return None
        return f"The agent is stuck: {one_line(reason)}"

    def description(self) -> str:
        """The file and the outcomes."""
        return f".orange-outcome saying {either(self.outcomes)}"


def _parse(outcome: str) -> dict[str, object] | None:
    try:
        data = json.loads(outcome)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _quote(value: object) -> str:
    """Enough of what was written to recognise it; `ascii` also shows what a terminal would obey."""
    text = ascii(value)
    return text if len(text) <= _MAX_QUOTED else f"{text[:_MAX_QUOTED]}…"


@record
class ReportGate(Gate):
    """The agent's report is judged to be one of these."""

    judged: tuple[str, ...]

    key = "report"
    meaning = "The report of an unattended agent in `.orange-outcome` comes to this, or one of a list."

    @classmethod
    def read(cls, entries: Mapping[str, Item]) -> ReportGate:
        """`report: done`, or a list."""
        from orange_tui.domain.report import JUDGED

        words = [entry.word(JUDGED) for entry in entries["report"].one_or_more("a report")]
        return ReportGate(tuple(word for word in words if word is not None))

    def missing(self, evidence: Evidence) -> str | None:
        """Why there is no such report."""
        from orange_tui.domain.errors import Unreadable
        from orange_tui.domain.report import read_report

        wanted = either(self.judged)
        example = f'{{"status": "{self.judged[0]}", "summary": "what was done"}}'
        try:
            report = read_report(evidence.outcome() or "", evidence.task_id)
        except Unreadable as problem:
            return with_example(f"{problem}, but this move needs {wanted}", example)
        if report.judged in self.judged:
            return None
        why = f" ({report.why})" if report.why else ""
        return with_example(f"the report counts as {report.judged}{why}, but this move needs {wanted}", example)

    def description(self) -> str:
        """What the report must come to."""
        return f"a report of {either(self.judged)}"
