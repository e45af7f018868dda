"""An agent's report: found where the agent has left it, kept in the history, and shown in TASK.md."""

from __future__ import annotations

import json
import os

from orange_tui.agents.launch import answer_file
from orange_tui.domain.errors import OrangeError
from orange_tui.domain.report import MOST_CHARACTERS, read_report
from orange_tui.domain.text.json_answers import answered, envelope
from orange_tui.domain.text.sections import demote_headings, put_section
from orange_tui.home.files import read_bytes, replace_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from orange_tui.domain.report import Report
    from orange_tui.store.journal import Journal
    from orange_tui.store.open_task import OpenTask

SECTION = "Report"
_MOST_BYTES = 4 * MOST_CHARACTERS


def collect(opened: OpenTask, window: str) -> None:
    """Where an agent printed its report and wrote none, what it printed becomes the file. It has ended by now."""
    path = os.path.join(opened.directory, ".orange-outcome")
    if _text(path).strip():
        return
    found = answered(_printed(opened, window), "status")
    if found is not None:
        replace_file(path, json.dumps(found, ensure_ascii=False).encode(errors="replace"))


def put_aside(opened: OpenTask, window: str) -> None:
    """Before an agent starts: an earlier one's report is not its own. It is kept, in case nobody has taken it."""
    path = os.path.join(opened.directory, ".orange-outcome")
    earlier = _text(path)
    if earlier.strip():
        os.makedirs(os.path.join(opened.directory, "logs"), exist_ok=True)
        replace_file(os.path.join(opened.directory, "logs", f"{window}.outcome"), earlier.encode(errors="replace"))
    replace_file(path, b"", durable=False)


def current(opened: OpenTask) -> Report:
    """The report that lies there; raises `Unreadable` where there is none."""
    return read_report(_text(os.path.join(opened.directory, ".orange-outcome")), opened.task.id)


def cost(opened: OpenTask, window: str) -> dict[str, Any]:
    """How long the agent took and what it used, as far as it says so."""
    found = envelope(_printed(opened, window))
    usage = found.get("usage")
    names = ("input_tokens", "output_tokens")
    tokens = [usage.get(name) for name in names] if isinstance(usage, dict) else []
    known = [number for number in tokens if isinstance(number, int)]
    took = found.get("duration_ms")
    return ({"tokens": sum(known)} if known else {}) | ({"milliseconds": took} if isinstance(took, int) else {})


def last_report(journal: Journal) -> dict[str, Any] | None:
    """What was reported last, as `Report.as_json` has it."""
    event = journal.last("agent.reported")
    report = event.get("report") if event is not None else None
    return report if isinstance(report, dict) else None


def as_markdown(report: Report) -> str:
    """The report for people, as a section of TASK.md."""
    because = report.why or report.reason
    parts = [report.summary, f"**{report.judged}**{f': {because}' if because else ''}"]
    lists = (
        ("Accomplished", report.accomplished),
        ("Remaining", report.remaining),
        ("Blockers", report.blockers),
        ("Files changed", report.files_changed),
        ("Delegated", [each.title for each in report.delegations]),
    )
    parts += [_bullets(title, items) for title, items in lists if items]
    return demote_headings("\n\n".join(part for part in parts if part))


def with_report(body: str, report: Report) -> str:
    """The body with this report in place of the one before."""
    return put_section(body, SECTION, as_markdown(report))


def _bullets(title: str, items: Sequence[str]) -> str:
    return f"{title}:\n\n" + "\n".join(f"- {' '.join(item.split())}" for item in items)


def _text(path: str) -> str:
    try:
        return read_bytes(path, max_bytes=_MOST_BYTES).decode(errors="replace")
    except OrangeError:
        return ""


def _printed(opened: OpenTask, window: str) -> str:
    """The end of what an agent printed: its answer comes last, however much it has said before."""
    try:
        with open(answer_file(opened.directory, window), "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _MOST_BYTES))
            return file.read(_MOST_BYTES).decode(errors="replace")
    except OSError:
        return ""
