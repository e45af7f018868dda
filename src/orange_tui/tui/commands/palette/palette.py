"""What the command palette searches; loaded when somebody opens it, for nobody needs it before."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.command import Provider


def _commands() -> type[Provider]:
    from orange_tui.tui.commands.palette.providers import CommandSearch

    return CommandSearch


def _projects() -> type[Provider]:
    from orange_tui.tui.commands.palette.providers import ProjectSearch

    return ProjectSearch


def _tasks() -> type[Provider]:
    from orange_tui.tui.commands.palette.providers import TaskSearch

    return TaskSearch


PALETTE: set[type[Provider] | Callable[[], type[Provider]]] = {_commands, _projects, _tasks}
