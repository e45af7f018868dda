"""A permission that an agent asks for: exactly what, in one line for a list and in full for a dialog.

All of it is the agent's own text, and it may want to be misread: so nothing is cut without saying so, and whatever a
terminal would not show as it stands is shown as an escape.
"""

from __future__ import annotations

import json

from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

MAX_CHARACTERS = 500_000  # of a tool's input; what asks for more is answered in the agent's own window
_MAX_NAME_CHARACTERS = 100
_LINE_CHARACTERS = 160
_MAX_NESTED = 50  # lists and objects within each other; whoever shows them calls itself as often
_AGENTS_REASON = "description"  # of a command: the agent's own words about it, which change and allow nothing
_SHELL = "Bash"  # to any other tool, a description may be what it acts on
_FILES = {"Edit": "file_path", "MultiEdit": "file_path", "Write": "file_path", "NotebookEdit": "notebook_path"}
_ONE_BY_ONE = frozenset({_SHELL, *_FILES})  # tools that an agent does not use several of at once
_WHOSE = ("session_id", "agent_id")
_FIRST = ("command", "file_path", "notebook_path", "path", "url", "pattern", "query")


@record
class Question:
    """One open question of one window. `given` is the tool's input, as JSON with its keys in order."""

    id: str
    window: str
    agent: str
    tool: str
    given: str
    directory: str  # where the agent is
    conversation: str  # which of the window's, and whose in it: an agent may run others
    asked_at: str

    @property
    def values(self) -> Mapping[str, Any]:
        """The tool's input."""
        found = json.loads(self.given)
        return found if isinstance(found, dict) else {}

    @property
    def reason(self) -> str:
        """What the agent itself says about it; empty where it says nothing."""
        found = self.values.get(_AGENTS_REASON)
        return found if self.tool == _SHELL and isinstance(found, str) else ""

    @property
    def effects(self) -> dict[str, Any]:
        """The tool's input without that reason: all that tells what would be done."""
        return {key: value for key, value in self.values.items() if not (self.reason and key == _AGENTS_REASON)}

    @property
    def subject(self) -> str:
        """What it is about: two questions with the same one are equal, whichever tasks they are from."""
        return json.dumps([self.tool, self.effects], sort_keys=True)

    @property
    def file(self) -> str | None:
        """The one file that it would change, for a tool that changes one."""
        path = self.values.get(_FILES[self.tool]) if self.tool in _FILES else None
        return path if isinstance(path, str) and path.startswith("/") else None

    def line(self) -> str:
        """The question in one line; of a long one, how long it is comes before how it begins."""
        text = " ⏎ ".join(part.strip() for part in _main_text(self.effects).splitlines() if part.strip())
        shown = visible(" ".join(text.split()))
        if len(shown) <= _LINE_CHARACTERS:
            return f"{visible(self.tool)}: {shown}" if shown else visible(self.tool)
        length = f"{len(_main_text(self.effects)):,}"
        return f"{visible(self.tool)} ({length} characters, cut here): {shown[:_LINE_CHARACTERS]}…"

    def full_text(self) -> str:
        """All that would be done, line by line, with nothing left out but the agent's own words about it."""
        values = self.effects
        if list(values) == ["command"] and isinstance(values["command"], str):
            return visible_lines(values["command"])
        parts = []
        for key in sorted(values, key=_place):
            value = values[key]
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
            shown = visible_lines(text)
            parts.append(f"{visible(key)}:\n{shown}" if "\n" in shown else f"{visible(key)}: {shown}")
        return "\n".join(parts)

    def is_past_with(self, later: Question) -> bool:
        """Whether another question of the same conversation tells that this one was answered in the agent's window."""
        is_same = (self.window, self.conversation) == (later.window, later.conversation)
        return is_same and self.id != later.id and self.tool in _ONE_BY_ONE

    def as_json(self) -> dict[str, str]:
        """As it is stored."""
        return dict(self.__dict__)


def make_question(
    report: Mapping[str, object], *, question_id: str, window: str, agent: str, asked_at: str
) -> Question | None:
    """The question of an agent's report; None where there is none, or more than a person can be shown."""
    tool, given = report.get("tool_name"), report.get("tool_input")
    if not isinstance(tool, str) or not tool.strip() or len(tool) > _MAX_NAME_CHARACTERS or not isinstance(given, dict):
        return None
    text = _as_json(given)
    directory = report.get("cwd")
    if text is None or len(text) > MAX_CHARACTERS or _is_deep(given):
        return None
    where = directory if isinstance(directory, str) else ""
    conversation = " ".join(str(report[name])[:_MAX_NAME_CHARACTERS] for name in _WHOSE if report.get(name))
    return Question(question_id, window, agent, tool, text, where, conversation, asked_at)


def _as_json(given: Mapping[str, object]) -> str | None:
    """A tool's input as JSON; None for numbers that JSON has not, though Python reads them."""
    try:
        return json.dumps(given, sort_keys=True, allow_nan=False)
    except (ValueError, RecursionError):
        return None


def _is_deep(given: object) -> bool:
    level: list[object] = [given]
    for _ in range(_MAX_NESTED):
        inner = (each.values() if isinstance(each, dict) else each for each in level if isinstance(each, dict | list))
        level = [each for values in inner for each in values]
    return any(isinstance(each, dict | list) for each in level)


def read_question(found: object) -> Question | None:
    """A question as it was stored; None for what is none."""
    names = Question.__annotations__
    if not isinstance(found, dict) or any(not isinstance(found.get(name), str) for name in names):
        return None
    try:
        is_object = isinstance(json.loads(found["given"]), dict)
    except (ValueError, RecursionError):
        return None
    return Question(*(found[name] for name in names)) if is_object else None


def visible(text: str) -> str:
    """Text of one line with nothing in it that cannot be seen, or that changes how the rest is seen."""
    return text if text.isprintable() else "".join(map(_visible_character, text))


def visible_lines(text: str) -> str:
    """The same for text of several lines; a carriage return is no line's end, as it would hide what is before it."""
    return "\n".join(visible(line.expandtabs(4)) for line in text.split("\n"))


def _visible_character(character: str) -> str:
    if character.isprintable():
        return character
    return f"\\u{{{ord(character):x}}}"


def _main_text(values: Mapping[str, Any]) -> str:
    """What a line is about: the command, the file or the address, else all of it."""
    named = next((values[key] for key in _FIRST if isinstance(values.get(key), str)), None)
    if named is not None:
        return str(named)
    return json.dumps(values, ensure_ascii=False) if values else ""


def _place(key: str) -> tuple[int, str]:
    return (_FIRST.index(key) if key in _FIRST else len(_FIRST), key)
