"""Lines and columns of text in which some characters only stand for a style, and take no room."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_FIRST_PRINTABLE = " "
_NARROWEST_COLUMN = 8


def shown_length(text: str) -> int:
    """How many columns a text takes."""
    return sum(1 for character in text if character >= _FIRST_PRINTABLE)


def wrap(text: str, width: int) -> list[str]:
    """Lines of at most that width, unless one word is longer; there is always one line."""
    lines, line, length = [], "", 0
    for word in text.split():
        size = shown_length(word)
        if line and length + 1 + size > width:
            lines.append(line)
            line, length = word, size
        else:
            line, length = (f"{line} {word}", length + 1 + size) if line else (word, size)
    return [*lines, line]


def padded(text: str, width: int) -> str:
    """A text with spaces after it, up to that width."""
    return text + " " * (width - shown_length(text))


def fitted_widths(rows: Sequence[Sequence[str]], width: int, gap: int) -> list[int]:
    """The width of each column: as wide as its longest cell, less what is too much for all, taken from the widest."""
    columns = list(zip(*rows, strict=True))
    widths = [max(map(shown_length, column)) for column in columns]
    least = [min(max(map(_longest_word, column)), max(_NARROWEST_COLUMN, width // 2)) for column in columns]
    while sum(widths) + gap * (len(widths) - 1) > width:
        widest = max(range(len(widths)), key=lambda at: widths[at] - least[at])
        if widths[widest] <= least[widest]:
            break
        widths[widest] -= 1
    return widths


def _longest_word(text: str) -> int:
    return max(map(shown_length, text.split()), default=0)
