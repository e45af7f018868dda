"""The table of commands: where each one is described, and where it runs."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

from orange_tui.cli import commands, table
from orange_tui.cli.all_commands import COMMANDS
from orange_tui.cli.parsing.grammar import CommandSpec, load

RUNNABLE = [command for command in COMMANDS if command.run]


def modules_of(package: object) -> set[str]:
    return {found.name for found in pkgutil.iter_modules(package.__path__)}  # type: ignore[attr-defined]


def module_that_describes(command: CommandSpec) -> str:
    for name in modules_of(table):
        values = vars(importlib.import_module(f"{table.__name__}.{name}")).values()
        if any(value is command or (isinstance(value, tuple) and command in value) for value in values):
            return name
    raise AssertionError(command.name)


@pytest.mark.parametrize("command", RUNNABLE, ids=lambda command: command.name)
def test_command_runs_in_the_module_named_like_the_one_that_describes_it(command: CommandSpec) -> None:
    assert command.run.partition(":")[0] == f"{commands.__name__}.{module_that_describes(command)}"
    assert callable(load(command.run))


def test_table_and_commands_have_the_same_modules() -> None:
    assert modules_of(table) == modules_of(commands)


def test_only_the_program_itself_and_the_demo_name_the_app() -> None:
    opening = {command.path: command.opens for command in COMMANDS if command.opens}
    assert opening == {(): "orange_tui.tui.opening:open_app", ("demo",): "orange_tui.tui.opening:open_demo"}
    assert all(callable(load(entry_point)) for entry_point in opening.values())
