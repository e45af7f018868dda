"""The dashboard: the list, the preview beside it where there is room, and the keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widgets import Input, Label

from orange_tui.domain.records import replace
from orange_tui.tui._filters import ListFilter
from orange_tui.tui.commands.context import CommandContext, workflow_of
from orange_tui.tui.commands.keys import COMMANDS, command_named, footer_keys
from orange_tui.tui.drawing.palette import state_facts, status_style
from orange_tui.tui.tabs.preview_tabs import preview_tabs
from orange_tui.tui.theme import palette_for
from orange_tui.tui.widgets.bars import Footer, FooterKey, Header
from orange_tui.tui.widgets.columns import ColumnTitles
from orange_tui.tui.widgets.preview import SCROLL_KEYS, Preview
from orange_tui.tui.widgets.task_list import TaskList
from orange_tui.tui.widgets.task_tree import ListedTasks, as_tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.style import Style
    from textual import events
    from textual.app import ComposeResult

    from orange_tui.board.rows import Snapshot, TaskRow
    from orange_tui.store.store import TaskRef
    from orange_tui.tui.commands.context import KeyCommand
    from orange_tui.tui.context import AppContext
    from orange_tui.tui.drawing.palette import Palette

_WIDE_CELLS = 100
_REDRAW_SECONDS = 30.0  # half a minute, so that no age is a whole minute behind
_ACTIONS_BY_LETTER = frozenset({"do", "move", "first", "last", "page", "preview"})
_EMPTY = """No tasks yet.

Press c to create one:
it gets a branch, a worktree and an agent.

To watch a demo first, quit with q
and run: orange demo"""


class Dashboard(Screen[None]):
    """What the person looks at all day."""

    BINDINGS = [  # noqa: RUF012 - Textual's own way
        *(
            Binding(command.key, f"do('{command.name}')", command.title, show=False, id=command.name)
            for command in COMMANDS
            if command.key
        ),
        Binding("j,down", "move(1)", show=False),
        Binding("k,up", "move(-1)", show=False),
        Binding("g,home", "first", show=False),
        Binding("G,end", "last", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("ctrl+d", "page(1, True)", show=False),
        Binding("ctrl+u", "page(-1, True)", show=False),
        Binding("shift+down,ctrl+e", "scroll_preview(1)", show=False),
        Binding("shift+up,ctrl+y", "scroll_preview(-1)", show=False),
        Binding("space,right", "preview(True)", show=False),
        Binding("left", "preview(False)", show=False),
        Binding("escape", "back", show=False),
        Binding("shift+tab", "tab_back", show=False),
    ]

    def __init__(self, shared: AppContext) -> None:
        super().__init__()
        self._shared = shared
        self._filter = ListFilter()
        self._is_tree = False
        self._tree: tuple[Sequence[TaskRow], ListFilter, ListedTasks] | None = None  # a cache: rows, filter, their tree

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

    def compose(self) -> ComposeResult:
        self._adapt_to_width(self.app.size.width)  # before anything is laid out, or it would be twice
        yield Header(id="header", markup=False)
        with Horizontal(id="body"):
            with Vertical(id="left"):
                yield ColumnTitles(id="titles")
                yield TaskList(self._status_style, id="list")
            yield Preview(preview_tabs(self._shared.orange), id="side")
        with Horizontal(id="search-line"):
            yield Label("/ ")
            yield Input(placeholder="branch, summary, status or id", id="search", select_on_focus=False)
        yield Footer(id="footer", markup=False)

    def on_mount(self) -> None:
        self._list.focus()
        self.watch(self.app, "snapshot", self._follow)
        self.set_interval(_REDRAW_SECONDS, self._list.redraw)  # ages grow by themselves; only what is in sight is drawn

    def on_resize(self) -> None:
        self._adapt_to_width(self.size.width)
        self._show(self._shared.snapshot)

    def _adapt_to_width(self, width: int) -> None:
        self.set_class(width >= _WIDE_CELLS, "-wide")

    def _status_style(self, row: TaskRow) -> Style:
        if row.subtask_counts is not None and row.waits is not None:
            return self._palette.dim  # it is blocked, in autopilot's words, and all is well
        workflow = workflow_of(self._shared.snapshot, row)
        return status_style(state_facts(workflow, row.task.status if row.task else ""), self._palette).style

    def _follow(self, before: Snapshot | None, now: Snapshot | None) -> None:
        """Show a new snapshot; a list of ten thousand is not gone through for what only the preview shows."""
        if before is not None and now is not None and before.differs_only_in_texts(now):
            self.query_one(Preview).show(self.row)
        else:
            self._show(now)

    def _show(self, snapshot: Snapshot | None) -> None:
        """Show a snapshot: the one way anything on this screen changes."""
        listed = self._listed(snapshot.rows if snapshot else ())
        project = self._shared.project
        everywhere = project is None and snapshot is not None and len(snapshot.projects) != 1
        self.set_class(not listed.rows, "-empty")
        self._list.empty_text = self._empty_text(snapshot)
        self._list.show(listed, dict(self._shared.work.running), shows_project=everywhere)
        self.query_one(ColumnTitles).seldom = self._list.seldom_columns
        search = f" · /{self._filter.search}" if self._filter.search else ""
        scope = f"{project or 'all projects'} · {self._filter.name}{' · tree' if self._is_tree else ''}{search}"
        self.query_one(Header).show(snapshot, scope, self._states(snapshot), self._palette)
        self._show_selected(self.row)

    def _show_again(self) -> None:
        """Show the same tasks in another way, with the cursor in sight."""
        self._show(self._shared.snapshot)
        self._list.see_cursor()

    def _listed(self, rows: Sequence[TaskRow]) -> ListedTasks:
        """The rows as they are to be shown; a tree is worked out anew only for other rows or another filter."""
        if not self._is_tree:
            return ListedTasks(self._filter.apply(rows))
        if self._tree is None or self._tree[0] is not rows or self._tree[1] != self._filter:
            self._tree = rows, self._filter, as_tree(rows, self._filter.apply(rows))
        return self._tree[2]

    def _states(self, snapshot: Snapshot | None) -> list[str]:
        """All states in the order in which their workflows have them."""
        if snapshot is None:
            return []
        names = dict.fromkeys(project.workflow for project in snapshot.projects)
        workflows = [snapshot.workflows.get(name) for name in names]
        found = [state for each in workflows if each is not None and not isinstance(each, str) for state in each.states]
        return list(dict.fromkeys(found))

    def _empty_text(self, snapshot: Snapshot | None) -> str:
        if snapshot is None or not snapshot.complete:
            return "Reading …"
        return _EMPTY if not snapshot.rows else "Nothing here. f changes the filter, esc ends the search."

    def _show_selected(self, row: TaskRow | None) -> None:
        in_preview = [("esc", "list"), ("⇥", "next tab"), SCROLL_KEYS] if self.has_class("-preview") else []
        narrow = [("␣", "preview")] if row is not None and not self.has_class("-wide") else []
        scroll = [FooterKey(*SCROLL_KEYS, about_task=False, gives_way=99)] if row and self.has_class("-wide") else []
        keys = [*footer_keys(self.command_context()), *scroll]
        self.query_one(Footer).show(keys, in_preview, narrow, self._palette)
        self.query_one(Preview).show(row)

    def on_task_list_selected(self, message: TaskList.Selected) -> None:
        self._show_selected(message.row)

    def on_task_list_opened(self, _message: TaskList.Opened) -> None:
        self.action_do("enter")

    # ── commands ──

    def command_context(self) -> CommandContext:
        """What a command is given now."""
        return CommandContext(self.app, self._shared, self, self.row)

    def action_do(self, name: str) -> None:
        """Run a command of the table by its name."""
        self.run_command(command_named(name))

    def run_command(self, command: KeyCommand) -> None:
        """Run a command, or say why it can't be run."""
        context = self.command_context()
        reason = command.why_unavailable(context)
        if reason is None:
            command.run(context)
        else:
            self.notify(reason, title=f"{command.title}: not now", severity="warning", markup=False)

    def action_move(self, steps: int) -> None:
        self._list.move(steps)

    def action_first(self) -> None:
        self._list.move_to(0)

    def action_last(self) -> None:
        self._list.move_to(self._list.count() - 1)

    def action_page(self, direction: int, of_list: bool = False) -> None:
        if of_list or not self.query_one(Preview).scroll_page(direction):
            self._list.move(direction * self._list.page())

    def action_scroll_preview(self, lines: int) -> None:
        self.query_one(Preview).scroll_lines(lines)

    def action_preview(self, show: bool) -> None:
        self.set_class(show and not self.has_class("-wide"), "-preview")
        self.call_after_refresh(self._show_selected, self.row)

    def action_tab_back(self) -> None:
        self.query_one(Preview).next_tab(-1)

    def action_back(self) -> None:
        self.clear_selection()
        if self.has_class("-searching") or self._filter.search:
            self._end_search()
            self._list.focus()
            self._show_again()
        elif self.has_class("-preview"):
            self.action_preview(show=False)

    def next_tab(self) -> None:
        """Show the next tab of the preview."""
        self.query_one(Preview).next_tab()

    def next_filter(self) -> None:
        """Show other tasks: all, active, finished, what needs the person."""
        self._filter = replace(self._filter, name=self._filter.next_name)
        self._show_again()

    def toggle_tree(self) -> None:
        """Show subtasks below their parents, or all tasks in one list."""
        self._is_tree = not self._is_tree
        self._list.hold_cursor()
        self._show_again()

    # ── searching ──

    def start_search(self) -> None:
        """Let the person type what to look for."""
        self.add_class("-searching")
        self.set_focus(self.query_one("#search", Input))

    def _end_search(self) -> None:
        self._filter = replace(self._filter, search="")
        self.query_one("#search", Input).value = ""
        self.remove_class("-searching")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While something is searched for, a letter is a letter, even one that was typed before the line was there."""
        if self.has_class("-searching") and action in _ACTIONS_BY_LETTER:
            return False
        return super().check_action(action, parameters)

    def on_key(self, event: events.Key) -> None:
        search = self.query_one("#search", Input)
        if self.has_class("-searching") and event.is_printable and event.character and not search.has_focus:
            search.insert_text_at_cursor(event.character)
            event.stop()

    def on_input_changed(self, event: Input.Changed) -> None:
        self._filter = replace(self._filter, search=event.value)
        self._show_again()

    def on_input_submitted(self) -> None:
        self.remove_class("-searching")
        self._list.focus()

    # ── going to a task ──

    def go_to(self, ref: TaskRef) -> None:
        """Put the cursor on a task, showing it first where a filter or a search hides it."""
        rows = self._shared.snapshot.rows if self._shared.snapshot else ()
        if not any(row.ref == ref for row in self._filter.apply(rows)):
            self._end_search()
            self._filter = ListFilter()
            self._show_again()
        self._list.select(ref)

    def go_to_next_in_need(self) -> None:
        """Put the cursor on the next task that needs the person, round and round."""
        rows = self._shared.snapshot.rows if self._shared.snapshot else ()
        refs = [row.ref for row in rows if row.needs]
        if not refs:
            self.notify("Nothing needs you.", markup=False)
            return
        here = refs.index(self.row.ref) if self.row and self.row.ref in refs else -1
        self.go_to(refs[(here + 1) % len(refs)])
