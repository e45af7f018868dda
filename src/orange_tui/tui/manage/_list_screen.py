"""The base of screens that list things: read in a thread, kept true by what happens on disk, with keys for each."""

from __future__ import annotations

import asyncio
import time
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from rich.text import Text
from textual.screen import Screen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from orange_tui.domain.errors import OrangeError
from orange_tui.domain.task import printable
from orange_tui.tui.background_work import run_in_thread
from orange_tui.tui.drawing.lines import wrap
from orange_tui.tui.screens.dialogs import ConfirmDialog
from orange_tui.tui.theme import palette_for
from orange_tui.tui.widgets.bars import keys_line
from orange_tui.tui.workers import begin_work

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.style import Style
    from textual.app import ComposeResult

    from orange_tui.tui.context import AppContext
    from orange_tui.tui.drawing.palette import Palette

Item = TypeVar("Item")

_READING_SHARE = 0.1  # the most of the time that is spent with reading, while agents write all the time
_LONGEST_PAUSE_SECONDS = 2.0


def note_lines(text: str, style: Style, width: int, mark: str = "") -> Text:
    """What is said below an entry: all of it, however narrow the screen is, since it says what to do next."""
    words = wrap([(printable(text), style)], width - 2 - len(mark))
    starts = [f"\n  {mark}", *[f"\n  {' ' * len(mark)}"] * len(words)]
    return Text.assemble(
        *(piece for start, line in zip(starts, words, strict=False) for piece in ((start, style), *line))
    )


class ListScreen(Screen[None], Generic[Item]):
    """All of one kind, as they are on disk: whatever changes there is shown."""

    HEADING: ClassVar[str]
    EMPTY: ClassVar[str]  # what is shown where there is none: what it would be, and how to get one
    KEYS: ClassVar[tuple[tuple[str, str], ...]]

    BINDINGS = [  # noqa: RUF012 - Textual's own way
        ("escape", "dismiss", "Back"),
        ("q", "dismiss", "Back"),
        ("j", "move(1)", "Down"),
        ("k", "move(-1)", "Up"),
    ]

    def __init__(self, shared: AppContext) -> None:
        super().__init__()
        self.shared = shared
        self._items: Sequence[Item] = ()
        self._cursor = ""  # the name of the one that was last under it
        self._drawn: list[tuple[str, Text]] = []
        self._work = 0  # how many things are being done

    def read(self) -> Sequence[Item]:
        """All of them, in a thread."""
        raise NotImplementedError

    def name_of(self, item: Item) -> str:
        """What tells it from all others: the cursor stays on it, wherever it goes."""
        raise NotImplementedError

    def lines(self, item: Item, width: int, palette: Palette) -> Text:
        """What is shown of one."""
        raise NotImplementedError

    def titles(self) -> str:
        """The titles of the columns."""
        raise NotImplementedError

    # ── drawing ──

    def compose(self) -> ComposeResult:
        palette = palette_for(self.app)
        yield Static(id="header")
        yield Static(Text(self.titles(), style=palette.dim), id="item-titles")
        yield Static("reading …", id="message", markup=False)
        yield OptionList(id="items", compact=True)
        yield Static(keys_line((*self.KEYS, ("j k", "move"), ("esc", "back")), palette), id="footer")

    def on_mount(self) -> None:
        self._show_header("")
        self.query_one("#items").focus()
        begin_work(self, self._follow, group="items")

    async def _follow(self) -> None:
        """They change with their files, and with their tasks."""
        async for _ in self.shared.files.changes(runtime=False):
            began = time.monotonic()
            await self.refresh_items()
            await asyncio.sleep(min(_LONGEST_PAUSE_SECONDS, (time.monotonic() - began) / _READING_SHARE))

    async def refresh_items(self) -> None:
        """Read everything again."""
        try:
            self._items = await run_in_thread(self.shared.orange.log, self.HEADING, self.read)
        except OrangeError as problem:
            self._items = ()
            self._show(str(problem))
        else:
            self._show("" if self._items else self.EMPTY)

    def on_resize(self) -> None:
        if self._items:
            self._show("")

    def _show(self, instead: str) -> None:
        message, options = self.query_one("#message", Static), self.query_one("#items", OptionList)
        message.update(instead)
        message.display = bool(instead)
        options.display = self.query_one("#item-titles").display = not instead
        width, palette = self.size.width - 4, palette_for(self.app)
        drawn = [(self.name_of(each), self.lines(each, width, palette)) for each in self._items]
        if drawn == self._drawn:
            return  # or it would scroll back, while agents write all the time
        at, names = options.highlighted or 0, [name for name, _ in drawn]
        self._cursor = self._drawn[at][0] if at < len(self._drawn) else self._cursor
        self._drawn = drawn
        options.set_options(Option(lines) for _, lines in drawn)
        if names:
            options.highlighted = names.index(self._cursor) if self._cursor in names else min(at, len(names) - 1)

    def _show_header(self, doing: str) -> None:
        if not self.is_attached:
            return
        palette = palette_for(self.app)
        title = Text.assemble((f" {self.HEADING}", palette.accent), (f"  {doing}" if doing else "", palette.dim))
        self.query_one("#header", Static).update(title)

    # ── the one under the cursor ──

    @property
    def chosen(self) -> Item | None:
        """The one under the cursor."""
        at = self.query_one("#items", OptionList).highlighted
        return self._items[at] if at is not None and at < len(self._items) else None

    def action_move(self, step: int) -> None:
        options = self.query_one("#items", OptionList)
        (options.action_cursor_down if step > 0 else options.action_cursor_up)()

    # ── doing something ──

    def work(self, doing: str, work: Callable[[], object], on_done: Callable[[object], None] | None = None) -> None:
        """Do something in a thread, with a word in the header while it lasts; what it changes on disk is shown.

        It is the app's work: who leaves the screen meanwhile hears of it, too.
        """
        begin_work(self.app, partial(self._run, doing, work, on_done), group="changing")

    async def _run(self, doing: str, work: Callable[[], object], on_done: Callable[[object], None] | None) -> None:
        self._work += 1
        self._show_header(f"{doing} …")
        try:
            result = await run_in_thread(self.shared.orange.log, doing, work)
        except OrangeError as problem:
            self.app.notify(str(problem), title=f"{doing}: refused", severity="error", timeout=15, markup=False)
        else:
            if on_done is not None:
                on_done(result)
        finally:
            self._work -= 1
            if not self._work:
                self._show_header("")

    def tell(self, result: object) -> None:
        """Say what came of something."""
        self.app.notify(str(result), markup=False)

    def confirm(self, question: str, what_happens: str, yes: str, then: Callable[[], None]) -> None:
        """Do something after a question; who has left meanwhile is not asked."""

        def answered(is_yes: bool | None) -> None:
            if is_yes:
                then()

        if self.is_attached:
            self.app.push_screen(ConfirmDialog(question, what_happens, yes), answered)
