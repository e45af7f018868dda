"""The top-level structure of a Markdown body where a look at its lines is enough: no parser is loaded for it.

Agents ask for moves all the time, each with a command of its own, and what they write is mostly short and plain. With
no code, HTML, quote, link reference, underlined heading nor indented line in a body, a line that begins with marks is
a heading and no other line is. Where anything else may be meant, `../_markdown_outline.py` decides.
"""

from __future__ import annotations

import re

from orange_tui.domain.records import record
from orange_tui.domain.text.plain.lines import without_closing_marks

_MAX_PLAIN = 20_000  # so that there cannot be too many blocks in it
_NOT_PLAIN = re.compile(r"[<\r\v\f]|```|~~~|^[ \t>\[]|^[=-]+[ \t]*$", re.MULTILINE)
_HEADING = re.compile(r"(#{1,6})((?:[ \t].*)?)")


@record
class Heading:
    """A top-level heading: its level and text, its first line, and the first line after it."""

    level: int
    title: str
    line: int
    after: int


@record
class Outline:
    """The top level of a body: headings, lines that are code or comment, and the fence of the code it ends with."""

    headings: tuple[Heading, ...]
    verbatim: tuple[tuple[int, int], ...]
    last_fence: str | None


def plain_outline(body: str) -> Outline | None:
    """The structure of a plain body; None where it takes a parser to tell."""
    if len(body) > _MAX_PLAIN or _NOT_PLAIN.search(body):
        return None
    found = [(number, _HEADING.fullmatch(line)) for number, line in enumerate(body.split("\n")) if line[:1] == "#"]
    headings = [Heading(len(m[1]), without_closing_marks(m[2]), number, number + 1) for number, m in found if m]
    return Outline(tuple(headings), (), None)
