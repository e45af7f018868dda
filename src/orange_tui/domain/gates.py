"""Does this task have what a gate asks for, and if not, what exactly is missing.

A gate with a `command` is run by the engine: the domain runs nothing.
"""

from __future__ import annotations

import json
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.sections import Section
    from orange_tui.domain.workflow import Gate

_ANY_VERDICT = re.compile(r"\b(PASS|FAIL)\b", re.IGNORECASE | re.ASCII)
_FIRST_VERDICT = re.compile(r" {0,3}verdict:[ \t]*(PASS|FAIL)[ \t]*", re.IGNORECASE | re.ASCII)
_EMPHASIS = str.maketrans("", "", "*_")
_MOST_OUTCOME = 64 * 1024


def missing(gate: Gate, body: str, outcome: str | None, task_id: str) -> str | None:
    """What keeps the gate shut, with an example of what would open it; None when it is open."""
    if gate.outcome:
        return _missing_outcome(gate, outcome, task_id)
    if gate.section:
        return _missing_in_section(gate, body)
    return None


def _missing_in_section(gate: Gate, body: str) -> str | None:
    from orange_tui.domain.sections import find_section, section_name

    name = f"## {section_name(gate.section or '')}"
    section = find_section(body, name)
    if section is None:
        return f"TASK.md has no section {name}{_swallowed(body, name)}. {_example(gate, name)}"
    if gate.fields and not _has_field(section, gate.fields):
        fields = ", ".join(f"{field}:" for field in gate.fields)
        return f"{name} has no line that begins with one of {fields} and says something. {_example(gate, name)}"
    if gate.verdict:
        return _missing_verdict(gate, name, section)
    if not any(line.strip() for line in section.lines):
        return f"{name} is empty. {_example(gate, name)}"
    return None


def _swallowed(body: str, name: str) -> str:
    """A heading that is there for the eye but not for Markdown deserves an explanation."""
    from orange_tui.domain.sections import same_name

    for number, line in enumerate(body.splitlines(), 1):
        if line.lstrip(" >-*+").startswith("#") and same_name(line.lstrip(" >-*+"), name):
            return (
                f" (line {number} of its body looks like one, but stands inside a code block, a quote, a list or a"
                " comment, or has no space after ##: a fence or `<!--` above it may never be closed)"
            )
    return ""


def _has_field(section: Section, fields: tuple[str, ...]) -> bool:
    wanted = re.compile(rf"(?:{'|'.join(map(re.escape, fields))}):[ \t]*\S")
    return any(wanted.match(line) for line in section.prose())


def _missing_verdict(gate: Gate, name: str, section: Section) -> str | None:
    verdict = _first_verdict(section) if gate.verdict_line == "first" else _any_verdict(section)
    if verdict == gate.verdict:
        return None
    if verdict is not None:
        return f"{name} says {verdict}, and this move is for {gate.verdict}"
    where = "Its first line must be the verdict alone. " if gate.verdict_line == "first" else ""
    return f"{name} has no verdict. {where}{_example(gate, name)}"


def _first_verdict(section: Section) -> str | None:
    first = next((line for line in section.lines if line.strip()), "")
    match = _FIRST_VERDICT.fullmatch(first.translate(_EMPHASIS).rstrip())
    return match[1].upper() if match else None


def _any_verdict(section: Section) -> str | None:
    match = _ANY_VERDICT.search(section.text)
    return match[1].upper() if match else None


def _missing_outcome(gate: Gate, outcome: str | None, task_id: str) -> str | None:
    wanted = " or ".join(gate.outcome)
    example = f'Write for example:\n  {{"id": "{task_id}", "outcome": "{gate.outcome[0]}"}}'
    if outcome is None or not outcome.strip():
        return f".orange-outcome is empty; this move is for {wanted}. {example}"
    try:
        data = json.loads(outcome) if len(outcome) <= _MOST_OUTCOME else None
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        return f".orange-outcome is not a JSON object. {example}"
    if data.get("id") != task_id:
        return f".orange-outcome is about task {data.get('id')!r}, not {task_id}. {example}"
    if data.get("outcome") not in gate.outcome:
        return f".orange-outcome says {data.get('outcome')!r}, and this move is for {wanted}. {example}"
    return None


def _example(gate: Gate, name: str) -> str:
    if gate.verdict:
        line = f"Verdict: {gate.verdict}"
    elif gate.fields:
        line = f"{gate.fields[0]}: what you have to say, on the same line"
    else:
        line = "What you have to say."
    return f"Write for example:\n  {name}\n  {line}"
