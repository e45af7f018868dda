"""From words to a command to an exit code. No input leads to a traceback; an unforeseen error leads to the log."""

from __future__ import annotations

import os
import sys

from orange_tui.cli.parsing.grammar import Help, load
from orange_tui.cli.parsing.parser import parse, wants_json
from orange_tui.cli.reply import Reply, send, send_error
from orange_tui.cli.table.tasks import TASK_COMMANDS
from orange_tui.domain.errors import OrangeError
from orange_tui.home import files
from orange_tui.orange import assemble

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from orange_tui.cli.parsing.grammar import Command, Parsed
    from orange_tui.orange import Orange

    Run = Callable[[Parsed, Orange], Reply]

_INTERRUPTED = 130
_MAY_END_ITS_WINDOW = {("task", word) for word in ("update", "complete", "stuck", "cancel", "merge")}


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line; returns the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets its number; that is no reason to fail. Nor is a closed one.
        if stream is not None:
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    if os.environ.get("ORANGE_WINDOW") and tuple(words[:2]) in _MAY_END_ITS_WINDOW:
        from orange_tui.cli.detach import run_detached

        return run_detached(lambda: _without_traceback(words))
    return _without_traceback(words)


def _without_traceback(words: list[str]) -> int:
    try:
        return _answer(words)
    except OrangeError as problem:
        return send_error(problem, as_json=wants_json(words))
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        return _reader_has_gone()
    except OSError as problem:
        sentence = f"{problem.filename or 'The system'}: {problem.strerror or problem}"
        return send_error(OrangeError(sentence), as_json=wants_json(words))
    except Exception as problem:  # noqa: BLE001 - the last resort: a sentence for the person, the rest for the log
        return send_error(_unforeseen(problem), as_json=wants_json(words))


def _report_lock_wait(what: str) -> None:
    print(f"orange: waiting for another command on {what} …", file=sys.stderr)


def _answer(words: list[str]) -> int:
    files.report_lock_wait = _report_lock_wait
    if words[:1] == ["__complete"]:
        from orange_tui.cli.lookup import complete

        print(complete(words[1:], assemble()))
        return 0
    commands = _table(words)
    parsed = parse(words, commands)
    if isinstance(parsed, Help):
        from orange_tui.cli.parsing.help import render

        print(render(parsed, commands), end="")
        return 0
    run: Run = load(parsed.command.run)
    return send(run(parsed, assemble()), as_json=parsed.json)


def _table(words: list[str]) -> Sequence[Command]:
    """The commands to choose from; the ones agents use are known without looking at all the others."""
    if any(command.run and command.path == tuple(words[:2]) for command in TASK_COMMANDS):
        return TASK_COMMANDS
    from orange_tui.cli.table.root import COMMANDS

    return COMMANDS


def _reader_has_gone() -> int:
    """`orange task list | head`: nothing more to say, and nothing to say it to."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _unforeseen(problem: Exception) -> OrangeError:
    import traceback

    details = "".join(traceback.format_exception(problem))
    assemble().log.write("error", f"{type(problem).__name__}: {problem}", traceback=details)
    return OrangeError(
        f"Something went wrong that Orange did not foresee ({type(problem).__name__}: {problem})."
        " `orange log --level error -n 1` has the details; please report them",
    )
