"""The grammar of the command line as data: commands, arguments, options, and a parsed command.

The parser, the help and the shell completion are all driven by these records, so a command is described
once. `argparse` would do for the first two, and costs as much to import as a whole `orange task update`.
"""

from __future__ import annotations

from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Literal

    Kind = Literal["task", "project", "workflow", "branch", "status", "harness", "job", "file", "workflow or file"]
    AgentsMay = Literal[
        "use it", "use it unconfined", "use it on their own task", "create subtasks", "leave it to a person"
    ]
    Value = str | tuple[str, ...] | bool | None


@record
class Argument:
    """A positional argument. `complete` is the kind of thing a shell should offer for it.

    The last one may `repeat`: it takes one word or more.
    """

    name: str
    help: str
    required: bool = True
    choices: tuple[str, ...] = ()
    complete: Kind | None = None
    shown: str = ""
    repeat: bool = False

    @property
    def metavar(self) -> str:
        """How help writes it."""
        return self.shown or self.name.upper()


@record
class Option:
    """An option. `value` is what help calls its value; an option without one is a flag."""

    name: str
    value: str | None
    help: str
    short: str = ""
    repeat: bool = False
    optional_value: bool = False
    number: bool = False
    choices: tuple[str, ...] = ()
    complete: Kind | None = None
    instead_of: str = ""
    persons: bool = False  # not for agents, who may use the command otherwise

    @property
    def key(self) -> str:
        """Its name in `Parsed.values`: as typed, without the dashes."""
        return self.name[2:]

    @property
    def names(self) -> tuple[str, ...]:
        """Every way to write it."""
        return (self.short, self.name) if self.short else (self.name,)


HELP = Option("--help", None, "Show this help.", short="-h")
JSON = Option("--json", None, "Print one JSON value instead of text; an error is an object with 'error'.")
JSON_GROUPS = ("task", "project", "workspace", "job", "issue", "usage")


@record
class CommandSpec:
    """One command, or a group of them (one without `run`); the empty path is the program itself.

    `run` is "module:function", imported only when the command runs. `opens` is the same for the two commands that
    open the app: the only places where the command line names it. `agents_may` is what is allowed in an agent's window;
    a command that does not say so is left to the person.
    """

    path: tuple[str, ...]
    summary: str
    arguments: tuple[Argument, ...] = ()
    options: tuple[Option, ...] = ()
    run: str = ""
    details: str = ""
    examples: tuple[tuple[str, str], ...] = ()
    hidden: bool = False  # for our own scripts: not listed, not offered
    opens: str = ""
    agents_may: AgentsMay = "leave it to a person"

    @property
    def name(self) -> str:
        """What one types to get it."""
        return " ".join(("orange", *self.path))

    @property
    def every_option(self) -> tuple[Option, ...]:
        """Its own options and those that come with its group; help is always the last."""
        shared = (JSON,) if self.run and self.path[:1] and self.path[0] in JSON_GROUPS else ()
        return (*self.options, *shared, HELP)


@record
class HelpRequest:
    """A request for help about a command, a group or the topic of a page, or for the version only."""

    path: tuple[str, ...] = ()
    version: bool = False
    topic: str = ""


@record
class Parsed:
    """A parsed command line. Every declared name is in `values`; asking for another is a bug."""

    command: CommandSpec
    values: Mapping[str, Value]
    json: bool = False

    def text(self, name: str) -> str | None:
        """The value given, which may be empty; None when there was none."""
        value = self.values[name]
        return value if isinstance(value, str) else None

    def required(self, name: str) -> str:
        """The value of a required argument, which the parser has made sure of."""
        value = self.values[name]
        if not isinstance(value, str):
            raise TypeError(f"{self.command.name}: {name} is not a required argument")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """All values of an option or argument that may be repeated, in the order given."""
        value = self.values[name]
        return value if isinstance(value, tuple) else ()

    def flag(self, name: str) -> bool:
        """Whether the option was given on its own, without a value."""
        return self.values[name] is True

    def number(self, name: str) -> int | None:
        """The value of a number option, which the parser has checked."""
        value = self.text(name)
        return None if value is None else int(value)


def load(entry_point: str) -> Callable[..., Any]:
    """The function that "module:function" names; its module is imported now, and not before."""
    from importlib import import_module

    module, _, name = entry_point.partition(":")
    function: Callable[..., Any] = getattr(import_module(module), name)
    return function


def command_path(words: Sequence[str], commands: Sequence[CommandSpec]) -> tuple[str, ...]:
    """The leading words that name a command or a group."""
    path: tuple[str, ...] = ()
    for word in words:
        longer = (*path, word)
        if not any(command.path[: len(longer)] == longer for command in commands):
            break
        path = longer
    return path


def find_command(path: tuple[str, ...], commands: Sequence[CommandSpec]) -> CommandSpec | None:
    """The entry with exactly this path; a group may have none."""
    return next((command for command in commands if command.path == path), None)


def subcommands(path: tuple[str, ...], commands: Sequence[CommandSpec]) -> tuple[CommandSpec, ...]:
    """The visible commands and groups one level below a path."""
    depth = len(path)
    return tuple(c for c in commands if len(c.path) == depth + 1 and c.path[:depth] == path and not c.hidden)
