"""What the parser says when it does not understand: imported only then, since it needs the help's texts."""

from __future__ import annotations

from difflib import get_close_matches

from orange_tui.cli.parsing.grammar import below
from orange_tui.cli.parsing.help import group_help, usage
from orange_tui.domain.errors import UsageError
from orange_tui.domain.task import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from orange_tui.cli.parsing.grammar import Command, Option

_LONGEST_QUOTE = 60
_TOO_EARLY = "the command comes first, its options after it"


def wrong(command: Command, sentence: str) -> UsageError:
    """A refusal with the usage line and the way to the help: enough to get it right the second time."""
    return UsageError(f"{command.name}: {sentence}\n{usage(command)}\nMore: {command.name} --help")


def unknown_option(command: Command, word: str, known: Iterable[str]) -> UsageError:
    """No such option: name the closest, or say how to write text that begins with a dash."""
    close = _did_you_mean(word, [name for name in known if name.startswith("--")])
    return wrong(
        command,
        f"there is no option {quoted(word)}.{close or ' Text that begins with a dash goes after --.'}",
    )


def value_missing(command: Command, option: Option) -> UsageError:
    """An option at the end, or before another option, that cannot stand alone."""
    name = option.names[0]
    return wrong(command, f"{name} needs a value: {name} {option.value}, or {name}=-x if it begins with a dash.")


def not_a_number(command: Command, option: Option, value: str) -> UsageError:
    """Digits only, and not so many that nobody can have meant it."""
    return wrong(command, f"{option.names[0]} takes a whole number, not '{quoted(value)}'.")


def not_a_choice(command: Command, name: str, choices: Sequence[str], value: str) -> UsageError:
    """A value that is none of the few there are."""
    return wrong(command, f"{name} is one of {', '.join(choices)}, not '{quoted(value)}'.")


def too_many(command: Command, placed: Sequence[str]) -> UsageError:
    """More arguments than places; mostly a text without its quotes, or an option before the command."""
    extra = quoted(placed[len(command.arguments)])
    if not command.path:
        return wrong(command, f"'{extra}' comes after an option: {_TOO_EARLY}.")
    quotes = " Text with spaces needs quotes." if command.arguments else ""
    return wrong(command, f"'{extra}' is one argument too many.{quotes}")


def not_a_command(path: tuple[str, ...], rest: Sequence[str], commands: Sequence[Command]) -> UsageError:
    """The words lead to no command. A group alone is half a question, and its help the answer."""
    name = " ".join(("orange", *path))
    if not rest:
        return UsageError(f"{name}: which command?\n\n{group_help(path, commands).rstrip()}")
    known = [command.path[-1] for command in below(path, commands)]
    if rest[0].startswith("-"):
        sentence = f"'{quoted(rest[0])}' is not a command: {_TOO_EARLY}."
    else:
        sentence = f"there is no command '{quoted(rest[0])}'.{_did_you_mean(rest[0], known)}"
    return UsageError(f"{name}: {sentence}\nCommands: {', '.join(known)}\nMore: {name} --help")


def quoted(text: str) -> str:
    """Somebody's word, short enough for a message and harmless to a terminal."""
    return printable(text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}...")


def _did_you_mean(word: str, known: Sequence[str]) -> str:
    close = get_close_matches(word[:_LONGEST_QUOTE], known, n=3, cutoff=0.6)
    return f" Did you mean {' or '.join(close)}?" if close else ""
