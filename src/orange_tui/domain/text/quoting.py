"""Text from elsewhere for a prompt: cut to a size, without control characters, in a fence it cannot close."""

from __future__ import annotations

import re

from orange_tui.domain.task import printable

_MIN_FENCE_LENGTH = 3


def plain(text: str) -> str:
    """Text without control characters; line ends and tabs stay."""
    return "\n".join(_plain_line(line) for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))


def _plain_line(line: str) -> str:
    return "\t".join(printable(part) for part in line.split("\t"))


def truncate(text: str, max_characters: int) -> tuple[str, int]:
    """The beginning of a text, up to the end of a line where one is near; and how many characters were left out."""
    if len(text) <= max_characters:
        return text, 0
    end = text.rfind("\n", max_characters // 2, max_characters)
    kept = text[: end if end >= 0 else max_characters]
    return kept, len(text) - len(kept)


def fenced(text: str, kind: str = "") -> str:
    """The text in a code fence that nothing in it can close."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(_MIN_FENCE_LENGTH, longest + 1)
    return f"{fence}{kind}\n{text}\n{fence}"
