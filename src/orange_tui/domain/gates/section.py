"""Gates on a section of TASK.md: that it has content, a field, or a verdict."""

from __future__ import annotations

import re

from orange_tui.domain.gates.gate import Gate, either, with_example
from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from orange_tui.domain.gates.gate import Evidence
    from orange_tui.domain.text.sections import Section
    from orange_tui.domain.text.yaml_nodes import Item

# Patterns are compiled when they are needed: this is on the path of every command on a task.
_HEADING = r"##[ \t]+[^\s#][^\n]*"
_FIELD_NAME = r"(?a)[A-Z][A-Z0-9_-]*"
_ANY_VERDICT = r"(?ia)\b(PASS|FAIL)\b"
_FIRST_VERDICT = r"(?ia) {0,3}verdict:[ \t]*(PASS|FAIL)[ \t]*"
_EMPHASIS = str.maketrans("", "", "*_")
_COMMENT = r"(?s)<!--.*?(?:-->|\Z)"


_OPTIONS: Mapping[str, str] = {
    "required": "`true` says so in so many words.",
    "fields": "A line `FIELD: text` for at least one of these words in capitals, such as `[DONE, REMAINING]`.",
    "verdict": "The section says `PASS` or `FAIL`, whichever is written here.",
    "verdict_line": "Where the verdict is looked for: on the `first` line, which is `Verdict: PASS` and nothing more,"
    " or on `any` line (the default).",
}


@record
class SectionGate(Gate):
    """The section has a line for one of the fields, and the verdict; where neither is asked for, any content."""

    section: str
    fields: tuple[str, ...] = ()
    verdict: str | None = None
    verdict_line: str = "any"

    key = "section"
    is_in_body = True
    meaning = "The section of TASK.md is there and has something in it besides its heading."
    options = _OPTIONS

    @classmethod
    def read(cls, entries: Mapping[str, Item]) -> SectionGate:
        """`section: "## Handoff"`, and what its options ask for."""
        if "verdict_line" in entries and "verdict" not in entries:
            entries["verdict_line"].add_problem(
                "needs a `verdict`", "add `verdict: PASS` or `verdict: FAIL`, or remove it"
            )
        verdict = entries["verdict"].word(("PASS", "FAIL")) if "verdict" in entries else None
        verdict_line = entries["verdict_line"].word(("first", "any")) if "verdict_line" in entries else None
        _check_required(entries)
        fields = _read_fields(entries.get("fields"))
        return SectionGate(_read_heading(entries.get("section")), fields, verdict, verdict_line or "any")

    def missing(self, evidence: Evidence) -> str | None:
        """What the section lacks."""
        from orange_tui.domain.text.sections import find_section, section_name

        heading = f"## {section_name(self.section)}"
        section = find_section(evidence.body, heading)
        if section is None:
            problem: str | None = f"TASK.md has no section {heading}{_lookalike(evidence.body, heading)}"
        elif self.fields and not _has_field(section, self.fields):
            fields = either([f"{field}:" for field in self.fields])
            problem = f"{heading} needs a line that starts with {fields} and has text after it"
        elif self.verdict:
            problem = self._wrong_verdict(heading, section)
        else:
            problem = None if _has_content(section) else f"{heading} is empty"
        return with_example(problem, *self._example(heading)) if problem else None

    def artifact(self, evidence: Evidence) -> str | None:
        """The section's text; blank lines at its end belong to whatever comes after it."""
        from orange_tui.domain.text.sections import find_section

        section = find_section(evidence.body, self.section)
        return section.text.strip() if section is not None else None

    def _wrong_verdict(self, heading: str, section: Section) -> str | None:
        verdict = _first_verdict(section) if self.verdict_line == "first" else _any_verdict(section)
        if verdict == self.verdict:
            return None
        if verdict is not None:
            return f"{heading} says {verdict}, but this move needs {self.verdict}"
        where = ": its first line must be the verdict and nothing else" if self.verdict_line == "first" else ""
        return f"{heading} has no verdict{where}"

    def _example(self, heading: str) -> list[str]:
        """The heading and a line for each thing the gate asks for."""
        lines = [heading]
        if self.verdict:
            lines.append(f"Verdict: {self.verdict}")
        if self.fields:
            lines.append(f"{self.fields[0]}: what you have to say, on the same line")
        return lines if len(lines) > 1 else [*lines, "What you have to say."]

    def description(self) -> str:
        """The section and what must be in it."""
        if self.verdict:
            place = "on its first line" if self.verdict_line == "first" else "on any line"
            return f"{self.section} with {self.verdict} {place}"
        return f"{self.section} with {either(self.fields) if self.fields else 'something in it'}"


def _read_heading(item: Item | None) -> str:
    from orange_tui.domain.text.findings import quoted

    if item is None:
        return ""
    if item.is_null:
        item.add_problem("is empty, because YAML takes `#` for a comment", 'quote it: section: "## Handoff"')
        return ""
    text = item.text()
    if text is not None and not re.fullmatch(_HEADING, text):
        item.add_problem(f"is {quoted(text)}", 'write the heading with two #, in quotes: "## Handoff"')
    return text or ""


def _check_required(entries: Mapping[str, Item]) -> None:
    """A gate that names only a section asks for its content, also where it says otherwise."""
    required = entries["required"].flag() if "required" in entries else True
    if required is False and "fields" not in entries and "verdict" not in entries:
        entries["required"].findings.add_warning(
            entries["required"].line,
            "a gate on a section always asks for content, even with `required: false`",
            "remove the gate if nothing is required",
        )


def _read_fields(item: Item | None) -> tuple[str, ...]:
    from orange_tui.domain.text.findings import quoted

    if item is None:
        return ()
    words = [entry.text() for entry in item.items("a field")]
    if item.is_null or (item.is_list and not words):
        item.add_problem("is empty", "name at least one field, such as [DONE, REMAINING]")
    for word in words:
        if word is not None and not re.fullmatch(_FIELD_NAME, word):
            item.add_problem(f"has {quoted(word)}", "write each field as one word in capitals, such as DONE")
    return tuple(word for word in words if word is not None)


def _lookalike(body: str, heading: str) -> str:
    """Why a heading that a person sees is none for Markdown, if there is one."""
    from orange_tui.domain.text.sections import same_name, split_lines

    for number, line in enumerate(split_lines(body), 1):
        title = line.lstrip(" \t>-*+")
        if title.startswith("#") and same_name(title, heading):
            return (
                f" (line {number} of its body looks like one, but it is inside a code block, a quote, a list or a"
                " comment, or it has no space after ##, or more or fewer than two #;"
                " a code fence or `<!--` above it may never be closed)"
            )
    return ""


def _has_content(section: Section) -> bool:
    """Whether there is more than blanks and comments: a template's `<!-- what was done -->` says nothing."""
    return bool(re.sub(_COMMENT, "", section.text).strip())


def _has_field(section: Section, fields: tuple[str, ...]) -> bool:
    wanted = re.compile(rf"(?:{'|'.join(map(re.escape, fields))}):[ \t]*\S")
    return any(wanted.match(line) for line in section.prose())


def _first_verdict(section: Section) -> str | None:
    first = next((line for line in section.lines if line.strip()), "")
    match = re.fullmatch(_FIRST_VERDICT, first.translate(_EMPHASIS).rstrip())
    return match[1].upper() if match else None


def _any_verdict(section: Section) -> str | None:
    match = re.search(_ANY_VERDICT, section.text)
    return match[1].upper() if match else None
