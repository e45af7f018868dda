"""Parse the words of a command line into a `Parsed`: a small parser with helpful errors.

Agents type these commands all day, so the rules are few and hold everywhere: options stand anywhere after
the command; `--` ends them; a word that begins with a dash is an option unless it contains a space, which
no option does ("-5 degrees" and Markdown lists are text). Every mistake becomes a `UsageError` that says
how to fix it; `_usage_errors` writes its text, and is imported only then.
"""

from __future__ import annotations

from orange_tui.cli.parsing.grammar import HELP, JSON, HelpRequest, Parsed, command_path, find_command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from orange_tui.cli.parsing.grammar import CommandSpec, Option, Value

_MAX_DIGITS = 9


def parse(argv: Sequence[str], commands: Sequence[CommandSpec]) -> Parsed | HelpRequest:
    """Read the words after `orange`; raise `UsageError` for whatever is not in the table."""
    before = _before_dashes(argv)
    if before[:1] == ["help"]:
        return _page_about(before[1:], commands) or _help_about(before[1:], commands)
    if any(word in HELP.names for word in before):
        return _help_about(before, commands)
    command, rest = _split_command(argv, commands)
    if command is None:
        raise _not_a_command(argv, commands)
    reading = _ArgumentReader(command)
    reading.read(rest)
    return reading.result()


def wants_json(argv: Sequence[str]) -> bool:
    """Whether an error should be printed as JSON: known even when the words are not understood."""
    return JSON.name in _before_dashes(argv)


def looks_like_option(word: str) -> bool:
    """Whether a word is an option rather than text; the lone dash is a value (standard input)."""
    return len(word) > 1 and word[0] == "-" and not any(map(str.isspace, word.partition("=")[0]))


def _before_dashes(argv: Sequence[str]) -> list[str]:
    words = list(argv)
    return words[: words.index("--")] if "--" in words else words


def _split_command(argv: Sequence[str], commands: Sequence[CommandSpec]) -> tuple[CommandSpec | None, Sequence[str]]:
    """The command these words begin with, and the rest of them; no command when they end at a group."""
    path = command_path(argv, commands)
    rest = argv[len(path) :]
    command = find_command(path, commands)
    if command is None or not command.run or (not path and rest and not looks_like_option(rest[0])):
        return None, rest
    return command, rest


def _page_about(words: Sequence[str], commands: Sequence[CommandSpec]) -> HelpRequest | None:
    """A page, where the one word after `help` begins no other topic; a command of that name comes first."""
    if len(words) != 1 or command_path(words, commands):
        return None
    from orange_tui.pages.library import topics

    found = [topic for topic in topics() if topic.startswith(words[0])]
    return HelpRequest(topic=found[0]) if len(found) == 1 else None


def _help_about(words: Sequence[str], commands: Sequence[CommandSpec]) -> HelpRequest:
    """Help on the command or group that the words name; what follows a command does not matter."""
    named = [word for word in words if word not in HELP.names]
    path = command_path(named, commands)
    following = named[len(path) : len(path) + 1]
    command, _ = _split_command(named, commands)
    if command is None and following and not looks_like_option(following[0]):
        raise _not_a_command(named, commands)
    return HelpRequest(path)


def _not_a_command(words: Sequence[str], commands: Sequence[CommandSpec]) -> Exception:
    from orange_tui.cli.parsing._usage_errors import not_a_command

    path = command_path(words, commands)
    return not_a_command(path, words[len(path) :], commands)


class _ArgumentReader:
    """Reads the words of one command from left to right into option values and positional arguments."""

    def __init__(self, command: CommandSpec) -> None:
        self.command = command
        self.options = {name: option for option in command.every_option for name in option.names}
        self.values: dict[str, Value] = {}
        self.positionals: list[str] = []

    def read(self, words: Sequence[str]) -> None:
        """Go through the words once; an option may take the one after it along."""
        at = 0
        while at < len(words):
            word = words[at]
            at += 1
            if word == "--":
                self.positionals.extend(words[at:])
                return
            if looks_like_option(word):
                at += self._option(word, words[at] if at < len(words) else None)
            else:
                self.positionals.append(word)

    def _option(self, word: str, following: str | None) -> int:
        """Store one option; returns how many of the following words were its value: one or none."""
        option, attached = self._split(word)
        if attached is not None:
            self._store(option, attached)
        elif option.value is None:
            self._store(option, value=True)
        elif following is not None and _can_be_value(following, option):
            self._store(option, following)
            return 1
        elif option.optional_value:
            self._store(option, value=True)
        else:
            from orange_tui.cli.parsing._usage_errors import missing_value

            raise missing_value(self.command, option)
        return 0

    def _split(self, word: str) -> tuple[Option, str | None]:
        """The option a word names, and the value attached to it: `--name=value`, `-n5`."""
        name, equals, value = word.partition("=")
        if name in self.options:
            return self.options[name], value if equals else None
        short = self.options.get(word[:2])
        if short is not None and short.value is not None:
            return short, word[2:]
        from orange_tui.cli.parsing._usage_errors import unknown_option

        raise unknown_option(self.command, name, self.options)

    def _store(self, option: Option, value: str | bool) -> None:
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
            from orange_tui.cli.parsing._usage_errors import not_a_number

            raise not_a_number(self.command, option, value)
        self._check_choice(option.name, option.choices, value)

    def _check_choice(self, name: str, choices: tuple[str, ...], value: str) -> None:
        if choices and value not in choices:
            from orange_tui.cli.parsing._usage_errors import not_a_choice

            raise not_a_choice(self.command, name, choices, value)

    def result(self) -> Parsed | HelpRequest:
        """The parsed command, with a value (perhaps None) for each name that it declares."""
        if self.values.get("version") is True:
            return HelpRequest(version=True)
        self._check_exclusive_options()
        self._check_positionals()
        values: dict[str, Value] = {option.key: None for option in self.command.options}
        values.update(self.values)
        json = values.pop(JSON.key, None) is True
        for at, argument in enumerate(self.command.arguments):
            given = tuple(self.positionals[at:])
            values[argument.name] = given if argument.repeat else given[0] if given else None
        return Parsed(self.command, values, json)

    def _check_exclusive_options(self) -> None:
        for option in self.command.options:
            if option.instead_of and option.key in self.values and option.instead_of[2:] in self.values:
                self._refuse(f"{option.instead_of} and {option.name} cannot be used together.")

    def _check_positionals(self) -> None:
        arguments = self.command.arguments
        if len(self.positionals) > len(arguments) and not (arguments and arguments[-1].repeat):
            from orange_tui.cli.parsing._usage_errors import too_many_arguments

            raise too_many_arguments(self.command, self.positionals)
        missing = [argument.metavar for argument in arguments[len(self.positionals) :] if argument.required]
        if missing:
            self._refuse(f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing.")
        for argument, value in zip(arguments, self.positionals, strict=False):
            self._check_choice(argument.metavar, argument.choices, value)

    def _refuse(self, sentence: str) -> None:
        from orange_tui.cli.parsing._usage_errors import usage_error

        raise usage_error(self.command, sentence)


def _can_be_value(word: str, option: Option) -> bool:
    """Whether the word after an option is its value; where a value is optional, any dash means no."""
    return not (looks_like_option(word) or (option.optional_value and word.startswith("-")))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS
