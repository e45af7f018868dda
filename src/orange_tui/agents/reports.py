"""An agent's report in `.orange-outcome`: read, taken from what it printed, archived, and shown in TASK.md."""

from __future__ import annotations

import json
import os

from orange_tui.agents.launch import answer_file
from orange_tui.domain.errors import OrangeError
from orange_tui.domain.report import MAX_CHARACTERS, read_report
from orange_tui.domain.text.json_answers import envelope, find_answer
from orange_tui.home.files import make_directory, read_bytes, read_end, replace_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from orange_tui.domain.report import Report
    from orange_tui.store.open_task import OpenTask

SECTION = "Report"
_MAX_BYTES = 4 * MAX_CHARACTERS


def save_printed_report(opened: OpenTask, window: str) -> None:
    """Where an agent printed its report and wrote none, write the file for it. The agent has ended by now."""
    path = _report_file(opened)
    if _text(path).strip():
        return
    found = find_answer(_printed(opened, window), "status")
    if found is not None:
        replace_file(path, json.dumps(found, ensure_ascii=False).encode(errors="replace"))


def archive_report(opened: OpenTask, window: str) -> None:
    """Before an agent starts: move an earlier agent's report to the logs, in case nobody has read it."""
    path = _report_file(opened)
    earlier = _text(path)
    if earlier.strip():
        logs = os.path.join(opened.state_directory, "logs")
        make_directory(logs)
        replace_file(os.path.join(logs, f"{window}.outcome"), earlier.encode(errors="replace"), follow=False)
    replace_file(path, b"", durable=False)


def current_report(opened: OpenTask) -> Report:
    """The report in the file; raises `Unreadable` where there is none."""
    return read_report(_text(_report_file(opened)), opened.task.id)


def printed_usage(opened: OpenTask, window: str) -> dict[str, Any]:
    """The tokens and the time an agent used, as far as it printed them."""
    found = envelope(_printed(opened, window))
    usage = found.get("usage")
    names = ("input_tokens", "output_tokens")
    tokens = [usage.get(name) for name in names] if isinstance(usage, dict) else []
    known = [number for number in tokens if isinstance(number, int)]
    took = found.get("duration_ms")
    return ({"tokens": sum(known)} if known else {}) | ({"milliseconds": took} if isinstance(took, int) else {})


def as_markdown(report: Report) -> str:
    """The report for people, as a section of TASK.md."""
    from orange_tui.domain.text.sections import demote_headings  # a Markdown parser, which most starts do not need

    because = ". ".join(text for text in (report.why, report.reason) if text)
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
    from orange_tui.domain.text.sections import put_section

    return put_section(body, SECTION, as_markdown(report))


def _bullets(title: str, items: Sequence[str]) -> str:
    return f"{title}:\n\n" + "\n".join(f"- {' '.join(item.split())}" for item in items)


def _report_file(opened: OpenTask) -> str:
    return os.path.join(opened.directory, ".orange-outcome")


def _text(path: str) -> str:
    try:
        return read_bytes(path, max_bytes=_MAX_BYTES, follow=False).decode(errors="replace")
    except OrangeError:
        return ""


def _printed(opened: OpenTask, window: str) -> str:
    """The end of what an agent printed: its answer comes last, however much came before."""
    return read_end(answer_file(opened.state_directory, window), _MAX_BYTES).decode(errors="replace")
