"""The YAML block at the head of TASK.md, read and changed line by line.

A rewrite replaces the lines of the keys it changes and leaves every other byte alone: unknown fields, their
order, comments and quoting survive. Orange writes simple lines, so most files are read without a YAML parser;
everything else goes to the YAML parser, and a property test checks that the two agree.
"""

from __future__ import annotations

import json
from functools import lru_cache

from orange_tui.domain.errors import Refused, Unreadable
from orange_tui.domain.records import record, replace
from orange_tui.domain.text._frontmatter_values import (
    MAX_YAML_BYTES,
    FrontmatterEntry,
    read_simple,
    write_key,
    write_value,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["FrontmatterEntry", "Head", "change", "join", "read", "split", "with_body", "write_value"]

_MAX_SIMPLE_CHARACTERS = MAX_YAML_BYTES // 4  # none is longer than four bytes
_FENCE = "---"


@record
class Head:
    """A TASK.md split into opening line, YAML lines, closing line and body. Joined, they are the file again."""

    opening: str
    lines: tuple[str, ...]
    closing: str
    body: str

    @property
    def newline(self) -> str:
        """The line end this file uses."""
        return "\r\n" if self.opening.endswith("\r\n") else "\n"


def split(text: str) -> Head:
    """Split a TASK.md; without frontmatter it is refused."""
    return _split_plain(text) or _split_any(text)


def _split_plain(text: str) -> Head | None:
    """The same for a file with plain line ends and fences, as Orange writes them: ten thousand of these are read."""
    end = text.find("\n---\n", 3) if text.startswith("---\n") else -1
    block = text[4 : end + 1]
    if end < 0 or "\r" in block or "\n---" in block or block.startswith("---"):
        return None
    lines = tuple([f"{line}\n" for line in block.split("\n")[:-1]])
    return Head("---\n", lines, "---\n", text[end + 5 :])


def _split_any(text: str) -> Head:
    opening, lines = "", list[str]()
    position = 0
    for line in _lines(text):
        position += len(line)
        if not opening:
            if not _is_fence(line.removeprefix("\ufeff")):
                break
            opening = line
        elif _is_fence(line):
            return Head(opening, tuple(lines), line, text[position:])
        else:
            lines.append(line)
    if not opening:
        raise Unreadable("there is no frontmatter: the first line must be `---`", line=1)
    raise Unreadable("the frontmatter is never closed: add a line `---` after it", line=len(lines) + 1)


def _lines(text: str) -> Iterator[str]:
    """The lines with their line ends; splitlines() would also split where no editor does."""
    position = 0
    while position < len(text):
        end = text.find("\n", position) + 1 or len(text)
        lone = text.find("\r", position, end)
        if lone >= 0 and text[lone : lone + 2] != "\r\n":
            end = lone + 1
        yield text[position:end]
        position = end


def _is_fence(line: str) -> bool:
    return line.startswith(_FENCE) and not line[len(_FENCE) :].strip(" \t\r\n")


def join(head: Head) -> str:
    """The file again."""
    return head.opening + "".join(head.lines) + head.closing + head.body


def with_body(head: Head, body: str) -> Head:
    """The same frontmatter with another body; a closing line without a line end gets one."""
    closing = head.closing
    if body and not closing.endswith("\n") and (body[0] == "\n" or not closing.endswith("\r")):
        closing = closing.rstrip("\r") + head.newline
    return replace(head, closing=closing, body=body)


def read(head: Head) -> dict[str, FrontmatterEntry]:
    """Every top-level key with its value; line numbers in errors count from the top of the file."""
    simple = _read_simple(head.lines)
    if simple is not None:
        return simple
    from orange_tui.domain.text._frontmatter_yaml import read_yaml

    return read_yaml(head.lines)


def _read_simple(lines: tuple[str, ...]) -> dict[str, FrontmatterEntry] | None:
    """The entries of these lines as YAML would read them; None where that takes a YAML parser."""
    if sum(map(len, lines)) > _MAX_SIMPLE_CHARACTERS:
        return None
    entries: dict[str, FrontmatterEntry] = {}
    for number, line in enumerate(lines):
        found = _simple_entry(line, number)
        if found is None or found[0] in entries:
            return None
        entries[found[0]] = found[1]
    return entries


@lru_cache(maxsize=4096)  # most lines of a thousand tasks are the same, and in the same place
def _simple_entry(line: str, number: int) -> tuple[str, FrontmatterEntry] | None:
    found = read_simple(line)
    if found is None:
        return None
    key, value = found
    if isinstance(value, list):
        return key, FrontmatterEntry(value, None, number, number + 1, tuple(value))
    if isinstance(value, dict):
        return key, FrontmatterEntry(value, None, number, number + 1)
    text = value if isinstance(value, str) else _scalar_text(value, line)
    return key, FrontmatterEntry(value, text, number, number + 1, None)


def _scalar_text(value: object, line: str) -> str:
    return str(value) if value is not None else "null" if line.rstrip().endswith("null") else ""


def change(head: Head, changes: Mapping[str, object]) -> Head:
    """Set keys to values; keys that were not there are added at the end, others keep their place."""
    entries = read(head)
    for attempt in (_edit, _rewrite):
        changed = attempt(head, entries, changes)
        if _holds_changes(changed, entries, changes):
            return changed
    raise Refused(f"the frontmatter cannot hold a value for {', '.join(changes)}")


def _edit(head: Head, entries: Mapping[str, FrontmatterEntry], changes: Mapping[str, object]) -> Head:
    """Replace the lines of the changed keys and nothing else."""
    lines: list[str | None] = list(head.lines)
    indent = _indent_of(head, entries)
    added = []
    for key, value in changes.items():
        line = f"{indent}{write_key(key)}: {write_value(value)}{head.newline}"
        entry = entries.get(key)
        if entry is None:
            added.append(line)
        elif not _same(entry.value, value):
            lines[entry.first : entry.after] = [line, *[None] * (entry.after - entry.first - 1)]
    return _with_lines(head, [line for line in lines if line is not None] + added)


def _indent_of(head: Head, entries: Mapping[str, FrontmatterEntry]) -> str:
    """The indent of all keys, which need not be zero."""
    first = next((head.lines[entry.first] for entry in entries.values()), "")
    return first[: len(first) - len(first.lstrip(" "))]


def _with_lines(head: Head, lines: list[str]) -> Head:
    if lines and not lines[-1].endswith(("\n", "\r")):
        lines[-1] += head.newline
    return Head(head.opening, tuple(lines), head.closing, head.body)


def _holds_changes(head: Head, before: Mapping[str, FrontmatterEntry], changes: Mapping[str, object]) -> bool:
    """Whether the new lines read back as the old values with the changes applied."""
    try:
        after = {key: entry.value for key, entry in read(head).items()}
    except Unreadable:
        return False
    return _same(after, {key: entry.value for key, entry in before.items()} | dict(changes))


def _same(one: object, other: object) -> bool:
    """Equal in order and in type: to Python 1 == True, in a file they differ."""
    return json.dumps(one) == json.dumps(other)


def _rewrite(head: Head, before: Mapping[str, FrontmatterEntry], changes: Mapping[str, object]) -> Head:
    """Rewrite the whole block: for YAML whose lines cannot be replaced one by one, such as a flow mapping."""
    values = {key: _as_typed(entry) for key, entry in before.items()}
    values |= {key: write_value(value) for key, value in changes.items()}
    return _with_lines(head, [f"{write_key(key)}: {text}{head.newline}" for key, text in values.items()])


def _as_typed(entry: FrontmatterEntry) -> str:
    """The value as it was typed: `0x1f` and `yes` may be the text of a summary."""
    return write_value(entry.value) if entry.text is None or isinstance(entry.value, str) else entry.text
