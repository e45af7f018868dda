"""The YAML block at the head of TASK.md, read and changed line by line.

A rewrite replaces the lines of the keys it changes and leaves every other byte alone: unknown fields, their
order, comments and quoting survive. Orange writes simple lines, so most files are read by `_read_simple`
without a YAML parser; whatever is less simple goes to the real one, and a property test holds the two equal.
"""

from __future__ import annotations

import json
import re

from orange_tui.domain.errors import Unreadable
from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_FENCE = re.compile(r"---[ \t]*(?:\r\n|\n|\r|$)")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|$)")
_QUOTED = r'"(?:[^"\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]|\\["\\nt])*"'
_SIMPLE_LINE = re.compile(
    r"([a-z_]+):(?: (?:"
    r"(?P<null>null)|(?P<number>0|[1-9][0-9]{0,14})"
    rf"|(?P<json>{_QUOTED}|\[\]|\[{_QUOTED}(?:, {_QUOTED})*\])"
    r"|(?P<word>[a-z][a-z0-9]*(?:[/_.-][a-z0-9]+)*)))?(?:\r\n|\n)",
    re.ASCII,
)
_WORD = re.compile(r"[a-z][a-z0-9]*(?:[/_.-][a-z0-9]+)*", re.ASCII)
_NOT_WORDS = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})
_MOST_YAML = 256 * 1024


@record
class Entry:
    """One top-level key: its value as data, its text as written, and the lines it takes."""

    value: object
    text: str | None  # a scalar exactly as typed: dates and numbers in text fields stay what they were
    first: int
    after: int


@record
class Head:
    """A file taken apart: opening line, YAML lines, closing line, body. Joined, they are the file."""

    opening: str
    lines: tuple[str, ...]
    closing: str
    body: str

    @property
    def newline(self) -> str:
        """The line end this file uses."""
        return "\r\n" if self.opening.endswith("\r\n") else "\n"


def split(text: str) -> Head:
    """Take a TASK.md apart; without frontmatter it is not one."""
    start = 1 if text.startswith("\ufeff") else 0
    fence = _FENCE.match(text, start)
    if fence is None:
        raise Unreadable("there is no frontmatter: the first line must be `---`", line=1)
    position, lines = fence.end(), list[str]()
    while position < len(text):
        line = _line_at(text, position)
        position += len(line)
        if _FENCE.fullmatch(line):
            return Head(text[: fence.end()], tuple(lines), line, text[position:])
        lines.append(line)
    raise Unreadable("the frontmatter is never closed: a line `---` must follow it", line=len(lines) + 1)


def _line_at(text: str, position: int) -> str:
    found = _LINE.match(text, position)
    return found[0] if found else ""


def join(head: Head) -> str:
    """The file again."""
    return head.opening + "".join(head.lines) + head.closing + head.body


def read(head: Head) -> dict[str, Entry]:
    """Every top-level key with its value; line numbers in errors count from the head of the file."""
    simple = _read_simple(head.lines)
    return _read_yaml(head.lines) if simple is None else simple


def _read_simple(lines: tuple[str, ...]) -> dict[str, Entry] | None:
    entries: dict[str, Entry] = {}
    for number, line in enumerate(lines):
        match = _SIMPLE_LINE.fullmatch(line)
        if match is None or match[1] in entries or match["word"] in _NOT_WORDS or match[1] in _NOT_WORDS:
            return None
        value, text = _simple_value(match)
        entries[match[1]] = Entry(value, text, number, number + 1)
    return entries


def _simple_value(match: re.Match[str]) -> tuple[object, str | None]:
    if match["word"] is not None:
        return match["word"], match["word"]
    if match["number"] is not None:
        return int(match["number"]), match["number"]
    if match["json"] is not None:
        value = json.loads(match["json"])
        return value, value if isinstance(value, str) else None
    return None, match["null"] or ""


def _read_yaml(lines: tuple[str, ...]) -> dict[str, Entry]:
    from orange_tui.domain import yaml_text

    try:
        node = yaml_text.compose("".join(lines), max_bytes=_MOST_YAML)
        if node is None:
            return {}
        entries = {}
        for key, first, value_node in yaml_text.mapping_entries(node):
            text = yaml_text.text_of(value_node) if yaml_text.kind_of(value_node) == "scalar" else None
            entries[key] = Entry(yaml_text.to_value(value_node), text, first - 1, value_node.end_mark.line + 1)
    except Unreadable as problem:
        raise Unreadable(problem.reason, line=problem.line + 1 if problem.line else None) from None
    return _close_gaps(entries, lines)


def _close_gaps(entries: dict[str, Entry], lines: tuple[str, ...]) -> dict[str, Entry]:
    """A key's lines end before the next key and before trailing comments and blank lines.

    YAML ends a block value at the token after it, which may be many lines further down.
    """
    from orange_tui.domain.records import replace

    starts = sorted(entry.first for entry in entries.values())
    closed = {}
    for key, entry in entries.items():
        limit = min([start for start in starts if start > entry.first], default=len(lines))
        after = min(max(entry.after, entry.first + 1), limit)
        while after > entry.first + 1 and _says_nothing(lines[after - 1]):
            after -= 1
        closed[key] = replace(entry, after=after)
    return closed


def _says_nothing(line: str) -> bool:
    return not line.strip() or line.startswith("#")


def change(head: Head, changes: Mapping[str, object]) -> Head:
    """Set keys to values; keys that were not there are added at the end, others keep their place."""
    entries = read(head)
    lines: list[str | None] = list(head.lines)
    added = []
    for key, value in changes.items():
        line = f"{key}: {write_value(value)}{head.newline}"
        entry = entries.get(key)
        if entry is None:
            added.append(line)
        elif entry.value != _plain(value):
            lines[entry.first : entry.after] = [line, *[None] * (entry.after - entry.first - 1)]
    changed = _with_lines(head, [line for line in lines if line is not None] + added)
    return changed if _took(changed, entries, changes) else _rewrite(head, entries, changes)


def _with_lines(head: Head, lines: list[str]) -> Head:
    if lines and not lines[-1].endswith(("\n", "\r")):
        lines[-1] += head.newline
    return Head(head.opening, tuple(lines), head.closing, head.body)


def _took(head: Head, before: Mapping[str, Entry], changes: Mapping[str, object]) -> bool:
    """Whether the new lines read back as the old values with the changes; if not, editing lines was too clever."""
    try:
        after = {key: entry.value for key, entry in read(head).items()}
    except Unreadable:
        return False
    wanted = {key: entry.value for key, entry in before.items()} | {k: _plain(v) for k, v in changes.items()}
    return after == wanted and list(after) == list(wanted)


def _rewrite(head: Head, before: Mapping[str, Entry], changes: Mapping[str, object]) -> Head:
    """Write the whole block anew: for YAML that no single line can be replaced in, such as a flow mapping."""
    values = {key: entry.value for key, entry in before.items()} | dict(changes)
    return _with_lines(
        head,
        [
            f"{json.dumps(key) if not _is_word(key) else key}: {write_value(v)}{head.newline}"
            for key, v in values.items()
        ],
    )


def write_value(value: object) -> str:
    """A value on one line, such that YAML 1.1, YAML 1.2 and people read the same."""
    if isinstance(value, str) and _is_word(value):
        return value
    return _escape(json.dumps(_plain(value), ensure_ascii=False))


def _is_word(text: str) -> bool:
    return _WORD.fullmatch(text) is not None and text not in _NOT_WORDS


def _escape(text: str) -> str:
    """JSON lets through a few characters that YAML does not."""
    return re.sub(
        "[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]",
        lambda found: f"\\u{ord(found[0]):04x}",
        text,
    )


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value
