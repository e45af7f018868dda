"""The command about what an agent asks to be allowed: the question in a dialog, and the person's answer."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from orange_tui.domain.errors import OrangeError
from orange_tui.tui.commands.context import branch_of
from orange_tui.tui.workers import begin_work

if TYPE_CHECKING:
    from orange_tui.board.rows import TaskRow
    from orange_tui.domain.workflow import Workflow
    from orange_tui.store.store import TaskRef
    from orange_tui.tui.approvals.contents import Case
    from orange_tui.tui.approvals.dialog import Verdict
    from orange_tui.tui.commands.context import CommandContext


def asks(row: TaskRow) -> bool:
    """Whether a task's agent waits for a permission."""
    return row.agent == "permission"


def why_no_approval(_workflow: Workflow | None, row: TaskRow) -> str | None:
    """Only what is asked can be allowed."""
    return None if asks(row) else "Its agent asks for nothing"


def approve(context: CommandContext) -> None:
    """Show what a task's agent asks for, and have it answered."""
    context.show_later(partial(_show_next, context, context.row, is_first=True), group="approval")


async def _show_next(context: CommandContext, row: TaskRow, *, is_first: bool) -> None:
    from orange_tui.tui.approvals.contents import read_case
    from orange_tui.tui.approvals.dialog import ApprovalDialog

    case = await read_case(context.orange.approvals, row.ref, branch_of(row), _others(context, row))
    if case is not None:
        dialog = ApprovalDialog(case, context.orange.approvals)
        context.show(dialog, lambda verdict: _answer(context, row, case, verdict))
    elif is_first:
        context.notify("It asks on its own screen only: Enter attaches, and you answer it there.")


def _others(context: CommandContext, row: TaskRow) -> list[TaskRef]:
    """The tasks of the same project that ask for something, too."""
    rows = context.snapshot.rows if context.snapshot is not None else ()
    return [each.ref for each in rows if asks(each) and each.ref != row.ref and each.ref.project == row.ref.project]


def _answer(context: CommandContext, row: TaskRow, case: Case, verdict: Verdict | None) -> None:
    if verdict is not None:
        begin_work(context.app, partial(_answer_all, context, row, case, verdict), group="approval")


async def _answer_all(context: CommandContext, row: TaskRow, case: Case, verdict: Verdict) -> None:
    """Answer the question that was shown, and the equal ones if they are meant; then show the next one."""
    asked = [(case.ref, case.question), *(case.equal if verdict.is_for_all else ())]
    done = 0
    for ref, question in asked:
        try:
            await asyncio.to_thread(context.orange.approvals.answer, ref, question, verdict.decision)
            done += 1
        except OrangeError as problem:
            context.notify_error(str(problem), title=ref.id)
    if done:
        how_many = f" ({done} tasks)" if done > 1 else ""
        context.notify(f"{verdict.decision.kind.capitalize()}{how_many}: {case.question.line()}")
        await _show_next(context, row, is_first=False)
