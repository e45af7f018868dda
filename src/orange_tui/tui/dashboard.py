"""The dashboard: the list, the preview beside it where there is room, and the keys."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.containers import Horizontal, Vertical

from orange_tui.tui.commands.context import CommandContext, workflow_of
from orange_tui.tui.commands.keys import COMMANDS, command_named, footer_keys
from orange_tui.tui.commands.many import run_on_marked
from orange_tui.tui.drawing.labels import row_status_style
from orange_tui.tui.listing.column_layout import ColumnTitles
from orange_tui.tui.listing.filters import ALL
from orange_tui.tui.listing.merged import MergedHere
from orange_tui.tui.listing.model import ListModel
from orange_tui.tui.listing.text_search import TextSearch
from orange_tui.tui.listing.wording import empty_text, states_in_order
from orange_tui.tui.tabs.preview_tabs import preview_tabs
from orange_tui.tui.theme import palette_for
from orange_tui.tui.widgets.bars import Footer, FooterKey, Header
from orange_tui.tui.widgets.preview import SCROLL_KEYS, Preview
from orange_tui.tui.widgets.search_line import SEARCH_KEYS, SearchLine, SearchScreen
from orange_tui.tui.widgets.task_list import TaskList
from orange_tui.tui.workers import begin_work

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.style import Style
    from textual.app import ComposeResult

    from orange_tui.board.rows import Snapshot, TaskRow
    from orange_tui.store.store import TaskRef
    from orange_tui.tui.commands.context import KeyCommand
    from orange_tui.tui.context import AppContext
    from orange_tui.tui.drawing.palette import Palette

_WIDE_CELLS, _ROOMY_CELLS = 100, 160
_REDRAW_SECONDS = 30.0  # half a minute, so that no age is a whole minute behind
_TYPING_SECONDS = 0.15  # without another letter, before texts are searched
_SEARCH_PAUSE_SECONDS = 1.0  # until they are searched again, where agents write all the time
_PREVIEW, _ALONE = "preview", "list alone"  # what a wide terminal shows

_MOVING = (
    *(("j,down", "move(1)"), ("k,up", "move(-1)")),
    *(("g,home", "place(0)"), ("G,end", "place(-1)")),
    *(("pagedown", "page(1)"), ("pageup", "page(-1)")),
    *(("ctrl+d", "page(1, True)"), ("ctrl+u", "page(-1, True)")),
    *(("shift+down,ctrl+e", "scroll_preview(1)"), ("shift+up,ctrl+y", "scroll_preview(-1)")),
    *(("right", "preview(True)"), ("left", "preview(False)")),
    *(("escape", "back"), ("shift+tab", "tab_back")),
)


class Dashboard(SearchScreen):
    """What the person looks at all day."""

    LETTER_ACTIONS = frozenset({"do", "move", "place", "page", "preview", "scope"})
    BINDINGS = [  # noqa: RUF012 - Textual's own way
        *(
            Binding(command.key, f"do('{command.name}')", command.title, show=False, id=command.name)
            for command in COMMANDS
            if command.key
        ),
        *(Binding(str(number), f"scope({number})", show=False) for number in range(10)),
        *(Binding(key, action, show=False) for key, action in _MOVING),
    ]

    def __init__(self, shared: AppContext) -> None:
        super().__init__()
        self._shared = shared
        self._model = ListModel()
        self._texts = TextSearch(shared.orange.home)
        self._must_search = asyncio.Event()  # other texts, or other tasks, than were searched
        self._merged = MergedHere()
        self._is_restored = False

    @property
    def row(self) -> TaskRow | None:
        """The task under the cursor."""
        return self._list.selected

    @property
    def _palette(self) -> Palette:
        return palette_for(self.app)

    @property
    def _list(self) -> TaskList:
        return self.query_one("#list", TaskList)

    @property
    def _rows(self) -> Sequence[TaskRow]:
        return self._shared.snapshot.rows if self._shared.snapshot else ()

    def compose(self) -> ComposeResult:
        self._adapt_to_width(self.app.size.width, update=False)  # before anything is laid out, or it would be twice
        yield Header(id="header", markup=False)
        with Horizontal(id="body"):
            with Vertical(id="left"):
                yield ColumnTitles(id="titles")
                yield TaskList(self._status_style, id="list")
            yield Preview(preview_tabs(self._shared.orange), id="side")
        yield SearchLine("branch, summary, status, agent, workflow, label, id, or a word of TASK.md")
        yield Footer(id="footer", markup=False)

    def on_mount(self) -> None:
        self._list.focus()
        self.watch(self.app, "snapshot", self._follow)
        self.set_interval(_REDRAW_SECONDS, self._list.redraw)  # ages grow by themselves; only what is in sight is drawn

    def on_resize(self) -> None:
        self._adapt_to_width(self.size.width)
        self._show(self._shared.snapshot)

    def _adapt_to_width(self, width: int, *, update: bool = True) -> None:
        self.set_class(width >= _WIDE_CELLS, "-wide", update=update)
        self.set_class(width >= _ROOMY_CELLS, "-roomy", update=update)

    def _status_style(self, row: TaskRow) -> Style:
        return row_status_style(row, workflow_of(self._shared.snapshot, row), self._palette)

    def _follow(self, before: Snapshot | None, now: Snapshot | None) -> None:
        """Show a new snapshot; a list of ten thousand is not gone through for what only the preview shows."""
        if now is not None and not self._is_restored:
            self._restore()
        if before and now and (before.text_changes, before.scope) != (now.text_changes, now.scope):
            self._must_search.set()
            if before.differs_only_in_texts(now):
                self.query_one(Preview).show(self.row)
                return
        self._show(now)

    def _restore(self) -> None:
        """Show the list as it was left the last time."""
        self._is_restored = True
        memory, preview = self._shared.view, self.query_one(Preview)
        self._model.restore(memory)
        preview.show_tab(memory.chosen("tab", preview.names) or preview.tab.name)
        self.set_class(memory.chosen("wide", (_PREVIEW, _ALONE)) == _ALONE, "-alone")

    def _show(self, snapshot: Snapshot | None) -> None:
        """Show a snapshot: the one way anything on this screen changes."""
        before, place, listed = self.row, self._list.place, self._model.listed(self._rows)
        everywhere = self._shared.project is None and snapshot is not None and len(snapshot.projects) != 1
        self.set_class(not listed.rows, "-empty")
        self._list.empty_text = empty_text(snapshot, self._model.choices.search, is_demo=self._shared.is_demo)
        self._list.columns = self._shared.columns
        self._list.facts = snapshot.facts if snapshot is not None else frozenset()
        running = dict(self._shared.work.running)
        if self._list.marked:  # not of what is gone, or in another project
            self._list.marked &= {row.ref for row in self._rows}
        self._list.show(listed, running, shows_project=everywhere)
        self.query_one(ColumnTitles).show(self._list.facts, self._list.columns, self._list.longest)
        marked = f" · {len(self._list.marked)} marked" if self._list.marked else ""
        scope = f"{self._shared.project or 'all projects'} · {self._model.choices.sentence}{marked}"
        self.query_one(Header).show(snapshot, scope, states_in_order(snapshot), self._palette)
        self.show_keys()
        if self._merged.has_ended(running, self._rows, before.ref if before else None) and self.is_current:
            self._go_on(place)

    def _show_again(self) -> None:
        """Show the same tasks in another way, with the cursor in sight."""
        self._show(self._shared.snapshot)
        self._list.see_cursor()

    def show_keys(self) -> None:
        row = self.row
        in_preview = [("esc", "list"), ("⇥", "next tab"), SCROLL_KEYS] if self.has_class("-preview") else []
        narrow = [("→", "preview")] if row is not None and not self.has_class("-wide") else []
        own = [("esc", "unmark")] if self._list.marked else narrow
        scroll = [FooterKey(*SCROLL_KEYS, about_task=False, gives_way=99)] if row and self.has_class("-wide") else []
        keys = [*footer_keys(self.command_context()), *scroll] if not self.is_searching else []  # a letter is a letter
        self.query_one(Footer).show(keys, SEARCH_KEYS if self.is_searching else in_preview, own, self._palette)
        self.query_one(Preview).show(row)

    def on_task_list_selected(self, _message: TaskList.Selected) -> None:
        self.show_keys()

    def on_task_list_opened(self) -> None:
        self.action_do("enter")

    def on_preview_tab_shown(self, message: Preview.TabShown) -> None:
        self._shared.remember(tab=message.name)

    def on_preview_read(self, _message: Preview.Read) -> None:
        self._list.hold_cursor()

    # ── commands ──

    def command_context(self) -> CommandContext:
        """What a command is given now."""
        refs = self._list.marked
        marked = tuple(row for row in self._rows if row.ref in refs) if refs else ()
        return CommandContext(self.app, self._shared, self, self.row, marked)

    def action_do(self, name: str) -> None:
        """Run a command of the table by its name."""
        self.run_command(command_named(name))

    def run_command(self, command: KeyCommand) -> None:
        """Run a command, on the marked tasks where it can be; or say why it can't be run."""
        context = self.command_context()
        if run_on_marked(context, command):
            return
        reason = command.why_unavailable(context)
        if reason is None:
            command.run(context)
        else:
            self.notify(reason, title=f"{command.title}: not now", severity="warning", markup=False)

    def action_move(self, steps: int) -> None:
        self._list.move(steps)

    def action_place(self, place: int) -> None:
        self._list.move_to(place % max(1, self._list.count()))

    def action_page(self, direction: int, of_list: bool = False) -> None:
        if of_list or not self.query_one(Preview).scroll_page(direction):
            self._list.move(direction * self._list.page())

    def action_scroll_preview(self, lines: int) -> None:
        self.query_one(Preview).scroll_lines(lines)

    def action_preview(self, show: bool) -> None:
        """Show the preview or the list alone: beside each other or one of them, as there is room."""
        self._list.hold_cursor()
        is_wide = self.has_class("-wide")
        self.set_class(show and not is_wide, "-preview")
        if is_wide:
            self.set_class(not show, "-alone")
            self._shared.remember(wide=_PREVIEW if show else _ALONE)
        self.call_after_refresh(self._show_again)

    def action_tab_back(self) -> None:
        self.query_one(Preview).next_tab(-1)

    def action_back(self) -> None:
        self.clear_selection()
        if self.is_searching or self._model.choices.search:
            self._choose(search="")
            self.end_search()
        elif self.has_class("-preview"):
            self.action_preview(show=False)
        elif self._list.marked:
            self.unmark()

    def next_tab(self) -> None:
        """Show the next tab of the preview."""
        self.query_one(Preview).next_tab()

    def change_list(self, change: Callable[[ListModel], None]) -> None:
        """Show other tasks, or the same in another way; the next start does so, too."""
        before = self._model.choices.filter
        change(self._model)
        if self._model.choices.filter == before:  # the same tasks: who looks at one goes on doing so
            self._list.hold_cursor()
        self._shared.remember(**self._model.to_remember())
        self._show_again()

    def toggle_mark(self) -> None:
        """Mark the task under the cursor, or not any more, and go on to the next."""
        self._list.toggle_mark()
        self._show_again()

    def unmark(self) -> None:
        """No task is marked any more."""
        self._list.marked.clear()
        self._show_again()

    def action_scope(self, number: int) -> None:
        """Show all projects, or the one with this number."""
        self._shared.show_project(number)

    def _choose(self, **changes: object) -> None:
        self._model.choose(**changes)
        self._show_again()

    def focus_content(self) -> None:
        self._list.focus()

    def searched(self, text: str) -> None:
        self._choose(search=text)
        self._texts.cancel()
        begin_work(self, self._find_in_texts, group="texts", exclusive=True)

    async def _find_in_texts(self) -> None:
        """Look for the words in what only files tell, again when that changes, for as long as they are looked for."""
        await asyncio.sleep(_TYPING_SECONDS)
        while self._model.choices.search:
            self._must_search.clear()
            if await self._texts.find_for(self._model, self._rows):
                self._show(self._shared.snapshot)
            await self._must_search.wait()
            await asyncio.sleep(_SEARCH_PAUSE_SECONDS)

    def go_to(self, ref: TaskRef) -> None:
        """Put the cursor on a task, showing it first where a filter or a search hides it."""
        if not self._model.shows(self._rows, ref):
            self._choose(search="", filter=ALL)
            self.end_search()
        self._list.select(ref)

    def go_to_next_in_need(self) -> None:
        """Put the cursor on the next task that needs the person, round and round."""
        following = self._model.next_in_need(self._rows, self.row.ref if self.row is not None else None)
        if following is None:
            self.notify("Nothing needs you.", markup=False)
        else:
            self.go_to(following.ref)

    def _go_on(self, place: int) -> None:
        """What was merged here is done: go on to what needs the person in this list, else stay where it was."""
        following = self._model.next_in_need(self._model.listed(self._rows).rows, None)
        if following is None:
            self._list.move_to(place)
        else:
            self._list.select(following.ref)
