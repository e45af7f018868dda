"""An agent's screen, live: asked for five times a second while somebody looks, so by one call to tmux and no more.

A little of what has scrolled out of the pane comes with it, so that there is something to scroll back to; whoever does
gets all of it once, and it stands still while it is read.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from orange_tui.sessions.liveness import is_worker
from orange_tui.sessions.window_logs import log_files, read_log
from orange_tui.tui.drawing.lines import paragraph

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.strip import Strip

    from orange_tui.board.rows import TaskRow
    from orange_tui.orange import Orange
    from orange_tui.outside.tmux.server import Frame, Pane
    from orange_tui.sessions.pane_sizes import PaneSizes, Size
    from orange_tui.tui.drawing.ansi import PaneScreen
    from orange_tui.tui.drawing.palette import Palette

_A_LITTLE, _MOST = 100, 10_000  # lines above the pane


@cache
def _pane_screen() -> PaneScreen:
    """One for all: it remembers the lines it has drawn."""
    from orange_tui.tui.drawing.ansi import PaneScreen

    return PaneScreen()


@cache
def _pane_sizes() -> PaneSizes:
    """One for all: of several screens of an app, the one that is looked at says how large a window is."""
    from orange_tui.sessions.pane_sizes import PaneSizes

    return PaneSizes()


class SessionView:
    """The agent's screen in the size that there is: in a tab, and above the box of an answer."""

    def __init__(self) -> None:
        self._size: Size | None = None

    def use_size(self, width: int, height: int = 0) -> None:
        """Have the window fit into this where nobody is attached; without a height, only in its width."""
        self._size = width, height

    def lines(self, orange: Orange, row: TaskRow, width: int, palette: Palette) -> Sequence[Strip]:
        """The agent's screen as it is now; the same lines as before when nothing has changed."""
        found = _find_frame(orange, row, _A_LITTLE)
        if found is not None and self._size is not None:
            pane, frame = found
            if _pane_sizes().fit(orange.tmux, pane, frame, self._size):
                found = _find_frame(orange, row, _A_LITTLE)
        return _drawn(orange, found, row, width, palette)

    def whole_lines(self, orange: Orange, row: TaskRow, width: int, palette: Palette) -> Sequence[Strip]:
        """The same with everything that tmux still has of what was printed before; nothing moves while it is read."""
        return _drawn(orange, _find_frame(orange, row, _MOST), row, width, palette)


def _drawn(
    orange: Orange, found: tuple[Pane, Frame] | None, row: TaskRow, width: int, palette: Palette
) -> Sequence[Strip]:
    if found is None:
        return _ended(orange, row, width, palette)
    return _pane_screen().render(found[1].text.rstrip())  # most agents leave the lower part of their screen empty


def _ended(orange: Orange, row: TaskRow, width: int, palette: Palette) -> Sequence[Strip]:
    """What its agents have printed, now that no window of theirs is left: their logs stay."""
    lines: list[Strip] = []
    for window, path in log_files(orange.store.state_directory(row.ref)).items():
        lines += [*paragraph(f"── {window}, ended ──", palette.dim, width), *_log_lines(path)]
    hint = "No live session." + (" ⏎ starts one." if not row.finished else "")
    return [*lines, *paragraph(hint, palette.dim, width)]


def _log_lines(path: str) -> Sequence[Strip]:
    from orange_tui.tui.drawing.ansi import PaneScreen

    return PaneScreen().render(read_log(path, keep_colours=True))


def _find_frame(orange: Orange, row: TaskRow, above: int) -> tuple[Pane, Frame] | None:
    return _frame(orange, row, above, fresh=False) or _frame(orange, row, above, fresh=True)


def _frame(orange: Orange, row: TaskRow, above: int, *, fresh: bool) -> tuple[Pane, Frame] | None:
    """What the newest window shows. The board has asked for the windows whenever something happened to the task."""
    windows = orange.sessions.windows(row.ref.id, fresh=fresh)
    if not windows:
        return None
    pane = max(windows, key=_newest_last)
    frame = orange.tmux.frame(pane.pane_id, colour=True, above=above)
    return (pane, frame) if frame is not None else None


def _newest_last(pane: Pane) -> tuple[bool, str]:
    return not is_worker(pane.window), pane.window
