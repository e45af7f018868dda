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
    from orange_tui.outside.tmux import Pane
    from orange_tui.tui.drawing.ansi import PaneScreen
    from orange_tui.tui.drawing.palette import Palette

_A_LITTLE, _MOST = 100, 10_000  # lines above the pane


@cache
def _pane_screen() -> PaneScreen:
    """One for all: it remembers the lines it has drawn."""
    from orange_tui.tui.drawing.ansi import PaneScreen

    return PaneScreen()


def session_lines(orange: Orange, row: TaskRow, width: int, palette: Palette) -> Sequence[Strip]:
    """The agent's screen as it is now; the same lines as before when nothing has changed."""
    return _lines(orange, row, width, palette, _A_LITTLE)


def whole_session_lines(orange: Orange, row: TaskRow, width: int, palette: Palette) -> Sequence[Strip]:
    """The same with everything that tmux still has of what was printed before."""
    return _lines(orange, row, width, palette, _MOST)


def _lines(orange: Orange, row: TaskRow, width: int, palette: Palette, above: int) -> Sequence[Strip]:
    frame = _frame(orange, row, above, fresh=False) or _frame(orange, row, above, fresh=True)
    if frame is None:
        return _ended(orange, row, width, palette)
    return _pane_screen().render(frame.rstrip())  # most agents leave the lower part of their screen empty


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


def _frame(orange: Orange, row: TaskRow, above: int, *, fresh: bool) -> str | None:
    """What the newest window shows. The board has asked for the windows whenever something happened to the task."""
    windows = orange.sessions.windows(row.ref.id, fresh=fresh)
    if not windows:
        return None
    return orange.tmux.screen(max(windows, key=_newest_last).pane_id, colour=True, above=above)


def _newest_last(pane: Pane) -> tuple[bool, str]:
    return not is_worker(pane.window), pane.window
