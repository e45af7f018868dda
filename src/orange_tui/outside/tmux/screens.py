"""What windows show now, many of them in one call to tmux: starting it takes longer than all that it then does."""

from __future__ import annotations

from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from orange_tui.outside.tmux.server import Tmux

_MARK = "\x1f"  # cannot be on a screen or in a title
_HEAD = f"{_MARK}#{{pane_id}}{_MARK}#{{pane_title}}"  # what is written out, such as %4, tmux takes for part of a time
_AT_ONCE = 100  # windows in one call: its command line has a limit


@record
class Screen:
    """The title and the text of a window."""

    title: str
    text: str


def read_screens(tmux: Tmux, pane_ids: Sequence[str]) -> dict[str, Screen]:
    """What these windows show; one that is gone is left out, and so may be others that were asked for with it."""
    found: dict[str, Screen] = {}
    for start in range(0, len(pane_ids), _AT_ONCE):
        words: list[str] = []
        for pane_id in pane_ids[start : start + _AT_ONCE]:
            words += ["display-message", "-p", "-t", pane_id, _HEAD, ";", "capture-pane", "-p", "-t", pane_id, ";"]
        for part in tmux.ask(*words[:-1]).output.split(f"\n{_MARK}") if words else ():
            name, _, rest = part.removeprefix(_MARK).partition(_MARK)
            title, _, text = rest.partition("\n")
            if name:
                found[name] = Screen(title, text)
    return found
