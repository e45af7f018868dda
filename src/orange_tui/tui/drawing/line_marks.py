"""Marks on a drawn line: a sign where it is cut off, and a colour behind what is selected.

Places in a line are counted in characters where text is copied, and in cells where it is drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.style import Style
    from textual.selection import Selection

CUT_LEFT, CUT_RIGHT = "‹", "›"


def crop_marked(strip: Strip, start: int, width: int, style: Style) -> Strip:
    """The cells of a line from `start` on, with a sign at either end beyond which it goes on."""
    end = start + width
    goes_on = strip.cell_length > end and bool(strip.crop(end - 1).text.strip())
    is_begun = start > 0 and bool(strip.crop(0, start).text.strip())
    if not goes_on and not is_begun:
        return strip.crop(start, end)
    inner = strip.crop(start + is_begun, end - goes_on)
    left = [Segment(CUT_LEFT, style)] if is_begun else []
    right = [Segment(CUT_RIGHT, style)] if goes_on else []
    return Strip([*left, *inner, *right])


def highlight(strip: Strip, span: tuple[int, int], style: Style) -> Strip:
    """A line with a style over its characters from the first up to the second; -1 is its end."""
    text = strip.text
    start, end = cell_len(text[: span[0]]), strip.cell_length if span[1] < 0 else cell_len(text[: span[1]])
    if start >= end:
        return strip
    marked = [Segment(part.text, part.style + style if part.style else style) for part in strip.crop(start, end)]
    return Strip([*strip.crop(0, start), *marked, *strip.crop(end)])


def with_offsets(strip: Strip, start: int, line: int) -> Strip:
    """A line cut off at a cell, in which Textual finds the place of each character: its number and its line's."""
    first = len(strip.crop(0, start).text) if start else 0
    shown = strip.crop(start)
    return (shown if shown.cell_length else Strip([Segment(" ")])).apply_offsets(first, line)


def selected_text(strips: Sequence[Strip], selection: Selection) -> str:
    """What of these lines is selected, without the blanks that lines are filled up with."""
    first = selection.start.y if selection.start is not None else 0
    last = selection.end.y if selection.end is not None else len(strips) - 1
    lines = []
    for number in range(first, min(last + 1, len(strips))):
        start, end = selection.get_span(number) or (0, 0)
        lines.append(strips[number].text[start : None if end < 0 else end].rstrip())
    return "\n".join(lines)
