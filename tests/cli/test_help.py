"""Help a person can learn from: complete, aligned, never too wide, and with examples that work."""

from __future__ import annotations

import os
import shlex

import pytest

from orange_tui import __version__
from orange_tui.cli.all_commands import COMMANDS
from orange_tui.cli.parsing.grammar import CommandSpec, HelpRequest, Option, Parsed
from orange_tui.cli.parsing.help import command_help, group_help, render, terminal_width, usage
from orange_tui.cli.parsing.parser import parse

runnable = [command for command in COMMANDS if command.run]


def command(*path: str) -> CommandSpec:
    return next(c for c in COMMANDS if c.path == path)


def name_of(entry: CommandSpec) -> str:
    return entry.name


@pytest.mark.parametrize("entry", COMMANDS, ids=name_of)
def test_every_command_argument_and_option_has_help(entry: CommandSpec) -> None:
    explained = [entry.summary, *(a.help for a in entry.arguments), *(o.help for o in entry.options)]
    assert all(text.endswith((".", ").")) and text.isascii() for text in explained)


@pytest.mark.parametrize("entry", runnable, ids=name_of)
def test_every_command_has_examples_that_parse(entry: CommandSpec) -> None:
    assert entry.examples
    for typed, what in entry.examples:
        inner = typed.removeprefix("source <(").removesuffix(")").partition(" < ")[0].partition(" > ")[0]
        program, *argv = shlex.split(inner)
        parsed = parse(argv, COMMANDS)
        assert program == "orange"
        assert isinstance(parsed, Parsed)
        assert parsed.command == entry or not entry.path
        assert what


@pytest.mark.parametrize("width", [40, 60, 80, 100])
@pytest.mark.parametrize("entry", COMMANDS, ids=name_of)
def test_help_fits_its_width(entry: CommandSpec, width: int) -> None:
    text = render(HelpRequest(entry.path), COMMANDS, width)
    typed = [example for example, _ in entry.examples]
    lines = [line for line in text.splitlines() if line.strip() not in typed]
    too_long = [line for line in lines if len(line) > width and " " in line.strip()]
    assert not [line for line in too_long if not line.strip().startswith(("Usage:", "orange ", "More"))]
    assert text.isascii()
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert "\n\n\n" not in text


def test_command_help_has_summary_usage_arguments_options_details_examples() -> None:
    text = command_help(command("task", "stuck"), 80)
    assert text == (
        "Report that the agent cannot go on and a person should look.\n"
        "\n"
        "Usage: orange task stuck [ID] [--reason TEXT] [--project P] [--json]\n"
        "\n"
        "Arguments:\n"
        "  ID  The task: its id, the beginning of it, or its branch. Optional inside a\n"
        "      workspace.\n"
        "\n"
        "Options:\n"
        "  --reason TEXT  Why, in one sentence; it is shown with the task.\n"
        "  --project P    Look only among the tasks of this project.\n"
        "  --json         Print one JSON value instead of text; an error is an object\n"
        "                 with 'error'.\n"
        "  -h, --help     Show this help.\n"
        "\n"
        "This is for agents and their stop hooks.\n"
        "\n"
        "Exit codes: 0 the task is marked; 1 refused; 2 wrong usage.\n"
        "\n"
        "Examples:\n"
        "  # In a workspace: give up, and say why\n"
        '  orange task stuck --reason "The tests need a database I cannot reach"\n'
    )


def test_usage_shows_every_form_an_option_has() -> None:
    assert usage(command("task", "update")).startswith(
        "Usage: orange task update [ID] [--status S] [--summary TEXT] [--branch [NAME]] [--label L]... [--harness H]"
    )
    assert "[--blocked-by ID]..." in usage(command("task", "create"))
    assert "[--all | --project NAME]" in usage(command())
    assert "[-n N]" in usage(command("log"))
    assert "[NAME|FILE]" in usage(command("workflow", "check"))


def test_usage_is_wrapped_between_options_only() -> None:
    for line in command_help(command("task", "create"), 50).splitlines():
        assert line.count("[") == line.count("]")


def test_program_help_names_every_command() -> None:
    text = group_help((), COMMANDS, 80)
    assert text.startswith("Run several coding agents at once")
    assert "Usage: orange [--all | --project NAME] [--version]\n       orange COMMAND ...\n" in text
    for entry in runnable:
        assert entry.hidden != (f"  {' '.join(entry.path)} " in text) or not entry.path
    assert "Exit codes: 0 done; 1 refused" in text


def test_group_help_names_only_its_commands() -> None:
    text = render(HelpRequest(("project",)), COMMANDS, 80)
    assert "  remove  Remove a project" in text
    assert "create" not in text
    assert text.endswith("More about a command: orange help project COMMAND\n")


def test_group_without_an_entry_lists_its_commands() -> None:
    table = [CommandSpec(("a", "b"), "Do it.", run="m:f")]
    assert render(HelpRequest(("a",)), table, 80).startswith("Usage: orange a COMMAND ...\n\nCommands:\n  b  Do it.\n")


def test_help_shows_choices_repetition_and_long_names() -> None:
    assert "One of: debug, info, warning, error." in command_help(command("log"), 100)
    assert "May be repeated." in command_help(command("task", "create"), 100)
    long = Option("--a-name-that-is-much-too-long", "VALUE", "What it does.")
    text = command_help(CommandSpec(("x",), "Do it.", options=(long,), run="m:f"), 80)
    assert f"  {long.name} VALUE\n{' ' * 30}What it does.\n" in text


def test_version_is_printed() -> None:
    assert render(HelpRequest(version=True), COMMANDS) == f"orange {__version__}\n"


@pytest.mark.parametrize(("columns", "used"), [(0, 80), (20, 40), (90, 90), (250, 100)])
def test_help_is_as_wide_as_the_terminal(columns: int, used: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "get_terminal_size", lambda: os.terminal_size((columns, 24)))
    assert terminal_width() == used


def test_help_without_a_terminal_is_80_wide(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_terminal() -> os.terminal_size:
        raise OSError

    monkeypatch.setattr(os, "get_terminal_size", no_terminal)
    assert terminal_width() == 80
