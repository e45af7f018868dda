"""Commands that show something: another screen, another form, or the list in another way.

Screens are imported when they are opened: the table of keys is loaded before the first frame.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from orange_tui.domain.records import replace
from orange_tui.domain.task import printable
from orange_tui.tui.commands import _delivery, _tasks
from orange_tui.tui.commands.context import branch_of
from orange_tui.tui.listing.model import ListModel
from orange_tui.tui.theme import palette_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.strip import Strip

    from orange_tui.tui.commands.context import CommandContext, WhyNot
    from orange_tui.tui.review.keys import TaskCommand

_LOG_ENTRIES = 1000
_PROSE_CELLS = 100  # the width of a line of prose: longer ones are hard to follow


# ── the selected task ──


def read(context: CommandContext) -> None:
    """Show TASK.md on the whole screen."""
    from orange_tui.tui.screens.page import Page
    from orange_tui.tui.tabs.task_page import task_lines

    row = context.row

    def lines(width: int) -> list[Strip]:
        return task_lines(context.orange, row, min(width, _PROSE_CELLS), palette_for(context.app))

    context.show(Page(f"TASK.md · {branch_of(row)}", lines, follows=True))


def workspace(context: CommandContext) -> None:
    """Show the tabs of a task on the whole screen."""
    from orange_tui.tui.screens.workspace import WorkspaceScreen
    from orange_tui.tui.tabs.preview_tabs import preview_tabs

    context.show(WorkspaceScreen(context.row, preview_tabs(context.orange)))


def review(context: CommandContext) -> None:
    """Show the diff of a task on the whole screen, to comment on it, send it back or merge it."""
    from orange_tui.tui.screens.review import ReviewScreen

    context.show(ReviewScreen(context.shared, context.row, _review_commands(context)))


def _review_commands(context: CommandContext) -> dict[str, TaskCommand]:
    """The app's own commands that a review has, too: there they are about the task that is reviewed."""
    from orange_tui.tui.review.keys import TaskCommand

    def command(run: Callable[[CommandContext], None], why_not: WhyNot) -> TaskCommand:
        return TaskCommand(
            lambda row: run(replace(context, selected=row)), lambda row: why_not(context.workflow_of(row), row)
        )

    return {
        "answer": command(_tasks.answer, _tasks.why_no_answer),
        "merge": command(_delivery.merge, _delivery.why_no_merge),
        "send_back": command(_tasks.send_back, _tasks.why_no_send_back),
        "send_review": command(_delivery.send_review, _delivery.why_no_send_review),
        "go_back": command(_tasks.send_back, _tasks.why_no_way_back),
        "review": command(review, _tasks.why_not_readable),
        "go_to": command(lambda each: each.controls.go_to(each.row.ref), _tasks.why_not_readable),
    }


# ── the list ──


def next_in_need(context: CommandContext) -> None:
    """Go to the next task that needs the person."""
    context.controls.go_to_next_in_need()


def next_filter(context: CommandContext) -> None:
    """Show all tasks, the active ones, the finished ones, or those that need the person."""
    context.controls.change_list(ListModel.next_filter)


def next_order(context: CommandContext) -> None:
    """Show the tasks in another order."""
    context.controls.change_list(ListModel.next_order)


def next_grouping(context: CommandContext) -> None:
    """Show the tasks in groups by state or project, or in none."""
    context.controls.change_list(ListModel.next_grouping)


def toggle_mark(context: CommandContext) -> None:
    """Mark the selected task, or not any more."""
    context.controls.toggle_mark()


def toggle_tree(context: CommandContext) -> None:
    """Show subtasks below their parents, or all tasks in one list."""
    context.controls.change_list(ListModel.toggle_tree)


def search(context: CommandContext) -> None:
    """Find tasks in the list."""
    context.controls.start_search()


def next_tab(context: CommandContext) -> None:
    """Show the next tab of the preview."""
    context.controls.next_tab()


# ── other screens ──


def create(context: CommandContext) -> None:
    """Open the form for a new task, in the project of the one under the cursor."""
    from orange_tui.tui.forms.task_form import TaskForm

    context.show(TaskForm(context.shared, context.selected.ref.project if context.selected is not None else None))


def saved_work(context: CommandContext) -> None:
    """Show the saved work, that of the selected task first."""
    from orange_tui.tui.screens.saved_work import SavedWorkScreen

    context.show(SavedWorkScreen(context.shared, context.selected.ref if context.selected is not None else None))


def usage(context: CommandContext) -> None:
    """Show what agents have used."""
    from orange_tui.tui.screens.usage import UsageScreen

    context.show(UsageScreen(context.shared))


def log(context: CommandContext) -> None:
    """Show the log, newest first."""
    from orange_tui.presentation.log import log_line
    from orange_tui.tui.screens.page import Page, plain_lines

    def lines(_width: int) -> list[Strip]:
        last = deque(context.orange.log.entries(), maxlen=_LOG_ENTRIES)
        text = "\n".join(printable(log_line(entry)) for entry in reversed(last))
        return plain_lines(text or "Nothing has been logged yet.", palette_for(context.app))

    context.show(Page("Log, newest first", lines))


def change_theme(context: CommandContext) -> None:
    """Choose another theme."""
    context.app.search_themes()


def demo(context: CommandContext) -> None:
    """Leave the list for the demo; who leaves that is back here."""
    from orange_tui.tui.manage.welcome import DEMO

    if context.shared.is_demo:
        context.notify("This is the demo. q ends it.")
    else:
        context.app.exit(DEMO)


def leave(context: CommandContext) -> None:
    """Close the app; agents keep running."""
    context.app.exit()
