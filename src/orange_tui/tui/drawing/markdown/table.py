"""A Markdown table as aligned columns: as wide as their cells while there is room, then the widest give way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from orange_tui.tui.drawing.lines import width_of, wrap
from orange_tui.tui.drawing.markdown.inline import lines_of

if TYPE_CHECKING:
    from orange_tui.tui.drawing.lines import Run
    from orange_tui.tui.drawing.palette import Palette

    Token = dict[str, Any]
    Row = list[list[Run]]

_GAP = 2
_NARROWEST = 4  # a column with less has no room for words


def table_lines(table: Token, width: int, palette: Palette) -> list[list[Run]]:
    """The lines of a table; one with more columns than fit is shown as a list of rows."""
    rows = [row for part in table["children"] for row in _rows(part, palette)]
    aligns = [cell["attrs"].get("align") for cell in table["children"][0]["children"]]
    widths = _widths(rows, len(aligns), width)
    if widths is None:
        return [line for row in rows for line in wrap(_in_one_line(row, palette), width)]
    lines = [_laid_out(row, widths, aligns, palette) for row in rows]
    rule: list[Run] = [("─" * (sum(widths) + _GAP * (len(widths) - 1)), palette.dim)]
    return [*lines[0], rule, *(line for row in lines[1:] for line in row)]


def _rows(part: Token, palette: Palette) -> list[Row]:
    if part["type"] == "table_head":
        return [[_cell(cell, palette, head=True) for cell in part["children"]]]
    return [[_cell(cell, palette, head=False) for cell in row["children"]] for row in part["children"]]


def _cell(cell: Token, palette: Palette, *, head: bool) -> list[Run]:
    lines = lines_of(cell["children"], palette, palette.heading if head else palette.text)
    return [run for line in lines for run in line] or [("", palette.text)]


def _widths(rows: list[Row], columns: int, width: int) -> list[int] | None:
    """How wide each column is; None when even narrow ones do not fit."""
    room = width - _GAP * (columns - 1)
    if room < _NARROWEST * columns:
        return None
    widths = [max((width_of(row[index]) for row in rows if index < len(row)), default=0) for index in range(columns)]
    while sum(widths) > room:
        widest = max(widths)
        next_widest = max((each for each in widths if each < widest), default=0)
        at_the_top = widths.count(widest)
        spare = sum(widths) - room
        smaller = max(next_widest, widest - -(-spare // at_the_top))
        widths = [smaller if each == widest else each for each in widths]
    return widths


def _laid_out(row: Row, widths: list[int], aligns: list[str | None], palette: Palette) -> list[list[Run]]:
    cells = [wrap(cell, max(size, 1)) for cell, size in zip(row, widths, strict=False)]
    lines = []
    for index in range(max((len(cell) for cell in cells), default=0)):
        line: list[Run] = []
        for cell, size, align in zip(cells, widths, aligns, strict=False):
            line += [(" " * _GAP, palette.text)] if line else []
            line += _padded(cell[index] if index < len(cell) else [], size, align, palette)
        lines.append(line)
    return lines


def _padded(runs: list[Run], size: int, align: str | None, palette: Palette) -> list[Run]:
    spare = max(size - width_of(runs), 0)
    before = {"right": spare, "center": spare // 2}.get(align or "", 0)
    return [(" " * before, palette.text), *runs, (" " * (spare - before), palette.text)]


def _in_one_line(row: Row, palette: Palette) -> list[Run]:
    line: list[Run] = []
    for cell in row:
        line += [(" · ", palette.dim)] if line else []
        line += cell
    return line
