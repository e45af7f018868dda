"""Text in columns: cut and padded by what a terminal shows, with wide characters and combining marks."""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size

from orange_tui.domain.task import printable


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
