"""Commands that lead out of the app and back: TASK.md in an editor, a shell, the worktree; and copying names."""

from __future__ import annotations

import asyncio
import os
import shlex
import time
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING

from orange_tui.domain.errors import NotFound, Refused
from orange_tui.domain.records import replace
from orange_tui.tui.commands import _delivery
from orange_tui.tui.commands._attach import give_terminal, start_in_terminal
from orange_tui.tui.commands.context import branch_of

if TYPE_CHECKING:
    from orange_tui.board.rows import TaskRow
    from orange_tui.domain.workflow import Workflow
    from orange_tui.tui.commands.context import CommandContext
    from orange_tui.tui.session.copy_menu import CopyChoice

_EDITORS = ("nano", "vim", "vi")
_AT_ONCE_SECONDS = 1.0  # quicker than anybody edits


# ── TASK.md ──


def why_no_edit(_workflow: Workflow | None, _row: TaskRow) -> str | None:
    """Every TASK.md can be edited, above all one that can't be read."""
    return None


def edit(context: CommandContext) -> None:
    """Edit TASK.md in the person's editor."""
    start_in_terminal(context, partial(_edit, context, context.row), "edit")


async def _edit(context: CommandContext, row: TaskRow) -> None:
    from orange_tui.tui.session.hand_edit import HandEdit

    hand_edit = HandEdit(context.orange.engine, row.ref)
    words = await asyncio.to_thread(_editor)
    with ExitStack() as opened:
        path = await asyncio.to_thread(opened.enter_context, hand_edit.editing())
        began = time.monotonic()
        code = await give_terminal(context, [*words, path])
        came_back_at_once = time.monotonic() - began < _AT_ONCE_SECONDS

    def finish(_report: object) -> str:
        if code != 0:
            raise Refused(f"{words[0]} ended with code {code}; nothing was taken over, and e opens your text again")
        said = hand_edit.finish()
        is_odd = came_back_at_once and said.startswith("Nothing")
        return f"{said} {words[0]} came back at once: EDITOR needs an option to wait." if is_odd else said

    context.start("Editing", finish)


def _editor() -> list[str]:
    """The person's editor: what VISUAL or EDITOR say, else one that is there; no shell reads it."""
    import shutil

    for name in ("VISUAL", "EDITOR"):
        try:
            words = shlex.split(os.environ.get(name, ""))
        except ValueError:
            raise Refused(f"{name} has a quote that does not end: {os.environ[name]}") from None
        if words:
            return words
    found = next((each for each in _EDITORS if shutil.which(each)), None)
    if found is None:
        raise NotFound("No editor was found; set EDITOR, such as EDITOR=nano, and start Orange again")
    return [found]


# ── the worktree ──


def why_no_worktree(_workflow: Workflow | None, row: TaskRow) -> str | None:
    """A shell or an editor needs the task's worktree."""
    if row.task is None:
        return "Its TASK.md can't be read; e opens it"
    if row.task.workspace is not None:
        return None
    return "It is finished, and its workspace was released" if row.finished else "It has no workspace until it starts"


def _worktree(context: CommandContext, row: TaskRow) -> str:
    """Where the task's worktree is."""
    assert row.task is not None  # noqa: S101 - `why_no_worktree` has seen to it
    return os.path.join(context.orange.home.workspaces, row.task.workspace or "")


def shell(context: CommandContext) -> None:
    """Open a shell in the worktree."""
    start_in_terminal(context, partial(_shell, context, context.row), "shell")


async def _shell(context: CommandContext, row: TaskRow) -> None:
    environment = await asyncio.to_thread(_shell_environment, context, row)
    note = f"This is the worktree of {branch_of(row)}; `exit` leads back to Orange."
    words = [os.environ.get("SHELL") or "/bin/sh"]
    await give_terminal(context, words, environment=environment, directory=_worktree(context, row), note=note)


def _shell_environment(context: CommandContext, row: TaskRow) -> dict[str, str]:
    """Which task it is, with `orange` at hand; not as an agent's window has it: a person's commands work there."""
    from orange_tui.agents import launch

    inherited = {name: value for name, value in os.environ.items() if name not in launch.TASK_VARIABLES}
    return {**inherited, **launch.base_environment(context.orange.home.root), "ORANGE_SHELL_TASK": row.ref.id}


def open_address_or_editor(context: CommandContext) -> None:
    """Open what the project's `run` command serves; where it has none, the worktree in the editor."""
    start_in_terminal(context, partial(_open, context, context.row), "open")


async def _open(context: CommandContext, row: TaskRow) -> None:
    state = await asyncio.to_thread(context.orange.runs.state, row.ref)
    if state.command is not None:
        _delivery.open_run(replace(context, selected=row))
    else:
        await _open_editor(context, row)


def open_editor(context: CommandContext) -> None:
    """Open the worktree in the editor."""
    start_in_terminal(context, partial(_open_editor, context, context.row), "editor")


async def _open_editor(context: CommandContext, row: TaskRow) -> None:
    settings = context.shared.choices.settings
    chosen = shlex.split(settings.text("editor")) if settings is not None else []
    words = chosen or await asyncio.to_thread(_editor)
    directory = _worktree(context, row)
    code = await give_terminal(context, [*words, directory], directory=directory)
    if code != 0:
        raise Refused(f"{words[0]} ended with code {code}; `editor` in config.yml says what is opened")


# ── the clipboard ──


def copy(context: CommandContext) -> None:
    """Choose what to copy of a task."""
    from orange_tui.tui.session.copy_menu import CopyMenu

    def on_answer(choice: CopyChoice | None) -> None:
        if choice is not None and choice.text is not None:
            context.app.copy_to_clipboard(choice.text)
            context.notify(f"Copied {choice.text}")

    context.show(CopyMenu(branch_of(context.row), copy_choices(context, context.row)), on_answer)


def copy_choices(context: CommandContext, row: TaskRow) -> list[CopyChoice]:
    """What there is to copy; a new one is one line here."""
    from orange_tui.tui.session.copy_menu import CopyChoice

    task, home = row.task, context.orange.home
    # Of another home or tmux server than everybody's, it says so.
    where = [f"{name}={os.environ[name]}" for name in ("ORANGE_HOME", "ORANGE_TMUX_SOCKET") if os.environ.get(name)]
    attach = shlex.join([*(["env", *where] if where else []), "orange", "task", "attach", row.ref.id])
    return [
        CopyChoice("y", "id", row.ref.id),
        CopyChoice("b", "branch", task.branch if task is not None else None),
        CopyChoice("p", "worktree's path", _worktree(context, row) if task is not None and task.workspace else None),
        CopyChoice("t", "TASK.md's path", os.path.join(home.root, "tasks", row.ref.project, row.ref.id, "TASK.md")),
        CopyChoice("a", "attach command", attach if row.session == "active" else None),
        CopyChoice("u", "pull request", task.pr_url if task is not None else None),
    ]
