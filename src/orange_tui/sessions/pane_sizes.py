"""Windows of agents in the size in which they are looked at: what does not fit the preview would be cut off.

Only one that nobody is attached to, and each size is asked for once: where two apps look at one agent, the last one
to come has it, and they do not take turns five times a second.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.outside.tmux import Frame, Pane, Tmux

    Size = tuple[int, int]  # width and height; as a wish, a height of 0 is any

# Below this, agents' dialogs are broken into more lines than they can be told by.
_MIN_WIDTH, _MIN_HEIGHT = 50, 20


class PaneSizes:
    """Which sizes were asked for."""

    def __init__(self) -> None:
        self._asked: dict[tuple[str, str], Size] = {}

    def fit(self, tmux: Tmux, pane: Pane, frame: Frame, wanted: Size) -> bool:
        """Have a window fit what it is shown in; says whether it was resized just now: then it is to be read again."""
        key, height = (pane.server, pane.pane_id), wanted[1] or frame.height
        size = (max(wanted[0], _MIN_WIDTH), max(height, _MIN_HEIGHT))
        if frame.attached:
            self._asked.pop(key, None)  # it has their terminal's size when they leave
            return False
        if self._asked.get(key) == size or size == (frame.width, frame.height):
            self._asked[key] = size
            return False
        self._asked[key] = size
        fit_window(tmux, pane, *size)
        return True


def fit_window(tmux: Tmux, pane: Pane, width: int, height: int) -> None:
    """Give a window this size, unless somebody is attached; who attaches has it in the size of their terminal."""
    unattached = "#{==:#{session_attached},0}"  # asked by tmux itself: nobody can come in between
    resize = f"resize-window -t {pane.window_id} -x {width} -y {height}"
    # To resize a window is to tell tmux to leave it at that; this takes it back.
    follows_client = f"set-option -w -u -t {pane.window_id} window-size"
    tmux.ask("if-shell", "-F", "-t", pane.pane_id, unattached, f"{resize} ; {follows_client}")
