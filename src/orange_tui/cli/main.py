"""Run one command line: parse it, run its command, print the reply. No input ends in a traceback."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from orange_tui.cli.parsing.grammar import HelpRequest, load
from orange_tui.cli.parsing.parser import parse, wants_json
from orange_tui.cli.permissions import check_permission, is_confined
from orange_tui.cli.reply import INTERRUPTED, Reply, print_error, print_reply
from orange_tui.cli.table.tasks import TASK_COMMANDS
from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.home import locks, paths
from orange_tui.orange import assemble

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from orange_tui.cli.parsing.grammar import CommandSpec, Parsed
    from orange_tui.orange import Orange

    Run = Callable[[Parsed, Orange], Reply]


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line; returns the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets its number instead. The stream is None if it was closed.
        if stream is not None:
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    return _run_safely(words)


def _run_safely(words: list[str]) -> int:
    try:
        return _dispatch(words)
    except OrangeError as problem:
        return print_error(problem, as_json=wants_json(words))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        return _handle_closed_pipe()
    except OSError as problem:
        sentence = f"{problem.filename or 'The system'}: {problem.strerror or problem}"
        return print_error(OrangeError(sentence), as_json=wants_json(words))
    except Exception as problem:  # noqa: BLE001 - a sentence for the person, the traceback for the log
        return print_error(_log_unexpected(problem), as_json=wants_json(words))


def _report(sentence: str) -> None:
    with suppress(OSError, ValueError):  # that nobody reads it any more must not end the command
        print(f"orange: {sentence}", file=sys.stderr, flush=True)


def _report_lock_wait(what: str) -> None:
    _report(f"waiting for another command on {what} …")


def _move_over(orange: Orange) -> None:
    from orange_tui.store.migration import move_over

    def report(sentence: str) -> None:
        _report(sentence)
        orange.log.write("info", sentence)

    move_over(orange.store, report)


def _dispatch(words: list[str]) -> int:
    locks.report_lock_wait = _report_lock_wait
    if words[:1] == ["__complete"]:
        if is_confined():
            raise Refused("`orange __complete` is for a person's shell")
        from orange_tui.cli.commands.setup import complete

        print(complete(words[1:], assemble()))
        return 0
    commands = _commands_for(words)
    parsed = parse(words, commands)
    if isinstance(parsed, HelpRequest):
        return _show_help(parsed, commands)
    orange = assemble()
    paths.close_to_others(orange.home)
    if orange.home.is_of_earlier_version():
        _move_over(orange)
    check_permission(parsed, orange)
    run: Run = load(parsed.command.run)
    return print_reply(run(parsed, orange), as_json=parsed.json)


def _show_help(wanted: HelpRequest, commands: Sequence[CommandSpec]) -> int:
    if wanted.topic:
        from orange_tui.cli.paging import show_page

        show_page(wanted.topic)
        return 0
    from orange_tui.cli.parsing.help import render

    print(render(wanted, commands), end="")
    return 0


def _commands_for(words: list[str]) -> Sequence[CommandSpec]:
    """The commands to choose from. Those about tasks and agents, and the app, are found without all the others."""
    if _has(TASK_COMMANDS, words):
        return TASK_COMMANDS
    if not words:
        from orange_tui.cli.table.app import PROGRAM

        return (PROGRAM,)
    from orange_tui.cli.table.agents import AGENT_COMMANDS

    if _has(AGENT_COMMANDS, words):
        return AGENT_COMMANDS
    from orange_tui.cli.all_commands import COMMANDS

    return COMMANDS


def _has(commands: Sequence[CommandSpec], words: list[str]) -> bool:
    return any(command.run and command.path == tuple(words[:2]) for command in commands)


def _handle_closed_pipe() -> int:
    """`orange task list | head`: nobody reads the rest, which is not an error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _log_unexpected(problem: Exception) -> OrangeError:
    import traceback

    details = "".join(traceback.format_exception(problem))
    assemble().log.write("error", f"{type(problem).__name__}: {problem}", traceback=details)
    return OrangeError(
        f"Something unexpected went wrong ({type(problem).__name__}: {problem})."
        " `orange log --level error -n 1` shows the details; please report them",
    )
