"""Does this task have what a gate asks for, and if not, what exactly is missing.

A gate with a `command` is run by the engine: the domain runs nothing.
"""

from __future__ import annotations

import json
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.text.sections import Section
    from orange_tui.domain.workflow import Gate

_ANY_VERDICT = r"(?ia)\b(PASS|FAIL)\b"
_FIRST_VERDICT = r"(?ia) {0,3}verdict:[ \t]*(PASS|FAIL)[ \t]*"
_EMPHASIS = str.maketrans("", "", "*_")
_COMMENT = r"(?s)<!--.*?(?:-->|\Z)"
_MOST_OUTCOME = 64 * 1024
_LONGEST_QUOTE = 60


def missing(gate: Gate, body: str, outcome: str | None, task_id: str) -> str | None:
    """What keeps the gate shut, with an example of what would open it; None when it is open."""
    if gate.outcome:
        return _missing_outcome(gate, outcome, task_id)
    if gate.report:
        return _missing_report(gate, outcome, task_id)
    if gate.section:
        return _missing_in_section(gate, body)
    return None


def _missing_in_section(gate: Gate, body: str) -> str | None:
    from orange_tui.domain.text.sections import find_section, section_name

    name = f"## {section_name(gate.section or '')}"
    section = find_section(body, name)
    if section is None:
        fault: str | None = f"TASK.md has no section {name}{_swallowed(body, name)}"
    elif gate.fields and not _has_field(section, gate.fields):
        fields = ", ".join(f"{field}:" for field in gate.fields)
        fault = f"{name} has no line that begins with one of {fields} and says something"
    elif gate.verdict:
        fault = _wrong_verdict(gate, name, section)
    else:
        fault = None if _has_content(section) else f"{name} is empty"
    return f"{fault}. {_example(gate, name)}" if fault else None


def _swallowed(body: str, name: str) -> str:
    """A heading that is there for the eye but not for Markdown deserves an explanation."""
    from orange_tui.domain.text.sections import same_name, split_lines

    for number, line in enumerate(split_lines(body), 1):
        title = line.lstrip(" \t>-*+")
        if title.startswith("#") and same_name(title, name):
            return (
                f" (line {number} of its body looks like one, but stands inside a code block, a quote, a list or a"
                " comment, or has no space after ##, or more or less than two #:"
                " a fence or `<!--` above it may never be closed)"
            )
    return ""


def _has_content(section: Section) -> bool:
    """Whether there is more than blanks and comments: a template's `<!-- what was done -->` says nothing."""
    return bool(re.sub(_COMMENT, "", section.text).strip())


def _has_field(section: Section, fields: tuple[str, ...]) -> bool:
    wanted = re.compile(rf"(?:{'|'.join(map(re.escape, fields))}):[ \t]*\S")
    return any(wanted.match(line) for line in section.prose())


def _wrong_verdict(gate: Gate, name: str, section: Section) -> str | None:
    verdict = _first_verdict(section) if gate.verdict_line == "first" else _any_verdict(section)
    if verdict == gate.verdict:
        return None
    if verdict is not None:
        return f"{name} says {verdict}, and this move is for {gate.verdict}"
    where = "; its first line must be the verdict alone" if gate.verdict_line == "first" else ""
    return f"{name} has no verdict{where}"


def _first_verdict(section: Section) -> str | None:
    first = next((line for line in section.lines if line.strip()), "")
    match = re.fullmatch(_FIRST_VERDICT, first.translate(_EMPHASIS).rstrip())
    return match[1].upper() if match else None


def _any_verdict(section: Section) -> str | None:
    match = re.search(_ANY_VERDICT, section.text)
    return match[1].upper() if match else None


def _missing_outcome(gate: Gate, outcome: str | None, task_id: str) -> str | None:
    fault = _wrong_outcome(gate, (outcome or "").strip(), task_id)
    example = f'Write for example:\n  {{"id": "{task_id}", "outcome": "{gate.outcome[0]}"}}'
    return f".orange-outcome {fault}. {example}" if fault else None


def _wrong_outcome(gate: Gate, outcome: str, task_id: str) -> str | None:
    wanted = " or ".join(gate.outcome)
    if not outcome:
        return f"is empty, and this move is for {wanted}"
    if len(outcome) > _MOST_OUTCOME:
        return f"is longer than {_MOST_OUTCOME:,} characters, and this move is for {wanted}"
    try:
        data = json.loads(outcome)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        return f"is not a JSON object, and this move is for {wanted}"
    if data.get("id") != task_id:
        return f"is about task {_quoted(data.get('id'))}, not {task_id}"
    if data.get("outcome") not in gate.outcome:
        return f"says {_quoted(data.get('outcome'))}, and this move is for {wanted}"
    return None


def _missing_report(gate: Gate, outcome: str | None, task_id: str) -> str | None:
    from orange_tui.domain.errors import Unreadable
    from orange_tui.domain.report import read_report

    wanted = " or ".join(gate.report)
    example = f'Write for example:\n  {{"status": "{gate.report[0]}", "summary": "what was done"}}'
    try:
        report = read_report(outcome or "", task_id)
    except Unreadable as problem:
        return f"{problem}, and this move is for {wanted}. {example}"
    if report.judged in gate.report:
        return None
    why = f" ({report.why})" if report.why else ""
    return f"the report comes to {report.judged}{why}, and this move is for {wanted}. {example}"


def _quoted(value: object) -> str:
    """Enough of what was written to recognise it; `ascii` also shows what a terminal would obey."""
    text = ascii(value)
    return text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}…"


def _example(gate: Gate, name: str) -> str:
    """The heading and a line for each thing the gate asks for."""
    lines = [name]
    if gate.verdict:
        lines.append(f"Verdict: {gate.verdict}")
    if gate.fields:
        lines.append(f"{gate.fields[0]}: what you have to say, on the same line")
    if len(lines) == 1:
        lines.append("What you have to say.")
    return "Write for example:" + "".join(f"\n  {line}" for line in lines)
