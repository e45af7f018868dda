"""An agent's text for a forge's pages, shown literally.

No Markdown or HTML in it counts, and no `@name`, `#12` or address in it reaches anybody: no agent can notify people or
leave traces on other pages.
"""

from __future__ import annotations

import re

from orange_tui.domain.task import printable

_MAX_TEXT_CHARACTERS = 12_000
_MAX_ITEM_CHARACTERS = 600
_GAP = "\u200b"  # no width, and no mention or reference goes across it
_ACTIVE = re.compile(r"[\\`*_\[\]<>|~#$!]")
_REFERENCE = re.compile(r"(@|#|GH-(?=\d)|://|\bwww\.|\bmailto:)", re.IGNORECASE)
_AT_START = re.compile(r"^([-+=]|\d+[.)])")
_IN_NAMES = re.compile(r"[^\w.:/ ()+-]", re.ASCII)


def quote_text(text: str, longest: int = _MAX_TEXT_CHARACTERS) -> str:
    """An agent's text, escaped so that it is shown literally, line by line, without any Markdown, mention or link."""
    cut = text if len(text) <= longest else f"{text[:longest]}…"
    lines = [_escape(line) for line in cut.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def quote_line(text: str) -> str:
    """The same on one line."""
    return quote_text(" ".join(text.split()), _MAX_ITEM_CHARACTERS)


def quote_name(text: str) -> str:
    """The name of a program, a model or a branch, without what would end a code span or begin anything else."""
    return _IN_NAMES.sub("", text)[:200]


def _escape(line: str) -> str:
    line = printable(" ".join(line.split()))
    line = _REFERENCE.sub(lambda found: f"{found[0][:-1]}{_GAP}{found[0][-1]}{_GAP}", line)
    line = _ACTIVE.sub(lambda found: f"\\{found[0]}", line.replace("&", "&amp;"))
    return _AT_START.sub(lambda found: f"{found[0][:-1]}\\{found[0][-1]}", line)
