"""Text in columns: cut and padded by what a terminal shows, with wide characters and combining marks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size

from orange_tui.domain.task import printable
from orange_tui.tui.drawing.lines import wrap

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.style import Style

    from orange_tui.tui.drawing.lines import Run
    from orange_tui.tui.drawing.palette import Palette

KEY_CELLS = 11


def fit(text: str, width: int) -> str:
    """Text that takes exactly this many cells; what does not fit ends in an ellipsis."""
    shown = printable(text)
    if width <= 0:
        return ""
    if cell_len(shown) <= width:
        return set_cell_size(shown, width)
    return set_cell_size(shown, width - 1) + "…"


def fit_right(text: str, width: int) -> str:
    """The same, standing at the right."""
    shown = printable(text)
    return " " * max(0, width - cell_len(shown)) + fit(shown, min(width, cell_len(shown)))


def fit_end(text: str, width: int) -> str:
    """The same, but the end is kept: of a path, the file's name."""
    shown = printable(text)
    if cell_len(shown) <= width or width <= 0:
        return fit(shown, width)
    start = 1
    while cell_len(shown[start:]) >= width:
        start += 1
    return fit(f"…{shown[start:]}", width)


def key_entry(  # noqa: PLR0913, PLR0917 - the last has a usual value
    key: str, what: str, style: Style, width: int, palette: Palette, key_width: int = KEY_CELLS
) -> Iterator[list[Run]]:
    """A key and what it does, as help pages have them."""
    for line in wrap([(what, style)], width - key_width):
        yield [(fit(f"  {key}", key_width), palette.accent), *line]
        key = ""
