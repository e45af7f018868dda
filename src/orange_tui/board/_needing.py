"""Since when tasks need a person: from their files where these tell, and kept for as long as the need goes on.

What a need is about may change meanwhile (an agent that asks, then ends), and what is written down of it, too. The
person waits for none of that: it counts from when they were first needed in this state of the task.
"""

from __future__ import annotations

from orange_tui.home import clock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from orange_tui.board._board_task import BoardTask
    from orange_tui.board.needs import Need
    from orange_tui.store.index import Key

_BY_STATE = frozenset(
    {"review", "answer", "waits", "workflow", "trust", "cycle"}
)  # needed since the task came to its state
_BY_AGENT = frozenset({"permission", "error"})  # since the agent said so, or it was seen


class NeedTimes:
    """The times of one board's needs."""

    def __init__(self) -> None:
        self._since: dict[Key, tuple[str, str]] = {}  # the entry into the state, and since when

    def note(
        self, key: Key, known: BoardTask, need: Need | None, windows: Collection[str] = (), *, is_news: bool
    ) -> str:
        """Since when a task needs a person; empty where it does not. `is_news`: it did not a moment ago."""
        if need is None:
            self._since.pop(key, None)
            return ""
        entered_at, since = self._since.get(key, (None, ""))
        if entered_at != known.entry.entered_at:
            since = _first_known(known, need, windows) or (clock.now() if is_news else _changed_at(known))
            self._since[key] = known.entry.entered_at, since
        return since

    def forget(self, key: Key) -> None:
        """A task is gone."""
        self._since.pop(key, None)


def _first_known(known: BoardTask, need: Need, windows: Collection[str]) -> str:
    entry = known.entry
    if entry.task is None:
        return ""
    if need.kind in _BY_STATE:
        return entry.entered_at
    if need.kind in _BY_AGENT:
        return known.said_at(windows)
    if need.kind == "pull request":
        return known.pull_request.since if known.pull_request is not None else ""
    return entry.asked_at and max(entry.asked_at, entry.entered_at)


def _changed_at(known: BoardTask) -> str:
    """When the task was last written: before that, nobody knew of a need."""
    return str(known.task.updated_at) if known.task is not None else ""
