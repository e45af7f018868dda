"""A task's history as a timeline: what happened, when, and under each move what it set off.

The journal notes a move as it goes: that it starts, every hook, that it is made. For a person that is one thing, so
it is one entry with the rest folded under it. Every value is data from files that others can write.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from orange_tui.tui.drawing.event_sentences import HOOK_SENTENCES, EventLine, TemplateValues, describe_event
from orange_tui.tui.drawing.lines import NARROWEST, safe, strip_of, wrap

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import tzinfo

    from textual.strip import Strip

    from orange_tui.tui.drawing.lines import Run
    from orange_tui.tui.drawing.palette import Palette

    Event = Mapping[str, Any]

# What a hook notes while a move is being made; anything else is news of its own.
_PART_OF_A_MOVE = frozenset(
    {
        "hook.done",
        "hook.failed",
        "router.asked",
        "agent.spawned",
        "agent.notified",
        "message.queued",
        "person.notified",
        "work.saved",
        "next.chosen",
    }
)
_SPAWNS = frozenset({"spawn_agent", "spawn_reviewer"})
_MINUTE, _HOUR, _DAY, _MONTH = 60, 3_600, 86_400, 30 * 86_400
_INDENT, _ROOM_BESIDE = 2, 12


@dataclass(slots=True)
class HistoryEntry:
    """One thing that happened, and what belongs to it."""

    stamp: str
    line: EventLine
    event: Event
    details: list[EventLine] = field(default_factory=list)
    is_open: bool = False


def entries(events: Iterable[Event]) -> list[HistoryEntry]:
    """The history as a person tells it, oldest first."""
    history: list[HistoryEntry] = []
    move: HistoryEntry | None = None
    for event in events:
        kind = str(event.get("type"))
        if kind == "transition.started":
            move = _entry(event, is_open=True)
            history.append(move)
        elif move is None or not _belongs(event, move):
            history.append(_entry(event))
        elif kind == "status.changed":
            move.is_open = False
        else:
            move.details += _details(event, move)
    return history


def _entry(event: Event, *, is_open: bool = False) -> HistoryEntry:
    return HistoryEntry(str(event.get("timestamp", "")), describe_event(event), event, is_open=is_open)


def _belongs(event: Event, move: HistoryEntry) -> bool:
    """Whether an event is part of a move: noted while it was made, or telling the reason right after it."""
    kind = str(event.get("type"))
    if kind in {"auto.advanced", "status.changed"}:
        same = all(event.get(key) == move.event.get(key) for key in ("from", "to"))
        return same and move.is_open == (kind == "status.changed")
    return move.is_open and kind in _PART_OF_A_MOVE


def _details(event: Event, move: HistoryEntry) -> list[EventLine]:
    if event.get("type") != "hook.done":
        return [describe_event(event)]
    action = str(event.get("action"))
    if action in _SPAWNS and move.details and move.details[-1].icon == "▸":
        return []  # the agent that was started has been named already
    sentence = HOOK_SENTENCES.get(action, "{action}").format_map(
        TemplateValues({**_parameters(event, move), "action": action})
    )
    return [EventLine("✓", "good", sentence)]


def _parameters(event: Event, move: HistoryEntry) -> Event:
    hooks, index = move.event.get("hooks"), event.get("index")
    if not isinstance(hooks, list) or not isinstance(index, int) or not 0 <= index < len(hooks):
        return {}
    return hooks[index] if isinstance(hooks[index], dict) else {}


def render_history(  # noqa: PLR0913 - all but the first three have a usual value
    events: Iterable[Event],
    width: int,
    palette: Palette,
    *,
    now: datetime | None = None,
    zone: tzinfo | None = None,
    newest_first: bool = True,
) -> list[Strip]:
    """The timeline at a width. With `now` times are relative; without, they are dates in `zone` (local if None)."""
    history = entries(events)
    times = [format_time(entry.stamp, now, zone) for entry in history]
    column = max(map(len, times), default=0)
    page = _Timeline(max(width, NARROWEST), palette, column if column + _ROOM_BESIDE <= width else 0)
    for entry, time in list(zip(history, times, strict=True))[:: -1 if newest_first else 1]:
        page.add(time, entry)
    return page.strips


class _Timeline:
    """The lines so far. On a narrow screen the time has no column of its own, and is left out."""

    def __init__(self, width: int, palette: Palette, column: int) -> None:
        self.strips: list[Strip] = []
        self._width, self._palette, self._column = width, palette, column

    def add(self, time: str, entry: HistoryEntry) -> None:
        lead: list[Run] = [(f"{time:>{self._column}}  ", self._palette.dim)] if self._column else []
        blank: list[Run] = [(" " * (self._column + _INDENT), self._palette.text)] if self._column else []
        self._add_line(entry.line, lead, blank)
        inner: list[Run] = [*blank, (" " * _INDENT, self._palette.text)]
        for detail in entry.details:
            self._add_line(detail, inner, inner)
        if entry.is_open:
            self._add_line(EventLine("…", "warning", "not finished yet"), inner, inner)

    def _add_line(self, event: EventLine, lead: list[Run], blank: list[Run]) -> None:
        style = getattr(self._palette, event.style)
        icon: list[Run] = [(f"{event.icon} ", style)]
        used = sum(len(text) for text, _ in [*lead, *icon])
        text: list[Run] = [(safe(str(event.sentence)), self._palette.text)]
        for index, line in enumerate(wrap(text, max(self._width - used, 2))):
            before = [*blank, ("  ", self._palette.text)] if index else [*lead, *icon]
            self.strips.append(strip_of([*before, *line]))


def format_time(stamp: str, now: datetime | None, zone: tzinfo | None = None) -> str:
    """`2m` ago, or a date; what is not a time is a question mark."""
    try:
        moment = datetime.fromisoformat(stamp)
    except ValueError:
        return "?"
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    if now is None:
        return f"{_in_zone(moment, zone):%Y-%m-%d %H:%M}"
    return ago((now - moment).total_seconds()) or f"{_in_zone(moment, zone):%Y-%m-%d}"


def _in_zone(moment: datetime, zone: tzinfo | None) -> datetime:
    try:
        return moment.astimezone(zone)
    except OverflowError:  # the first and the last day there are
        return moment


def ago(seconds: float) -> str:
    """How long ago in one unit; nothing for what is months ago, a date says more then."""
    for size, unit in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "m")):
        if seconds >= size:
            return f"{int(seconds // size)}{unit}" if seconds < _MONTH else ""
    return "now"
