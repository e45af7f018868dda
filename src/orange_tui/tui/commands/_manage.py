"""Commands that look after tasks, projects, workspaces and settings: what a person would need a shell for else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.presentation.tasks import state_words
from orange_tui.tui.commands._tasks import why_not_readable
from orange_tui.tui.theme import palette_for

if TYPE_CHECKING:
    from textual.strip import Strip

    from orange_tui.board.rows import TaskRow
    from orange_tui.domain.workflow import Workflow
    from orange_tui.tui.commands.context import CommandContext


# ── the selected task ──


def change(context: CommandContext) -> None:
    """Change a task's summary, its branch, or how it is done."""
    from orange_tui.tui.forms.change_task_form import ChangeTaskForm

    row = context.row
    assert row.task is not None  # noqa: S101 - `why_not_readable` has seen to it
    context.show(ChangeTaskForm(context.shared, row.ref, row.task))


def why_no_move(workflow: Workflow | None, row: TaskRow) -> str | None:
    """A person can move a task where its workflow has a way for a person that does not end it."""
    if row.task is None:
        return why_not_readable(workflow, row)
    if workflow is None:
        return "Its workflow can't be read: W says why"
    if row.finished:
        return "It is finished"
    if workflow.choices(row.task.status):
        return None
    return f'From "{state_words(row.task.status)}" its workflow has no other state for you but its end'


def move(context: CommandContext) -> None:
    """Put a task into another state."""
    from orange_tui.tui.manage.move import MoveDialog

    row = context.row
    workflow = context.workflow_of(row)
    assert row.task is not None  # noqa: S101 - `why_no_move` has seen to both
    assert workflow is not None  # noqa: S101
    context.show(MoveDialog(context.shared, row.ref, row.task, workflow))


def workflow_page(context: CommandContext) -> None:
    """Show the workflow of a task, where its tasks are in it, and what is wrong with it."""
    from orange_tui.tui.manage.workflow_page import workflow_lines
    from orange_tui.tui.screens.page import Page

    row, here = context.row, context.row.task
    assert here is not None  # noqa: S101 - `why_not_readable` has seen to it

    def lines(width: int) -> list[Strip]:
        rows = context.snapshot.rows if context.snapshot else ()
        now = next((each.task for each in rows if each.ref == row.ref), None)
        tasks = [each.task for each in rows if each.task is not None]
        return workflow_lines(context.orange.workflows, now or here, tasks, width, palette_for(context.app))

    context.show(Page(f"Workflow {here.workflow}", lines, follows=True))


# ── everything else ──


def check_workflows(context: CommandContext) -> None:
    """Show what is wrong with every workflow."""
    from orange_tui.tui.manage.workflow_page import check_lines
    from orange_tui.tui.screens.page import Page

    def lines(width: int) -> list[Strip]:
        workflows = context.orange.workflows
        return list(check_lines(workflows, workflows.names(), width, palette_for(context.app)))

    context.show(Page("Workflows", lines, follows=True))


def projects(context: CommandContext) -> None:
    """Show the projects."""
    from orange_tui.tui.manage.projects import ProjectsScreen

    context.show(ProjectsScreen(context.shared))


def workspaces(context: CommandContext) -> None:
    """Show the workspaces."""
    from orange_tui.tui.manage.workspaces import WorkspacesScreen

    context.show(WorkspacesScreen(context.shared, context.controls.go_to))


def doctor(context: CommandContext) -> None:
    """Check everything; the keys, too, which only the app knows."""
    from orange_tui.tui.manage.doctor import DoctorScreen

    context.show(DoctorScreen(context.orange, context.shared.key_overrides))


def jobs(context: CommandContext) -> None:
    """Show the scheduled jobs."""
    from orange_tui.tui.manage.jobs import JobsScreen

    context.show(JobsScreen(context.shared))
