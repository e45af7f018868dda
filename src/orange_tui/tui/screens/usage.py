"""What agents have used: by task, project, agent, model or day, over some time, with bars to compare."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from rich.text import Text
from textual.binding import Binding
from textual.containers import Horizontal
from textual.screen import Screen
from textual.widgets import Static

from orange_tui.domain.errors import OrangeError
from orange_tui.domain.records import record
from orange_tui.domain.task import printable
from orange_tui.home.paths import CHAT
from orange_tui.presentation.usage import unpriced_sentence
from orange_tui.store.store import TaskRef
from orange_tui.tui.drawing.lines import paragraph
from orange_tui.tui.screens._usage_table import UsageTable
from orange_tui.tui.theme import palette_for
from orange_tui.tui.widgets.bars import keys_line
from orange_tui.tui.widgets.choice_line import ChoiceLine
from orange_tui.tui.widgets.strip_view import StripView
from orange_tui.tui.workers import begin_work
from orange_tui.usage.summary import HomeUsage, first_day, read_usage, summarize

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.app import ComposeResult
    from textual.strip import Strip

    from orange_tui.tui.context import AppContext
    from orange_tui.tui.drawing.palette import Palette
    from orange_tui.usage.summary import By, UsageGroup

_GROUPS: tuple[By, ...] = ("task", "project", "agent", "model", "day")
_PERIODS: dict[str, int | None] = {"today": 1, "7 days": 7, "30 days": 30, "all": None}
_KEYS = (("⇥ ← →", "group by"), ("f", "period"), ("j k space g G", "scroll"), ("esc", "back"))
_NOTHING_YET = """No agent has used anything yet, as far as its own files tell.

Start a task: its tokens, and what they cost, are counted here while its agent works.
Orange reads what claude, codex, opencode and pi write down themselves, and asks nobody else."""
_NOTHING_THEN = "Nothing was used in this time. f shows another."
_PAUSE_SECONDS = 2.0  # between two readings while agents work
_READING_SHARE = 0.1  # the most of the time that is spent with reading


@record
class _Lines:
    """What is shown: the titles of the columns, the lines to scroll, and what stands below them."""

    titles: list[Strip]
    body: list[Strip]
    below: list[Strip]


class UsageScreen(Screen[None]):
    """All that was used in the app's project, or in all of them; it follows the agents while they work."""

    BINDINGS = [  # noqa: RUF012 - Textual's own way
        ("escape,q", "dismiss", "Back"),
        Binding("tab,right", "group(1)", "Next", priority=True),
        Binding("shift+tab,left", "group(-1)", "Previous", priority=True),
        ("f", "period", "Period"),
    ]

    def __init__(self, shared: AppContext) -> None:
        super().__init__()
        self._shared = shared
        self._group, self._period = 0, 1
        self._usage: HomeUsage | None = None

    def compose(self) -> ComposeResult:
        palette = palette_for(self.app)
        title = f" Usage  {printable(self._shared.project or 'all projects')}"
        yield Static(Text(title, style=palette.accent), id="header")
        with Horizontal(id="choices"):
            yield ChoiceLine(_GROUPS, id="groups")
            yield ChoiceLine(tuple(_PERIODS), id="periods")
        yield StripView(id="usage-titles")
        yield StripView(id="usage")
        yield StripView(id="usage-total")
        yield Static(keys_line(_KEYS, palette), id="footer")

    def on_mount(self) -> None:
        self.query_one("#usage-titles").can_focus = self.query_one("#usage-total").can_focus = False
        self.query_one("#usage").focus()
        begin_work(self, self._follow, group="usage")

    def on_resize(self) -> None:
        self._draw()

    async def _follow(self) -> None:
        """Read everything, and again when something has changed; a home with many tasks is not read all the time."""
        async for _ in self._shared.files.changes():
            began = time.monotonic()
            self._usage = await asyncio.to_thread(self._read)
            self._draw()
            await asyncio.sleep(max(_PAUSE_SECONDS, (time.monotonic() - began) / _READING_SHARE))

    def _read(self) -> HomeUsage:
        found, project = read_usage(self._shared.orange.home), self._shared.project
        own = found.rows if project is None else tuple(each for each in found.rows if each.project == project)
        return HomeUsage(own, found.unreadable)

    def action_group(self, step: int) -> None:
        self._group = (self._group + step) % len(_GROUPS)
        self._draw()

    def action_period(self) -> None:
        self._period = (self._period + 1) % len(_PERIODS)
        self._draw()

    def on_choice_line_clicked(self, message: ChoiceLine.Clicked) -> None:
        if message.line.id == "groups":
            self._group = message.place
        else:
            self._period = message.place
        self._draw()

    def _draw(self) -> None:
        self.query_one("#groups", ChoiceLine).choose(self._group)
        self.query_one("#periods", ChoiceLine).choose(self._period)
        begin_work(self, self._load, group="usage-lines", exclusive=True)

    async def _load(self) -> None:
        lines = await asyncio.to_thread(self._lines, max(20, self.size.width - 4), palette_for(self.app))
        for place, strips in (("titles", lines.titles), ("total", lines.below)):
            view = self.query_one(f"#usage-{place}", StripView)
            view.styles.height = len(strips)
            view.show(strips)
        self.query_one("#usage", StripView).show(lines.body)

    def _lines(self, width: int, palette: Palette) -> _Lines:
        """In a thread: there may be a hundred thousand rows to sum up."""
        usage = self._usage
        if usage is None:
            return _Lines([], paragraph("Reading …", palette.dim, width), [])
        unreadable = paragraph(_unreadable_sentence(usage), palette.warning, width) if usage.unreadable else []
        if not usage.rows:
            hint = [line for text in _NOTHING_YET.splitlines() for line in paragraph(text, palette.dim, width)]
            return _Lines([], hint, unreadable)
        summary = summarize(self._in_period(usage).rows, _GROUPS[self._group])
        if not summary.groups:
            return _Lines([], paragraph(_NOTHING_THEN, palette.dim, width), unreadable)
        table, branches = UsageTable(width, palette), self._branches()
        unpriced = paragraph(unpriced_sentence(summary.total) or "", palette.warning, width)
        below = [table.total(summary.total), *(unpriced if summary.total.unpriced else []), *unreadable]
        body = table.lines(summary, lambda group: self._title_of(group, branches))
        return _Lines([table.titles(summary.by)], body, below)

    def _in_period(self, usage: HomeUsage) -> HomeUsage:
        days = list(_PERIODS.values())[self._period]
        try:
            return usage.since(first_day(self._shared.orange.home, days)) if days is not None else usage
        except OrangeError:
            return usage  # config.yml can't be read, which is said elsewhere

    def _branches(self) -> Mapping[TaskRef, str]:
        rows = self._shared.snapshot.rows if self._shared.snapshot else ()
        return {row.ref: row.task.branch for row in rows if row.task is not None}

    def _title_of(self, group: UsageGroup, branches: Mapping[TaskRef, str]) -> str:
        """What a line is about; a task by its branch, as in the list."""
        if group.project is None:
            return group.name
        before = "" if self._shared.project is not None else f"{group.project}/"
        if group.name == CHAT:
            return f"{before}chat"
        branch = branches.get(TaskRef(group.project, group.name))
        return f"{before}{branch}" if branch is not None else f"{before}{group.name}, deleted"


def _unreadable_sentence(usage: HomeUsage) -> str:
    first, more = usage.unreadable[0], len(usage.unreadable) - 1
    return f"Not counted, it can't be read: {first}{f' and {more} more' if more else ''}"
