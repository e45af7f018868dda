"""Commands about the end of a task: cancel it, undo that, delete it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.presentation.tasks import state_words
from orange_tui.tui.commands._tasks import impossible
from orange_tui.tui.commands.context import branch_of, hook_errors_text
from orange_tui.tui.drawing.labels import shown_key

if TYPE_CHECKING:
    from orange_tui.board.rows import TaskRow
    from orange_tui.domain.workflow import Workflow
    from orange_tui.tui.commands.context import CommandContext

UNDO_KEY = "ctrl+z"
_UNDONE = frozenset({"kill_session", "kill_reviewer", "release_workspace", "notify"})  # or nothing to be undone


def why_no_cancel(workflow: Workflow | None, row: TaskRow) -> str | None:
    """Cancelling needs a way to the state for it."""
    if workflow is None or row.task is None or workflow.cancelled_end(row.task.status) is None:
        return impossible("cancelled", row)
    return None


def cancel(context: CommandContext) -> None:
    """Cancel a task; its work is kept."""
    from orange_tui.tui.screens.dialogs import ConfirmDialog, ProceedDialog

    row = context.row

    def on_answer(yes: bool | None) -> None:
        if yes:
            context.start("Cancelling", lambda _report: _cancel(context))

    what = "Its session ends and its workspace is released. Commits stay on the branch; uncommitted work is saved."
    others = _beyond_undo(context.workflow_of(row), row)
    if others:
        what += f" Its workflow also does what can't be undone: {', '.join(others)}."
    else:
        what += f" Nothing is lost: {undo_key(context)} brings it back, for a minute."
    dialog = ConfirmDialog if others else ProceedDialog
    context.show(dialog(f"Cancel {branch_of(row)}?", what, "Cancel the task"), on_answer)


def _beyond_undo(workflow: Workflow | None, row: TaskRow) -> list[str]:
    """What a workflow does at a cancel that an undo does not take back."""
    end = workflow.cancelled_end(row.task.status) if workflow is not None and row.task is not None else None
    if workflow is None or row.task is None or end is None:
        return []
    hooks = [hook for move in workflow.candidates(row.task.status, end, "person") for hook in move.hooks]
    return list(dict.fromkeys(hook.action for hook in hooks if hook.action not in _UNDONE))


def undo_key(context: CommandContext) -> str:
    """The key that takes a cancel back, as people write it."""
    return shown_key(context.shared.key_overrides.get("undo", UNDO_KEY)) or "`undo` (ctrl+p)"


def _cancel(context: CommandContext) -> str:
    """Cancel a task; says where its work is, and how to have it back."""
    from orange_tui.engine.actions.restoring import last_cancel

    ref, orange, name = context.row.ref, context.orange, branch_of(context.row)
    moved = orange.tasks.cancel(ref)
    context.shared.work.cancelled.append(ref)
    cancel, saved = last_cancel(orange.store.journal(ref))
    had_work = cancel is not None and cancel["engine"]["workspace"] is not None
    files = ", uncommitted files are saved (S)" if saved is not None else ""
    where = f"Commits are on branch {name}{files}." if had_work else f"{name} had not begun."
    failed = hook_errors_text(moved.hook_errors)
    return " ".join(part for part in (failed, where, f"{undo_key(context)} brings it back, for a minute.") if part)


def undo(context: CommandContext) -> None:
    """Take the last cancel back; where none was made here, that of the selected task."""
    cancelled, selected = context.shared.work.cancelled, context.selected
    ref = cancelled[-1] if cancelled else selected.ref if selected is not None and selected.finished else None
    if ref is None:
        context.notify("Nothing to undo: a cancel can be undone, for a minute.")
        return

    def work(_report: object) -> str:
        moved = context.orange.tasks.undo_cancel(ref)
        if ref in cancelled:
            cancelled.remove(ref)
        back = f"{moved.task.branch} is back: {state_words(moved.target)}."
        return " ".join(part for part in (back, hook_errors_text(moved.hook_errors)) if part)

    context.shared.work.start(ref, "Undoing the cancel", work)


def why_no_delete(_workflow: Workflow | None, row: TaskRow) -> str | None:
    """Only what is finished can be deleted."""
    return None if row.finished else "Only done and cancelled tasks can be deleted; cancel it first"


def delete(context: CommandContext) -> None:
    """Delete a finished task for good."""
    from orange_tui.tui.screens.dialogs import ConfirmDialog

    row, orange = context.row, context.orange

    def on_answer(yes: bool | None) -> None:
        if yes:
            context.start("Deleting", work)

    def work(_report: object) -> str:
        orange.tasks.delete(row.ref)
        return f"{branch_of(row)} was deleted; its branch stays."

    what = "Its TASK.md, history and logs are deleted for good. The branch and its commits stay."
    what += " Work saved from its workspace can be restored for 30 days (S)."
    context.show(ConfirmDialog(f"Delete {branch_of(row)}?", what, "Delete"), on_answer)
