"""What a command is, and what it is given when it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from orange_tui.domain.records import record
from orange_tui.tui.drawing.labels import shown_key
from orange_tui.tui.workers import begin_work

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping

    from textual.app import App
    from textual.screen import Screen

    from orange_tui.board.rows import Snapshot, TaskRow
    from orange_tui.domain.workflow import Workflow
    from orange_tui.orange import Orange
    from orange_tui.store.store import TaskRef
    from orange_tui.tui.background_work import Work
    from orange_tui.tui.context import AppContext
    from orange_tui.tui.listing.model import ListModel

    WhyNot = Callable[[Workflow | None, TaskRow], str | None]
    TaskTitle = Callable[[Workflow | None, TaskRow], str]

_WHERE_THERE_IS_ROOM = 99  # before any that is to be in a footer, such a key gives way


@runtime_checkable
class ListControls(Protocol):
    """The screen with the list of tasks, as commands see it."""

    def command_context(self) -> CommandContext:
        """What a command is given there now."""

    def run_command(self, command: KeyCommand) -> None:
        """Run a command, or say why it can't be run."""

    def go_to(self, ref: TaskRef) -> None:
        """Put the cursor on a task."""

    def go_to_next_in_need(self) -> None:
        """Put the cursor on the next task that needs the person."""

    def change_list(self, change: Callable[[ListModel], None]) -> None:
        """Show other tasks, or the same in another way."""

    def toggle_mark(self) -> None:
        """Mark the task under the cursor, or not any more."""

    def unmark(self) -> None:
        """No task is marked any more."""

    def start_search(self) -> None:
        """Let the person type what to look for."""

    def next_tab(self) -> None:
        """Show the next tab of the preview."""


@record
class CommandContext:
    """What a command knows and may use: what the app shares, the list, the task under the cursor, the marked ones."""

    app: App[Any]
    shared: AppContext
    controls: ListControls
    selected: TaskRow | None
    marked: tuple[TaskRow, ...] = ()

    @property
    def row(self) -> TaskRow:
        """The selected task. A command about a task is never run without one."""
        assert self.selected is not None  # noqa: S101 - `why_unavailable` has seen to it
        return self.selected

    @property
    def orange(self) -> Orange:
        """The services behind everything."""
        return self.shared.orange

    @property
    def snapshot(self) -> Snapshot | None:
        """Every task as it is now."""
        return self.shared.snapshot

    def workflow_of(self, row: TaskRow) -> Workflow | None:
        """The workflow of a task, if it could be read: the board did, and no file is touched here."""
        return workflow_of(self.snapshot, row)

    def start(self, title: str, work: Work) -> None:
        """Do something to the selected task in the background."""
        self.shared.work.start(self.row.ref, title, work)

    def show(self, screen: Screen[Any], on_answer: Callable[[Any], None] | None = None) -> None:
        """Show another screen; what the person answers there is handed over."""
        self.app.push_screen(screen, on_answer)

    def show_later(self, work: Callable[[], Coroutine[Any, Any, None]], group: str) -> None:
        """Show another screen once something was read: what is typed meanwhile is for that screen."""
        held = self.shared.holding_keys()
        held.__enter__()  # now, and not when the work has its turn

        async def run() -> None:
            try:
                await work()
            finally:
                held.__exit__(None, None, None)

        begin_work(self.app, run, group=group)

    def notify(self, text: str) -> None:
        """Tell the person something that needs no title."""
        self.app.notify(text, markup=False)

    def notify_error(self, text: str, title: str = "") -> None:
        """Tell the person what went wrong, long enough to read it."""
        self.app.notify(text, title=title, severity="error", timeout=15, markup=False)


@record
class KeyCommand:
    """One key, or none: what is done seldom is in the command palette only.

    `why_not` says why it can't be used on a task now; None means that it can.
    """

    name: str
    key: str
    title: str
    help: str
    run: Callable[[CommandContext], None]
    why_not: WhyNot | None = None  # None: it is about no task, and always there
    in_footer: bool = True
    gives_way: int = 0  # in a footer with too little room, the highest goes first; 0 stays
    task_title: TaskTitle | None = None  # what it is called for a task, where that depends on the task
    footer_for: Callable[[TaskRow], bool] | None = None  # in the footer only where this is so: help has it anyway
    needs_tasks: bool = False  # not in the footer of a list without tasks, where it would do nothing

    def why_unavailable(self, context: CommandContext) -> str | None:
        """Why it can't be used now; None: it can."""
        if self.why_not is None:
            return None
        row = context.selected
        return self.why_not(context.workflow_of(row), row) if row is not None else "No task is selected"

    def footer_place(self, row: TaskRow | None) -> int:
        """How soon it gives way in the footer while this task is selected; most keys are there where there is room."""
        is_there = self.in_footer and (self.footer_for is None or (row is not None and self.footer_for(row)))
        return self.gives_way if is_there else _WHERE_THERE_IS_ROOM

    def shown_key(self, overrides: Mapping[str, str]) -> str:
        """Its key as people write it, or the one that the person has chosen; empty where it has none."""
        return shown_key(overrides.get(self.name, self.key))


def workflow_of(snapshot: Snapshot | None, row: TaskRow) -> Workflow | None:
    """The workflow of a task as the snapshot has it; None where it can't be read."""
    found = snapshot.workflows.get(row.task.workflow) if snapshot is not None and row.task is not None else None
    return None if isinstance(found, str) else found


def branch_of(row: TaskRow) -> str:
    """What dialogs call a task: its branch, or its id where TASK.md can't be read."""
    return row.task.branch if row.task is not None else row.ref.id


def hook_errors_text(errors: tuple[str, ...]) -> str | None:
    """What to tell of a move whose hooks did not all succeed."""
    return f"Done, but {'; '.join(errors)}" if errors else None
