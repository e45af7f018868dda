"""From the words of a command line to a `Parsed`: the least parser that still refuses helpfully.

Agents type these commands all day, so the rules are few and hold everywhere: options stand anywhere after
the command; `--` ends them; a word that begins with a dash is an option unless it contains a space, which
no option does ("-5 degrees" and Markdown lists are text). Whatever is wrong becomes a `UsageError` that
says how to put it right; `refusals` writes it, and is imported only then.
"""

from __future__ import annotations

from orange_tui.cli.parsing.grammar import HELP, JSON, Help, Parsed, command_at, locate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from orange_tui.cli.parsing.grammar import Command, Option, Value

_MOST_DIGITS = 9


def parse(argv: Sequence[str], commands: Sequence[Command]) -> Parsed | Help:
    """Read the words after `orange`; raise `UsageError` for whatever is not in the table."""
    before = _before_dashes(argv)
    if before[:1] == ["help"]:
        return _help_about(before[1:], commands)
    if any(word in HELP.names for word in before):
        return _help_about(before, commands)
    command, rest = _find(argv, commands)
    if command is None:
        raise _not_a_command(argv, commands)
    reading = _Reading(command)
    reading.read(rest)
    return reading.result()


def wants_json(argv: Sequence[str]) -> bool:
    """Whether a refusal should be JSON too: known even when the words are not understood."""
    return JSON.name in _before_dashes(argv)


def looks_like_option(word: str) -> bool:
    """Whether a word is an option rather than text; the lone dash is a value (standard input)."""
    return len(word) > 1 and word[0] == "-" and not any(map(str.isspace, word.partition("=")[0]))


def _before_dashes(argv: Sequence[str]) -> list[str]:
    words = list(argv)
    return words[: words.index("--")] if "--" in words else words


def _find(argv: Sequence[str], commands: Sequence[Command]) -> tuple[Command | None, Sequence[str]]:
    """The command these words begin with, and the rest of them; no command when they end at a group."""
    path = locate(argv, commands)
    rest = argv[len(path) :]
    command = command_at(path, commands)
    if command is None or not command.run or (not path and rest and not looks_like_option(rest[0])):
        return None, rest
    return command, rest


def _help_about(words: Sequence[str], commands: Sequence[Command]) -> Help:
    """Help on the command or group that the words name; what follows a command does not matter."""
    named = [word for word in words if word not in HELP.names]
    path = locate(named, commands)
    following = named[len(path) : len(path) + 1]
    command, _ = _find(named, commands)
    if command is None and following and not looks_like_option(following[0]):
        raise _not_a_command(named, commands)
    return Help(path)


def _not_a_command(words: Sequence[str], commands: Sequence[Command]) -> Exception:
    from orange_tui.cli.parsing.refusals import not_a_command

    path = locate(words, commands)
    return not_a_command(path, words[len(path) :], commands)


class _Reading:
    """The words of one command, sorted into values as they are read from left to right."""

    def __init__(self, command: Command) -> None:
        self.command = command
        self.options = {name: option for option in command.every_option for name in option.names}
        self.values: dict[str, Value] = {}
        self.placed: list[str] = []

    def read(self, words: Sequence[str]) -> None:
        """Go through the words once; an option may take the one after it along."""
        at = 0
        while at < len(words):
            word = words[at]
            at += 1
            if word == "--":
                self.placed.extend(words[at:])
                return
            if looks_like_option(word):
                at += self._option(word, words[at] if at < len(words) else None)
            else:
                self.placed.append(word)

    def _option(self, word: str, following: str | None) -> int:
        """Keep one option, and say how many of the following words were its value: one or none."""
        option, attached = self._split(word)
        if attached is not None:
            self._keep(option, attached)
        elif option.value is None:
            self._keep(option, value=True)
        elif following is not None and _can_be_value(following, option):
            self._keep(option, following)
            return 1
        elif option.optional_value:
            self._keep(option, value=True)
        else:
            from orange_tui.cli.parsing.refusals import value_missing

            raise value_missing(self.command, option)
        return 0

    def _split(self, word: str) -> tuple[Option, str | None]:
        """The option a word names, and the value attached to it: `--name=value`, `-n5`."""
        name, equals, value = word.partition("=")
        if name in self.options:
            return self.options[name], value if equals else None
        short = self.options.get(word[:2])
        if short is not None and short.value is not None:
            return short, word[2:]
        from orange_tui.cli.parsing.refusals import unknown_option

        raise unknown_option(self.command, name, self.options)

    def _keep(self, option: Option, value: str | bool) -> None:
        if isinstance(value, str):
            self._check(option, value)
        earlier = self.values.get(option.key)
        if option.repeat and isinstance(value, str):
            self.values[option.key] = (*(earlier if isinstance(earlier, tuple) else ()), value)
        elif earlier is not None:
            self._refuse(f"{option.name} was given twice.")
        else:
            self.values[option.key] = value

    def _check(self, option: Option, value: str) -> None:
        if option.value is None:
            self._refuse(f"{option.name} takes no value.")
        if option.number and not _is_number(value):
            from orange_tui.cli.parsing.refusals import not_a_number

            raise not_a_number(self.command, option, value)
        self._check_choice(option.name, option.choices, value)

    def _check_choice(self, name: str, choices: tuple[str, ...], value: str) -> None:
        if choices and value not in choices:
            from orange_tui.cli.parsing.refusals import not_a_choice

            raise not_a_choice(self.command, name, choices, value)

    def result(self) -> Parsed | Help:
        """Everything read, with a value (perhaps None) for each name the command declares."""
        if self.values.get("version") is True:
            return Help(version=True)
        self._check_opposites()
        self._check_places()
        values: dict[str, Value] = {option.key: None for option in self.command.options}
        values.update(self.values)
        json = values.pop(JSON.key, None) is True
        for at, argument in enumerate(self.command.arguments):
            values[argument.name] = self.placed[at] if at < len(self.placed) else None
        return Parsed(self.command, values, json)

    def _check_opposites(self) -> None:
        for option in self.command.options:
            if option.instead_of and option.key in self.values and option.instead_of[2:] in self.values:
                self._refuse(f"{option.instead_of} and {option.name} exclude each other.")

    def _check_places(self) -> None:
        arguments = self.command.arguments
        if len(self.placed) > len(arguments):
            from orange_tui.cli.parsing.refusals import too_many

            raise too_many(self.command, self.placed)
        missing = [argument.metavar for argument in arguments[len(self.placed) :] if argument.required]
        if missing:
            self._refuse(f"say which {' and '.join(missing)}.")
        for argument, value in zip(arguments, self.placed, strict=False):
            self._check_choice(argument.metavar, argument.choices, value)

    def _refuse(self, sentence: str) -> None:
        from orange_tui.cli.parsing.refusals import wrong

        raise wrong(self.command, sentence)


def _can_be_value(word: str, option: Option) -> bool:
    """Whether the word after an option is its value; where a value is optional, any dash means no."""
    return not (looks_like_option(word) or (option.optional_value and word.startswith("-")))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
