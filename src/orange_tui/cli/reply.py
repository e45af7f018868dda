"""A command's reply and how it is printed: text for a person, JSON for a program."""

from __future__ import annotations

import sys
from contextlib import suppress

from orange_tui.domain.records import record
from orange_tui.domain.task import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.errors import OrangeError


INTERRUPTED = 130  # the exit code of a command that Ctrl+C has ended


@record
class Reply:
    """The result of a command. `notes` go to standard error: what a person should know besides."""

    text: str
    data: object = None  # a value, or a function that makes it, called only if JSON is wanted
    notes: tuple[str, ...] = ()
    code: int = 0


def print_reply(reply: Reply, *, as_json: bool) -> int:
    """Print a reply; returns the exit code."""
    _print(_json(reply.data() if callable(reply.data) else reply.data) if as_json else reply.text, sys.stdout)
    for note in reply.notes:
        _print(f"orange: {printable_text(note)}", sys.stderr)
    return reply.code


def print_error(problem: OrangeError, *, as_json: bool) -> int:
    """Print why a command failed; returns the exit code."""
    if as_json:
        with suppress(OSError):  # standard output may be the problem
            _print(_json({"error": str(problem)}), sys.stdout)
    _print(f"orange: {printable_text(str(problem))}", sys.stderr)
    return problem.exit_code


def printable_text(text: str) -> str:
    """Text of several lines with no control characters left that a terminal would obey."""
    return "\n".join(printable(line.expandtabs()) for line in text.replace("\r\n", "\n").split("\n"))


def _json(data: object) -> str:
    import json

    # Indenting is for people, and makes the encoder ten times slower.
    return json.dumps(data, indent=2 if sys.stdout.isatty() else None, default=_json_default)


def _json_default(value: object) -> object:
    """Values that JSON does not have: YAML may put any type into an unknown field."""
    return list(value) if isinstance(value, tuple | set | frozenset) else str(value)


def _print(text: str, stream: object) -> None:
    if text:
        print(text, file=stream, flush=True)  # type: ignore[call-overload]
