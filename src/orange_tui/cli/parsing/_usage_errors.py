"""The parser's error messages. Imported only when there is an error, since they need the help texts."""

from __future__ import annotations

from difflib import get_close_matches

from orange_tui.cli.parsing.grammar import subcommands
from orange_tui.cli.parsing.help import group_help, usage
from orange_tui.domain.errors import UsageError
from orange_tui.domain.task import printable
from orange_tui.pages.library import topics

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from orange_tui.cli.parsing.grammar import CommandSpec, Option

_MAX_QUOTE = 60
_COMMAND_FIRST = "put the command first and its options after it"


def usage_error(command: CommandSpec, sentence: str) -> UsageError:
    """An error with the usage line and the way to the help: enough to get it right the second time."""
    return UsageError(f"{_about(command.path)}{sentence}\n{usage(command)}\nMore: {command.name} --help")


def _about(path: tuple[str, ...]) -> str:
    """The command that a sentence is about; `orange: ` stands in front of it already when it is printed."""
    return f"{' '.join(path)}: " if path else ""


def unknown_option(command: CommandSpec, word: str, known: Iterable[str]) -> UsageError:
    """No such option: suggest the closest, or say how to write text that begins with a dash."""
    close = _did_you_mean(word, [name for name in known if name.startswith("--")])
    return usage_error(
        command,
        f"there is no option {quoted(word)}.{close or ' Put text that begins with a dash after --.'}",
    )


def missing_value(command: CommandSpec, option: Option) -> UsageError:
    """An option without the value that it needs."""
    name = option.names[0]
    return usage_error(command, f"{name} needs a value: {name} {option.value}, or {name}=-x if it begins with a dash.")


def not_a_number(command: CommandSpec, option: Option, value: str) -> UsageError:
    """A number option whose value is not a number, or an absurdly long one."""
    return usage_error(command, f"{option.names[0]} needs a whole number, not '{quoted(value)}'.")


def not_a_choice(command: CommandSpec, name: str, choices: Sequence[str], value: str) -> UsageError:
    """A value that is not among the choices."""
    return usage_error(command, f"{name} must be one of {', '.join(choices)}, not '{quoted(value)}'.")


def too_many_arguments(command: CommandSpec, positionals: Sequence[str]) -> UsageError:
    """More arguments than the command takes: mostly a text without quotes, or an option before the command."""
    extra = quoted(positionals[len(command.arguments)])
    if not command.path:
        return usage_error(command, f"'{extra}' comes after an option; {_COMMAND_FIRST}.")
    quotes = " Put quotes around text that has spaces." if command.arguments else ""
    return usage_error(command, f"unexpected argument '{extra}'.{quotes}")


def not_a_command(path: tuple[str, ...], rest: Sequence[str], commands: Sequence[CommandSpec]) -> UsageError:
    """No such command. For a group without a command, its help is the answer."""
    name = " ".join(("orange", *path))
    if not rest:
        return UsageError(f"{_about(path)}which command?\n\n{group_help(path, commands).rstrip()}")
    known = [command.path[-1] for command in subcommands(path, commands)]
    pages = [] if path else topics()
    if rest[0].startswith("-"):
        sentence = f"'{quoted(rest[0])}' is not a command; {_COMMAND_FIRST}."
    else:
        sentence = f"there is no command '{quoted(rest[0])}'.{_did_you_mean(rest[0], known, pages)}"
    lists = f"Commands: {', '.join(known)}" + (f"\nPages: {', '.join(pages)}" if pages else "")
    return UsageError(f"{_about(path)}{sentence}\n{lists}\nMore: {name} --help")


def quoted(text: str) -> str:
    """What the person typed, short enough for a message and harmless to a terminal."""
    return printable(text if len(text) <= _MAX_QUOTE else f"{text[:_MAX_QUOTE]}...")


def _did_you_mean(word: str, known: Sequence[str], pages: Sequence[str] = ()) -> str:
    close = get_close_matches(word[:_MAX_QUOTE], [*known, *pages], n=3, cutoff=0.6)
    close = [f"help {name}" if name in pages else name for name in close]
    return f" Did you mean {' or '.join(close)}?" if close else ""
