"""What is on a terminal after everything the app has written to it.

`Scene.text` asks each widget for its lines, and so cannot see a line that was not drawn anew although it should have
been. Here only what was really sent counts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from textual._compositor import CompositorUpdate

from orange_tui.tui.app import OrangeApp
from support.frames import Frames

if TYPE_CHECKING:
    import pytest
    from textual.screen import Screen

_PIECE = re.compile(r"\x1b\[(?P<row>\d+);(?P<column>\d+)H|\x1b\[[\d;]*m|\x1b\]8;[^\x1b]*\x1b\\|(?P<text>[^\x1b]+)")


class TerminalCopy:
    """A terminal that knows where the cursor goes and what is written there, and nothing of colours."""

    def __init__(self) -> None:
        self._cells: dict[tuple[int, int], str] = {}
        self.written: set[tuple[int, int]] = set()  # row and column of what was written since somebody emptied it

    def write(self, data: str) -> None:
        row = column = 0
        position = 0
        while position < len(data):
            piece = _PIECE.match(data, position)
            assert piece is not None, f"not known to this terminal: {data[position : position + 20]!r}"
            position = piece.end()
            if piece["row"]:
                row, column = int(piece["row"]) - 1, int(piece["column"]) - 1
            for character in piece["text"] or "":
                if character == "\n":
                    row, column = row + 1, 0
                    continue
                width = cell_len(character)
                self._cells[row, column] = character
                self.written.add((row, column))
                self._cells.update({(row, column + more): "" for more in range(1, width)})
                column += width

    def text(self, width: int, height: int) -> str:
        """The screen, as a person reads it."""
        lines = ("".join(self._cells.get((y, x), " ") for x in range(width)) for y in range(height))
        return "\n".join(line.rstrip() for line in lines)


def copy_terminal(monkeypatch: pytest.MonkeyPatch) -> TerminalCopy:
    """A copy of what every app of this test writes to its terminal from now on."""
    copy, display = TerminalCopy(), OrangeApp._display

    def write(app: OrangeApp, screen: Screen[Any], renderable: Any) -> None:
        if isinstance(renderable, CompositorUpdate) and not app._batch_count:
            copy.write(renderable.render_segments(app.console))
        display(app, screen, renderable)

    monkeypatch.setattr(Frames, "wanted", True)
    monkeypatch.setattr(OrangeApp, "_display", write)
    return copy
