"""Help texts for the program, a group or a command. Imported only when help is shown.

Plain ASCII and no colour, so that it reads the same in a pipe, a log and an agent's context.
"""

from __future__ import annotations

import os
import textwrap

from orange_tui.cli.parsing.grammar import find_command, subcommands
from orange_tui.pages.library import titles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from orange_tui.cli.parsing.grammar import Argument, CommandSpec, HelpRequest, Option

_WIDEST = 100
_NARROWEST = 40
_DEFAULT_WIDTH = 80
_WIDEST_LABEL = 26
_NO_BREAK = "\xa0"  # textwrap breaks lines at plain spaces only: this keeps `[--status S]` in one piece


def render(wanted: HelpRequest, commands: Sequence[CommandSpec], width: int | None = None) -> str:
    """What to print for a `HelpRequest`."""
    if wanted.version:
        from orange_tui import __version__

        return f"orange {__version__}\n"
    command = find_command(wanted.path, commands)
    if command is None or not command.run or not wanted.path:
        return group_help(wanted.path, commands, width)
    return command_help(command, width)


def usage(command: CommandSpec) -> str:
    """The one line that shows everything a command takes."""
    return " ".join(["Usage:", command.name, *_usage_words(command)])


def usage_block(command: CommandSpec, columns: int) -> str:
    """The same in lines of that width; no option is broken."""
    start = f"Usage: {command.name} "
    glued = " ".join(token.replace(" ", _NO_BREAK) for token in _usage_words(command))
    indent = " " * min(len(start), columns // 3)
    return _wrapped(start.replace(" ", _NO_BREAK) + glued, columns, later=indent).replace(_NO_BREAK, " ").rstrip()


def command_help(command: CommandSpec, width: int | None = None) -> str:
    """Everything about one command: summary, usage, arguments, options, details, examples."""
    columns = width or terminal_width()
    arguments = [(argument.metavar, _argument_text(argument)) for argument in command.arguments]
    options = [(_option_label(option), _option_text(option)) for option in command.every_option]
    return _page(
        [
            _wrapped(command.summary, columns),
            usage_block(command, columns),
            _rows("Arguments", arguments, columns),
            _rows("Options", options, columns),
            _paragraphs(command.details, columns),
            _examples(command, columns),
        ],
    )


def group_help(path: tuple[str, ...], commands: Sequence[CommandSpec], width: int | None = None) -> str:
    """The commands of a group, or of the whole program for the empty path."""
    columns = width or terminal_width()
    group = find_command(path, commands)
    own = [(_option_label(option), _option_text(option)) for option in group.every_option] if group else []
    return _page(
        [
            _wrapped(group.summary, columns) if group else "",
            _group_usage(group, " ".join(("orange", *path, "COMMAND ...")), columns),
            *_command_lists(path, commands, columns),
            _rows("Options", own, columns) if group and group.run else "",
            _paragraphs(group.details, columns) if group else "",
            _examples(group, columns) if group else "",
            "" if path else _rows("Pages to read", titles(), columns),
            f"More about a command: orange help {' '.join((*path, 'COMMAND'))}"
            + ("" if path else "; a page: orange help keys"),
        ],
    )


def terminal_width() -> int:
    """The terminal's width, within what is comfortable to read."""
    try:
        columns = os.get_terminal_size().columns
    except (OSError, ValueError, AttributeError):  # no terminal; or no standard output at all
        columns = 0
    return max(_NARROWEST, min(columns or _DEFAULT_WIDTH, _WIDEST))


def _page(blocks: Iterable[str]) -> str:
    return "\n\n".join(block for block in blocks if block) + "\n"


def _usage_words(command: CommandSpec) -> list[str]:
    words = [a.metavar if a.required else f"[{a.metavar}]" for a in command.arguments]
    words = [f"{word}..." if a.repeat else word for word, a in zip(words, command.arguments, strict=True)]
    alternatives = {option.instead_of: option for option in command.options if option.instead_of}
    for option in command.every_option[:-1]:
        if option.instead_of:
            continue
        other = alternatives.get(option.name)
        both = f"{_short_form(option)} | {_short_form(other)}" if other else _short_form(option)
        words.append(f"[{both}]{'...' if option.repeat else ''}")
    return words


def _short_form(option: Option) -> str:
    return f"{option.names[0]} {_value(option)}" if option.value else option.name


def _value(option: Option) -> str:
    if option.value is None:
        return ""
    return f"[{option.value}]" if option.optional_value else option.value


def _option_label(option: Option) -> str:
    return f"{', '.join(option.names)} {_value(option)}".rstrip()


def _argument_text(argument: Argument) -> str:
    return argument.help + _choices(argument.choices)


def _option_text(option: Option) -> str:
    return option.help + (" May be repeated." if option.repeat else "") + _choices(option.choices)


def _choices(choices: tuple[str, ...]) -> str:
    return f" One of: {', '.join(choices)}." if choices else ""


def _group_usage(group: CommandSpec | None, with_command: str, columns: int) -> str:
    """A group only leads to its commands; the program itself also does something on its own."""
    if group is None or not group.run:
        return f"Usage: {with_command}"
    return f"{usage_block(group, columns)}\n       {with_command}"


def _command_lists(path: tuple[str, ...], commands: Sequence[CommandSpec], columns: int) -> Iterable[str]:
    """One list for each group, and one for the commands that are in none."""
    children = subcommands(path, commands)
    single = [(child.path[-1], child.summary) for child in children if child.run]
    for child in children:
        if not child.run:
            inner = [(" ".join(c.path[len(path) :]), c.summary) for c in subcommands(child.path, commands)]
            yield _rows(child.summary.rstrip("."), inner, columns)
    yield _rows("More commands" if len(single) < len(children) else "Commands", single, columns)


def _rows(title: str, rows: Sequence[tuple[str, str]], columns: int) -> str:
    """A title and two aligned columns; a label too long for its column gets a line of its own."""
    if not rows:
        return ""
    widest = min(max(len(label) for label, _ in rows), _WIDEST_LABEL, columns // 2)
    lines = [_wrapped(f"{title}:", columns)]
    for label, text in rows:
        first = f"  {label:<{widest}}  "
        if len(label) > widest:
            lines.append(f"  {label}")
            first = " " * (widest + 4)
        lines.append(_wrapped(text, columns, first=first, later=" " * (widest + 4)))
    return "\n".join(lines)


def _examples(command: CommandSpec, columns: int) -> str:
    """Each command as one would type it, unbroken, with what it does above it."""
    if not command.examples:
        return ""
    lines = ["Examples:"]
    for typed, what in command.examples:
        lines += [_wrapped(what, columns, first="  # ", later="  # "), f"  {typed}", ""]
    return "\n".join(lines[:-1])


def _paragraphs(text: str, columns: int) -> str:
    return "\n\n".join(_wrapped(" ".join(part.split()), columns) for part in text.split("\n\n") if part)


def _wrapped(text: str, columns: int, *, first: str = "", later: str = "") -> str:
    return textwrap.fill(
        text,
        columns,
        initial_indent=first,
        subsequent_indent=later,
        break_long_words=False,
        break_on_hyphens=False,
    )
