"""Shell completion: a small script for each shell, and the one function that answers all of them.

The scripts know nothing of the commands: on Tab they ask `orange __complete WORDS...` (the last word is
the one being typed, perhaps empty) and offer its lines. A line is a word, or a word, a tab and what it
means; the line `:files` stands for the shell's own file names.
"""

from __future__ import annotations

from orange_tui.cli.parsing.grammar import command_path, find_command, subcommands
from orange_tui.cli.parsing.parser import looks_like_option
from orange_tui.domain.records import record
from orange_tui.domain.task import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from orange_tui.cli.parsing.grammar import Argument, CommandSpec, Option

    Lookup = Callable[[str], Iterable[str]]

FILES = ":files"

_BASH = r"""# Bash takes "--status=working" for three words: they are put together again.
_orange() {
    local word line prefix count=0
    local -a words=()
    for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
        if ((count)) && [[ $word == "=" || ${words[count - 1]} == --*= ]]; then
            words[count - 1]+=$word
        else
            words[count++]=${word//\\/}
        fi
    done
    COMPREPLY=()
    word=${words[count - 1]}
    prefix=
    [[ $word == --*=* && $COMP_WORDBREAKS == *=* ]] && prefix=${word%%=*}=
    while IFS= read -r line; do
        if [[ $line == :files ]]; then
            compopt -o filenames 2>/dev/null
            while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "${word#"$prefix"}")
        else
            line=${line%%$'\t'*}
            printf -v line %q "${line#"$prefix"}"
            COMPREPLY+=("$line")
        fi
    done < <(orange __complete "${words[@]}" 2>/dev/null)
}
complete -F _orange orange
"""

_ZSH = r"""#compdef orange
_orange() {
    local line
    local -a found
    while IFS= read -r line; do
        if [[ $line == :files ]]; then
            _files
        elif [[ $line == *$'\t'* ]]; then
            found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
        else
            found+=("${line//:/\\:}")
        fi
    done < <(orange __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)
    (($#found)) && _describe orange found
}
if [[ $funcstack[1] == _orange ]]; then
    _orange "$@"
else
    compdef _orange orange
fi
"""

_FISH = r"""function __orange_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l current (commandline -ct)
    for line in (orange __complete $words "$current" 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path "$current"
        else
            printf '%s\n' $line
        end
    end
end
complete -c orange -f -a '(__orange_complete)'
"""

_SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


def script(shell: str) -> str:
    """The script for one of bash, zsh and fish."""
    return _SCRIPTS[shell]


def candidates(words: Sequence[str], commands: Sequence[CommandSpec], lookup: Lookup) -> list[str]:
    """What the last word could become. `lookup` lists the existing tasks, projects and so on."""
    *before, current = words or [""]
    asks_help = before[:1] == ["help"]
    typed = before[1:] if asks_help else before
    path = command_path(typed, commands)
    command = find_command(path, commands)
    rest = typed[len(path) :]
    has_begun = bool(path) or (rest or [current])[0].startswith("-")
    if command is not None and command.run and has_begun:
        found = [] if asks_help else _for_command(_Typed.read(command, rest), current, lookup)
    else:
        found = [] if rest else _subcommands(path, commands, with_help=not path and not asks_help)
        found += _pages() if asks_help and not typed else []
    return [_printable_line(line) for line in found if _continues(line, current)]


def _pages() -> list[str]:
    from orange_tui.pages.library import titles

    return [f"{topic}\t{title}" for topic, title in titles()]


def _continues(line: str, current: str) -> bool:
    """Whether a line continues what was typed; a word with control characters cannot be typed at all."""
    word = line.partition("\t")[0]
    return line == FILES or (word.startswith(current) and printable(word) == word)


def _printable_line(line: str) -> str:
    """What a word means may be anybody's text, and is printed in a terminal."""
    word, tab, meaning = line.partition("\t")
    return word + tab + printable(meaning)


def _subcommands(path: tuple[str, ...], commands: Sequence[CommandSpec], *, with_help: bool) -> list[str]:
    found = [_line(command.path[-1], command.summary) for command in subcommands(path, commands)]
    return [*found, _line("help", "Explain a command.")] if with_help else found


def _line(word: str, meaning: str) -> str:
    return f"{word}\t{meaning}"


@record
class _Typed:
    """What was typed of a command so far: options used, arguments given, an option that wants a value."""

    command: CommandSpec
    used: frozenset[str]
    positionals: int
    pending: Option | None
    only_text: bool

    @staticmethod
    def read(command: CommandSpec, words: Sequence[str]) -> _Typed:
        """Read like the parser, but forgive every mistake: the line is not finished yet."""
        options = {name: option for option in command.every_option for name in option.names}
        used: set[str] = set()
        positionals = 0
        pending: Option | None = None
        for at, word in enumerate(words):
            if word == "--":
                return _Typed(command, frozenset(used), positionals + len(words) - at - 1, None, True)
            name, equals, _ = word.partition("=")
            if looks_like_option(word):
                option = options.get(name)
                used.add(option.name if option else name)
                pending = option if option and option.value and not equals else None
            else:
                positionals += pending is None
                pending = None
        return _Typed(command, frozenset(used), positionals, pending, only_text=False)


def _for_command(typed: _Typed, current: str, lookup: Lookup) -> list[str]:
    name, equals, _ = current.partition("=")
    if typed.pending and not (typed.pending.optional_value and current.startswith("-")):
        return _values(typed.pending, lookup)
    if current.startswith("-") and not typed.only_text:
        return _attached(typed.command, name, lookup) if equals else _options(typed)
    arguments = typed.command.arguments
    repeats = bool(arguments) and arguments[-1].repeat
    if typed.positionals < len(arguments) or repeats:
        return _values(arguments[min(typed.positionals, len(arguments) - 1)], lookup)
    return [] if typed.only_text else _options(typed)


def _attached(command: CommandSpec, name: str, lookup: Lookup) -> list[str]:
    """Values in the form `--name=value`."""
    option = next((option for option in command.every_option if name in option.names), None)
    lines = _values(option, lookup) if option else []
    return [f"{name}={line}" for line in lines if line != FILES]


def _options(typed: _Typed) -> list[str]:
    """The options that can still be given: not twice, and not one that excludes another."""
    every = typed.command.every_option
    excluded = {option.instead_of for option in every if option.name in typed.used}
    free = [o for o in every if (o.name not in typed.used or o.repeat) and o.name not in excluded]
    return [_line(option.name, option.help) for option in free if option.instead_of not in typed.used]


def _values(declared: Argument | Option, lookup: Lookup) -> list[str]:
    kinds = declared.complete.split(" or ") if declared.complete else []
    found = list(declared.choices)
    for kind in kinds:
        found += [FILES] if kind == "file" else lookup(kind)
    return found
