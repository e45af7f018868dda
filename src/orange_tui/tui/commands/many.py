"""Commands on all marked tasks: one dialog that says how many and which, then each of them by itself.

What can't be done to a task is said in the dialog, with the reason, and the others go on; so is what is refused later.
A new one is one entry in `MANY`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.domain.records import record
from orange_tui.domain.task import printable
from orange_tui.tui.commands import _endings, _tasks
from orange_tui.tui.commands.context import branch_of, hook_errors_text
from orange_tui.tui.widgets.bars import FooterKey

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from orange_tui.board.rows import TaskRow
    from orange_tui.domain.workflow import Workflow
    from orange_tui.tui.commands.context import CommandContext, KeyCommand, WhyNot

    Rows = Sequence[TaskRow]

_MOST_NAMED = 8


@record
class ManyCommand:
    """What a key does to several tasks: why not to one of them, and the dialog about those that it can be done to."""

    why_not: WhyNot
    ask: Callable[[CommandContext, Rows, str], None]  # the tasks it can be done to, and which these are, in words


def why_no_start(workflow: Workflow | None, row: TaskRow) -> str | None:
    """Several can be started or restarted; attached to is one at a time."""
    if _tasks.enter_action(workflow, row) == "attach":
        return "Its agent is running already"
    return _tasks.why_no_enter(workflow, row)


def _start(context: CommandContext, rows: Rows, which: str) -> None:
    def start(row: TaskRow) -> None:
        def work(_report: object) -> str | None:
            if _tasks.enter_action(context.workflow_of(row), row) == "spawn":
                return hook_errors_text(context.orange.tasks.spawn(row.ref).hook_errors)
            context.orange.agents.respawn(row.ref)
            return None

        context.shared.work.start(row.ref, "Starting", work)

    _confirm(context, rows, ("Start", f"Their agents are started, or restarted.\n{which}"), start)


def _cancel(context: CommandContext, rows: Rows, which: str) -> None:
    def cancel(row: TaskRow) -> None:
        def work(_report: object) -> str | None:
            moved = context.orange.tasks.cancel(row.ref)
            context.shared.work.cancelled.append(row.ref)  # each can be undone
            return hook_errors_text(moved.hook_errors)

        context.shared.work.start(row.ref, "Cancelling", work)

    what = "Their sessions end and their workspaces are released. Commits stay on the branches; uncommitted work is"
    back = f"{_endings.undo_key(context)} brings back one after the other, for a minute."
    _confirm(context, rows, ("Cancel", f"{what} saved. {back}\n{which}"), cancel)


def _delete(context: CommandContext, rows: Rows, which: str) -> None:
    def delete(row: TaskRow) -> None:
        context.shared.work.start(row.ref, "Deleting", lambda _report: context.orange.tasks.delete(row.ref))

    what = "Their TASK.md, history and logs are deleted for good. Branches and commits stay. Work saved from their"
    _confirm(context, rows, ("Delete", f"{what} workspaces can be restored for 30 days (S).\n{which}"), delete)


def _confirm(context: CommandContext, rows: Rows, words: tuple[str, str], act: Callable[[TaskRow], None]) -> None:
    from orange_tui.tui.screens.dialogs import ConfirmDialog

    verb, what = words

    def on_answer(yes: bool | None) -> None:
        if yes:
            context.controls.unmark()
            for row in rows:
                act(row)

    context.show(ConfirmDialog(f"{verb} {_count(rows)}?", what, f"{verb} {_count(rows)}"), on_answer)


def _answer(context: CommandContext, rows: Rows, which: str) -> None:
    from orange_tui.tui.screens.dialogs import MessageDialog

    agents = context.orange.agents

    def send_to(row: TaskRow, text: str) -> None:
        def work(_report: object) -> str | None:
            at_once = agents.answer(row.ref, text)
            return None if at_once else f"{branch_of(row)}: queued until the agent can take it."

        context.shared.work.start(row.ref, "Sending", work)

    def send(text: str | None) -> None:
        if text:
            context.controls.unmark()
            for row in rows:
                send_to(row, text)

    hint = f"Each of their agents gets the same message; while one is asking for permission, it waits.\n{which}"
    context.show(MessageDialog(f"Answer {_count(rows)}", hint, "Send", drafts=context.shared.drafts), send)


def _hand_over(context: CommandContext, rows: Rows, which: str) -> None:
    from orange_tui.tui.forms.hand_over_form import HandOverManyForm

    names = context.shared.choices.harnesses
    if names:
        context.show(HandOverManyForm(context.shared, rows, names, which, context.controls.unmark))
    else:
        context.notify("No agent is installed; H says how to get one.")


MANY: Mapping[str, ManyCommand] = {  # by the name of the key's command
    "enter": ManyCommand(why_no_start, _start),
    "answer": ManyCommand(_tasks.why_no_answer, _answer),
    "hand_over": ManyCommand(_tasks.why_no_hand_over, _hand_over),
    "cancel": ManyCommand(_endings.why_no_cancel, _cancel),
    "delete": ManyCommand(_endings.why_no_delete, _delete),
}


def run_on_marked(context: CommandContext, command: KeyCommand) -> bool:
    """Run a command on the marked tasks; says whether there are any, and it is one for many."""
    many = MANY.get(command.name)
    if many is None or not context.marked:
        return False
    reasons = {row.ref: many.why_not(context.workflow_of(row), row) for row in context.marked}
    possible = [row for row in context.marked if reasons[row.ref] is None]
    left_out = [f"{branch_of(row)}: {reasons[row.ref]}" for row in context.marked if reasons[row.ref] is not None]
    if possible:
        many.ask(context, possible, _which(possible, left_out))
    else:
        context.notify_error("\n".join(_few(left_out)), title=f"{command.title}: none of {_count(context.marked)}")
    return True


def marked_keys(context: CommandContext, commands: Sequence[KeyCommand]) -> list[FooterKey]:
    """The keys that can be used on the marked tasks, for a footer; none where none is marked."""
    keys, overrides = [], context.shared.key_overrides
    for command in commands:
        many = MANY.get(command.name) if context.marked else None
        if many is not None and command.shown_key(overrides):
            count = sum(many.why_not(context.workflow_of(row), row) is None for row in context.marked)
            title = "start" if command.name == "enter" else command.title
            keys += [FooterKey(command.shown_key(overrides), f"{title} {count}", about_task=True)] if count else []
    others = [command for command in commands if command.name in {"mark", "help"}] if keys else []
    shown = [(each.shown_key(overrides), each.title) for each in others]
    return [*keys, *(FooterKey(key, title, about_task=False) for key, title in shown if key)]


def _which(rows: Rows, left_out: Sequence[str]) -> str:
    """Which tasks it is about, and which stay as they are, each with the reason."""
    lines = ["", *(f"  {name}" for name in _few([branch_of(row) for row in rows]))]
    if left_out:
        lines += ["", f"{len(left_out)} {'stays as it is' if len(left_out) == 1 else 'stay as they are'}:"]
        lines += [f"  {reason}" for reason in _few(left_out)]
    return "\n".join(lines)


def _few(lines: Sequence[str]) -> list[str]:
    more = [f"and {len(lines) - _MOST_NAMED} more"] if len(lines) > _MOST_NAMED else []
    return [*(printable(line) for line in lines[:_MOST_NAMED]), *more]


def _count(rows: Rows) -> str:
    return f"{len(rows)} task{'s' if len(rows) != 1 else ''}"
