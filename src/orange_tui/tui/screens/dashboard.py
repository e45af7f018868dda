"""The dashboard: the list, the preview beside it where there is room, and the keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widgets import Input, Label

from orange_tui.tui.commands.keys import COMMANDS, workflow_of
from orange_tui.tui.drawing.palette import facts_of, status_look
from orange_tui.tui.widgets.bars import Footer, Header
from orange_tui.tui.widgets.columns import ColumnTitles
from orange_tui.tui.widgets.preview import Preview
from orange_tui.tui.widgets.task_list import TaskList
from orange_tui.tui.widgets.tree import Listed, as_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.style import Style
    from textual import events
    from textual.app import ComposeResult

    from orange_tui.board.rows import Snapshot, TaskRow
    from orange_tui.orange import Orange
    from orange_tui.store.store import TaskRef
    from orange_tui.tui.app import OrangeApp

_WIDE = 100
_MINUTE = 30.0  # seconds; half of one, so that no age is a whole minute behind
_FILTERS: dict[str, Callable[[TaskRow], bool]] = {
    "all": lambda _row: True,
    "active": lambda row: not row.finished,
    "finished": lambda row: row.finished,
    "needs you": lambda row: bool(row.needs),
}
_BY_LETTER = frozenset({"do", "move", "first", "last", "page", "preview"})
_EMPTY = """No tasks yet.

Press c to create one:
it gets a branch, a worktree and an agent.

To see how it goes first, leave with q
and run: orange demo"""


class Dashboard(Screen[None]):
    """What the person looks at all day."""

    app: OrangeApp
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
        Binding("space,right", "preview(True)", show=False),
        Binding("left", "preview(False)", show=False),
        Binding("escape", "back", show=False),
        Binding("shift+tab", "tab_back", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._filter = "all"
        self._search = ""
        self._is_tree = False
        self._tree: tuple[Sequence[TaskRow], object, Listed] | None = None  # rows, filter and search, what came of them

    @property
    def orange(self) -> Orange:
        """The services behind everything."""
        return self.app.orange

    @property
    def row(self) -> TaskRow | None:
        """The task under the cursor."""
        return self._list.selected

    @property
    def _list(self) -> TaskList:
        return self.query_one("#list", TaskList)

    def compose(self) -> ComposeResult:
        self._take_width(self.app.size.width)  # before anything is laid out, or it would be twice
        yield Header(id="header", markup=False)
        with Horizontal(id="body"):
            with Vertical(id="left"):
                yield ColumnTitles(id="titles")
                yield TaskList(lambda: self.app.palette, self._status_style, id="list")
            yield Preview(id="side")
        with Horizontal(id="search-line"):
            yield Label("/ ")
            yield Input(placeholder="branch, summary, status or id", id="search", select_on_focus=False)
        yield Footer(id="footer", markup=False)

    def on_mount(self) -> None:
        self._list.focus()
        self.watch(self.app, "snapshot", self._take)
        self.set_interval(_MINUTE, self._list.redraw)  # ages grow by themselves; only what is in sight is drawn

    def on_resize(self) -> None:
        self._take_width(self.size.width)
        self._take(self.app.snapshot)

    def _take_width(self, width: int) -> None:
        self.set_class(width >= _WIDE, "-wide")

    def _status_style(self, row: TaskRow) -> Style:
        if row.subtasks is not None and row.waits is not None:
            return self.app.palette.dim  # it is blocked, in autopilot's words, and all is well
        facts = facts_of(workflow_of(self, row), row.task.status if row.task else "")
        return status_look(facts, self.app.palette).style

    def _take(self, snapshot: Snapshot | None) -> None:
        """Show a snapshot: the one way anything on this screen changes."""
        listed = self._list_of(snapshot.rows if snapshot else ())
        everywhere = self.app.project is None and snapshot is not None and len(snapshot.projects) != 1
        self.set_class(not listed.rows, "-empty")
        self._list.empty_text = self._nothing_to_show(snapshot)
        self._list.show(listed, dict(self.app.jobs.running), shows_project=everywhere)
        self.query_one(ColumnTitles).has_pull_requests = self._list.has_pull_requests
        scope = self.app.project or "all projects"
        where = f"{scope} · {self._filter}{' · tree' if self._is_tree else ''}{self._searching()}"
        self.query_one(Header).tell(snapshot, where, self._states(snapshot), self.app.palette)
        self._about(self.row)

    def _list_of(self, rows: Sequence[TaskRow]) -> Listed:
        """The rows as they are to be shown; a tree is worked out anew only for other rows or another choice."""
        if not self._is_tree:
            return Listed(self._shown(rows))
        choice = (self._filter, self._search)
        if self._tree is None or self._tree[0] is not rows or self._tree[1] != choice:
            self._tree = rows, choice, as_tree(rows, self._shown(rows))
        return self._tree[2]

    def _states(self, snapshot: Snapshot | None) -> list[str]:
        """All states in the order in which their workflows have them."""
        if snapshot is None:
            return []
        names = dict.fromkeys(project.workflow for project in snapshot.projects)
        workflows = [snapshot.workflows.get(name) for name in names]
        found = [state for each in workflows if each is not None and not isinstance(each, str) for state in each.states]
        return list(dict.fromkeys(found))

    def _nothing_to_show(self, snapshot: Snapshot | None) -> str:
        if snapshot is None or not snapshot.complete:
            return "Reading …"
        return _EMPTY if not snapshot.rows else "Nothing here. f shows others, esc ends the search."

    def _searching(self) -> str:
        return f" · /{self._search}" if self._search else ""

    def _shown(self, rows: Sequence[TaskRow]) -> Sequence[TaskRow]:
        """Those that filter and search leave; with ten thousand, a look at each would be felt."""
        if self._filter != "all":
            rows = [row for row in rows if _FILTERS[self._filter](row)]
        words = self._search.casefold().split()
        return [row for row in rows if _has(row, words)] if words else rows

    def _about(self, row: TaskRow | None) -> None:
        self.query_one(Footer).tell(self, row, self.app.palette)
        self.query_one(Preview).tell(row)

    def on_task_list_selected(self, message: TaskList.Selected) -> None:
        self._about(message.row)

    def on_task_list_opened(self, _message: TaskList.Opened) -> None:
        self.action_do("enter")

    def action_do(self, name: str) -> None:
        """Run a command of the table, or say why it cannot be."""
        from orange_tui.tui.commands.run import run

        command = next(command for command in COMMANDS if command.name == name)
        if command.why_not is not None:
            if self.row is None:
                self.notify("There is no task here.", markup=False)
                return
            reason = command.why_not(self, self.row)
            if reason is not None:
                self.notify(reason, title=f"{command.title}: not now", severity="warning", markup=False)
                return
        run(self, name)

    def action_move(self, steps: int) -> None:
        self._list.move(steps)

    def action_first(self) -> None:
        self._list.move_to(0)

    def action_last(self) -> None:
        self._list.move_to(self._list.count() - 1)

    def action_page(self, direction: int, of_list: bool = False) -> None:
        if of_list or not self.query_one(Preview).scroll_page(direction):
            self._list.move(direction * self._list.page())

    def action_preview(self, show: bool) -> None:
        self.set_class(show and not self.has_class("-wide"), "-preview")
        self.call_after_refresh(self._about, self.row)

    def action_tab_back(self) -> None:
        self.query_one(Preview).next_tab(-1)

    def action_back(self) -> None:
        if self.has_class("-searching") or self._search:
            self._search = ""
            self.query_one("#search", Input).value = ""
            self.remove_class("-searching")
            self._list.focus()
            self._take(self.app.snapshot)
        elif self.has_class("-preview"):
            self.action_preview(show=False)

    def next_filter(self) -> None:
        """Show other tasks: all, active, finished, what needs the person."""
        names = list(_FILTERS)
        self._filter = names[(names.index(self._filter) + 1) % len(names)]
        self._take(self.app.snapshot)

    def toggle_tree(self) -> None:
        """Show parts below their tasks, or all in one list."""
        self._is_tree = not self._is_tree
        self._list.hold_cursor()
        self._take(self.app.snapshot)
        self._list.see_cursor()

    def begin_search(self) -> None:
        """Let the person type what to look for."""
        self.add_class("-searching")
        self.set_focus(self.query_one("#search", Input))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While something is searched for, a letter is a letter, even one that was typed before the line was there."""
        if self.has_class("-searching") and action in _BY_LETTER:
            return False
        return super().check_action(action, parameters)

    def on_key(self, event: events.Key) -> None:
        search = self.query_one("#search", Input)
        if self.has_class("-searching") and event.is_printable and event.character and not search.has_focus:
            search.insert_text_at_cursor(event.character)
            event.stop()

    def on_input_changed(self, event: Input.Changed) -> None:
        self._search = event.value
        self._take(self.app.snapshot)

    def on_input_submitted(self) -> None:
        self.remove_class("-searching")
        self._list.focus()

    def go_to(self, ref: TaskRef) -> None:
        """Put the cursor on a task, showing it first where a filter or a search hides it."""
        rows = self.app.snapshot.rows if self.app.snapshot else ()
        if not any(row.ref == ref for row in self._shown(rows)):
            self._filter, self._search = "all", ""
            self.query_one("#search", Input).value = ""
            self.remove_class("-searching")
            self._take(self.app.snapshot)
        self._list.select(ref)

    def next_in_need(self) -> None:
        """Go to the next task that needs the person, round and round."""
        rows = [row for row in (self.app.snapshot.rows if self.app.snapshot else ()) if row.needs]
        if not rows:
            self.notify("Nothing needs you.", markup=False)
            return
        places = [row.ref for row in rows]
        here = places.index(self.row.ref) if self.row and self.row.ref in places else -1
        self.go_to(places[(here + 1) % len(places)])


def _has(row: TaskRow, words: Sequence[str]) -> bool:
    """Whether all the words are in what people know a task by."""
    task = row.task
    text = f"{row.ref.id} {row.ref.project}" + (f" {task.branch} {task.summary} {task.status}" if task else "")
    folded = text.casefold()
    return all(word in folded for word in words)
