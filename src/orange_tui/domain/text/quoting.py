"""Text from elsewhere, put into a prompt: cut to a size, free of what a terminal obeys, and unable to pose as ours."""

from __future__ import annotations

import re

from orange_tui.domain.task import printable

_SHORTEST_FENCE = 3


def plain(text: str) -> str:
    """Text whose lines are shown and never obeyed; line ends and tabs stay."""
    return "\n".join(_plain_line(line) for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))


def _plain_line(line: str) -> str:
    return "\t".join(printable(part) for part in line.split("\t"))


def truncate(text: str, most: int) -> tuple[str, int]:
    """The beginning of a text, at the end of a line where one is near; and how many characters were left out."""
    if len(text) <= most:
        return text, 0
    end = text.rfind("\n", most // 2, most)
    kept = text[: end if end >= 0 else most]
    return kept, len(text) - len(kept)


def fenced(text: str, kind: str = "") -> str:
    """The text in a code fence that nothing in it can close."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(_SHORTEST_FENCE, longest + 1)
    return f"{fence}{kind}\n{text}\n{fence}"
