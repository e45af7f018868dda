"""Windows of agents in the size in which they are looked at: what does not fit the preview would be cut off.

Only one that nobody is attached to, and each size is asked for once: where two apps look at one agent, the last one
to come has it, and they do not take turns five times a second. The window says whether an app gave it the size it has;
else somebody's terminal did, and left, perhaps while nobody looked.
"""

from __future__ import annotations

from orange_tui.outside.tmux.server import SERVER, WINDOW_SIZE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.outside.tmux.server import Frame, Pane, Tmux

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
            return False
        is_right = size == (frame.width, frame.height) or (frame.fitted and self._asked.get(key) == size)
        self._asked[key] = size
        if not is_right:
            fit_window(tmux, pane, *size)
        return not is_right


def fit_window(tmux: Tmux, pane: Pane, width: int, height: int) -> None:
    """Give a window this size, unless somebody is attached; who attaches has it in the size of their terminal."""
    # Asked by tmux itself: nobody can come in between. A tmux started since has other windows under these ids.
    unattached = f"#{{&&:#{{==:#{{session_attached}},0}},#{{==:{SERVER},{pane.server}}}}}"
    resize = f"resize-window -t {pane.window_id} -x {width} -y {height}"
    # To resize a window is to tell tmux to leave it at that; this takes it back.
    follows_client = f"set-option -w -u -t {pane.window_id} window-size"
    fitted = f'set-option -w -F -t {pane.window_id} @orange_fitted "{WINDOW_SIZE}"'
    tmux.ask("if-shell", "-F", "-t", pane.pane_id, unattached, f"{resize} ; {follows_client} ; {fitted}")
