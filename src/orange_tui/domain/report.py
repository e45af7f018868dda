"""An agent's report: a JSON object in `.orange-outcome`, and how it is judged.

The agent's own status is not the last word: a report without a status, or one that says done but changed no file and
lists what remains, is judged by what it shows. The engine moves the task by that judgement.
"""

from __future__ import annotations

import json

from orange_tui.domain.errors import Unreadable
from orange_tui.domain.records import record
from orange_tui.domain.task import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

DONE, IN_PROGRESS, BLOCKED, NEEDS_REVIEW, DELEGATED = "done", "in_progress", "blocked", "needs_review", "delegated"
REPORTED = (DONE, IN_PROGRESS, BLOCKED, NEEDS_REVIEW)  # what an agent may report
JUDGED = (*REPORTED, DELEGATED)  # what a report can be judged to be

MAX_CHARACTERS = 256 * 1024
_MAX_ITEMS = 100
_MAX_ITEM_CHARACTERS = 2_000
_MAX_TEXT_CHARACTERS = 10_000
MAX_DELEGATIONS = 20


@record
class Delegation:
    """A subtask that an agent asks for."""

    title: str
    body: str
    labels: tuple[str, ...]
    harness: str | None


@record
class Report:
    """A report that could be read; `judged` is the status it is given, and `why` says so where that is not its own."""

    judged: str
    why: str
    summary: str
    reason: str
    accomplished: tuple[str, ...]
    remaining: tuple[str, ...]
    blockers: tuple[str, ...]
    files_changed: tuple[str, ...]
    needs_help: bool
    agent: str
    model: str
    delegations: tuple[Delegation, ...]

    def as_json(self) -> dict[str, object]:
        """The report as it is recorded in the history."""
        values = {name: value for name, value in vars(self).items() if name != "judged"}
        return values | {"status": self.judged, "delegations": [vars(each) for each in self.delegations]}

    @property
    def sentence(self) -> str:
        """Why the task has this status, in the agent's words and in ours."""
        given = "; ".join(text for text in (self.why, self.reason) if text)
        return given or "; ".join(self.blockers) or self.summary


def read_report(text: str, task_id: str) -> Report:
    """Parse a report. Raises `Unreadable` where there is none."""
    if len(text) > MAX_CHARACTERS:
        raise Unreadable(f".orange-outcome is longer than {MAX_CHARACTERS:,} characters")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise Unreadable(".orange-outcome is not a JSON object" if text.strip() else "the agent has left no report")
    if data.get("id") not in {None, task_id}:
        raise Unreadable(f".orange-outcome is about task {ascii(data['id'])[:60]}, not {task_id}")
    return _from_data(data)


def _from_data(data: Mapping[str, object]) -> Report:
    delegations = _delegations(data.get("delegations"))
    remaining, changed = _texts(data.get("remaining")), _texts(data.get("files_changed"))
    status, why = _judge(data, remaining, changed)
    if delegations and status in {IN_PROGRESS, BLOCKED, DONE}:
        status, why = DELEGATED, ""
    return Report(
        judged=status,
        why=why,
        summary=_text(data.get("summary")),
        reason=_text(data.get("reason")),
        accomplished=_texts(data.get("accomplished")),
        remaining=remaining,
        blockers=_texts(data.get("blockers")),
        files_changed=changed,
        needs_help=data.get("needs_help") is True,
        agent=_text(data.get("agent"), 100),
        model=_text(data.get("model"), 200),
        delegations=delegations,
    )


def _judge(data: Mapping[str, object], remaining: tuple[str, ...], changed: tuple[str, ...]) -> tuple[str, str]:
    """The status a report is given, and why where that is not its own."""
    status = data.get("status")
    if status is None or status == "":
        return NEEDS_REVIEW, "The agent's report has no status"
    if status not in REPORTED:
        return NEEDS_REVIEW, f"The agent reports {ascii(status)[:60]}, which is not a status ({', '.join(REPORTED)})"
    if data.get("needs_help") is True and status != DONE:
        return NEEDS_REVIEW, ""
    if status == DONE and remaining and not changed:
        return IN_PROGRESS, f"The agent says done, but it changed no file and left {len(remaining)} to do"
    return str(status), ""


def _delegations(value: object) -> tuple[Delegation, ...]:
    found = [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
    made = [
        Delegation(
            title=_line(each.get("title")),
            body=_text(each.get("body")),
            labels=tuple(_line(label) for label in _texts(each.get("labels"))),
            harness=_line(each.get("suggested_agent")) or None,
        )
        for each in found[:MAX_DELEGATIONS]
    ]
    return tuple(each for each in made if each.title)


def _text(value: object, most: int = _MAX_TEXT_CHARACTERS) -> str:
    return value[:most].strip() if isinstance(value, str) else ""


def _line(value: object) -> str:
    """One line of text, for a summary or a label."""
    return printable(" ".join(_text(value, _MAX_ITEM_CHARACTERS).split()))[:200]


def _texts(value: object) -> tuple[str, ...]:
    """A list of texts; a single text counts as a list of one."""
    items = [value] if isinstance(value, str) else value
    found = [_text(item, _MAX_ITEM_CHARACTERS) for item in items[:_MAX_ITEMS]] if isinstance(items, list) else []
    return tuple(text for text in found if text)
