"""Giving the terminal to tmux: to a task's agent, or to the orchestrator of a project. Both come back the same way."""

from __future__ import annotations

import asyncio
import sys
from functools import partial
from typing import TYPE_CHECKING

from orange_tui.domain.errors import OrangeError
from orange_tui.domain.task import printable
from orange_tui.outside.programs import run_in_terminal
from orange_tui.sessions.attaching import attach_command, back_key
from orange_tui.tui.workers import begin_work

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping, Sequence

    from orange_tui.board.rows import TaskRow
    from orange_tui.home.projects import Project
    from orange_tui.tui.commands.context import CommandContext


def start_in_terminal(context: CommandContext, work: Callable[[], Coroutine[object, object, None]], title: str) -> None:
    """Begin what gives the terminal away; nothing that is typed ahead acts on the list, and what goes wrong is told."""
    dropping = context.shared.dropping_keys()
    dropping.__enter__()  # now, and not when the work has its turn

    async def told() -> None:
        try:
            await work()
        except OrangeError as problem:
            context.notify_error(str(problem), title=title)
        except Exception as problem:  # noqa: BLE001 - whatever it is, the person hears of it and the app goes on
            await asyncio.to_thread(context.orange.log.write, "error", f"{title}: {problem!r}")
            context.notify_error(f"{problem!r}. See `orange log`.", title=title)
        finally:
            dropping.__exit__(None, None, None)

    begin_work(context.app, told, group="attach")


async def attach(context: CommandContext, row: TaskRow) -> None:
    """Give the terminal to tmux until the person detaches; agents and the board go on meanwhile."""
    windows = await asyncio.to_thread(lambda: context.orange.sessions.windows(row.ref.id, fresh=True))
    if not windows:
        context.app.notify("Its session has just ended.", severity="warning", markup=False)
        return
    await asyncio.to_thread(context.orange.approvals.leave_to_dialog, row.ref)
    await _attach_to(context, windows[0].session_id)


async def _attach_to(context: CommandContext, session_id: str) -> None:
    orange = context.orange
    command = await asyncio.to_thread(lambda: attach_command(orange.tmux, session_id, back_key(orange.home)))
    if command.switches:
        await run_in_terminal(command.words, environment=command.environment)
    else:
        await give_terminal(context, command.words, environment=command.environment)


async def give_terminal(
    context: CommandContext,
    words: Sequence[str],
    *,
    environment: Mapping[str, str] | None = None,
    directory: str | None = None,
    note: str = "",
) -> int:
    """Give a program the terminal until it ends, after a note to the person; returns its exit code."""
    app = context.app
    # Nothing may be drawn meanwhile: with the terminal given away, whatever is drawn waits for it, and we with it.
    with app.batch_update(), app.suspend():
        if note and sys.__stdout__ is not None:
            print(printable(note), file=sys.__stdout__, flush=True)
        code = await run_in_terminal(words, environment=environment, directory=directory)
    app.refresh(layout=True)
    return code


def chat(context: CommandContext) -> None:
    """Talk to the orchestrator of the selected task's project."""
    start_in_terminal(context, partial(_open_chat, context), "chat")


async def _open_chat(context: CommandContext) -> None:
    project = _selected_project(context)
    if project is None:
        context.app.notify("Which project? Select one of its tasks first.", severity="warning", markup=False)
        return
    await _attach_to(context, await asyncio.to_thread(lambda: context.orange.chats.open(project)))


def _selected_project(context: CommandContext) -> Project | None:
    """The project of the app, else that of the task under the cursor, else the only one there is."""
    projects = context.snapshot.projects if context.snapshot is not None else ()
    wanted = context.shared.project or (context.selected.ref.project if context.selected is not None else None)
    if wanted is None and len(projects) == 1:
        return projects[0]
    return next((project for project in projects if project.name == wanted), None)
