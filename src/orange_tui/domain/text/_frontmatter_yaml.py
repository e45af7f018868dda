"""Frontmatter read with a YAML parser: somebody has written it by hand, in a style of their own."""

from __future__ import annotations

import re
from itertools import pairwise

from orange_tui.domain.errors import Unreadable
from orange_tui.domain.records import replace
from orange_tui.domain.text import yaml_text
from orange_tui.domain.text._frontmatter_values import MAX_YAML_BYTES, FrontmatterEntry

TYPE_CHECKING = False
if TYPE_CHECKING:
    import yaml

_YAML_LINE_END = re.compile("\r\n|[\n\r\x85\u2028\u2029]")


def read_yaml(lines: tuple[str, ...]) -> dict[str, FrontmatterEntry]:
    """Every top-level key with its value and its lines."""
    line_of = _lines_by_yaml(lines)
    try:
        node = yaml_text.compose("\n" + "".join(lines), max_bytes=MAX_YAML_BYTES)
        if node is None:
            return {}
        entries = {
            key: _entry(value, line_of[first - 1], line_of[value.end_mark.line] + 1)
            for key, first, value in yaml_text.mapping_entries(node)
        }
    except Unreadable as problem:
        line = line_of[problem.line - 1] + 2 if problem.line else None
        raise Unreadable(problem.reason, line=line) from None
    return _close_gaps(entries, lines)


def _lines_by_yaml(lines: tuple[str, ...]) -> list[int]:
    """The file's line for each of YAML's, which also end at U+0085, U+2028 and U+2029, where no editor ends one.

    An empty line takes the place of the opening one, so that YAML's line numbers are those of the file.
    """
    return [-1, *(number for number, line in enumerate(lines) for _ in _YAML_LINE_END.findall(line)), len(lines)]


def _entry(node: yaml.Node, first: int, after: int) -> FrontmatterEntry:
    value, kind, texts = yaml_text.to_value(node), yaml_text.kind_of(node), None
    if kind == "scalar":
        return FrontmatterEntry(value, yaml_text.text_of(node), first, after)
    items = yaml_text.sequence_items(node) if kind == "sequence" else []
    if kind == "sequence" and all(yaml_text.kind_of(i) == "scalar" and not yaml_text.is_null(i) for i in items):
        texts = tuple(yaml_text.text_of(item) for item in items)
    return FrontmatterEntry(value, None, first, after, texts)


def _close_gaps(entries: dict[str, FrontmatterEntry], lines: tuple[str, ...]) -> dict[str, FrontmatterEntry]:
    """A key's lines end before the next key and before trailing comments and blank lines.

    YAML ends a block value at the token after it, which may be many lines further down.
    """
    starts = sorted({entry.first for entry in entries.values()})
    next_start = dict(pairwise([*starts, len(lines)]))
    closed = {}
    for key, entry in entries.items():
        limit = next_start[entry.first]
        after = min(max(entry.after, entry.first + 1), limit)
        while after > entry.first + 1 and _is_blank_or_comment(lines[after - 1]):
            after -= 1
        closed[key] = replace(entry, after=after)
    return closed


def _is_blank_or_comment(line: str) -> bool:
    return not line.strip() or line.startswith("#")
